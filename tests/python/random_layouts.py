# SPDX-License-Identifier: Apache-2.0
"""Random layouts, and what their offsets are by definition."""

import itertools

from hypothesis import strategies as st

from tileloom import Layout
from tileloom import layout as lt
from tileloom.layout import Static


def trees(leaves):
    return st.recursive(leaves, lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple), max_leaves=4)


def like(tree, draw, leaves):
    return tuple(like(x, draw, leaves) for x in tree) if isinstance(tree, tuple) else draw(leaves)


def integers(low, high):
    return st.builds(lambda make, x: make(x), st.sampled_from([int, Static]), st.integers(low, high))


@st.composite
def layouts(draw):
    shape = draw(trees(integers(1, 5)))
    return Layout(shape, like(shape, draw, integers(0, 12)))


@st.composite
def compact_layouts(draw):
    shape = draw(trees(integers(1, 5)))
    leaves = len(list(flat(shape)))
    ranks = iter(draw(st.permutations(range(leaves))))
    return lt.make_ordered_layout(shape, like(shape, lambda _: Static(next(ranks)), None))


def flat(tree):
    return itertools.chain.from_iterable(map(flat, tree)) if isinstance(tree, tuple) else [tree]


def offsets(layout):
    return [layout(i) for i in range(layout.size)]


def inner_product(coordinate, stride):
    if isinstance(coordinate, tuple):
        return sum(inner_product(c, d) for c, d in zip(coordinate, stride, strict=True))
    return coordinate * stride
