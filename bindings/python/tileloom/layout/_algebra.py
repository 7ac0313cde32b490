# SPDX-License-Identifier: Apache-2.0
"""Composition, inverses, recasts, construction and questions."""

from __future__ import annotations

from typing import Any

from .._tileloom import Layout
from ._call import MISSING, AnyLayout, IntTree, LayoutLike, Swizzled, Tiler, call_function

__all__ = [
    "complement",
    "composition",
    "downcast",
    "is_bijective",
    "is_injective",
    "is_surjective",
    "left_inverse",
    "make_fragment_like",
    "make_identity_layout",
    "make_layout",
    "make_layout_like",
    "make_ordered_layout",
    "max_alignment",
    "max_common_layout",
    "max_common_vector",
    "nullspace",
    "right_inverse",
    "upcast",
]


def composition(a: Swizzled, b: Swizzled | Tiler, *, cute: bool = False) -> Any:
    """A after B: coordinates of B, offsets of A. Also `a @ b`.

    A tuple of layouts or sizes composes mode by mode. Law: R(c) = A(B(c)) for all c in B.

    Raises BadInput, naming the first coordinate, where no layout of such a shape equals A o B.

    >>> composition('(_6,_2):(_8,_2)', '(_4,_3):(_3,_1)')
    Layout('((_2,_2),_3):((_24,_2),_8)')
    """
    return call_function("composition", a, b, cute=cute)


def complement(layout: LayoutLike, cosize: IntTree = MISSING, *, cute: bool = False) -> Layout:
    """Where to repeat a layout so that its copies fill `cosize` offsets; by default its own cosize.

    Law: R is increasing, the offsets A(j) + R(i) are distinct, and together they reach `cosize`.

    >>> complement('_4:_2', 24)
    Layout('(_2,3):(_1,_8)')
    """
    return call_function("complement", layout, cosize, cute=cute)


def right_inverse(layout: Swizzled, *, cute: bool = False) -> Any:
    """Law: A(R(i)) = i for all i < size(R), which is as large as can be.

    >>> right_inverse('(_4,_8):(_8,_1)')
    Layout('(_8,_4):(_4,_1)')
    """
    return call_function("right_inverse", layout, cute=cute)


def left_inverse(layout: Swizzled, *, cute: bool = False) -> Any:
    """Law: A(R(A(i))) = A(i); for an injective A, R(A(i)) = i.

    >>> left_inverse('_4:_2')
    Layout('(_2,_4):(_0,_1)')
    """
    return call_function("left_inverse", layout, cute=cute)


def nullspace(layout: LayoutLike, *, cute: bool = False) -> Layout:
    """Law: A(R(i)) = 0 for all i < size(R); its size is the product of the sizes of the modes of stride 0.

    >>> nullspace('(_4,_8):(_1,_0)')
    Layout('_8:_4')
    """
    return call_function("nullspace", layout, cute=cute)


def max_common_layout(a: LayoutLike, b: LayoutLike, *, cute: bool = False) -> AnyLayout:
    """The elements that are contiguous in both. Law: A(R(i)) = B(R(i)) = i for all i < size(R).

    >>> max_common_layout('(_8,_32):(_1,_8)', '(_8,_32):(_1,_64)')
    Layout('_8:_1')
    """
    return call_function("max_common_layout", a, b, cute=cute)


def max_common_vector(a: LayoutLike, b: LayoutLike, *, cute: bool = False) -> int:
    """The widest vector, in elements, that both layouts allow.

    >>> max_common_vector('(_8,_32):(_1,_8)', '(_8,_32):(_1,_64)')
    8
    """
    return call_function("max_common_vector", a, b, cute=cute)


def upcast(layout: Swizzled, factor: int, *, cute: bool = False) -> Any:
    """Offsets in units of `factor` elements.

    >>> upcast('(_4,_16):(_16,_1)', 8)
    Layout('(_4,_2):(_2,_1)')
    """
    return call_function("upcast", layout, factor, cute=cute)


def downcast(layout: Swizzled, factor: int, *, cute: bool = False) -> Any:
    """Offsets in units of 1/`factor` element.

    >>> downcast('(_4,_2):(_2,_1)', 8)
    Layout('(_4,_16):(_16,_1)')
    """
    return call_function("downcast", layout, factor, cute=cute)


def max_alignment(layout: Swizzled, *, cute: bool = False) -> int:
    """The widest vector in elements: offsets come in runs of that many, which start at its multiples.

    >>> max_alignment('(_8,_32):(_32,_1)')
    256
    """
    return call_function("max_alignment", layout, cute=cute)


def make_layout(*parts: LayoutLike | IntTree) -> Layout:
    """A layout of a shape, of a shape and a stride or order (`'LayoutLeft'`, `'LayoutRight'`), or of layouts as modes.

    >>> make_layout((4, 8), 'LayoutRight')
    Layout('(4,8):(8,_1)')
    >>> make_layout('_4:_8', '_8:_1')
    Layout('(_4,_8):(_8,_1)')
    """
    return call_function("make_layout", *parts)


def make_layout_like(layout: LayoutLike, *, cute: bool = False) -> Layout:
    """Compact, in the order of the layout's strides; modes of stride 0 stay.

    >>> make_layout_like('(_4,_8):(_10,_1)')
    Layout('(_4,_8):(_8,_1)')
    """
    return call_function("make_layout_like", layout, cute=cute)


def make_fragment_like(layout: LayoutLike | IntTree, *, cute: bool = False) -> Layout:
    """As make_layout_like, but mode 0 comes first and is compact by itself: a thread's registers.

    >>> make_fragment_like('((_2,_2),_4,_2):((_1,_64),_16,_8)')
    Layout('((_2,_2),_4,_2):((_1,_2),_8,_4)')
    """
    return call_function("make_fragment_like", layout, cute=cute)


def make_ordered_layout(shape: IntTree, order: IntTree, *, cute: bool = False) -> Layout:
    """Compact; strides grow in the order of the ranks in `order`, equal ranks left to right.

    >>> make_ordered_layout('(_4,_8)', '(_2,_1)')
    Layout('(_4,_8):(_8,_1)')
    """
    return call_function("make_ordered_layout", shape, order, cute=cute)


def make_identity_layout(shape: IntTree) -> Layout:
    """Law: R(c) = c, as a coordinate.

    >>> make_identity_layout('(_4,_8)')
    Layout('(_4,_8):(_1@0,_1@1)')
    """
    return call_function("make_identity_layout", shape)


def is_injective(layout: LayoutLike) -> bool:
    """Whether all offsets are distinct.

    >>> is_injective('(_4,_8):(_1,_0)')
    False
    """
    return call_function("is_injective", layout)


def is_surjective(layout: LayoutLike) -> bool:
    """Whether all of 0..cosize-1 are offsets.

    >>> is_surjective('(_4,_8):(_1,_0)')
    True
    """
    return call_function("is_surjective", layout)


def is_bijective(layout: LayoutLike) -> bool:
    """Both injective and surjective.

    >>> is_bijective('(_4,_8):(_8,_1)')
    True
    """
    return call_function("is_bijective", layout)
