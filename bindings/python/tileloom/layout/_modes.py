# SPDX-License-Identifier: Apache-2.0
"""Sizes, and the same function with other modes."""

from __future__ import annotations

from typing import Any

from ._call import MISSING, AnyLayout, IntTree, LayoutLike, Sliceable, call_function

__all__ = [
    "append",
    "coalesce",
    "coshape",
    "cosize",
    "depth",
    "dice",
    "filter",
    "filter_zeros",
    "flatten",
    "group",
    "prepend",
    "rank",
    "replace",
    "size",
    "slice",
    "take",
]


def size(layout: LayoutLike | IntTree, *mode: int) -> int:
    """Number of coordinates of a layout or shape, or of the mode at a path.

    >>> size((4, (2, 8))), size('(_4,_8):(_8,_1)', 1)
    (64, 8)
    """
    return call_function("size", layout, *mode)


def cosize(layout: LayoutLike, *mode: int) -> int:
    """1 + the largest offset, for positive strides.

    >>> cosize('(_4,_8):(_1,_10)')
    74
    """
    return call_function("cosize", layout, *mode)


def coshape(layout: LayoutLike, *mode: int) -> Any:
    """The smallest box of the codomain that holds every offset: an integer, or a tuple for basis strides.

    >>> coshape('(_4,_8):(_1@0,_1@1)')
    (4, 8)
    """
    return call_function("coshape", layout, *mode)


def rank(layout: LayoutLike | IntTree, *mode: int) -> int:
    """Number of modes; 1 for an integer.

    >>> rank((4, (2, 8))), rank((4, (2, 8)), 1)
    (2, 2)
    """
    return call_function("rank", layout, *mode)


def depth(layout: LayoutLike | IntTree, *mode: int) -> int:
    """Number of nested tuples; 0 for an integer.

    >>> depth((4, (2, 8)))
    2
    """
    return call_function("depth", layout, *mode)


def coalesce(layout: LayoutLike, profile: IntTree = MISSING, *, cute: bool = False) -> AnyLayout:
    """The fewest modes that give the same offsets; at each leaf of `profile`, if there is one.

    Law: size(R) = size(A), and R(i) = A(i) for all i < size(A).

    >>> coalesce('(_2,(_1,_6)):(_1,(_6,_2))')
    Layout('_12:_1')
    """
    return call_function("coalesce", layout, profile, cute=cute)


def filter_zeros(layout: LayoutLike) -> AnyLayout:
    """Modes of static stride 0 get size 1; the strides stay.

    >>> filter_zeros('(_4,_8):(_0,_1)')
    Layout('(_1,_8):(_0,_1)')
    """
    return call_function("filter_zeros", layout)


def filter(layout: LayoutLike, profile: IntTree = MISSING) -> AnyLayout:
    """coalesce(filter_zeros(layout)): the offsets of a layout, each mode that repeats them once.

    >>> filter('(_4,_8):(_0,_1)')
    Layout('_8:_1')
    """
    return call_function("filter", layout, profile)


def flatten(layout: LayoutLike | tuple[Any, ...]) -> Any:
    """Depth at most 1, all leaves kept. Law: R(i) = A(i).

    >>> flatten('(_4,(_2,_8)):(_16,(_8,_1))')
    Layout('(_4,_2,_8):(_16,_8,_1)')
    >>> flatten((4, (2, 8)))
    (4, 2, 8)
    """
    return call_function("flatten", layout)


def group(layout: LayoutLike | tuple[Any, ...], begin: int, end: int) -> Any:
    """Modes [begin, end) put into one. Law: R(i) = A(i).

    >>> group('(_2,_3,_5):(_1,_2,_6)', 0, 2)
    Layout('((_2,_3),_5):((_1,_2),_6)')
    """
    return call_function("group", layout, begin, end)


def take(layout: LayoutLike | tuple[Any, ...], begin: int, end: int) -> Any:
    """Modes [begin, end).

    >>> take('(_2,_3,_5):(_1,_2,_6)', 1, 3)
    Layout('(_3,_5):(_2,_6)')
    """
    return call_function("take", layout, begin, end)


def append(layout: LayoutLike | tuple[Any, ...], rank: int | LayoutLike = MISSING, mode: LayoutLike = MISSING) -> Any:
    """Modes added at the end up to `rank`, one by default; each is `mode`, `_1:_0` by default.

    >>> append('_4:_1', 3)
    Layout('(_4,_1,_1):(_1,_0,_0)')
    """
    return call_function("append", layout, rank, mode)


def prepend(layout: LayoutLike | tuple[Any, ...], rank: int | LayoutLike = MISSING, mode: LayoutLike = MISSING) -> Any:
    """Modes added at the front up to `rank`, one by default; each is `mode`, `_1:_0` by default.

    >>> prepend('_4:_1', 2)
    Layout('(_1,_4):(_0,_1)')
    """
    return call_function("prepend", layout, rank, mode)


def replace(layout: LayoutLike | tuple[Any, ...], mode: int, new: LayoutLike | IntTree) -> Any:
    """The layout or tuple with another mode in place of mode `mode`.

    >>> replace('(_2,_3):(_1,_2)', 1, '_5:_2')
    Layout('(_2,_5):(_1,_2)')
    """
    return call_function("replace", layout, mode, new)


def slice(coordinate: IntTree, layout: Sliceable, *, cute: bool = False) -> Any:
    """What is left of a layout, tensor or tuple where the coordinate has None.

    The offset of the integers is left out; `layout(coordinate)` gives it too. Law: A(c) is slice(A) at the free part of
    c plus the offset at its fixed part.

    >>> slice((None, 3), '(_4,_8):(_8,_1)')
    Layout('(_4):(_8)')
    """
    return call_function("slice", coordinate, layout, cute=cute)


def dice(coordinate: IntTree, layout: LayoutLike | tuple[Any, ...]) -> Any:
    """The modes where the coordinate has an integer.

    >>> dice((None, 3), '(_4,_8):(_8,_1)')
    Layout('(_8):(_1)')
    """
    return call_function("dice", coordinate, layout)
