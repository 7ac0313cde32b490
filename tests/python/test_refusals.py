# SPDX-License-Identifier: Apache-2.0
"""Options that are refused by their names, before anything runs: of `emulate`, `emulate_gemm`, `trace`, `check`."""

import numpy as np
import pytest

import tileloom

NOTHING = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n"
MODULE = tileloom.Module.from_ptx(NOTHING, "nothing.ptx")


def refused(message, hint, call):
    with pytest.raises(tileloom.BadInput) as found:
        call()
    assert found.value.message == message
    assert hint in found.value.hint


def from_to(least, most, found):
    return f"expected an integer from {least} to {most}, found {found}"


# --- Launches --------------------------------------------------------------------------------------------------------

INT32, UINT64 = 2**31 - 1, 2**64 - 1
EXTENTS = {
    "four": ((1, 1, 1, 1), "expected an integer or one to three of them, found (1, 1, 1, 1)"),
    "none": ((), "expected an integer or one to three of them, found ()"),
    "a float": (64.0, from_to(1, INT32, "64.0")),
    "a float among them": ((1, 2.0), from_to(1, INT32, "2.0")),
    "negative": (-1, from_to(1, INT32, "-1")),
    "zero": ((1, 0), from_to(1, INT32, "0")),
    "large": (2**40, from_to(1, INT32, 2**40)),
    "text": ("64", from_to(1, INT32, "'64'")),
    "a flag": (True, from_to(1, INT32, "True")),
    "nothing": (None, from_to(1, INT32, "None")),
}


@pytest.mark.parametrize("option", ["grid", "block"])
@pytest.mark.parametrize("case", EXTENTS)
def test_a_wrong_extent_is_refused(option, case):
    value, message = EXTENTS[case]
    refused(f"{option}: {message}", "", lambda: tileloom.emulate(MODULE, **{"block": 1, option: value}))


@pytest.mark.parametrize("extent", [4, np.int64(4), (4,), [2, 2], (2, 1, np.int32(2)), np.array([2, 2]), np.array(4)])
def test_extents_are_integers_of_any_kind(extent):
    for option in ("grid", "block"):
        done = tileloom.emulate(MODULE, **{"block": 1, option: extent})
        assert done.warp_instructions == (4 if option == "grid" else 1)
        assert np.prod(done.to_dict()["launch"][option]) == 4


OPTIONS = {
    "shared": (-1, from_to(0, INT32, "-1")),
    "schedule": (-1, from_to(0, UINT64, "-1")),
    "max_instructions": (1.5, from_to(0, UINT64, "1.5")),
    "threads": (-1, from_to(0, INT32, "-1")),
    "check": (None, "expected True or False, found None"),
    "counters": (1, "expected True or False, found 1"),
    "raise_failure": ("no", "expected True or False, found 'no'"),
    "follow": (("A", 0, 9), "expected BUFFER:BYTE as text or as a tuple, found ('A', 0, 9)"),
    "delivery": (5, "expected text, found 5"),
    "entry": (5, "expected text, found 5"),
    "arch": (90, "expected text, found 90"),
    "ignore": (5, "expected the path of a file, found 5"),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_a_wrong_option_of_a_launch_is_refused(option):
    value, message = OPTIONS[option]
    refused(f"{option}: {message}", "", lambda: tileloom.emulate(MODULE, block=1, **{option: value}))
    if isinstance(value, int) and value < 0:
        refused(
            f"{option}: {message.rpartition(' ')[0]} {2**70}", "",
            lambda: tileloom.emulate(MODULE, block=1, **{option: 2**70}),
        )  # fmt: skip


def test_options_may_be_numpys():
    numbers = {name: np.int64(3) for name in ("shared", "schedule", "max_instructions", "threads")}
    assert tileloom.emulate(MODULE, block=1, check=np.bool_(True), **numbers).ok


def test_follow_may_be_a_tuple():
    body = ".reg .b64 %p; .reg .b16 %v; ld.param.u64 %p, [x]; ld.global.u16 %v, [%p+2]; st.global.u16 [%p], %v; ret;"
    store = NOTHING.replace("nothing()", "nothing(.param .u64 x)").replace("ret;", body)
    one, other = (tileloom.emulate(store, {"x": "u16[2]:iota"}, block=1, follow=f) for f in ("x:2", ("x", 2)))
    assert other.followed == one.followed
    assert [r.byte for r in other.followed.results] == [0]


def test_a_modules_architecture_is_its_own():
    for same in (None, "sm_90", "H100"):
        assert tileloom.emulate(MODULE, block=1, arch=same).ok
    refused(
        "arch: expected sm_90, which the module was loaded for, found sm_80", 'arch="sm_80"',
        lambda: tileloom.emulate(MODULE, block=1, arch="sm_80"),
    )  # fmt: skip
    for source in (MODULE, NOTHING):
        for unknown in ("nonsense", ""):
            with pytest.raises(tileloom.BadInput, match=f"architecture: .* found '{unknown}'"):
                tileloom.emulate(source, block=1, arch=unknown)


def test_sources_are_files_text_or_bytes():
    for source in (NOTHING, NOTHING.encode(), bytearray(NOTHING.encode()), memoryview(NOTHING.encode())):
        assert tileloom.emulate(source, block=1).ok
    for source in (5, None, np.zeros(3)):
        message = f"source: expected a Module, a file, PTX text or bytes, found {type(source).__name__}"
        refused(message, "", lambda source=source: tileloom.emulate(source, block=1))


# --- Totals ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counters():
    a = np.ones((16, 32), np.float16)
    return tileloom.emulate_gemm(a, a, kernel="multistage", counters=True).counters


def test_a_total_may_be_that_of_opcodes(counters):
    for name in ("mma", "mma.sync", "bar.sync", "ld.param", "cp.async.cg", "cp.async.commit_group"):
        counted = [i for i in counters.instructions if f"{i.at.opcode}.".startswith(f"{name}.")]
        assert counters.total(name).executions == sum(i.executions for i in counted) > 0
        assert counters.total(name).name == name
    assert counters.total("ld").executions == 0  # a way to memory: not the sum of opcodes, which ld.shared is


@pytest.mark.parametrize(
    "name",
    ["ld.local", "ld.const.f32", "st.shared.v4.f16", "atom.global.add", "red.shared", "atomic.shared", "stmatrix",
     "mma.sp", "div.full.f32", "vote.sync", "trap"],
)  # fmt: skip
def test_what_a_kernel_does_not_have_counts_as_zero(counters, name):
    assert counters.total(name).executions == 0


@pytest.mark.parametrize(
    ("name", "hint"),
    [("ld.gobal", "did you mean ld.global?"), ("ld.gobal.f32", "did you mean ld.global?"), ("st.shard", "st.shared?"),
     ("cp.asnyc", "cp.async?"), ("ldmatrx", "ldmatrix?"), ("othr", "other?"), ("", "ways to memory are ld, ld.shared"),
     ("ld.", "did you mean ld?"), ("ld..f32", ""), ("frobnicate", "ways to memory"), ("LD.GLOBAL", "ways to memory")],
)  # fmt: skip
def test_a_total_of_nothing_is_refused(counters, name, hint):
    message = f"total: expected a way to memory or the beginning of an opcode, found '{name}'"
    refused(message, hint, lambda: counters.total(name))


# --- Products --------------------------------------------------------------------------------------------------------

ELEMENT = "expected MATRIX:ROW,COLUMN as text or as a tuple, found"
OF_PRODUCTS = {
    "threads": (-1, from_to(0, INT32, "-1"), ""),
    "stages": ("3", from_to(0, INT32, "'3'"), ""),
    "raster_width": (2.5, from_to(-1, INT32, "2.5"), ""),
    "follow": (("A", 0), f"{ELEMENT} ('A', 0)", "for example ('A', 0, 9) or \"A:0,9\""),
    "check": (None, "expected True or False, found None", ""),
    "counters": (0, "expected True or False, found 0", ""),
    "kernel": (5, "expected a name or a Kernel, found 5", ""),
    "arch": (90, "expected text, found 90", ""),
    "accumulate": (None, "expected text, found None", ""),
}


@pytest.mark.parametrize("option", OF_PRODUCTS)
def test_a_wrong_option_of_a_product_is_refused(option):
    value, message, hint = OF_PRODUCTS[option]
    a = np.ones((3, 4), np.float16)
    refused(f"{option}: {message}", hint, lambda: tileloom.emulate_gemm(a, a, **{option: value}))


def test_a_product_follows_a_tuple_as_trace_does():
    a = np.ones((3, 4), np.float16)
    one, other = (tileloom.emulate_gemm(a, a, kernel="simple", follow=f) for f in ("A:1,2", ("A", 1, 2)))
    assert one.followed == other.followed


def test_a_kernel_may_be_an_object_of_a_shipped_one():
    a = np.ones((3, 4), np.float16)
    for name in ("smem", "multistage_64x64x64_f32"):
        kernel = tileloom.Kernel(name, sizes={"K": 64})
        assert tileloom.emulate_gemm(a, a, kernel=kernel).kernel == kernel.name
    changed = tileloom.Kernel("smem", settings={"raster": {"along": "N", "width": 4}})
    refused(
        f"kernel: expected a shipped kernel, found {changed!r}, a configuration of its own", "kernel_names()",
        lambda: tileloom.emulate_gemm(a, a, kernel=changed),
    )  # fmt: skip


def test_masked_and_swapped_matrices_are_refused():
    a = np.ones((3, 4), np.float16)
    refused(
        "b: expected an array without a mask, found MaskedArray", ".filled(",
        lambda: tileloom.emulate_gemm(a, np.ma.masked_array(a)),
    )  # fmt: skip
    refused(
        "a: expected a numpy array of float16 with two dimensions, found 2-D >f2", "newbyteorder('=')",
        lambda: tileloom.emulate_gemm(a.astype(">f2"), a),
    )  # fmt: skip


# --- Kernels ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", [{"element": ""}, {"tensor": []}, {"register": ""}, {"map": ""}])
def test_an_empty_question_is_refused(question):
    (name,) = question
    message = f"{name}: expected a name, found nothing"
    refused(message, "None", lambda: tileloom.Kernel("simple").trace(**question))
    refused(message, "None", lambda: tileloom.Kernel("simple").trace(**question, thread=3))


@pytest.mark.parametrize(
    ("most", "found"), [(-1, "-1"), (2**31, 2**31), (2**70, 2**70), (2.0, "2.0"), (True, "True"), ("a", "'a'")]
)
def test_a_wrong_limit_of_conflicts_is_refused(most, found):
    message = f"max_conflicts: expected an integer from 0 to {INT32}, found '{found}'"
    refused(message, "", lambda: tileloom.check("simple", max_conflicts=most))
    assert tileloom.check("simple", max_conflicts=np.int64(1000)).ok


# --- What is shown ---------------------------------------------------------------------------------------------------


def test_results_show_what_they_are():
    race = NOTHING.replace("nothing()", "nothing(.param .u64 x)").replace(
        "ret;",
        ".reg .b64 %p; .reg .b32 %v, %w; ld.param.u64 %p, [x]; ld.global.u32 %v, [%p]; mov.u32 %w, %tid.x; "
        "st.global.u32 [%p], %w; ret;",
    )
    done = tileloom.emulate(race, {"x": tileloom.Output(np.zeros(1, "u4"))}, block=64, counters=True, follow="x:0")
    kernel = tileloom.Kernel("multistage")
    followed = tileloom.emulate_gemm(*2 * [np.ones((16, 16), np.float16)], kernel="simple", follow="A:0,9").followed
    shown = [
        (done.races[0], "<tileloom.Race: race: write after read, bytes 0..3 of x, "),
        (done.races[0].first, "<tileloom.Access read at ptx:4, CTA (0,0,0), warp "),
        (done.uninitialised_reads[0], "<tileloom.UninitialisedRead: uninitialised read, bytes 0..3 of x, "),
        (done.counters, "<tileloom.Counters of 5 instructions>"),
        (done.counters.totals[0], "<tileloom.AccessCount ld.global, 2 executions>"),
        (done.counters.lines[0], "<tileloom.LineCount ptx:4, 10 executions>"),
        (done.counters.instructions[1], "<tileloom.InstructionCount ld.global.u32 at ptx:4, 2 executions>"),
        (followed.moves[0], "<tileloom.FollowedMove load at "),
        (followed.moves[0].from_place, "<tileloom.MemoryPlace byte 18 of A>"),
        (followed.sums[0], "<tileloom.FollowedSums at "),
        (followed.results[0], "<tileloom.FollowedResult byte "),
        (kernel.check().sites[1], "<tileloom.SiteCost A: global -> shared: 4 wavefronts, ideal 4>"),
        (kernel.trace(element="A:0,9").holders[0], "<tileloom.Holder warp 0, lane 0, a2[31:16]>"),
        (tileloom.Module.from_ptx(race).kernel().parameters[0], "<tileloom.Parameter u64 x>"),
        (tileloom.Output(np.zeros((2, 3))), "<tileloom.Output of ndarray (2, 3)>"),
    ]
    for thing, text in shown:
        assert repr(thing).startswith(text)
        assert "\n" not in repr(thing)
