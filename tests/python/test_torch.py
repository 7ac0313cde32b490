# SPDX-License-Identifier: Apache-2.0
"""`tileloom.matmul_nt` and `tileloom.matmul`: products of tensors."""

import doctest
import pathlib
import re
import subprocess
import sys
import threading

import pytest

from gemm_cases import SHAPES, close, needs_program, program_product, same_bits
from torch_cases import DEVICES, bits, needs_gpu, tensors, torch

from tileloom import gemm, matmul, matmul_nt


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("accumulate", ["f32", "f16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_product(shape, accumulate, device):
    a, b = tensors(*shape, device)
    d = matmul_nt(a, b, accumulate=accumulate)
    assert (d.dtype, d.device, d.is_contiguous()) == (torch.float16, a.device, True)
    assert close(bits(d), bits(a), bits(b), accumulate)
    assert torch.equal(matmul(a, b.t(), accumulate=accumulate), d)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "options",
    [{}, {"accumulate": "f16"}, {"kernel": "simple"}, {"kernel": "multistage", "stages": 2, "raster_width": -1}],
)
def test_bits_are_those_of_the_other_interfaces(options, device):
    a, b = tensors(70, 50, 90, device)
    d = bits(matmul_nt(a, b, **options))
    backend = "emulator" if device == "cpu" else "cuda"
    assert same_bits(d, gemm(bits(a), bits(b), backend=backend, **options))
    assert same_bits(d, bits(gemm(a, b, backend=backend, **options)))


@needs_program
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kernel", ["simple", "multistage"])
def test_bits_are_those_of_the_program(kernel, device):
    a, b = tensors(70, 50, 90, device)
    backend = "emulator" if device == "cpu" else "cuda"
    assert same_bits(
        bits(matmul_nt(a, b, kernel=kernel)),
        program_product(bits(a), bits(b), "--backend", backend, "--kernel", kernel),
    )


@needs_gpu
def test_a_gpu_and_the_emulator_give_the_same_bits():
    a, b = tensors(150, 130, 200)
    assert same_bits(
        bits(matmul_nt(a.cuda(), b.cuda(), kernel="multistage")), bits(matmul_nt(a, b, kernel="multistage"))
    )


@pytest.mark.parametrize("device", DEVICES)
def test_rows_at_any_distance_go_as_they_are(device):
    a, b = tensors(40, 30, 64, device)
    for rows, cols in [(slice(None, None, 3), slice(8, 41)), (slice(7, 8), slice(None)), (slice(None), slice(5, 6))]:
        x, y = a[rows, cols], b[:, cols]
        assert torch.equal(matmul_nt(x, y), matmul_nt(x.contiguous(), y.contiguous()))


@pytest.mark.parametrize("device", DEVICES)
def test_matmul_takes_any_strides(device):
    a, b = tensors(33, 33, 33, device)
    expected = matmul_nt(a, b.t().contiguous())
    for x in (a, a.t().contiguous().t()):
        for y in (b, b.t().contiguous().t()):
            assert torch.equal(matmul(x, y), expected)
    wide = torch.zeros(33, 66, dtype=torch.float16, device=device)
    wide[:, ::2] = a
    assert torch.equal(matmul(wide[:, ::2], b), expected)
    assert torch.equal(matmul(a[:1].expand(5, 33), b), expected[:1].expand(5, 33))


def test_matmul_copies_nothing_that_maps():
    a, b = tensors(33, 20, 40)
    seen = []

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    with Watch():
        matmul(a, b.t())
    assert not [name for name in seen if "clone" in name or "copy" in name or "contiguous" in name]
    assert "tileloom.matmul_nt.default" in seen


@pytest.mark.parametrize("device", DEVICES)
def test_out(device):
    a, b = tensors(33, 20, 40, device)
    wide = torch.full((33, 27), 7.0, dtype=torch.float16, device=device)
    assert matmul_nt(a, b, out=wide[:, 3:23]).data_ptr() == wide[:, 3:23].data_ptr()
    assert torch.equal(wide[:, 3:23], matmul_nt(a, b))
    assert bool((wide[:, :3] == 7).all()) and bool((wide[:, 23:] == 7).all())
    out = torch.empty(33, 20, dtype=torch.float16, device=device)
    assert matmul(a, b.t(), out=out) is out
    assert torch.equal(out, wide[:, 3:23])


@pytest.mark.parametrize("device", DEVICES)
def test_negative_views_are_resolved(device):
    a, b = tensors(8, 8, 8, device)
    flipped = torch._neg_view(a)
    assert flipped.is_neg()
    assert torch.equal(matmul_nt(flipped, b), matmul_nt(-a, b))


def test_torch_is_imported_when_it_is_needed():
    code = (
        "import sys, tileloom; assert 'torch' not in sys.modules; "
        "tileloom.matmul_nt; assert 'torch' in sys.modules; print(tileloom.matmul is tileloom.matmul)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"


def test_threads():
    cases = [tensors(20 + i, 30, 40 + i, seed=i) for i in range(6)]
    results = [None] * len(cases)

    def work(i):
        results[i] = matmul_nt(*cases[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(cases))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(d, matmul_nt(a, b)) for d, (a, b) in zip(results, cases, strict=True))


MANUAL = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


@pytest.mark.skipif(not MANUAL.exists(), reason="the manual is not here")
def test_the_manual_runs():
    """Its blocks for torch, one after the other; those without are run elsewhere."""
    blocks = re.findall(r"^```python\n# needs torch\n(.*?)^```$", MANUAL.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    scope = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(verbose=False)
    for block in blocks:
        if ">>>" not in block:
            exec(compile(block, "docs/python.md", "exec"), scope)
            continue
        said = []
        example = doctest.DocTestParser().get_doctest(block, scope, "docs/python.md", None, 0)
        runner.run(example, out=said.append, clear_globs=False)
        assert "".join(said) == ""
