# SPDX-License-Identifier: Apache-2.0
"""Gradients of the product, against those of torch.nn.functional.linear."""

import pytest

np = pytest.importorskip("numpy")

from torch_cases import DEVICES, OP, gradients, linear, tensors, torch

from tileloom import matmul, matmul_nt


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(33, 20, 40), (1, 1, 1), (64, 64, 64), (5, 0, 3), (5, 4, 0)])
def test_gradients_are_those_of_linear(shape, device):
    a, b = tensors(*shape, device)
    weight = tensors(shape[0], 1, shape[1], device, seed=3)[0]
    got = gradients(matmul_nt, a, b, weight)
    expected = gradients(linear, a.double(), b.double(), weight.double())
    size = gradients(linear, a.abs().double(), b.abs().double(), weight.abs().double())
    for x, y, largest in zip(got, expected, size, strict=True):
        assert x.dtype == torch.float16
        assert bool(((x - y).abs() <= 2.0**-10 * y.abs() + 2.0**-18 * largest + 2.0**-24).all())


@pytest.mark.parametrize("which", [0, 1])
def test_only_the_gradient_that_is_wanted(which):
    a, b = tensors(6, 5, 4)
    (a, b)[which].requires_grad_()
    matmul_nt(a, b).sum().backward()  # its gradient arrives with strides of zero
    assert ((a.grad is None), (b.grad is None)) == (which == 1, which == 0)
    expected = b.double().sum(0).expand(6, 4) if which == 0 else a.double().sum(0).expand(5, 4)
    assert torch.allclose((a, b)[which].grad.double(), expected, rtol=1e-3, atol=1e-3)


def test_gradients_through_matmul():
    a, b = tensors(12, 9, 7)
    b = b.t().contiguous().requires_grad_()
    matmul(a, b).square().sum().backward()
    d = a.double() @ b.detach().double()
    assert torch.allclose(b.grad.double(), 2 * a.double().t() @ d, rtol=5e-3, atol=5e-2)


def test_second_gradients():
    a, b = (x.requires_grad_() for x in tensors(6, 5, 4))
    (first,) = torch.autograd.grad(matmul_nt(a, b).square().sum(), a, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), b)
    x, y = a.detach().double(), b.detach().double().requires_grad_()
    x.requires_grad_()
    (expected,) = torch.autograd.grad(linear(x, y).square().sum(), x, create_graph=True)
    (expected,) = torch.autograd.grad(expected.sum(), y)
    assert torch.allclose(second.double(), expected, rtol=1e-2, atol=5e-2)


def test_finite_differences():
    """The gradient predicts how the product moves, on integers, where float16 is exact."""
    rng = np.random.default_rng(5)
    a, b = (torch.from_numpy(rng.integers(-4, 5, s).astype(np.float16)) for s in ((7, 6), (5, 6)))
    direction = torch.from_numpy(rng.integers(-2, 3, (7, 6)).astype(np.float16))
    weight = torch.from_numpy(rng.integers(-3, 4, (7, 5)).astype(np.float16))
    grad_a, _ = gradients(matmul_nt, a, b, weight)
    moved = ((matmul_nt(a + direction, b) - matmul_nt(a, b)) * weight).double().sum()
    assert (grad_a.double() * direction.double()).sum() == moved


def test_without_grad_nothing_is_recorded():
    a, b = tensors(6, 5, 4)
    assert matmul_nt(a, b).grad_fn is None
    with torch.no_grad():
        assert matmul_nt(a.requires_grad_(), b).grad_fn is None
    assert matmul_nt(a, b).grad_fn is not None
    with torch.inference_mode():
        assert matmul_nt(a, b).is_inference()


def test_the_operator_and_the_functions_agree():
    a, b = tensors(33, 20, 40)
    weight = tensors(33, 1, 20, seed=3)[0]
    for options in ({}, {"accumulate": "f16"}):
        through_operator = gradients(lambda x, y, o=options: OP(x, y, **o), a, b, weight)
        through_function = gradients(lambda x, y, o=options: matmul_nt(x, y, **o), a, b, weight)
        assert all(torch.equal(p, q) for p, q in zip(through_operator, through_function, strict=True))


def test_function_transforms():
    a, b = tensors(6, 5, 4)
    got = torch.func.grad(lambda x: matmul_nt(x, b).square().sum())(a)
    expected = torch.func.grad(lambda x: linear(x, b.double()).square().sum())(a.double())
    assert torch.allclose(got.double(), expected, rtol=1e-2, atol=5e-2)
