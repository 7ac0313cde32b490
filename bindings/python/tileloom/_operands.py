# SPDX-License-Identifier: Apache-2.0
"""Which arrays the GEMM takes: the rules and their texts, shared by NumPy, DLPack and torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ._errors import BadInput

__all__ = ["Matrix", "check_apart", "check_out", "check_product", "leading_dimension", "maps_to_rows"]

_NO_BF16 = "there are no bfloat16 kernels yet; convert to float16, whose largest number is 65504"
_NO_BATCH = "batches are not there yet: multiply one matrix at a time, or join the batch with the rows (reshape(-1, k))"
ELEMENT_BYTES = 2


class Matrix(Protocol):
    """What the rules look at; strides are in elements."""

    shape: Sequence[int]
    strides: Sequence[int]
    dtype: str
    device: str


def maps_to_rows(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether a matrix is rows of neighbouring elements, each row after the one before."""
    rows, cols = shape
    if rows == 0 or cols == 0:
        return True
    return (cols == 1 or strides[1] == 1) and (rows == 1 or strides[0] >= cols)


def leading_dimension(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Elements from a row to the next, of a matrix that maps to rows."""
    rows, cols = shape
    if rows <= 1 or cols == 0:
        return max(1, cols)
    return strides[0]


def _check_matrix(name: str, x: Matrix, compact: str) -> None:
    if x.dtype != "float16":
        raise BadInput(f"gemm: {name}: expected float16, found {x.dtype}", _NO_BF16 if x.dtype == "bfloat16" else "")
    shape = tuple(x.shape)
    if len(shape) != 2:
        raise BadInput(
            f"gemm: {name}: expected 2 dimensions, found {len(shape)} (shape {shape})",
            _NO_BATCH if len(shape) > 2 else "",
        )
    strides = tuple(x.strides)
    if not maps_to_rows(shape, strides):
        raise BadInput(
            f"gemm: {name}: expected rows of neighbouring elements (strides (ld, 1), ld at least {max(1, shape[1])}), "
            f"found strides {strides} for shape {shape}",
            f"make a copy that has them: {compact}",
        )


def check_product(a: Matrix, b: Matrix, compact: str) -> tuple[int, int, int]:
    """m, n and k of A @ B.T; raises BadInput for the first thing that is wrong.

    ``compact`` is how a user makes a matrix without gaps, with ``{}`` for its name.
    """
    _check_matrix("a", a, compact.format("a"))
    _check_matrix("b", b, compact.format("b"))
    if a.device != b.device:
        raise BadInput(f"gemm: b: expected {a.device}, where a is, found {b.device}")
    (m, k), (n, k_of_b) = a.shape, b.shape
    if k != k_of_b:
        raise BadInput(
            f"gemm: b: expected {k} columns, as a has, found shape {tuple(b.shape)}",
            "the product is A @ B.T: b is n x k" + (f", so give {compact.format('b.T')}" if k == n else ""),
        )
    return m, n, k


def check_out(out: Matrix, a: Matrix, m: int, n: int) -> None:
    """Raises BadInput unless ``out`` can take the product."""
    _check_matrix("out", out, "leave out= away, or give one without gaps")
    if tuple(out.shape) != (m, n):
        raise BadInput(f"gemm: out: expected shape {(m, n)}, found {tuple(out.shape)}")
    if out.device != a.device:
        raise BadInput(f"gemm: out: expected {a.device}, where a is, found {out.device}")


def _extent(shape: Sequence[int], ld: int) -> int:
    rows, cols = shape
    return 0 if rows == 0 or cols == 0 else ((rows - 1) * ld + cols) * ELEMENT_BYTES


def _interleave(x: tuple[int, Any, int], y: tuple[int, Any, int]) -> bool:
    """Whether rows of one lie in the gaps between rows of the other, as the halves of a wider matrix do."""
    strides = {ld for _, (rows, _), ld in (x, y) if rows > 1}
    if len(strides) != 1:
        return False
    (stride,) = strides
    between = (y[0] - x[0]) % (stride * ELEMENT_BYTES)
    return between >= x[1][1] * ELEMENT_BYTES and between + y[1][1] * ELEMENT_BYTES <= stride * ELEMENT_BYTES


def check_apart(out: tuple[int, Any, int], others: Sequence[tuple[str, int, Any, int]]) -> None:
    """Raises BadInput where ``out``, an (address, shape, ld), has bytes of one of the others (name, address, ...)."""
    begin = out[0]
    end = begin + _extent(out[1], out[2])
    for name, address, shape, ld in others:
        if max(begin, address) < min(end, address + _extent(shape, ld)) and not _interleave(out, (address, shape, ld)):
            raise BadInput(
                f"gemm: out: expected memory apart from a and b, found it inside {name}",
                "the product is not made in place: give another out",
            )
