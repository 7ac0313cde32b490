# SPDX-License-Identifier: Apache-2.0
"""Kernels and answers about them: the same as the program's, and what they promise of each other."""

import json
import random

import program
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tileloom

NAMES = tileloom.kernel_names()
FAMILIES = ["simple", "smem", "handwritten", "multistage"]
# What Python asks, and how the command line asks it.
QUESTIONS = {
    "overview": ({}, []),
    "thread": ({"thread": 5}, ["--thread", "5"]),
    "element A": ({"element": "A:3,9"}, ["--element", "A:3,9"]),
    "element B": ({"element": ("B", 17, 6)}, ["--element", "B:17,6"]),
    "element of a k-tile": ({"element": ("A", 1, 2, 3), "cta": (1, 2)}, ["--element", "A:1,2,3", "--cta", "1,2"]),
    "element D": ({"element": ("D", 20, 30), "cta": (2, 1)}, ["--element", "D:20,30", "--cta", "2,1"]),
    "register A": ({"register": "a2", "lane": 7, "warp": 1}, ["--register", "a2", "--lane", "7", "--warp", "1"]),
    "register B": (
        {"register": "b1", "lane": 31, "k_tile": 2},
        ["--register", "b1", "--lane", "31", "--k-tile", "2"],
    ),
    "register D": ({"register": "d1", "lane": 0}, ["--register", "d1", "--lane", "0"]),
    "map": ({"map": "B", "thread": 33}, ["--map", "B", "--thread", "33"]),
    "map of D": ({"map": "D"}, ["--map", "D"]),
    "tensors": ({"tensor": ["tCrA", "tDgD"]}, ["--tensor", "tCrA,tDgD"]),
    "explain": ({"explain": True, "tensor": "tCrA", "thread": 9}, ["--explain", "--tensor", "tCrA", "--thread", "9"]),
}


def same_answers(kernel, named, question):
    asked, arguments = QUESTIONS[question]
    answer = kernel.trace(**asked)
    assert answer.to_dict() == program.report("trace", *named, *arguments)
    assert str(answer) == program.text("trace", *named, *arguments)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("family", ["simple", "multistage"])
def test_every_question_is_answered_as_by_the_program(family, question):
    same_answers(tileloom.Kernel(family), ["--kernel", family], question)


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_kernel_is_the_programs(name):
    question = random.Random(name).choice(list(QUESTIONS))
    same_answers(tileloom.Kernel(name), ["--kernel", name], question)


@pytest.mark.parametrize("file", sorted(program.EXAMPLES.glob("*.json")), ids=lambda file: file.name)
def test_a_configuration_may_be_a_file_text_or_a_dict(file):
    name = str(file.relative_to(program.ROOT))
    expected = program.report("trace", name)
    text = file.read_text()
    for config in (file, str(file), text, json.loads(text)):
        kernel = tileloom.Kernel.from_json(config)
        assert kernel.trace().to_dict() == expected
        assert not kernel.shipped
    assert tileloom.trace(json.loads(text)).to_dict() == expected


def test_settings_and_sizes_are_those_of_the_command_line():
    changes = {"stages": 3, "raster": {"along": "N", "width": 4}}
    arguments = ["--set", "stages=3", "--set", 'raster={"along": "N", "width": 4}', "--size", "K=512"]
    kernel = tileloom.Kernel("multistage", settings=changes, sizes={"K": 512})
    expected = program.report("trace", "--kernel", "multistage", *arguments)
    assert kernel.trace().to_dict() == expected
    assert tileloom.Kernel("multistage").replace(settings=changes, sizes={"K": 512}).trace().to_dict() == expected
    assert kernel.sizes["K"] == 512
    assert tileloom.Kernel("multistage").shipped
    assert not kernel.shipped


REFUSALS = {
    "no such kernel": (lambda: tileloom.Kernel("multistag"), ["--kernel", "multistag"]),
    "no element": (lambda: tileloom.trace("simple", element="A:0"), ["--kernel", "simple", "--element", "A:0"]),
    "outside": (
        lambda: tileloom.trace("simple", element=("A", 0, 9999)),
        ["--kernel", "simple", "--element", "A:0,9999"],
    ),
    "no thread": (lambda: tileloom.trace("simple", thread=-1), ["--kernel", "simple", "--thread", "-1"]),
    "two questions": (
        lambda: tileloom.trace("simple", map="A", element="A:0,0"),
        ["--kernel", "simple", "--map", "A", "--element", "A:0,0"],
    ),
    "no lane": (lambda: tileloom.trace("simple", register="a0"), ["--kernel", "simple", "--register", "a0"]),
    "no register": (
        lambda: tileloom.trace("simple", register="x9", lane=0),
        ["--kernel", "simple", "--register", "x9", "--lane", "0"],
    ),
    "no tensor": (lambda: tileloom.trace("simple", tensor="tCsX"), ["--kernel", "simple", "--tensor", "tCsX"]),
    "no CTA": (lambda: tileloom.trace("simple", cta=(0, 99999)), ["--kernel", "simple", "--cta", "0,99999"]),
    "a wrong field": (
        lambda: tileloom.Kernel("smem", settings={"s2r.B": "SM75_U32x4_LDSM_T"}).trace(),
        ["--kernel", "smem", "--set", "s2r.B=SM75_U32x4_LDSM_T"],
    ),
    "an unknown field": (
        lambda: tileloom.Kernel("smem", settings={"stagse": 3}),
        ["--kernel", "smem", "--set", "stagse=3"],
    ),
    "a size": (lambda: tileloom.Kernel("smem", sizes={"K": 0}), ["--kernel", "smem", "--size", "K=0"]),
    "no file": (lambda: tileloom.Kernel.from_json("no/such.json"), ["no/such.json"]),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_has_the_programs_text(name):
    ask, arguments = REFUSALS[name]
    with pytest.raises(tileloom.Error) as refused:
        ask()
    assert str(refused.value) == program.refusal("trace", *arguments)


# --- Laws ------------------------------------------------------------------------------------------------------------

places = st.tuples(
    st.sampled_from(NAMES), st.sampled_from("ABD"), st.integers(0, 2**16), st.integers(0, 2**16), st.integers(0, 3)
)


def element_of(kernel, operand, row, column):
    m, n, k = kernel.tile
    rows, columns = {"A": (m, k), "B": (n, k), "D": (m, n)}[operand]
    return row % rows, column % columns


@settings(max_examples=25, deadline=None, derandomize=True)
@given(places)
def test_the_register_that_holds_an_element_says_so(place):
    name, operand, row, column, k_tile = place
    kernel = tileloom.Kernel(name)
    row, column = element_of(kernel, operand, row, column)
    k_tile = 0 if operand == "D" else k_tile
    route = kernel.trace(element=(operand, row, column) if operand == "D" else (operand, row, column, k_tile))
    assert (route.operand, route.element) == (operand, (row, column))
    assert route.holders
    for holder in route.holders:
        report = kernel.trace(register=holder.register, lane=holder.lane, warp=holder.warp, k_tile=k_tile)
        found = [
            (content, i)
            for content in report.contents
            for i, element in enumerate(content.elements)
            if element == (row, column)
        ]
        assert [content.slots[i] for content, i in found] == [holder.slot]
        width = 32 // len(found[0][0].elements)
        assert holder.bits == ((found[0][1] + 1) * width - 1, found[0][1] * width)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.sampled_from(NAMES), st.sampled_from("ABD"), st.integers(0, 2**10))
def test_a_map_is_what_the_thread_holds(name, operand, thread):
    kernel = tileloom.Kernel(name)
    thread %= kernel.threads
    tile = kernel.trace(map=operand, thread=thread)
    elements = next(e for e in kernel.trace(thread=thread).elements if e.operand == operand)
    held = {element: slot for mma in elements.mmas for element, slot in zip(mma.elements, mma.slots, strict=True)}
    rows, columns = tile.shape
    assert {(r, c): tile[r, c] for r in range(rows) for c in range(columns) if tile[r, c] is not None} == held
    assert (tile.down.period * tile.down.count, tile.across.period * tile.across.count) == (rows, columns)
    with pytest.raises(IndexError):
        tile[rows, 0]


@pytest.mark.parametrize("family", FAMILIES)
def test_objects_hold_what_the_dict_holds(family):
    kernel = tileloom.Kernel(family)
    route = kernel.trace(element=("A", 5, 6, 1))
    expected = route.to_dict()["route"]
    assert list(route.global_memory.element) == expected["global"]["element"]
    assert route.global_memory.byte == expected["global"]["byte"]
    for holder, one in zip(route.holders, expected["holders"], strict=True):
        assert (holder.thread, holder.lane, holder.register, holder.mma_index) == (
            one["thread"],
            one["lane"],
            one["register"],
            one["mma_index"],
        )
        assert (holder.load is None) == ("load" not in one)
    if route.shared is None:
        assert "shared" not in expected
    else:
        fields = ("stage", "before_swizzle", "offset", "byte", "bank")
        assert {f: getattr(route.shared, f) for f in fields} == expected["shared"]
    assert (route.feeds.warps, route.feeds.registers) == (expected["feeds"]["warps"], expected["feeds"]["registers"])
    overview = kernel.trace()
    all_stages = overview.to_dict()["stages"]
    assert [s.step for s in overview.stages] == [s["step"] for s in all_stages]
    for stage, one in zip(overview.stages, all_stages, strict=True):
        assert [(t.name, t.modes, str(t.layout), t.start) for t in stage.tensors] == [
            (t["name"], t["modes"], t["layout"], t["start"]) for t in one["tensors"]
        ]
    assert overview.walk.steps == [tuple(s) for s in overview.to_dict()["gemm"]["steps"]]
    assert (kernel.tile, kernel.threads) == (overview.expansion.tile and kernel.tile, overview.expansion.threads)


@pytest.mark.parametrize("family", FAMILIES)
def test_partitions_are_those_of_the_overview(family):
    kernel = tileloom.Kernel(family)
    thread = kernel.threads - 3
    tensors = {t.name: t for s in kernel.trace(thread=thread).stages for t in s.tensors}
    a = kernel.operand("A")
    if a.shared is not None:
        layout, start = a.drain.partition("source", a.shared, thread)
        assert (str(layout), start) == (str(tensors["tXsA"].layout), tensors["tXsA"].start)
        assert str(a.drain.retile(a.fragment)) == str(tensors["tXrA"].layout)
        layout, start = kernel.mma.partition("A", a.shared, thread)
        assert (str(layout), start) == (str(tensors["tCsA"].layout), tensors["tCsA"].start)
        layout, start = a.fill.partition("destination", a.shared, thread)
        assert (str(layout), start) == (str(tensors["tAsA"].layout), tensors["tAsA"].start)
    assert str(a.fragment) == str(tensors["tCrA"].layout)


# --- Tiled MMAs against CuTe's own output ----------------------------------------------------------------------------


GOLDEN = program.ROOT / "tests" / "golden" / "tiled.jsonl"


@pytest.fixture(scope="module")
def answered():
    """Every golden question, what CuTe said, and what the program says."""
    cases = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
    answers = [json.loads(line) for line in program.text("trace", "--batch", GOLDEN).splitlines()]
    return list(zip(cases, answers, strict=True))


def mma_of(case):
    permutation = case.get("permutation", "none")
    layout = case.get("atom_layout", "(_1,_1,_1)")
    return tileloom.TiledMma(case["atom"], layout, None if permutation == "none" else permutation)


def test_tiled_mmas_are_cutes(answered):
    asked = [(c, a) for c, a in answered if c.get("query", "tiled_mma") == "tiled_mma" and "result" in a]
    for case, answer in asked[:: max(1, len(asked) // 100)]:
        result = answer["result"]
        mma = mma_of(case)
        assert str(mma.thr_layout_vmnk) == result["thr_layout_vmnk"] == case["result"]["thr_layout_vmnk"]
        assert [str(mma.layout_tv(o)) for o in "AB"] == [case["result"][f"layout{o}_TV"] for o in "AB"]
        assert str(mma.layout_tv("C")) == result["layoutC_TV"]
        assert f"_{mma.threads}" == result["threads"]
        for key, expected in result.items():
            if key.startswith("partition_"):
                operand, thread = key.removeprefix("partition_").split("@")
                layout, _ = mma.partition(operand, case[operand], int(thread))
                assert str(layout) == expected
        fragment = mma.make_fragment("A", mma.partition("A", case["A"], 0)[0])
        assert str(fragment) == result["fragment_A"]


def test_tiled_copies_are_cutes(answered):
    asked = [(c, a) for c, a in answered if c["query"].startswith("tiled_copy") and "result" in a]
    assert asked
    for case, answer in asked[:: max(1, len(asked) // 100)]:
        copy = tileloom.TiledCopy.of_mma(mma_of(case), case["query"][-1], case["copy_atom"])
        result = answer["result"]
        assert str(copy.layout_tv("source")) == result["layoutS_TV"]
        assert str(copy.layout_tv("destination")) == result["layoutD_TV"]
        assert copy.tiler == result["tiler"]


def test_a_thread_that_there_is_not():
    mma = tileloom.TiledMma("SM80_16x8x16_F16F16F16F16_TN")
    for thread in (-1, 32):
        with pytest.raises(tileloom.BadInput, match=f"thread: expected an integer from 0 to 31, found '{thread}'"):
            mma.partition("A", "(_16,_16):(_16,_1)", thread)


# --- Pictures --------------------------------------------------------------------------------------------------------

PARTS = ["mma", "atom", "smem.A", "smem.B", "smem.C", "g2s.A", "s2r.B", "epilogue.r2s", "epilogue.s2g", "epilogue.r2g"]


@pytest.mark.parametrize("family", ["simple", "smem", "multistage"])
def test_pictures_are_the_programs(family):
    kernel = tileloom.Kernel(family)
    drawn = 0
    for part in PARTS:
        arguments = ["draw", "--kernel", family, "--part", part]
        try:
            picture = kernel.draw(part)
        except tileloom.Error as error:
            assert str(error) == program.refusal(*arguments)
            continue
        assert picture.svg() == picture._repr_svg_() == program.text(*arguments)
        drawn += 1
    assert drawn >= 2
    assert kernel._repr_svg_() == kernel.draw().svg()


def test_pictures_of_banks_and_models():
    arguments = ["draw", "--kernel", "multistage", "--part", "smem.A", "--bank"]
    picture = tileloom.Kernel("multistage").draw("smem.A", bank=True)
    assert picture.to_dict().items() <= program.report(*arguments).items()
    assert picture.svg() == program.text(*arguments)
    small = tileloom.Kernel("multistage").draw("atom")
    assert small.latex() == program.text("draw", "--kernel", "multistage", "--part", "atom", "--format", "latex")
    mma = tileloom.TiledMma("SM80_16x8x16_F16F16F16F16_TN")
    copy = tileloom.TiledCopy.of_mma(mma, "A", "SM75_U32x4_LDSM_N")
    for drawable in (mma, copy, small):
        assert drawable._repr_svg_().startswith("<svg") or "<svg" in drawable._repr_svg_()


# --- Equality --------------------------------------------------------------------------------------------------------


def test_equal_things_are_equal_and_others_are_not():
    kernel, same = tileloom.Kernel("smem"), tileloom.Kernel(tileloom.Kernel("smem").name)
    other = kernel.replace(sizes={"K": 64})
    assert kernel == same != other
    assert kernel.trace() == same.trace() != kernel.trace(thread=0)
    assert kernel.trace(element="A:0,0") != kernel.trace(element="A:0,1")
    assert kernel.check() == same.check() != other.check()
    assert kernel.mma == other.mma != tileloom.TiledMma("SM80_16x8x16_F16F16F16F16_TN")
    assert kernel.operand("A").fill == other.operand("A").fill != kernel.operand("A").drain
    assert kernel.draw("smem.A") == same.draw("smem.A") != kernel.draw("smem.A", bank=True)
    assert kernel != "smem"
    with pytest.raises(TypeError):
        hash(kernel)
