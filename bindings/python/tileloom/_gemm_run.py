# SPDX-License-Identifier: Apache-2.0
"""`emulate_gemm`: a shipped kernel's product with everything that the emulator sees."""

from __future__ import annotations

from typing import Any

from ._elements import check_not_masked
from ._errors import BadInput
from ._options import MOST_INT32, flag, followed, integer, kernel_name, text
from ._tileloom import GemmEmulation, Kernel, _emulate_gemm

__all__ = ["emulate_gemm"]


def _matrix(name: str, array: Any) -> tuple[int, int, int, int]:
    import numpy

    check_not_masked(name, array)
    is_array = isinstance(array, numpy.ndarray)
    if not is_array or array.dtype != "float16" or array.ndim != 2:
        found = f"{array.ndim}-D {array.dtype}" if is_array else type(array).__name__
        swapped = is_array and array.dtype.newbyteorder("=") == "float16"
        raise BadInput(
            f"{name}: expected a numpy array of float16 with two dimensions, found {found}",
            f"{name}.astype({name}.dtype.newbyteorder('=')) has the byte order of this machine" if swapped else "",
        )
    rows, columns = array.shape
    if array.size == 0:
        return 0, rows, columns, max(1, columns)
    down, across = array.strides
    if (columns > 1 and across != 2) or (rows > 1 and (down % 2 or down < 2 * columns)):
        raise BadInput(
            f"{name}: expected rows whose elements lie together, found strides {array.strides}",
            "numpy.ascontiguousarray makes such an array",
        )
    return array.__array_interface__["data"][0], rows, columns, max(1, columns, down // 2 if rows > 1 else 0)


def emulate_gemm(
    a: Any,
    b: Any,
    *,
    accumulate: str = "f32",
    kernel: str | Kernel | None = None,
    arch: str = "sm_90",
    stages: int = 0,
    raster_width: int = 0,
    check: bool = False,
    counters: bool = False,
    follow: str | tuple[str, int, int] | None = None,
    threads: int = 0,
) -> GemmEmulation:
    """Runs a shipped kernel on the emulator, D = A B^T, and says what it did.

    a, b: numpy arrays of float16, M x K and N x K, rows at any distance. accumulate: "f32" or "f16".
    kernel: a shipped kernel or a family, by name or as a `Kernel`; None: the fastest by estimate.
    arch: the GPU that is modelled.
    stages, raster_width: as for :func:`gemm`; 0: chosen, a width of -1: off.
    check: look for races. counters: count executions, wavefronts and sectors.
    follow: where an element goes, "A:0,9" or ("A", 0, 9). threads: of this machine (0: all).

    >>> import numpy, tileloom
    >>> a, b = numpy.ones((16, 32), numpy.float16), numpy.ones((8, 32), numpy.float16)
    >>> run = tileloom.emulate_gemm(a, b, kernel="simple", counters=True)
    >>> run.d[0, 0], run.counters.total("ld.shared").executions
    (np.float16(32.0), 0)
    """
    import numpy

    left, right = _matrix("a", a), _matrix("b", b)
    d = numpy.full((left[1], right[1]), numpy.nan, numpy.float16)
    return _emulate_gemm(
        left,
        right,
        _matrix("d", d),
        d,
        accumulate=text("accumulate", accumulate),
        kernel=kernel_name(kernel),
        arch=text("arch", arch),
        stages=integer("stages", stages, 0, MOST_INT32),
        raster_width=integer("raster_width", raster_width, -1, MOST_INT32),
        check=flag("check", check),
        counters=flag("counters", counters),
        follow=None if follow is None else followed(follow, "MATRIX:ROW,COLUMN", ("A", 0, 9)),
        threads=integer("threads", threads, 0, MOST_INT32),
    )
