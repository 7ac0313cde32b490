# SPDX-License-Identifier: Apache-2.0
"""Coordinates and shapes."""

from __future__ import annotations

from typing import Any

from ._call import MISSING, IntTree, LayoutLike, call_function

__all__ = [
    "ceil_div",
    "compatible",
    "congruent",
    "crd2crd",
    "crd2idx",
    "evenly_divides",
    "idx2crd",
    "product",
    "weakly_congruent",
]


def product(shape: IntTree) -> int:
    """Product of all leaves; 1 for the empty tuple.

    >>> product((4, (2, 8)))
    64
    """
    return call_function("product", shape)


def ceil_div(a: IntTree, b: IntTree) -> Any:
    """Quotients rounded up, mode by mode, as CuTe does for trees.

    >>> ceil_div((100, 60), (32, 16))
    (4, 4)
    """
    return call_function("ceil_div", a, b)


def idx2crd(index: IntTree, shape: IntTree) -> Any:
    """The coordinate of an index in a shape, first mode fastest.

    >>> idx2crd(22, (4, 8))
    (2, 5)
    """
    return call_function("idx2crd", index, shape)


def crd2idx(coordinate: IntTree, shape: LayoutLike | IntTree, stride: IntTree = MISSING) -> Any:
    """The index of a coordinate in a shape, or its offset in a layout or with a stride.

    >>> crd2idx((2, 5), (4, 8)), crd2idx((2, 5), (4, 8), (8, 1))
    (22, 21)
    """
    return call_function("crd2idx", coordinate, shape, stride)


def crd2crd(coordinate: IntTree, source: IntTree, target: IntTree) -> Any:
    """The coordinate of shape `target` at the position that `coordinate` has in `source`.

    >>> crd2crd((2, 5), (4, 8), 32)
    22
    """
    return call_function("crd2crd", coordinate, source, target)


def congruent(a: IntTree, b: IntTree) -> bool:
    """Whether two trees have the same profile.

    >>> congruent((4, (2, 8)), (1, (1, 1)))
    True
    """
    return call_function("congruent", a, b)


def weakly_congruent(a: IntTree, b: IntTree) -> bool:
    """Whether `b` refines the profile of `a`.

    >>> weakly_congruent((4, 16), (4, (2, 8)))
    True
    """
    return call_function("weakly_congruent", a, b)


def compatible(a: IntTree, b: IntTree) -> bool:
    """Whether each coordinate of shape `a` is one of `b`: the same sizes at each leaf of `a`.

    >>> compatible((4, 16), (4, (2, 8)))
    True
    """
    return call_function("compatible", a, b)


def evenly_divides(shape: IntTree, tiler: IntTree) -> bool:
    """Whether each mode of the tiler divides the mode of the shape.

    >>> evenly_divides((100, 64), (32, 16))
    False
    """
    return call_function("evenly_divides", shape, tiler)
