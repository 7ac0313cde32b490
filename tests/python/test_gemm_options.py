# SPDX-License-Identifier: Apache-2.0
"""Options of `gemm` and `explain` of the wrong type, kernels as objects, Ctrl-C, and where `out` may lie."""

import subprocess
import sys

import pytest

np = pytest.importorskip("numpy")

from gemm_cases import operands, same_bits

import tileloom
from tileloom import Kernel, explain, gemm

A, B = np.ones((30, 40), np.float16), np.ones((20, 40), np.float16)
WRONG = [
    ({"stages": "3"}, "stages: expected an integer, found '3'"),
    ({"stages": None}, "stages: expected an integer, found None"),
    ({"stages": 2**40}, "stages: expected an integer of at most 32 bits, found 1099511627776"),
    ({"stages": -(2**70)}, "stages: expected an integer of at most 32 bits, found -1180591620717411303424"),
    ({"raster_width": 2.5}, "raster_width: expected an integer, found 2.5"),
    ({"kernel": 5}, "kernel: expected a name or a Kernel, found 5"),
    ({"kernel": 0}, "kernel: expected a name or a Kernel, found 0"),
    ({"accumulate": None}, "accumulate: expected f32 or f16, found None"),
    ({"accumulate": np.float32(1).dtype}, "accumulate: expected f32 or f16, found dtype('float32')"),
    ({"backend": None}, "backend: expected auto, cuda or emulator, found None"),
    ({"arch": 90}, "arch: expected text such as sm_90, found 90"),
    ({"arch": 0}, "arch: expected text such as sm_90, found 0"),
]


def refusal(call, *arguments, **options):
    with pytest.raises(tileloom.BadInput) as caught:
        call(*arguments, **{"backend": "emulator", **options})
    return str(caught.value)


@pytest.mark.parametrize(("options", "text"), WRONG)
def test_types_of_options(options, text):
    assert refusal(gemm, A, B, **options) == f"gemm: {text}"
    assert refusal(explain, 30, 20, 40, **options) == f"gemm: {text}"


def test_integers_of_numpy_are_options():
    expected = gemm(A, B, kernel="multistage", stages=3, raster_width=2, backend="emulator")
    d = gemm(A, B, kernel="multistage", stages=np.int64(3), raster_width=np.uint8(2), backend="emulator")
    assert same_bits(d, expected)
    text = explain(np.int32(30), 20, 40, stages=np.int64(3), kernel="multistage", backend="emulator")
    assert text == explain(30, 20, 40, stages=3, kernel="multistage", backend="emulator")


def test_sizes_of_explain():
    assert refusal(explain, 2**70, 5, 5) == (
        "gemm: m: expected an integer of at most 64 bits, found 1180591620717411303424"
    )
    assert refusal(explain, 5, "5", 5) == "gemm: n: expected an integer, found '5'"
    assert refusal(explain, 5, 5, 2.0) == "gemm: k: expected an integer, found 2.0"


@pytest.mark.parametrize("name", ["multistage", "smem", "simple", "handwritten"])
def test_a_shipped_kernel_as_an_object(name):
    a, b = operands(40, 30, 50)
    kernel = Kernel(name)
    assert same_bits(gemm(a, b, kernel=kernel, backend="emulator"), gemm(a, b, kernel=kernel.name, backend="emulator"))
    assert explain(40, 30, 50, kernel=kernel, backend="emulator") == explain(
        40, 30, 50, kernel=kernel.name, backend="emulator"
    )
    assert same_bits(
        gemm(a, b, kernel=Kernel(name, sizes={"K": 512}), backend="emulator"),
        gemm(a, b, kernel=kernel, backend="emulator"),
    )


def test_a_changed_kernel_is_refused():
    changed = Kernel("multistage").replace(settings={"s2r.B": "SM75_U32x4_LDSM_N"})
    assert refusal(gemm, A, B, kernel=changed) == (
        f"gemm: kernel: expected a shipped kernel, found {changed!r}, a configuration of its own\n"
        "hint: only what was compiled can run: tileloom.kernel_names() lists it; Kernel.check tells of any configuration"
    )


def test_the_hint_for_a_k_by_n_matrix_works():
    a, b = operands(30, 20, 40)
    wide = np.ascontiguousarray(b.T)
    hint = refusal(gemm, a, wide).partition("so give ")[2].partition(",")[0]
    assert hint == "numpy.ascontiguousarray(b.T)"
    assert same_bits(gemm(a, eval(hint, {"numpy": np, "b": wide}), backend="emulator"), gemm(a, b, backend="emulator"))


# --- Where `out` may lie -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "between"), [("a", 0), ("a", 7), ("out", 0), ("out", 7)])
def test_out_in_the_gaps_between_rows(first, between):
    a, b = operands(30, 20, 40)
    buffer = np.zeros((30, 60 + between), np.float16)
    left, right = (40, 20) if first == "a" else (20, 40)
    halves = buffer[:, :left], buffer[:, left + between : left + between + right]
    inner, out = halves if first == "a" else halves[::-1]
    inner[:] = a
    gemm(inner, b, out=out, backend="emulator")
    assert same_bits(inner, a)
    assert same_bits(out, gemm(a, b, backend="emulator"))
    assert not buffer[:, left : left + between].any()


def test_one_row_of_out_between_those_of_a():
    a, b = operands(5, 20, 40)
    buffer = np.zeros((5, 60), np.float16)
    buffer[:, :40] = a
    gemm(buffer[2:3, :40], b, out=buffer[3:4, 40:], backend="emulator")
    gemm(a[:1], buffer[:, :40], out=buffer[1:2, 40:45], backend="emulator")
    assert same_bits(buffer[3, 40:], gemm(a[2:3], b, backend="emulator")[0])
    assert same_bits(buffer[:, :40], a)


@pytest.mark.parametrize("shift", [-1, 1])
def test_one_element_in_common_is_refused(shift):
    buffer = np.zeros((30, 64), np.float16)
    a, out = (buffer[:, 2:42], buffer[:, 41:61]) if shift < 0 else (buffer[:, 19:59], buffer[:, :20])
    assert refusal(gemm, a, B, out=out).startswith("gemm: out: expected memory apart from a and b, found it inside a")
    wide = np.zeros((60, 64), np.float16)  # other strides: rows meet somewhere
    assert "found it inside a" in refusal(gemm, wide[::2, :40], B, out=wide[:30, 40:60])


def test_an_unaligned_out_is_called_out():
    memory = np.zeros(30 * 20 * 2 + 2, np.uint8)
    out = memory[1:-1].view(np.float16).reshape(30, 20)
    assert refusal(gemm, A, B, out=out).startswith("gemm: out: expected an address that is a multiple of 2 bytes")


# --- Ctrl-C --------------------------------------------------------------------------------------------------------

INTERRUPTED = """
import signal, sys
{imports}
signal.setitimer(signal.ITIMER_REAL, 0.3)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
"""
NUMPY = (
    "import numpy as np, tileloom; a = np.ones((4096, 4096), np.float16)",
    "tileloom.gemm(a, a, backend='emulator')",
)
TORCH = (
    "import torch, tileloom; a = torch.ones((4096, 4096), dtype=torch.float16); tileloom.matmul_nt(a[:9], a[:9])",
    "tileloom.matmul_nt(a, a)",
)


@pytest.mark.parametrize("kind", [NUMPY, TORCH], ids=["numpy", "torch"])
def test_ctrl_c_stops_the_emulator(kind):
    """The whole product takes half a minute or more."""
    if kind is TORCH:
        pytest.importorskip("torch")
    code = INTERRUPTED.format(imports=kind[0], call=kind[1])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=20)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
