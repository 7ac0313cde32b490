# SPDX-License-Identifier: Apache-2.0
"""The operators as PyTorch sees them: schema, opcheck, fake kernels, torch.compile, export."""

import pytest

from torch_cases import DEVICES, OP, OP_OUT, gradients, needs_gpu, tensors, torch

from tileloom import matmul, matmul_nt


def test_schemas():
    options = 'str accumulate="f32", str kernel_name="", int stages=0, int raster_width=0'
    assert str(OP._schema) == f"tileloom::matmul_nt(Tensor a, Tensor b, *, {options}) -> Tensor"
    assert str(OP_OUT._schema) == f"tileloom::matmul_nt_out(Tensor a, Tensor b, *, {options}, Tensor(a!) out) -> ()"


def checked_arguments(device):
    for shape in [(33, 20, 40), (0, 4, 8), (4, 4, 0)]:
        for needs_grad in (False, True):
            a, b = tensors(*shape, device)
            yield (a.requires_grad_(needs_grad), b.requires_grad_(needs_grad)), {}
    a, b = tensors(40, 30, 64, device)
    yield (a[::2, 8:40], b[:, 8:40]), {"accumulate": "f16"}
    yield (a, b.clone().requires_grad_()), {"kernel_name": "simple"}


@pytest.mark.parametrize("device", DEVICES)
def test_opcheck(device):
    for args, keywords in checked_arguments(device):
        results = torch.library.opcheck(OP, args, keywords)
        print(f"opcheck {OP} {[tuple(x.shape) for x in args]} {keywords}: {results}")
        assert set(results.values()) == {"SUCCESS"}
        assert len(results) == 4


@pytest.mark.parametrize("device", DEVICES)
def test_opcheck_of_out(device):
    a, b = tensors(33, 20, 40, device)
    results = torch.library.opcheck(OP_OUT, (a, b), {"out": torch.empty(33, 20, dtype=torch.float16, device=device)})
    assert set(results.values()) == {"SUCCESS"}
    assert len(results) == 4


WRONG_FAKES = [
    ("shape", "tileloom_wrong_shape", lambda a, b: a.new_empty((b.shape[0], a.shape[0]))),
    ("type", "tileloom_wrong_type", lambda a, b: a.new_empty((a.shape[0], b.shape[0]), dtype=torch.float32)),
    ("rank", "tileloom_wrong_rank", lambda a, b: a.new_empty((a.shape[0], b.shape[0], 1))),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("what", "namespace", "fake"), WRONG_FAKES)
def test_opcheck_refuses_a_wrong_fake(what, namespace, fake, device):
    """The check can fail: the same kernel under a fake that lies."""
    library = torch.library.Library(namespace, "FRAGMENT")
    library.define(f"mm_{device}(Tensor a, Tensor b) -> Tensor")
    library.impl(f"mm_{device}", lambda a, b: OP(a, b), device.upper())
    torch.library.register_fake(f"{namespace}::mm_{device}", fake, lib=library)
    wrong = getattr(getattr(torch.ops, namespace), f"mm_{device}").default
    args = tensors(33, 20, 40, device)
    results = torch.library.opcheck(wrong, args, raise_exception=False)
    print(f"opcheck of an operator whose fake has a wrong {what}: {results}")
    assert str(results["test_faketensor"]) != "SUCCESS"
    with pytest.raises(Exception, match="test_faketensor failed"):
        torch.library.opcheck(wrong, args)


def test_fake_with_symbolic_shapes():
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    x, y = tensors(33, 20, 40)
    for tensor in (x, y):
        torch._dynamo.mark_dynamic(tensor, 0)
    with torch._subclasses.FakeTensorMode(shape_env=ShapeEnv()) as mode:
        a, b = (mode.from_tensor(tensor) for tensor in (x, y))
        d = OP(a, b)
    assert [str(s) for s in d.shape] == [str(a.shape[0]), str(b.shape[0])]
    assert isinstance(d.shape[0], torch.SymInt)


@pytest.fixture(autouse=True)
def nothing_compiled_before():
    torch._dynamo.reset()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(device, dynamic):
    def model(x, w, v):
        return matmul(torch.relu(matmul_nt(x, w)), v) * 2

    compiled = torch.compile(model, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    for rows in (33, 50):
        x, w = tensors(rows, 20, 40, device)
        v = tensors(20, 12, 20, device, seed=2)[1].t()
        assert torch.equal(compiled(x, w, v), model(x, w, v))
        got = gradients(lambda p, q, v=v: compiled(p, q, v), x, w, torch.ones((), dtype=torch.float16, device=device))
        expected = gradients(lambda p, q, v=v: model(p, q, v), x, w, torch.ones((), dtype=torch.float16, device=device))
        assert all(torch.equal(p, q) for p, q in zip(got, expected, strict=True))


@needs_gpu  # on the CPU it takes a minute
def test_compile_with_inductor():
    def model(x, w):
        return torch.relu(matmul_nt(x.relu(), w, kernel="simple")) + 1

    x, w = tensors(64, 48, 80, "cuda")
    assert torch.equal(torch.compile(model, fullgraph=True)(x, w), model(x, w))


def test_other_sizes_are_not_compiled_again():
    compiled = torch.compile(lambda x, w: matmul_nt(x, w) * 2, fullgraph=True, dynamic=True, backend="aot_eager")
    compiled(*tensors(33, 20, 40))
    with torch.compiler.set_stance("fail_on_recompile"):
        for shape in [(34, 21, 41), (100, 7, 9)]:
            a, b = tensors(*shape)
            assert torch.equal(compiled(a, b), matmul_nt(a, b) * 2)


def test_compile_keeps_the_out_variant():
    def model(x, w, out):
        matmul_nt(x, w, out=out)
        return out + 1

    x, w = tensors(33, 20, 40)
    out, expected = torch.zeros(33, 20, dtype=torch.float16), torch.zeros(33, 20, dtype=torch.float16)
    assert torch.equal(torch.compile(model, fullgraph=True, backend="aot_eager")(x, w, out), model(x, w, expected))
    assert torch.equal(out, expected)


def test_export():
    class Model(torch.nn.Module):
        def forward(self, x, w):
            return matmul_nt(x, w)

    x, w = tensors(33, 20, 40)
    program = torch.export.export(Model(), (x, w))
    assert "tileloom.matmul_nt.default" in str(program.graph)
    assert torch.equal(program.module()(x, w), matmul_nt(x, w))
