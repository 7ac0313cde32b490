# SPDX-License-Identifier: Apache-2.0
"""Layouts as Python objects: construction, comparison, coordinates, pictures."""

import copy
import pickle
import subprocess
import xml.etree.ElementTree

import hypothesis
import pytest
from hypothesis import strategies as st
from random_layouts import inner_product, layouts, offsets

import tileloom
from tileloom import ComposedLayout, Layout, Swizzle, evaluate
from tileloom import layout as lt

# --- Objects -----------------------------------------------------------------------------------------------------


@hypothesis.given(layouts())
def test_text_and_repr_come_back(layout):
    assert str(Layout(str(layout))) == str(layout)
    assert str(eval(repr(layout))) == str(layout)
    assert str(Layout(layout.shape, layout.stride)) == str(layout)
    for other in (pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout)):
        assert str(other) == str(layout)


@hypothesis.given(layouts())
def test_underscores_do_not_count_in_comparisons(layout):
    plain = Layout(str(layout).replace("_", ""))
    assert layout == plain
    assert hash(layout) == hash(plain)
    assert layout.shape == plain.shape
    assert layout.stride == plain.stride


@hypothesis.given(layouts(), layouts())
def test_equality_is_that_of_shape_and_stride(a, b):
    assert (a == b) == ((a.shape, a.stride) == (b.shape, b.stride))


def test_profiles_count_in_comparisons():
    assert Layout("(_8):(_1)") != Layout("_8:_1")
    assert Layout("((_2,_3),_4):((_1,_2),_6)") != Layout("(_2,(_3,_4)):(_1,(_2,_6))")
    assert Layout("(_2,_3):(_2,_1)") != Layout("((_3)):((_1))")
    assert Layout("_4:_1@0") != Layout("_4:_1")
    assert Layout("_4:_1@0") != Layout("_4:_1@1")
    assert Layout("_8:_1") != "_8:_1"
    assert len({Layout("_8:_1"), Layout("8:1"), Layout(8), Layout((8,))}) == 2


def test_numbers_of_numpy_are_integers():
    numpy = pytest.importorskip("numpy")
    assert str(Layout((numpy.int32(4), numpy.uint8(8)), (8, numpy.int64(1)))) == "(4,8):(8,1)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("(4,8):(8",), "column 9"),
        (((4, 8), (8, 1, 1)), "profile"),
        (((4, 0),), "0"),
        (((4, 2.5),), "expected an integer, a tuple of integers, None or text, found 2.5"),
        (((1 << 70,),), "integer 1180591620717411303424 is out of range, expected at most 64 bits"),
    ],
)
def test_refusals_of_the_constructor(arguments, message):
    with pytest.raises(tileloom.BadInput, match=message) as caught:
        Layout(*arguments)
    assert caught.value.kind == "bad_input"


def test_a_list_inside_itself_is_refused():
    endless = [4]
    endless.append(endless)
    with pytest.raises(tileloom.BadInput, match="deep"):
        Layout(endless)


def test_errors_have_the_text_of_the_command_line(program):
    for expression in [
        "coalesc(_8:_1)",
        "composition((_6,_2):(_1,_7), (_3,_2):(_2,_3))",
        "size(_8:_1",
        "upcast(_8:_3, 2)",
    ]:
        shown = subprocess.run([program, "layout", expression], capture_output=True, text=True)
        assert shown.returncode == 2
        with pytest.raises(tileloom.BadInput) as caught:
            evaluate(expression)
        lines = str(caught.value).replace("\nhint: ", "\0").split("\0")
        mine = "\nhint: ".join([lines[0], *(x.replace("\n", "\n      ") for x in lines[1:])])
        assert shown.stderr == f"error: {mine}\n"


# --- Coordinates -------------------------------------------------------------------------------------------------


@hypothesis.given(layouts())
def test_an_offset_is_the_inner_product_of_coordinate_and_stride(layout):
    for i in range(layout.size):
        coordinate = lt.idx2crd(i, layout.shape)
        assert layout(i) == layout(coordinate) == inner_product(coordinate, layout.stride)
        if isinstance(coordinate, tuple) and len(coordinate) > 1:
            assert layout(*coordinate) == layout(i)


@hypothesis.given(layouts(), st.data())
def test_a_slice_and_its_offset_make_the_layout(layout, data):
    hypothesis.assume(isinstance(layout.shape, tuple))
    fixed = [data.draw(st.booleans()) for _ in range(layout.rank)]
    hypothesis.assume(not all(fixed))
    index = data.draw(st.integers(0, layout.size - 1))
    coordinate = lt.idx2crd(index, layout.shape)
    rest, offset = layout(tuple(c if f else None for c, f in zip(coordinate, fixed, strict=True)))
    free = tuple(c for c, f in zip(coordinate, fixed, strict=True) if not f)
    assert rest(free) + offset == layout(coordinate)


@hypothesis.given(layouts())
def test_modes(layout):
    modes = list(layout)
    assert len(modes) == len(layout) == layout.rank == lt.rank(layout)
    if isinstance(layout.shape, tuple):
        assert lt.make_layout(*modes) == layout
        assert [m.shape for m in modes] == list(layout.shape)
    assert layout[-1] == modes[-1]
    with pytest.raises(IndexError):
        layout[layout.rank]


def test_a_path_of_modes():
    layout = Layout("(_4,(_2,_8)):(_2,(_1,_16))")
    assert layout[1, 1] == layout[1][1] == Layout("_8:_16")
    with pytest.raises(IndexError, match=r"mode 2 of \(_2,_8\):\(_1,_16\), which has 2"):
        layout[1, 2]


@hypothesis.given(layouts())
def test_tables(layout):
    numpy = pytest.importorskip("numpy")
    array = numpy.asarray(layout)
    assert array.shape == tuple(lt.size(layout, i) for i in range(layout.rank))
    assert array.tolist() == layout.table()
    assert array.flatten(order="F").tolist() == offsets(layout)
    assert numpy.asarray(layout, dtype=numpy.float32).dtype == numpy.float32


def test_numpy_gets_a_copy_only():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(ValueError, match="expected a copy"):
        numpy.array(Layout("_8:_1"), copy=False)
    with pytest.raises(tileloom.BadInput, match="table: 8388608 elements, expected at most 4194304"):
        Layout(1 << 23).table()


def test_coordinates_as_offsets():
    identity = lt.make_identity_layout((4, 8))
    assert identity(2, 5) == (2, 5)
    assert identity.stride == ("_1@0", "_1@1")
    assert Layout(identity.shape, identity.stride) == identity


# --- Swizzles and tilers -------------------------------------------------------------------------------------------


def test_swizzled_layouts():
    layout = ComposedLayout("Sw<3,3,3> o _0 o (_8,_64):(_64,_1)")
    assert layout == ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1)))
    assert hash(layout) == hash(ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1))))
    assert layout != ComposedLayout(Swizzle(3, 3, 3), 8, layout.layout)
    assert pickle.loads(pickle.dumps(layout)) == layout
    assert (layout.shape, layout.rank, layout.size, layout.cosize) == ((8, 64), 2, 512, 512)
    rest, offset = layout(3, None)
    assert [rest(i) + offset for i in range(64)] == [layout(3, i) for i in range(64)]
    with pytest.raises(tileloom.BadInput, match="expected a swizzled layout, found _8:_1"):
        ComposedLayout("_8:_1")


def test_the_right_answer_and_that_of_cute():
    a, b = "(_6,_2):(_1,_7)", "(_3,_2):(_2,_3)"
    with pytest.raises(tileloom.BadInput, match="no layout"):
        lt.composition(a, b)
    assert isinstance(lt.composition(a, b, cute=True), Layout)
    with pytest.raises(tileloom.BadInput):
        lt.left_inverse((Layout("2:1")), cute=True)
    assert lt.left_inverse(Layout("2:1"))(1) == 1


def test_tilers_by_mode():
    layout = Layout("(_8,_32):(_32,_1)")
    expected = evaluate("zipped_divide((_8,_32):(_32,_1), <_4:_2,_8:_1>)")
    assert str(lt.zipped_divide(layout, (Layout("_4:_2"), "_8:_1"))) == str(expected)
    assert lt.logical_divide(layout, (None, 8)) == evaluate("logical_divide((_8,_32):(_32,_1), <_,_8>)")
    assert evaluate("<_4:_2,_8>") == (Layout("_4:_2"), 8)


# --- Everything that expressions have ----------------------------------------------------------------------------


def test_every_function_of_expressions_has_a_name_here():
    from tileloom import _tileloom

    as_members = {"eval", "get", "shape", "stride"}
    names = {name for name, _ in _tileloom.functions()}
    assert len(names) > 50
    assert {n for n in names if not hasattr(lt, n)} == as_members
    assert sorted(lt.__all__) == sorted(set(lt.__all__))


def test_explanations_are_those_of_the_command_line(program):
    expression = "logical_divide((_9,(_4,_8)):(_59,(_13,_1)), <_3:_3,(_2,_4):(_1,_8)>)"
    value, steps, _ = lt.explain(expression)
    shown = subprocess.run(
        [program, "layout", expression, "--explain"], capture_output=True, text=True, check=True
    ).stdout
    assert shown.splitlines()[0] == str(value)
    assert len(steps) > 3
    for what, result in steps:
        assert what in shown
        assert result in shown


def test_tables_are_those_of_the_command_line(program):
    expression = "Sw<2,3,3> o _0 o (_8,_32):(_32,_1)"
    shown = subprocess.run(
        [program, "layout", expression, "--table"], capture_output=True, text=True, check=True
    ).stdout
    assert shown == f"{expression}\n{lt.table_text(expression)}"


# --- Pictures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "layout", "options"),
    [
        ({}, "(_8,_32):(_32,_1)", []),
        ({}, "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)", []),
        ({"bank_bits": 16}, "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)", ["--bank"]),
        ({"tile": (16, 8)}, "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))", ["--tv", "(16,8)"]),
    ],
)
def test_pictures_are_those_of_draw(program, tmp_path, arguments, layout, options):
    file = tmp_path / "picture.svg"
    subprocess.run([program, "draw", layout, *options, "-o", str(file)], check=True, capture_output=True)
    svg = evaluate(layout).svg(**arguments)
    assert svg == file.read_text()
    xml.etree.ElementTree.fromstring(svg)


def test_notebooks_get_a_picture_where_there_is_one():
    assert Layout("(_8,_8):(_8,_1)")._repr_svg_() == Layout("(_8,_8):(_8,_1)").svg()
    assert Layout("(_2,_2,_2):(_1,_2,_4)")._repr_svg_() is None
    with pytest.raises(tileloom.BadInput):
        Layout("(_2,_2,_2):(_1,_2,_4)").svg()
