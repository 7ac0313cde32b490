# SPDX-License-Identifier: Apache-2.0
"""What the tests of PyTorch share. Importing it skips the test file where torch is not installed."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("numpy")

from gemm_cases import operands

from tileloom import matmul_nt  # noqa: F401 (it registers the operators)

OP = torch.ops.tileloom.matmul_nt.default
OP_OUT = torch.ops.tileloom.matmul_nt_out.default
CUDA = pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))
DEVICES = ["cpu", CUDA]
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
linear = torch.nn.functional.linear


def tensors(m, n, k, device="cpu", seed=0):
    return tuple(torch.from_numpy(x).to(device) for x in operands(m, n, k, seed))


def bits(x):
    return x.detach().cpu().contiguous().numpy()


def gradients(function, a, b, weight):
    a, b = a.detach().clone().requires_grad_(), b.detach().clone().requires_grad_()
    (function(a, b) * weight).sum().backward()
    return a.grad, b.grad
