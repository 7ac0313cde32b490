# SPDX-License-Identifier: Apache-2.0
"""Divides and products: layouts cut into tiles, and repeated."""

from __future__ import annotations

from typing import Any

from .._tileloom import Tensor
from ._call import MISSING, AnyLayout, IntTree, LayoutLike, Tiler, call_function

__all__ = [
    "blocked_product",
    "flat_divide",
    "flat_product",
    "local_partition",
    "local_tile",
    "logical_divide",
    "logical_product",
    "raked_product",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "zipped_divide",
    "zipped_product",
]


def logical_divide(layout: LayoutLike, tiler: Tiler, *, cute: bool = False) -> AnyLayout:
    """A layout by tiles: mode 0 runs inside a tile, mode 1 over the tiles; a tuple of tilers divides mode by mode.

    Law: R = A o (T, S), S the starts of the copies of T that cover 0..size(A)-1 once, in order.

    Raises BadInput where the tiles do not cover the layout so.

    >>> logical_divide('_12:_1', '_4:_1')
    Layout('(_4,_3):(_1,_4)')
    """
    return call_function("logical_divide", layout, tiler, cute=cute)


def zipped_divide(layout: LayoutLike, tiler: Tiler, *, cute: bool = False) -> AnyLayout:
    """logical_divide with all tile modes in mode 0 and all rest modes in mode 1.

    >>> zipped_divide('(_8,_32):(_32,_1)', '(_4,_8)')
    Layout('((_4,_8),(_2,_4)):((_32,_1),(_128,_8))')
    """
    return call_function("zipped_divide", layout, tiler, cute=cute)


def tiled_divide(layout: LayoutLike, tiler: Tiler, *, cute: bool = False) -> AnyLayout:
    """logical_divide as ((tile), rest, rest, ...).

    >>> tiled_divide('(_8,_32):(_32,_1)', '(_4,_8)')
    Layout('((_4,_8),_2,_4):((_32,_1),_128,_8)')
    """
    return call_function("tiled_divide", layout, tiler, cute=cute)


def flat_divide(layout: LayoutLike, tiler: Tiler, *, cute: bool = False) -> AnyLayout:
    """logical_divide as (tile, tile, ..., rest, rest, ...).

    >>> flat_divide('(_8,_32):(_32,_1)', '(_4,_8)')
    Layout('(_4,_8,_2,_4):(_32,_1,_128,_8)')
    """
    return call_function("flat_divide", layout, tiler, cute=cute)


def logical_product(layout: LayoutLike, tiler: Tiler, *, cute: bool = False) -> AnyLayout:
    """A layout repeated: mode 0 is the layout, mode 1 the offsets of its copies in the order of the tiler.

    Law: R(i, j) = A(i) + C(T(j)), C the complement of A; copies never overlap.

    >>> logical_product('_4:_1', '_3:_1')
    Layout('(_4,_3):(_1,_4)')
    """
    return call_function("logical_product", layout, tiler, cute=cute)


def zipped_product(layout: LayoutLike, tiler: Tiler, *, cute: bool = False) -> AnyLayout:
    """logical_product with all modes of the layout in mode 0 and all of the tiler in mode 1.

    >>> zipped_product('(_2,_5):(_5,_1)', '(_3,_4):(_1,_3)')
    Layout('((_2,_5),(_3,_4)):((_5,_1),(_10,_30))')
    """
    return call_function("zipped_product", layout, tiler, cute=cute)


def tiled_product(layout: LayoutLike, tiler: Tiler, *, cute: bool = False) -> AnyLayout:
    """logical_product as ((layout), copies, copies, ...).

    >>> tiled_product('(_2,_5):(_5,_1)', '(_3,_4):(_1,_3)')
    Layout('((_2,_5),_3,_4):((_5,_1),_10,_30)')
    """
    return call_function("tiled_product", layout, tiler, cute=cute)


def flat_product(layout: LayoutLike, tiler: Tiler, *, cute: bool = False) -> AnyLayout:
    """logical_product as (mode, mode, ..., copies, copies, ...).

    >>> flat_product('(_2,_5):(_5,_1)', '(_3,_4):(_1,_3)')
    Layout('(_2,_5,_3,_4):(_5,_1,_10,_30)')
    """
    return call_function("flat_product", layout, tiler, cute=cute)


def blocked_product(layout: LayoutLike, tiler: LayoutLike, *, cute: bool = False) -> AnyLayout:
    """Mode i of the result is (A_i, T_i): blocks side by side.

    >>> blocked_product('(_2,_5):(_5,_1)', '(_3,_4):(_1,_3)')
    Layout('((_2,_3),(_5,_4)):((_5,_10),(_1,_30))')
    """
    return call_function("blocked_product", layout, tiler, cute=cute)


def raked_product(layout: LayoutLike, tiler: LayoutLike, *, cute: bool = False) -> AnyLayout:
    """Mode i of the result is (T_i, A_i): blocks interleaved.

    >>> raked_product('(_2,_5):(_5,_1)', '(_3,_4):(_1,_3)')
    Layout('((_3,_2),(_4,_5)):((_10,_5),(_30,_1))')
    """
    return call_function("raked_product", layout, tiler, cute=cute)


def tile_to_shape(layout: LayoutLike, shape: IntTree, order: IntTree = MISSING, *, cute: bool = False) -> AnyLayout:
    """A layout repeated until its shape is `shape`, walking modes in `order`: `'LayoutRight'`, ranks, left by default.

    Raises BadInput if the layout's shape does not divide `shape`.

    >>> tile_to_shape('Sw<3,3,3> o _0 o (_8,_64):(_64,_1)', '(_64,_64)')
    ComposedLayout('Sw<3,3,3> o _0 o ((_8,_8),(_64,_1)):((_64,_512),(_1,_0))')
    """
    return call_function("tile_to_shape", layout, shape, order, cute=cute)


def local_tile(
    layout: LayoutLike | Tensor, tiler: Tiler, coordinate: IntTree, projection: IntTree = MISSING, *, cute: bool = False
) -> Any:
    """Tile number `coordinate` of a layout or tensor cut by `tiler`: what a CTA sees.

    projection: a tuple with 1 for each mode of the tiler that the layout has, None for the others.

    >>> local_tile('gmem_ptr[16b](0x0) o (_128,_64):(_64,_1)', '(_32,_16)', (1, None))
    Tensor('gmem_ptr[16b](0x1000) o (_32,_16,_4):(_64,_1,_16)')
    """
    return call_function("local_tile", layout, tiler, coordinate, projection, cute=cute)


def local_partition(
    layout: LayoutLike | Tensor, threads: LayoutLike, index: int, projection: IntTree = MISSING, *, cute: bool = False
) -> Any:
    """The elements of thread `index` when the threads of layout `threads` share a layout or tensor evenly.

    >>> local_partition('gmem_ptr[16b](0x0) o (_16,_64):(_64,_1)', '(_8,_4):(_4,_1)', 5)
    Tensor('gmem_ptr[16b](0x82) o (_2,_16):(_512,_4)')
    """
    return call_function("local_partition", layout, threads, index, projection, cute=cute)
