# SPDX-License-Identifier: Apache-2.0
"""Kernels run in the emulator with numpy arrays: results, what is found, what is counted, and what is refused."""

import ctypes
import gzip
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import program
import pytest

import tileloom

REVERSE = "examples/reverse.ptx"
RACE = "examples/reverse_race.ptx"
GEMM = gzip.decompress((program.EXAMPLES / "unit-test" / "gemm.ptx.gz").read_bytes()).decode()


def launched(report):
    """A report without what the machine adds."""
    report["run"].pop("seconds")
    return report


# --- The same as the program -----------------------------------------------------------------------------------------

LAUNCHES = {
    "plain": ({}, []),
    "unchecked": ({"check": False}, ["--no-check"]),
    "counted": ({"counters": True}, ["--counters"]),
    "followed": ({"follow": "in:8"}, ["--follow", "in:8"]),
    "early": ({"delivery": "early"}, ["--delivery", "early"]),
    "seeded": ({"delivery": "seed:5", "schedule": 7}, ["--delivery", "seed:5", "--schedule", "7"]),
    "on another GPU": ({"arch": "sm_80"}, ["--arch", "sm_80"]),
    "limited": ({"max_instructions": 1000}, ["--max-instructions", "1000"]),
}


@pytest.mark.parametrize("launch", LAUNCHES)
@pytest.mark.parametrize("file", [REVERSE, RACE])
def test_reports_are_the_programs(file, launch):
    options, arguments = LAUNCHES[launch]
    called = ["emulate", file, "--grid", "2", "--block", "64", "--arg", "in=f32[128]:iota", "--arg", "out=f32[128]"]
    done = tileloom.emulate(
        program.ROOT / file, {"in": "f32[128]:iota", "out": "f32[128]"}, grid=2, block=64, **options
    )
    expected = launched(program.report(*called, *arguments))
    expected["file"] = str(program.ROOT / file)
    assert launched(done.to_dict()) == expected
    timed = [line for line in str(done).splitlines() if not line.startswith("ran ")]
    assert timed == [line for line in program.text(*called, *arguments).splitlines() if not line.startswith("ran ")]
    assert done.ok == (not done.findings)
    assert done.warp_instructions == expected["run"]["warp_instructions"]


def test_a_module_is_listed_as_by_the_program():
    module = tileloom.Module.load(str(program.ROOT / REVERSE))
    expected = program.report("emulate", REVERSE, "--list")
    expected["file"] = module.name
    assert module.to_dict() == expected
    assert str(module) == program.text("emulate", REVERSE, "--list")
    kernel = module.kernel("rev")
    assert (kernel.name, kernel.max_threads, [p.bytes for p in kernel.parameters]) == ("reverse", 256, [8, 8])


def test_counters_as_objects_are_those_of_the_report():
    done = tileloom.emulate(
        program.ROOT / REVERSE, {"in": "f32[128]:iota", "out": "f32[128]"}, grid=2, block=64, counters=True
    )
    expected = done.to_dict()["counters"]
    assert done.counters.to_dict() == expected
    lines = [(line.file, line.line, line.executions, line.lanes) for line in done.counters.lines]
    assert lines == [(one["file"], one["line"], one["executions"], one["lanes"]) for one in expected["lines"]]
    for total, one in zip(done.counters.totals, expected["totals"], strict=True):
        assert done.counters.total(one["access"]).executions == total.executions == one["executions"]
        if one["shared"]:
            assert total.shared.wavefronts_high == one["shared"]["wavefronts_high"]
            assert total.shared.bank_words == one["shared"]["bank_words"]
        if one["global"]:
            assert total.global_memory.sectors == one["global"]["sectors"]
    assert done.counters.total("atomic").executions == 0
    assert done.counters.text("instruction") in program.text(
        "emulate", REVERSE, "--grid", "2", "--block", "64", "--arg", "in=f32[128]:iota", "--arg", "out=f32[128]",
        "--counters-by", "instruction",
    )  # fmt: skip


# --- Arrays ----------------------------------------------------------------------------------------------------------


def test_arrays_are_what_the_kernel_reads_and_writes():
    x = np.random.default_rng(1).normal(size=128).astype(np.float32)
    y = np.full(128, np.nan, np.float32)
    done = tileloom.emulate(program.ROOT / REVERSE, {"in": x, "out": tileloom.Output(y)}, grid=2, block=64)
    assert done.ok
    np.testing.assert_array_equal(y, np.concatenate([x[63::-1], x[:63:-1]]))
    assert done.arrays["out"] is y
    by_list = np.empty_like(y)
    tileloom.emulate(program.ROOT / REVERSE, [x, by_list], grid=(2, 1), block=[64])
    np.testing.assert_array_equal(by_list, y)


def test_text_makes_arrays():
    done = tileloom.emulate(program.ROOT / REVERSE, {"in": "f32[64]:iota", "out": "f32[64]"}, block=64)
    np.testing.assert_array_equal(done.arrays["out"], np.arange(63, -1, -1, dtype=np.float32))
    assert done.arrays["in"].dtype == np.float32


def test_one_array_twice_is_one_buffer():
    x = np.arange(64, dtype=np.float32)
    done = tileloom.emulate(program.ROOT / REVERSE, {"x": x, "y": x}, block=64)
    assert done.ok
    np.testing.assert_array_equal(x, np.arange(63, -1, -1))
    z = np.arange(128, dtype=np.float32)
    tileloom.emulate(program.ROOT / REVERSE, {"in": z, "out": tileloom.Pointer("in", 256)}, block=64)
    np.testing.assert_array_equal(z, [*range(64), *range(63, -1, -1)])


TWO_STORES = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry two_stores(.param .u64 a, .param .u64 b)
{
  .reg .b64 %a, %b;
  ld.param.u64 %a, [a];  st.global.u32 [%a], 7;
  ld.param.u64 %b, [b];  st.global.u32 [%b+4], 9;
  ret;
}
"""


def test_arrays_that_share_memory_do_so_in_the_kernel():
    x = np.zeros(4, np.uint32)
    assert tileloom.emulate(TWO_STORES, [x, x], block=1).ok
    assert x.tolist() == [7, 9, 0, 0]
    done = tileloom.emulate(TWO_STORES, {"x": x, "y": x[2:]}, block=1)
    assert x.tolist() == [7, 9, 0, 9]
    assert done.to_dict()["arguments"][1]["type"] == "@x"
    with pytest.raises(tileloom.BadInput, match="argument arg1: expected memory of its own or a part of arg0's"):
        tileloom.emulate(TWO_STORES, [x[1:3], x[2:]], block=1)


COPY_VALUES = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry copy_values(.param .u64 to, .param .u32 a, .param .u64 b, .param .f32 c, .param .f64 d, .param .u16 e,
                            .param .align 4 .b8 f[12])
{
  .reg .b64 %p, %l; .reg .b32 %w; .reg .b16 %h;
  ld.param.u64 %p, [to];
  ld.param.b32 %w, [a];    st.global.b32 [%p], %w;
  ld.param.b64 %l, [b];    st.global.b64 [%p+8], %l;
  ld.param.b32 %w, [c];    st.global.b32 [%p+16], %w;
  ld.param.b64 %l, [d];    st.global.b64 [%p+24], %l;
  ld.param.b16 %h, [e];    st.global.b16 [%p+32], %h;
  ld.param.b32 %w, [f];    st.global.b32 [%p+36], %w;
  ld.param.b32 %w, [f+4];  st.global.b32 [%p+40], %w;
  ld.param.b32 %w, [f+8];  st.global.b32 [%p+44], %w;
  ret;
}
"""


class Three(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int32), ("y", ctypes.c_float), ("z", ctypes.c_uint32)]


@pytest.mark.parametrize("half", [7, np.uint16(7)])
@pytest.mark.parametrize("struct", [Three(-5, 1.5, 9), bytes(Three(-5, 1.5, 9)), bytearray(Three(-5, 1.5, 9))])
def test_values_arrive_as_their_bytes(struct, half):
    to = np.zeros(48, np.uint8)
    arguments = {"to": to, "a": -2, "b": 2**64 - 1, "c": 0.1, "d": np.float64(-0.1), "e": half, "f": struct}
    assert tileloom.emulate(COPY_VALUES, arguments, block=1).ok
    layout = {"names": list("abcdef"), "offsets": [0, 8, 16, 24, 32, 36], "itemsize": 48}
    seen = to.view(np.dtype({**layout, "formats": ["i4", "u8", "f4", "f8", "u2", "V12"]}))[0]
    assert (seen["a"], seen["b"], seen["c"], seen["d"], seen["e"]) == (-2, 2**64 - 1, np.float32(0.1), -0.1, 7)
    assert seen["f"].tobytes() == bytes(Three(-5, 1.5, 9))


GOOD = {"to": "u8[48]", "a": 1, "b": 1, "c": 0.5, "d": 0.5, "e": 1, "f": b"\0" * 12}
WRONG = {
    "an int that is too large": ({"a": 2**32}, "argument a: expected an integer of 32 bits, found 4294967296"),
    "an int that is too small": ({"e": -(2**15) - 1}, "argument e: expected an integer of 16 bits, found -32769"),
    "an int for a struct": ({"f": 1}, r"argument f: expected 12 bytes for b8\[12\] .*, found an integer"),
    "a float for an int": ({"b": 1.0}, "argument b: expected a value for u64 .*, found a float"),
    "a float that is too large": ({"c": 1e300}, "argument c: expected a value of f32, found 1e"),
    "bytes of another size": ({"f": b"123"}, r"--arg f: expected 12 bytes for parameter 6 .*, found 3 of bytes"),
    "a number of another size": ({"a": np.int64(1)}, r"--arg a: expected 4 bytes for parameter 1 .* 8 of i64"),
    "a pointer for a number": ({"a": np.zeros(1)}, r"--arg a: expected 4 bytes for .*, found 8 of a pointer"),
    "no kind of argument": ({"b": None}, "argument b: expected a numpy array, a number, .*, found NoneType"),
    "an unknown buffer": ({"b": tileloom.Pointer("x")}, "argument b: no argument before it is named 'x'"),
    "gaps": ({"to": np.zeros(96, np.uint8)[::2]}, r"argument to: expected an array in C order .*strides \(2,\)"),
    "wrong text": ({"a": "i32"}, "--arg a: expected TYPE"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_named(name):
    change, message = WRONG[name]
    with pytest.raises(tileloom.BadInput, match=message):
        tileloom.emulate(COPY_VALUES, GOOD | change, block=1)
    assert tileloom.emulate(COPY_VALUES, GOOD, block=1).ok


def test_other_refusals_have_the_programs_text(tmp_path):
    both = {"in": "f32[64]:iota", "out": "f32[64]"}
    given = ["--block", "64", "--arg", "in=f32[64]:iota", "--arg", "out=f32[64]"]
    file = program.ROOT / REVERSE
    (tmp_path / "broken.ptx").write_text(".version 8.0\n.target sm_80\n.visible .entry k() { nonsense; }\n")
    (tmp_path / "ignore").write_text("nothing here\n")
    for ask, arguments in [
        (lambda: tileloom.emulate(file, both, block=64, entry="x"), [file, *given, "--entry", "x"]),
        (lambda: tileloom.emulate(file, both, block=64, follow="z:0"), [file, *given, "--follow", "z:0"]),
        (lambda: tileloom.emulate(file, both, block=64, delivery="soon"), [file, *given, "--delivery", "soon"]),
        (lambda: tileloom.emulate(file, both, block=64, arch="sm_1"), [file, *given, "--arch", "sm_1"]),
        (lambda: tileloom.emulate(file, both, block=1024), [file, "--block", "1024", *given[2:]]),
        (lambda: tileloom.emulate("no.ptx", both, block=64), ["no.ptx", *given]),
        (lambda: tileloom.emulate(tmp_path / "broken.ptx", block=1), [tmp_path / "broken.ptx", "--block", "1"]),
        (
            lambda: tileloom.emulate(file, both, block=64, ignore=tmp_path / "ignore"),
            [file, *given, "--ignore", tmp_path / "ignore"],
        ),
    ]:
        with pytest.raises(tileloom.Error) as refused:
            ask()
        assert str(refused.value) == program.refusal("emulate", *arguments)


# --- What a kernel can do wrong --------------------------------------------------------------------------------------


def test_a_store_past_the_end_ends_the_launch():
    x, y = np.zeros(64, np.float32), np.zeros(32, np.float32)
    with pytest.raises(tileloom.CheckFailed, match="out of bounds"):
        tileloom.emulate(program.ROOT / REVERSE, {"in": x, "out": y}, block=64)
    done = tileloom.emulate(program.ROOT / REVERSE, {"in": x, "out": y}, block=64, raise_failure=False)
    assert done.failure.kind == "out of bounds"
    assert "out" in done.failure.text
    assert not done
    assert done.failure.text == done.to_dict()["failure"]["message"]


def test_a_read_only_array_is_not_written():
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    y.flags.writeable = False
    done = tileloom.emulate(program.ROOT / REVERSE, {"in": x, "out": y}, block=64, raise_failure=False)
    assert done.failure.kind == "read-only"
    assert not y.any()
    x.flags.writeable = False
    assert tileloom.emulate(program.ROOT / REVERSE, {"in": x, "out": np.zeros(64, np.float32)}, block=64).ok
    with pytest.raises(tileloom.BadInput, match="read-only"):
        tileloom.emulate(program.ROOT / REVERSE, {"in": x, "out": tileloom.Output(y)}, block=64)


def test_only_an_output_counts_as_never_written():
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    assert tileloom.emulate(program.ROOT / REVERSE, {"in": x, "out": y}, block=64).ok
    done = tileloom.emulate(program.ROOT / REVERSE, {"in": tileloom.Output(x), "out": y}, block=64)
    assert [f.kind for f in done.findings] == ["uninitialised read"]
    (read,) = done.uninitialised_reads
    assert (read.buffer, read.reader.verb, read.file) == ("in", "read", "reverse.ptx")
    with pytest.raises(tileloom.CheckFailed, match="1 uninitialised read"):
        done.raise_for_findings()


def test_a_race_names_both_lines(tmp_path):
    arrays = {"in": np.zeros(64, np.float32), "out": np.zeros(64, np.float32)}
    done = tileloom.emulate(program.ROOT / RACE, arrays, block=64)
    assert {race.kind for race in done.races} == {"race"}
    race = done.races[0]
    assert (race.hazard, race.first.verb, race.second.verb) == ("read after write", "write", "read")
    assert (race.file, race.line) == ("reverse_race.ptx", race.second.at.ptx_line)
    assert race.to_dict() == done.to_dict()["findings"][0]
    assert race.text == str(race)
    assert "bar.sync" in race.remedy
    (tmp_path / "ignore").write_text("race reverse_race.ptx known\nuninitialised-read reverse_race.ptx known\n")
    accepted = tileloom.emulate(program.ROOT / RACE, arrays, block=64, ignore=tmp_path / "ignore")
    assert accepted.ok
    assert len(accepted.ignored) == len(done.findings)


# --- A real kernel ---------------------------------------------------------------------------------------------------


def run_gemm(text, m=64, n=128, k=192, **options):
    values = np.random.default_rng(3)
    a = values.integers(-4, 5, (m, k)).astype(np.float16)
    b = values.integers(-4, 5, (n, k)).astype(np.float16)
    d = np.full((m, n), np.nan, np.float32)
    arguments = {"D": tileloom.Output(d), "A": a, "B": b, "m": m, "n": n, "k": k}
    done = tileloom.emulate(text, arguments, entry="gemm_64x64", grid=(m // 64, n // 64), block=128, **options)
    return done, a, b, d


def test_a_gemm_equals_the_product():
    done, a, b, d = run_gemm(GEMM)
    assert done.ok
    np.testing.assert_array_equal(d, a.astype(np.float32) @ b.astype(np.float32).T)


def test_a_gemm_without_its_last_barrier_races():
    at = GEMM.rindex("bar.sync")
    done, *_ = run_gemm(tileloom.Module.from_ptx(GEMM[:at] + "// " + GEMM[at:], "broken.ptx"))
    assert done.races
    assert {race.first.at.file for race in done.races} == {"gemm.cu"}
    assert {frozenset((race.first.verb, race.second.verb)) for race in done.races} == {frozenset(("read", "copy"))}


def test_a_gemm_has_no_bank_conflicts_by_line():
    done, *_ = run_gemm(GEMM, counters=True)
    lines = [line for line in done.counters.lines if line.shared.requests]
    assert {"gemm.cu"} == {line.file for line in lines}
    assert all(line.shared.wavefronts_high == line.shared.ideal_wavefronts for line in lines)
    assert done.counters.total("cp.async").global_memory.bytes == 2 * (64 + 64) * 192 * 2


def test_an_element_of_a_gemm_feeds_its_row():
    row, column = 3, 9
    done, *_ = run_gemm(GEMM, m=64, n=64, k=64, follow=f"A:{2 * (row * 64 + column)}")
    seen = done.followed
    assert {move.kind for move in seen.moves} >= {"copy", "ldmatrix", "operand"}
    operand = next(move for move in seen.moves if move.kind == "operand")
    assert (operand.lane, operand.register, operand.bits) == (12, "a2", (31, 16))
    assert {r.byte // 4 // 64 for r in seen.results} == {row}
    assert {r.byte // 4 % 64 for r in seen.results} == set(range(64))
    assert seen.to_dict() == done.to_dict()["followed"]


# --- A launch that does not end --------------------------------------------------------------------------------------

ENDLESS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry endless() { .reg .b32 %r; mov.u32 %r, 0; AGAIN: add.u32 %r, %r, 1; bra.uni AGAIN; }
"""


def test_a_launch_may_be_limited():
    done = tileloom.emulate(ENDLESS, block=32, max_instructions=500, raise_failure=False)
    assert done.failure.kind == "instruction limit"


def test_control_c_stops_a_launch():
    # The thread that sends the signal needs the GIL, which the launch must not hold.
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        tileloom.emulate(ENDLESS, block=32)
    assert time.monotonic() - started < 60


def test_numpy_is_not_needed_for_text_arguments():
    code = (
        "import sys, tileloom; done = tileloom.emulate(sys.argv[1], ['f32[64]:iota', 'f32[64]'], block=64); "
        "print(done.ok, 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(program.ROOT / REVERSE)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True False\n"
