# SPDX-License-Identifier: Apache-2.0
"""The laws of the algebra, on random layouts."""

import hypothesis
from hypothesis import strategies as st
from random_layouts import compact_layouts, layouts, offsets

import tileloom
from tileloom import Layout, Swizzle, evaluate
from tileloom import layout as lt


@hypothesis.given(layouts())
def test_coalesce(layout):
    simple = lt.coalesce(layout)
    assert lt.depth(simple) <= 1
    assert offsets(simple) == offsets(layout)


@hypothesis.given(layouts(), layouts())
def test_composition(a, b):
    try:
        result = a @ b
    except tileloom.BadInput:
        return  # no layout equals it: checked in C++
    assert offsets(result) == [a(b(i)) for i in range(b.size)]
    assert lt.compatible(b.shape, result.shape)


@hypothesis.given(compact_layouts())
def test_inverses_of_compact_layouts(layout):
    inverse = lt.right_inverse(layout)
    assert [layout(inverse(i)) for i in range(inverse.size)] == list(range(layout.size))
    left = lt.left_inverse(layout)
    assert [left(layout(i)) for i in range(layout.size)] == list(range(layout.size))
    assert lt.is_bijective(layout)


@hypothesis.given(layouts(), st.integers(1, 100))
def test_complement(layout, cotarget):
    try:
        rest = lt.complement(layout, cotarget)
    except tileloom.BadInput:  # an offset that is taken twice, broadcast modes aside
        assert len(set(offsets(layout))) * lt.nullspace(layout).size < layout.size
        return
    own = set(offsets(layout))
    starts = offsets(rest)
    assert starts == sorted(starts)
    assert len({a + b for a in own for b in starts}) == len(own) * len(starts)


@hypothesis.given(compact_layouts(), st.integers(1, 6))
def test_logical_divide_keeps_the_elements(layout, tile):
    hypothesis.assume(layout.size % tile == 0)
    try:
        parts = lt.logical_divide(layout, tile)
    except tileloom.BadInput:  # a tile that no strides describe
        assert offsets(layout) != list(range(layout.size))
        return
    assert parts[0].size == tile
    assert offsets(parts) == offsets(layout)


@hypothesis.given(layouts(), layouts())
def test_products_repeat_the_layout(block, tiler):
    try:
        result = lt.logical_product(block, tiler)
    except tileloom.BadInput:
        return
    assert offsets(result[0]) == offsets(block)
    assert result.size == block.size * tiler.size


@hypothesis.given(st.integers(0, 4), st.integers(0, 4), st.integers(-6, 6), st.integers(0, 2000))
def test_swizzles(bits, base, shift, offset):
    hypothesis.assume(abs(shift) >= bits)
    swizzle = Swizzle(bits, base, shift)
    assert swizzle(swizzle(offset)) == offset
    assert eval(repr(swizzle)) == swizzle == evaluate(str(swizzle))
    assert hash(eval(repr(swizzle))) == hash(swizzle)
    layout = Layout((64, 32), (32, 1))
    swizzled = swizzle @ layout
    assert [swizzled(i) for i in range(0, 2048, 37)] == [swizzle(layout(i)) for i in range(0, 2048, 37)]
