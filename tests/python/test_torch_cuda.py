# SPDX-License-Identifier: Apache-2.0
"""The GPU's order of things: streams, graphs, devices. Skipped without a GPU."""

import pytest

from torch_cases import gradients, needs_gpu, tensors, torch

from tileloom import matmul_nt


@needs_gpu
def test_current_stream():
    """A product comes after what its stream did before."""
    a, b = tensors(2000, 2000, 2000, "cuda")

    def product_of_late_operand():
        late = torch.zeros_like(a)
        torch.cuda._sleep(20_000_000)
        late += a
        return matmul_nt(late, b)  # on any other stream it would read zeros

    expected = matmul_nt(a, b)
    product_of_late_operand()  # whose kernels are loaded then, which may wait for the GPU
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        d = product_of_late_operand()
    stream.synchronize()
    assert torch.equal(d, expected)


@needs_gpu
@pytest.mark.parametrize("kernel", [None, "handwritten_128x256x32_f32"])  # the latter is not loaded before
def test_cuda_graph(kernel):
    a, b = tensors(300, 200, 100, "cuda")
    out = torch.zeros(300, 200, dtype=torch.float16, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        matmul_nt(a, b, kernel=kernel, out=out)
        d = matmul_nt(a, b, kernel=kernel)
    a.copy_(tensors(300, 1, 100, "cuda", seed=9)[0])
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(out, matmul_nt(a, b, kernel=kernel))
    assert torch.equal(d, out)


@needs_gpu
@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one GPU")
def test_a_gpu_that_is_not_the_current_one():
    a, b = tensors(300, 200, 100, "cuda:1")
    d = matmul_nt(a, b)
    assert d.device == a.device
    assert torch.cuda.current_device() == 0
    assert torch.equal(d.cpu(), matmul_nt(a.to("cuda:0"), b.to("cuda:0")).cpu())


@needs_gpu
def test_backward_on_its_own_thread():
    a, b = tensors(300, 200, 100, "cuda")
    weight = torch.ones(300, 200, dtype=torch.float16, device="cuda")
    got = gradients(matmul_nt, a, b, weight)
    assert torch.allclose(got[0].float(), (weight.float() @ b.float()), rtol=1e-2, atol=1e-1)
    assert torch.allclose(got[1].float(), (weight.float().t() @ a.float()), rtol=1e-2, atol=1e-1)
