# SPDX-License-Identifier: Apache-2.0
"""`emulate_gemm`: a shipped kernel's product with everything that the emulator sees."""

from __future__ import annotations

from typing import Any

from ._errors import BadInput
from ._tileloom import GemmEmulation, _emulate_gemm

__all__ = ["emulate_gemm"]


def _matrix(name: str, array: Any) -> tuple[int, int, int, int]:
    if getattr(array, "dtype", None) != "float16" or array.ndim != 2:
        found = f"{array.ndim}-D {array.dtype}" if hasattr(array, "dtype") else type(array).__name__
        raise BadInput(f"{name}: expected a numpy array of float16 with two dimensions, found {found}")
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
    kernel: str | None = None,
    arch: str = "sm_90",
    stages: int = 0,
    raster_width: int = 0,
    check: bool = False,
    counters: bool = False,
    follow: str | None = None,
    threads: int = 0,
) -> GemmEmulation:
    """Runs a shipped kernel on the emulator, D = A B^T, and says what it did.

    a, b: numpy arrays of float16, M x K and N x K, rows at any distance. accumulate: "f32" or "f16".
    kernel: a shipped kernel or a family; None: the fastest by estimate. arch: the GPU that is modelled.
    stages, raster_width: as for :func:`gemm`; 0: chosen, a width of -1: off.
    check: look for races. counters: count executions, wavefronts and sectors. follow: where an element goes, "A:0,9".
    threads: of this machine (0: all).

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
        accumulate=accumulate,
        kernel=kernel or "",
        arch=arch,
        stages=stages,
        raster_width=raster_width,
        check=check,
        counters=counters,
        follow=follow,
        threads=threads,
    )
