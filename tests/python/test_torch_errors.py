# SPDX-License-Identifier: Apache-2.0
"""What the functions of PyTorch refuse, word for word."""

import pytest

from torch_cases import OP, needs_gpu, tensors, torch

import tileloom
from tileloom import matmul, matmul_nt


def refused(call, *args, **keywords):
    with pytest.raises(tileloom.BadInput) as caught:
        call(*args, **keywords)
    return str(caught.value)


A, B = tensors(30, 20, 40)
ROWS = "expected rows of neighbouring elements (strides (ld, 1), ld at least 40), found strides"


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (A.float(), B, "gemm: a: expected float16, found float32"),
        (
            A,
            B.bfloat16(),
            "gemm: b: expected float16, found bfloat16\n"
            "hint: there are no bfloat16 kernels yet; convert to float16, whose largest number is 65504",
        ),
        (A[0], B, "gemm: a: expected 2 dimensions, found 1 (shape (40,))"),
        (
            A,
            B.expand(3, 20, 40),
            "gemm: b: expected 2 dimensions, found 3 (shape (3, 20, 40))\nhint: batches are not there yet: "
            "multiply one matrix at a time, or join the batch with the rows (reshape(-1, k))",
        ),
        (
            A,
            B[:, :39],
            "gemm: b: expected 40 columns, as a has, found shape (20, 39)\nhint: the product is A @ B.T: b is n x k",
        ),
        (
            A.t().contiguous().t(),
            B,
            f"gemm: a: {ROWS} (1, 30) for shape (30, 40)\nhint: make a copy that has them: a.contiguous()",
        ),
        (
            A,
            B[:1].expand(20, 40),
            f"gemm: b: {ROWS} (0, 1) for shape (20, 40)\nhint: make a copy that has them: b.contiguous()",
        ),
    ],
)
def test_errors(a, b, text):
    assert refused(matmul_nt, a, b) == text
    assert refused(OP, a, b) == text
    with torch._subclasses.FakeTensorMode() as mode:
        assert refused(OP, mode.from_tensor(a), mode.from_tensor(b)) == text


@needs_gpu
def test_devices_must_agree():
    assert refused(matmul_nt, A.cuda(), B) == "gemm: b: expected cuda:0, where a is, found cpu"
    assert refused(matmul_nt, A, B.cuda()) == "gemm: b: expected cpu, where a is, found cuda:0"
    out = torch.empty(30, 20, dtype=torch.float16)
    assert refused(matmul_nt, A.cuda(), B.cuda(), out=out) == "gemm: out: expected cuda:0, where a is, found cpu"


def test_errors_of_options():
    assert refused(matmul_nt, A, B, accumulate="f64") == "gemm: accumulate: expected f32 or f16, found 'f64'"
    assert "found 'simpel'\nhint: did you mean simple?" in refused(matmul_nt, A, B, kernel="simpel")
    assert refused(matmul_nt, A, B, stages=9, kernel="multistage") == (
        "stages: expected 2 to 5 for kernel multistage_128x128x64_f32, found 9"
    )
    assert refused(matmul_nt, A.numpy(), B) == (
        "gemm: a: expected a torch.Tensor, found ndarray\nhint: tileloom.gemm takes other arrays"
    )
    assert refused(matmul, A, B) == "gemm: b: expected 40 rows, as many as a has columns, found shape (20, 40)"
    assert refused(matmul, A.expand(2, 30, 40), B.t()).startswith("gemm: a: expected 2 dimensions, found 3")


def test_errors_of_out():
    def out(*shape, dtype=torch.float16):
        return torch.empty(shape, dtype=dtype)

    assert refused(matmul_nt, A, B, out=out(20, 30)) == "gemm: out: expected shape (30, 20), found (20, 30)"
    assert (
        refused(matmul_nt, A, B, out=out(30, 20, dtype=torch.float32)) == "gemm: out: expected float16, found float32"
    )
    assert refused(matmul_nt, A, B, out=out(20, 30).t()).startswith(
        "gemm: out: expected rows of neighbouring elements (strides (ld, 1), ld at least 20), found strides (1, 30)"
    )
    square = torch.zeros(40, 40, dtype=torch.float16)
    assert refused(matmul_nt, square[:20], B, out=square[10:30, :20]) == (
        "gemm: out: expected memory apart from a and b, found it inside a\n"
        "hint: the product is not made in place: give another out"
    )
    for needs in (A, B, out(30, 20)):
        needs_grad = needs.clone().requires_grad_()
        arguments = [needs_grad if x is needs else x for x in (A, B)]
        target = needs_grad if needs is not A and needs is not B else out(30, 20)
        assert refused(matmul_nt, *arguments, out=target) == (
            "gemm: out: expected tensors that need no gradient, found one that does\n"
            "hint: leave out= away, or multiply under torch.no_grad()"
        )
        with torch.no_grad():
            matmul_nt(*arguments, out=target)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"stages": "3"}, "stages: expected an integer, found '3'"),
        ({"stages": None}, "stages: expected an integer, found None"),
        ({"stages": 2**40}, "stages: expected an integer of at most 32 bits, found 1099511627776"),
        ({"raster_width": 2.5}, "raster_width: expected an integer, found 2.5"),
        ({"kernel": 5}, "kernel: expected a name or a Kernel, found 5"),
        ({"accumulate": None}, "accumulate: expected f32 or f16, found None"),
    ],
)
def test_types_of_options(options, text):
    assert refused(matmul_nt, A, B, **options) == f"gemm: {text}"
    assert refused(matmul, A, B.t(), **options) == f"gemm: {text}"


def test_integers_of_the_operator_that_no_kernel_takes():
    assert refused(OP, A, B, stages=2**40) == (
        "gemm: stages: expected an integer of at most 32 bits, found 1099511627776"
    )


def test_a_kernel_as_an_object():
    for name in ("multistage", "simple"):
        kernel = tileloom.Kernel(name)
        assert torch.equal(matmul_nt(A, B, kernel=kernel), matmul_nt(A, B, kernel=kernel.name))
    changed = tileloom.Kernel("multistage", settings={"s2r.B": "SM75_U32x4_LDSM_N"})
    assert refused(matmul_nt, A, B, kernel=changed).startswith("gemm: kernel: expected a shipped kernel, found <")
    compiled = torch.compile(lambda a, b: matmul_nt(a, b, kernel="simple", stages=0), backend="eager", fullgraph=True)
    assert torch.equal(compiled(A, B), matmul_nt(A, B, kernel="simple"))


def test_the_hint_for_a_k_by_n_matrix_works():
    wide = B.t().contiguous()
    hint = refused(matmul_nt, A, wide).partition("so give ")[2]
    assert hint == "b.T.contiguous()"
    assert torch.equal(matmul_nt(A, eval(hint, {"b": wide})), matmul_nt(A, B))
