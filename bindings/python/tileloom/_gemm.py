# SPDX-License-Identifier: Apache-2.0
"""`tileloom.gemm`: NumPy arrays, and those of any library that speaks DLPack."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from . import _tileloom
from ._elements import check_not_masked
from ._errors import BadInput
from ._gemm_options import KernelName, check_options, kernel_name
from ._operands import ELEMENT_BYTES, check_apart, check_out, check_product, leading_dimension

__all__ = ["gemm"]

_COMPACT = "numpy.ascontiguousarray({}), or your library's call for it"
_HOST = (1, 3)  # DLPack's device types: memory of the CPU, and pinned memory
_CUDA = (2, 13)  # memory of a GPU, and managed memory
_IMMUTABLE = ("jax", "jaxlib")  # libraries whose arrays never change
_LEGACY_STREAM = 1  # as DLPack counts: CUDA's default stream
_DLPACK_VERSION = (1, 1)


class _Operand:
    """One matrix: where it is, and whose."""

    __slots__ = ("address", "array", "device", "dtype", "library", "ordinal", "owner", "read_only", "shape", "strides")

    def __init__(self, name: str, array: Any, stream: int | None = None) -> None:
        self.array = array
        check_not_masked(f"gemm: {name}", array)
        self.library = type(array).__module__.partition(".")[0]
        if self.library == "numpy" and hasattr(array, "__array_interface__"):
            self._read_numpy(name, array)
        elif hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
            self._read_dlpack(name, array, stream)
        else:
            raise BadInput(
                f"gemm: {name}: expected a NumPy array or an object with __dlpack__, found {type(array).__name__}"
            )

    def _read_numpy(self, name: str, array: Any) -> None:
        self.owner = array
        self.address, self.read_only = array.__array_interface__["data"]
        self.shape = array.shape
        self.dtype = str(array.dtype)
        self.ordinal, self.device = -1, "host memory"
        if self.dtype == "float16":
            if any(s % ELEMENT_BYTES for s in array.strides):
                raise BadInput(f"gemm: {name}: expected strides of whole elements, found {array.strides} bytes")
            self.strides = tuple(s // ELEMENT_BYTES for s in array.strides)

    def _read_dlpack(self, name: str, array: Any, stream: int | None) -> None:
        kind, number = (int(x) for x in array.__dlpack_device__())
        if kind in _HOST:
            self.ordinal, self.device = -1, "host memory"
            stream = None
        elif kind in _CUDA:
            self.ordinal, self.device = number, f"cuda:{number}"
        else:
            raise BadInput(f"gemm: {name}: expected memory of the host or of a CUDA GPU, found DLPack device {kind}")
        keywords = {} if stream is None else {"stream": stream}
        try:
            capsule = array.__dlpack__(max_version=_DLPACK_VERSION, **keywords)
        except TypeError:  # a library of before DLPack 1.0
            capsule = array.__dlpack__(**keywords)
        self.owner = _tileloom.ImportedArray(capsule, f"gemm: {name}")
        if not _same_memory(self.owner.device, (kind, number)):
            raise BadInput(
                f"gemm: {name}: expected DLPack device {(kind, number)}, as __dlpack_device__ says, "
                f"found {self.owner.device}"
            )
        self.address = self.owner.address
        self.read_only = self.owner.read_only
        self.shape, self.strides, self.dtype = self.owner.shape, self.owner.strides, self.owner.dtype

    @property
    def ld(self) -> int:
        return leading_dimension(self.shape, self.strides)


def _same_memory(device: tuple[int, int], said: tuple[int, int]) -> bool:
    """Whether two devices of DLPack are one; those of the host are."""
    return device[0] in (_HOST if said[0] in _HOST else _CUDA) and (said[0] in _HOST or device[1] == said[1])


def _current_stream(array: Any) -> int | None:
    """The stream that the array's library works on now, as DLPack counts; None where that cannot be known."""
    if not hasattr(array, "__dlpack_device__") or int(array.__dlpack_device__()[0]) not in _CUDA:
        return None
    library = type(array).__module__.partition(".")[0]
    if library == "torch":
        stream = sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    elif library == "cupy":
        cupy = sys.modules["cupy"]
        with array.device:
            stream = cupy.cuda.get_current_stream().ptr
    else:
        return None
    return stream or _LEGACY_STREAM


def _new_result(a: _Operand, m: int, n: int) -> Any:
    """An array of a's library where that can be written to, else one of ours."""
    if a.library == "numpy":
        return sys.modules["numpy"].empty((m, n), a.array.dtype)
    if a.library == "torch":
        return a.array.new_empty((m, n))
    if a.library == "cupy":
        with a.array.device:
            return sys.modules["cupy"].empty((m, n), a.array.dtype)
    return _tileloom.DeviceArray(m, n, a.ordinal)


def _for_library(result: Any, a: _Operand) -> Any:
    """The result in a's library; ours where that has no from_dlpack."""
    if not isinstance(result, _tileloom.DeviceArray) or isinstance(a.array, _tileloom.DeviceArray):
        return result
    if a.library in _IMMUTABLE:
        return importlib.import_module("jax.dlpack").from_dlpack(result)
    namespace = getattr(a.array, "__array_namespace__", None)
    take = getattr(namespace() if namespace else sys.modules.get(a.library), "from_dlpack", None)
    return take(result) if take else result


def gemm(
    a: Any,
    b: Any,
    *,
    accumulate: str = "f32",
    kernel: KernelName | None = None,
    stages: int = 0,
    raster_width: int = 0,
    backend: str = "auto",
    arch: str | None = None,
    out: Any = None,
) -> Any:
    """The product ``A @ B.T`` of two float16 matrices, rounded to float16.

    ``a`` is m x k and ``b`` is n x k, both rows of neighbouring elements with any distance between rows (a leading
    dimension), as NumPy arrays or as any objects with ``__dlpack__`` (CuPy, JAX, torch); both in memory of the host, or
    both of the same GPU. Nothing is copied to fit: other strides are an error.

    In host memory a GPU does the work if one is usable, else the emulator runs the same kernel on the CPU; the result
    is complete on return. Ctrl-C stops the emulator, and may leave ``out`` half written. In a GPU's memory the product
    is enqueued on the current stream of torch or CuPy where all arrays are of that library; else it is complete on
    return.

    Args:
        a: m x k, float16.
        b: n x k, float16.
        accumulate: ``"f32"`` or ``"f16"``, the type of the sums.
        kernel: an instance or a family, as ``tileloom info`` lists them, or a shipped `Kernel`; None: chosen.
        stages: shared-memory stages of a pipelined kernel; 0: its default.
        raster_width: tile columns in a band of the rasterisation; 0: chosen, -1: off.
        backend: ``"auto"``, ``"cuda"`` or ``"emulator"``.
        arch: what the emulator models (``"sm_90"``), or what the GPU must be.
        out: where the result goes, m x n, writable, apart from a and b; None: a new array.

    Returns:
        ``out``, or a new m x n array of a's library.

    Raises:
        BadInput: an argument is outside its range; the text names it, what was expected and what was found.
        CannotRun: no GPU is usable though one is asked for, or the problem is beyond what a kernel can run.

    >>> import numpy as np, tileloom
    >>> a = np.full((3, 5), 2, np.float16)
    >>> tileloom.gemm(a, a, backend="emulator")[2]
    array([20., 20., 20.], dtype=float16)
    """
    stream = _current_stream(a)
    used_stream = _LEGACY_STREAM if stream is None else stream
    x, y = _Operand("a", a, used_stream), _Operand("b", b, used_stream)
    m, n, _ = check_product(x, y, _COMPACT)
    if x.ordinal >= 0 and backend == "emulator":
        raise BadInput(f"gemm: backend emulator: expected arrays in host memory, found {x.device}")
    result = _new_result(x, m, n) if out is None else out
    if isinstance(result, _tileloom.DeviceArray):
        z = None
        d, ldd = result.address, max(1, n)
    else:
        z = _Operand("out", result, used_stream)
        check_out(z, x, m, n)
        if z.read_only or z.library in _IMMUTABLE:
            raise BadInput("gemm: out: expected an array that can be written to, found a read-only one")
        d, ldd = z.address, z.ld
    check_apart((d, (m, n), ldd), (("a", x.address, x.shape, x.ld), ("b", y.address, y.shape, y.ld)))
    where = backend if x.ordinal < 0 else "cuda"
    name = kernel_name(kernel)
    try:
        _tileloom._gemm(
            x.address, x.ld, y.address, y.ld, d, ldd, m, n, x.shape[1], accumulate, name, stages, raster_width, where,
            "" if arch is None else arch, x.ordinal, used_stream if x.ordinal >= 0 else 0,
        )  # fmt: skip
    except TypeError:
        check_options(accumulate, stages, raster_width, backend, arch)
        raise
    one_library = stream is not None and y.library == x.library and (z is None or z.library == x.library)
    if x.ordinal >= 0 and not one_library:  # nobody would tell the other library's streams when they may go on
        _tileloom._synchronize(x.ordinal, used_stream)
    return _for_library(result, x) if out is None else out
