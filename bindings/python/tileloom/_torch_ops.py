# SPDX-License-Identifier: Apache-2.0
"""The operators of PyTorch: `torch.ops.tileloom.matmul_nt` and `matmul_nt_out`, and the functions that call them.

Nothing here is compiled against torch: tensors go to the GEMM as addresses, sizes and a stream.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _tileloom
from ._errors import BadInput
from ._gemm_options import KernelName, check_options, given_options
from ._operands import check_apart, check_out, check_product, leading_dimension, maps_to_rows

__all__ = ["matmul", "matmul_nt"]

# `kernel_name`: Inductor calls what it falls back to with a `kernel` of its own.
_OPTIONS = "str accumulate='f32', str kernel_name='', int stages=0, int raster_width=0"
_COMPACT = "{}.contiguous()"

_library = torch.library.Library("tileloom", "FRAGMENT")
_tags = (getattr(torch.Tag, "needs_exact_strides", torch.Tag.needs_fixed_stride_order), torch.Tag.pt2_compliant_tag)
_library.define(f"matmul_nt(Tensor a, Tensor b, *, {_OPTIONS}) -> Tensor", tags=_tags)
_library.define(f"matmul_nt_out(Tensor a, Tensor b, *, {_OPTIONS}, Tensor(a!) out) -> ()", tags=_tags)

_float16 = torch.float16
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
_BelowAutograd = getattr(torch._C, "_AutoDispatchBelowAutograd", None)
_has_shortcuts = _BelowAutograd is not None and hasattr(torch._C, "_are_functorch_transforms_active")


class _View:
    """A tensor as the rules see it."""

    def __init__(self, tensor: Tensor) -> None:
        self.shape = tensor.shape
        self.strides = tensor.stride()
        self.dtype = str(tensor.dtype).removeprefix("torch.")
        self.device = str(tensor.device)


def _check(a: Tensor, b: Tensor) -> tuple[int, int, int]:
    return check_product(_View(a), _View(b), _COMPACT)


def _problem(a: Tensor, b: Tensor) -> tuple[int, int, int, int, int]:
    """m, n, k, lda and ldb. What is right is seen at once; the rules are asked for words only when something is not."""
    if a.dtype is _float16 and b.dtype is _float16 and a.dim() == 2 and b.dim() == 2:
        a_shape, b_shape, a_strides, b_strides = a.shape, b.shape, a.stride(), b.stride()
        if (
            a_shape[1] == b_shape[1]
            and maps_to_rows(a_shape, a_strides)
            and maps_to_rows(b_shape, b_strides)
            and a.device == b.device
        ):
            lda, ldb = leading_dimension(a_shape, a_strides), leading_dimension(b_shape, b_strides)
            return a_shape[0], b_shape[0], a_shape[1], lda, ldb
    m, n, k = _check(a, b)
    return m, n, k, leading_dimension(a.shape, a.stride()), leading_dimension(b.shape, b.stride())


def _stream(device: int) -> int:
    return _raw_stream(device) if _raw_stream else torch.cuda.current_stream(device).cuda_stream


def _run(
    a: Tensor,
    b: Tensor,
    d: Tensor,
    problem: tuple[int, int, int, int, int],
    ldd: int,
    accumulate: str,
    kernel: str,
    stages: int,
    raster_width: int,
) -> None:
    m, n, k, lda, ldb = problem
    device = a.get_device()
    on_gpu = device >= 0
    try:
        _tileloom._gemm(
            a.data_ptr(), lda, b.data_ptr(), ldb, d.data_ptr(), ldd, m, n, k, accumulate, kernel, stages, raster_width,
            "cuda" if on_gpu else "emulator", "", device, _stream(device) if on_gpu else 0,
        )  # fmt: skip
    except TypeError:
        check_options(accumulate, stages, raster_width)
        raise


def _matmul_nt(
    a: Tensor, b: Tensor, *, accumulate: str = "f32", kernel_name: str = "", stages: int = 0, raster_width: int = 0
) -> Tensor:
    problem = _problem(a, b)
    d = a.new_empty((problem[0], problem[1]))
    _run(a, b, d, problem, max(1, problem[1]), accumulate, kernel_name, stages, raster_width)
    return d


def _matmul_nt_out(
    a: Tensor,
    b: Tensor,
    *,
    accumulate: str = "f32",
    kernel_name: str = "",
    stages: int = 0,
    raster_width: int = 0,
    out: Tensor,
) -> None:
    problem = m, n, k, lda, ldb = _problem(a, b)
    shape, strides = out.shape, out.stride()
    if out.dtype is not _float16 or shape != (m, n) or not maps_to_rows(shape, strides) or out.device != a.device:
        check_out(_View(out), _View(a), m, n)
    ldd = leading_dimension(shape, strides)
    operands = (("a", a.data_ptr(), (m, k), lda), ("b", b.data_ptr(), (n, k), ldb))
    check_apart((out.data_ptr(), (m, n), ldd), operands)
    _run(a, b, out, problem, ldd, accumulate, kernel_name, stages, raster_width)


def _fake_matmul_nt(a: Tensor, b: Tensor, **options: Any) -> Tensor:
    m, n, _ = _check(a, b)
    return a.new_empty((m, n))


def _fake_matmul_nt_out(a: Tensor, b: Tensor, *, out: Tensor, **options: Any) -> None:
    m, n, _ = _check(a, b)
    check_out(_View(out), _View(a), m, n)


for _key in ("CPU", "CUDA"):
    _library.impl("matmul_nt", _matmul_nt, _key)
    _library.impl("matmul_nt_out", _matmul_nt_out, _key)
torch.library.register_fake("tileloom::matmul_nt", _fake_matmul_nt, lib=_library)
torch.library.register_fake("tileloom::matmul_nt_out", _fake_matmul_nt_out, lib=_library)

_op = torch.ops.tileloom.matmul_nt.default
_op_out = torch.ops.tileloom.matmul_nt_out.default


def _rows(x: Tensor) -> Tensor:
    return x if maps_to_rows(x.shape, x.stride()) else x.contiguous()


def _save(ctx: Any, a: Tensor, b: Tensor, accumulate: str) -> None:
    ctx.save_for_backward(a if ctx.needs_input_grad[1] else None, b if ctx.needs_input_grad[0] else None)
    ctx.accumulate = accumulate


def _gradients(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
    a, b = ctx.saved_tensors
    options = given_options(ctx.accumulate, None, 0, 0)
    grad_a = None if b is None else _product(_rows(grad), _rows(b.t()), options)
    grad_b = None if a is None else _product(_rows(grad.t()), _rows(a.t()), options)
    return grad_a, grad_b


def _setup_context(
    ctx: Any, inputs: tuple[Tensor, Tensor], keyword_only_inputs: dict[str, Any], output: Tensor
) -> None:
    _save(ctx, *inputs, keyword_only_inputs["accumulate"])


torch.library.register_autograd("tileloom::matmul_nt", _gradients, setup_context=_setup_context, lib=_library)


class _Recorded(torch.autograd.Function):
    """The same gradients as the operator's own, recorded in half the time."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, options: dict[str, Any]) -> Tensor:
        _save(ctx, a, b, options.get("accumulate", "f32"))
        with _BelowAutograd():
            return _op(a, b, **options)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        return *_gradients(ctx, grad), None


class _Transformed(torch.autograd.Function):
    """The same in the form that torch.func's transforms ask for."""

    @staticmethod
    def forward(a: Tensor, b: Tensor, options: dict[str, Any]) -> Tensor:
        return _op(a, b, **options)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, dict[str, Any]], output: Tensor) -> None:
        a, b, options = inputs
        _save(ctx, a, b, options.get("accumulate", "f32"))

    backward = _Recorded.backward


def _wants_grad(*tensors: Tensor) -> bool:
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)


def _product(a: Tensor, b: Tensor, options: dict[str, Any]) -> Tensor:
    """The operator, by the shortest way: its own autograd takes longer than all the rest of a call."""
    if not _has_shortcuts or torch.compiler.is_compiling():
        return _op(a, b, **options)
    if torch._C._are_functorch_transforms_active():
        return _Transformed.apply(a, b, options)
    if _wants_grad(a, b):
        return _Recorded.apply(a, b, options)
    with _BelowAutograd():
        return _op(a, b, **options)


def _check_tensor(name: str, x: Any) -> None:
    if not isinstance(x, Tensor):
        raise BadInput(
            f"gemm: {name}: expected a torch.Tensor, found {type(x).__name__}", "tileloom.gemm takes other arrays"
        )


def matmul_nt(
    a: Tensor,
    b: Tensor,
    *,
    accumulate: str = "f32",
    kernel: KernelName | None = None,
    stages: int = 0,
    raster_width: int = 0,
    out: Tensor | None = None,
) -> Tensor:
    """The product ``a @ b.T`` of float16 tensors, rounded to float16: what ``torch.nn.functional.linear(a, b)`` gives.

    ``a`` is m x k and ``b`` is n x k, on the same device. Both are rows of neighbouring elements with any distance
    between rows, so slices of larger matrices go as they are; other strides are an error, never a silent copy. On a GPU
    the product is enqueued on the current stream; on the CPU the emulator runs the same kernel, slowly; Ctrl-C stops
    it, and may leave ``out`` half written.

    Differentiable, also twice and under ``torch.func.grad``. The gradients are products by the same kernels, for which
    transposed matrices are copied: ``b`` for that of ``a``; ``a`` and the incoming gradient for that of ``b``. They
    take ``accumulate``, not the rest.

    Args:
        a: m x k, float16.
        b: n x k, float16.
        accumulate: ``"f32"`` or ``"f16"``, the type of the sums.
        kernel: an instance or a family, as ``tileloom info`` lists them, or a shipped `Kernel`; None: chosen.
        stages: shared-memory stages of a pipelined kernel; 0: its default.
        raster_width: tile columns in a band of the rasterisation; 0: chosen, -1: off.
        out: m x n, float16, apart from a and b; not differentiable.

    Returns:
        ``out``, or a new m x n tensor.

    Raises:
        BadInput: dtype, device, shape, strides or an option; the text names it.
        CannotRun: the GPU is none that the kernels run on.
    """
    _check_tensor("a", a)
    _check_tensor("b", b)
    options = given_options(accumulate, kernel, stages, raster_width)
    if out is None:
        return _product(a, b, options)
    _check_tensor("out", out)
    if _wants_grad(a, b, out):
        raise BadInput(
            "gemm: out: expected tensors that need no gradient, found one that does",
            "leave out= away, or multiply under torch.no_grad()",
        )
    _op_out(a, b, **options, out=out)
    return out


def matmul(
    a: Tensor,
    b: Tensor,
    *,
    accumulate: str = "f32",
    kernel: KernelName | None = None,
    stages: int = 0,
    raster_width: int = 0,
    out: Tensor | None = None,
) -> Tensor:
    """The product ``a @ b`` of float16 tensors of any strides, rounded to float16.

    ``a`` is m x k and ``b`` is k x n. The kernels read ``b`` along k: a ``b`` that is the transpose of n x k rows
    (``weight.t()``) goes as it is. Any other, a row-major k x n one included, is copied in every call: its bytes once
    read and once written. Keep it as n x k and call :func:`matmul_nt` to be sure that nothing is copied. The same holds
    for an ``a`` whose elements along k are no neighbours.

    Arguments, gradients and errors are those of :func:`matmul_nt`.
    """
    _check_tensor("a", a)
    _check_tensor("b", b)
    if a.dim() == 2 and b.dim() == 2:
        if a.shape[1] != b.shape[0]:
            raise BadInput(
                f"gemm: b: expected {a.shape[1]} rows, as many as a has columns, found shape {tuple(b.shape)}"
            )
        a, b = _rows(a), _rows(b.t())
    return matmul_nt(a, b, accumulate=accumulate, kernel=kernel, stages=stages, raster_width=raster_width, out=out)
