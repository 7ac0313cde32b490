# SPDX-License-Identifier: Apache-2.0
"""What layouts and instructions refuse, of whatever type, and the text of it."""

import pytest

import tileloom
from tileloom import ComposedLayout, Kernel, Layout, MmaAtom, Swizzle, TiledMma, evaluate
from tileloom import layout as lt

ROWS = Layout("(4,8):(8,1)")
SWIZZLED = ComposedLayout("Sw<3,3,3> o _0 o (_8,_64):(_64,_1)")
OPERAND = MmaAtom("SM80_16x8x16_F16F16F16F16_TN").a
LARGE = 2**70
FOUND = f"found {LARGE}"
MODE = "mode: expected an integer or a tuple of integers, found"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ROWS["a"], f"{MODE} 'a'"),
        (lambda: ROWS[0, "a"], f"{MODE} 'a'"),
        (lambda: ROWS[None], f"{MODE} None"),
        (lambda: ROWS[1.0], f"{MODE} 1.0"),
        (
            lambda: ROWS[0:1],
            f"{MODE} slice(0, 1, None)\nhint: tileloom.layout.take(layout, begin, end) keeps some modes",
        ),
        (
            lambda: SWIZZLED[0:1],
            f"{MODE} slice(0, 1, None)\nhint: tileloom.layout.take(layout, begin, end) keeps some modes",
        ),
        (lambda: Layout(None), "shape: expected an integer, a tuple of integers or text, found None"),
        (lambda: Swizzle("3", 3, 3), "bits: expected an integer, found '3'"),
        (lambda: Swizzle(3, LARGE, 3), f"base: expected an integer of at most 64 bits, {FOUND}"),
        (lambda: Swizzle(3, 3, 2**31), "shift: expected an integer of at most 32 bits, found 2147483648"),
        (lambda: Swizzle(3, 3, None), "shift: expected an integer, found None"),
        (lambda: Swizzle(3, 3, 3)("8"), "offset: expected an integer, found '8'"),
        (lambda: Swizzle(3, 3, 3)(LARGE), f"offset: expected an integer of at most 64 bits, {FOUND}"),
        (lambda: ComposedLayout(Swizzle(3, 3, 3), "0", ROWS), "offset: expected an integer, found '0'"),
        (lambda: evaluate("M:1", {"M": LARGE}), f"values: M: expected an integer of at most 64 bits, {FOUND}"),
        (lambda: evaluate("M:1", {"M": "4"}), "values: M: expected an integer, found '4'"),
        (lambda: evaluate("M:1", {5: 4}), "values: expected names as keys, found 5"),
        (lambda: evaluate("M:1", 4), "values: expected a dict of integers by name, found 4"),
        (lambda: evaluate("M:1", None), "values: expected a dict of integers by name, found None"),
        (
            lambda: lt.SymbolicLayout("(M,K):(K,_1)").substitute({"M": 1, "K": LARGE}),
            f"values: K: expected an integer of at most 64 bits, {FOUND}",
        ),
        (lambda: OPERAND.where(2**31, 0), "m of A: expected an integer from 0 to 15, found '2147483648'"),
        (lambda: OPERAND.where(2**32, 0), "m of A: expected an integer from 0 to 15, found '4294967296'"),
        (lambda: OPERAND.where(0, LARGE), f"k of A: expected an integer of at most 64 bits, {FOUND}"),
        (lambda: OPERAND.holders("0", 0), "m of A: expected an integer, found '0'"),
        (lambda: OPERAND.holds(2**32), "lane: expected an integer from 0 to 31, found '4294967296'"),
        (lambda: OPERAND.at(0, 2**35), "value: expected an integer from 0 to 7, found '34359738368'"),
        (
            lambda: Kernel("multistage", sizes={"K": LARGE}),
            f"sizes: K: expected an integer of at most 64 bits, {FOUND}",
        ),
        (
            lambda: Kernel("multistage").replace(sizes={"K": 1.5}),
            "sizes: K: expected an integer, found 1.5",
        ),
        (
            lambda: Kernel("multistage").check(sizes={"K": 1.5}),
            "sizes: K: expected an integer, found 1.5",
        ),
        (lambda: tileloom.atoms("mmas"), "kind: expected mma or copy, found 'mmas'"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(tileloom.BadInput) as caught:
        call()
    assert str(caught.value) == text


@pytest.mark.parametrize("mode", [2, -3, LARGE, -LARGE])
def test_a_mode_that_is_not_there(mode):
    with pytest.raises(IndexError, match=rf"^mode {mode} of \(4,8\):\(8,1\), which has 2$"):
        ROWS[mode]


def test_a_layout_of_a_layout_is_a_copy():
    for layout in (ROWS, Layout("_4:_1@0")):
        assert str(Layout(layout)) == str(layout)
    assert str(ComposedLayout(SWIZZLED)) == str(SWIZZLED)
    with pytest.raises(tileloom.BadInput, match="found ComposedLayout"):
        Layout(SWIZZLED)
    with pytest.raises(tileloom.BadInput, match="found Layout"):
        Layout(ROWS, (1, 4))


def test_kinds_of_instructions_by_position():
    assert tileloom.atoms("mma") == tileloom.atoms(kind="mma")


@pytest.mark.parametrize("permutation", [(32, 32, 16), [32, 32, 16], "(_32,_32,_16)", (32, "_32:_1", None)])
def test_a_permutation_as_a_tuple(permutation):
    text = "<_32,_32,_16>" if not (isinstance(permutation, tuple) and None in permutation) else "<_32,_32:_1,_>"
    name, by = "SM80_16x8x16_F16F16F16F16_TN", "(_2,_2,_1)"
    made, expected = TiledMma(name, by, permutation), TiledMma(name, by, text)
    assert made.tile_size == expected.tile_size
    assert made.layout_tv("A") == expected.layout_tv("A")


def test_a_permutation_that_is_none():
    with pytest.raises(tileloom.BadInput, match="expected an integer, a tuple of integers, None or text, found 2.5"):
        TiledMma("SM80_16x8x16_F16F16F16F16_TN", permutation=2.5)


LARGE_MATRIX = "(_128,_64):(_64,_1)"


@pytest.mark.parametrize("coordinate", [(4, None), (-1, 0), (0, 4), 16, -1, (0, 0, 0), ((0, 0), 0)])
def test_a_tile_that_is_not_there(coordinate):
    with pytest.raises(
        tileloom.BadInput, match=r"^local_tile: expected a coordinate among tiles of shape \(_4,_4\), found"
    ):
        lt.local_tile(LARGE_MATRIX, "(_32,_16)", coordinate)


def test_tiles_that_are_there():
    tiles = [
        lt.local_tile("gmem_ptr[16b](0x0) o " + LARGE_MATRIX, "(_32,_16)", (i, j)) for i in range(4) for j in range(4)
    ]
    assert len({str(tile) for tile in tiles}) == 16
    assert lt.local_tile(LARGE_MATRIX, "(_32,_16)", 15) == lt.local_tile(LARGE_MATRIX, "(_32,_16)", (3, 3))
    assert isinstance(lt.local_tile(LARGE_MATRIX, "(_32,_16)", (4, 0), cute=True), Layout)
