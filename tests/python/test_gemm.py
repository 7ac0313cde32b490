# SPDX-License-Identifier: Apache-2.0
"""`tileloom.gemm` on NumPy arrays, `explain`, and the texts of their errors."""

import threading

import pytest

np = pytest.importorskip("numpy")

from gemm_cases import SHAPES, close, needs_program, operands, program_product, same_bits, with_gaps

import tileloom
from tileloom import gemm

EMULATED = {"backend": "emulator"}


@pytest.mark.parametrize("accumulate", ["f32", "f16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_product(shape, accumulate):
    a, b = operands(*shape)
    d = gemm(a, b, accumulate=accumulate, **EMULATED)
    assert isinstance(d, np.ndarray)
    assert d.dtype == np.float16
    assert close(d, a, b, accumulate)


@needs_program
@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({}, []),
        ({"kernel": "simple"}, ["--kernel", "simple"]),
        (
            {"kernel": "multistage_64x64x64_f16", "accumulate": "f16"},
            ["--kernel", "multistage_64x64x64_f16", "--accumulate", "f16"],
        ),
        ({"kernel": "multistage", "stages": 2, "raster_width": -1}, ["--kernel", "multistage", "--stages", "2"]),
        ({"arch": "sm_80"}, ["--arch", "sm_80"]),
    ],
)
def test_bits_are_those_of_the_program(options, flags):
    a, b = operands(70, 50, 90)
    assert same_bits(gemm(a, b, **options, **EMULATED), program_product(a, b, "--backend", "emulator", *flags))


def test_any_leading_dimension_and_what_lies_between_rows():
    a, b = operands(37, 21, 19)
    out = with_gaps(np.zeros((37, 21), np.float16), 9, fill=7)
    d = gemm(with_gaps(a, 5), with_gaps(b, 1), out=out, **EMULATED)
    assert d is out
    assert same_bits(out, gemm(a, b, **EMULATED))
    assert np.all(out.base[:, 21:] == 7)


@pytest.mark.parametrize("rows", [slice(3, 20, 4), slice(None, None, 2), slice(5, 6)])
def test_slices_of_rows_are_not_copied(rows):
    a, b = operands(24, 8, 16)
    assert same_bits(gemm(a[rows], b, **EMULATED), gemm(a[rows].copy(), b, **EMULATED))


def test_one_column_and_one_row_have_any_strides():
    a, b = operands(9, 6, 12)
    assert same_bits(gemm(a[:, 3:4], b[:, 5:6], **EMULATED), gemm(a[:, 3:4].copy(), b[:, 5:6].copy(), **EMULATED))
    row = np.lib.stride_tricks.as_strided(a, (1, 12), (2, 2))  # the stride of a single row says nothing
    assert same_bits(gemm(row, b, **EMULATED), gemm(a[:1], b, **EMULATED))


def test_read_only_operands_and_one_array_for_both():
    a, _ = operands(20, 1, 33)
    a.setflags(write=False)
    assert close(gemm(a, a, **EMULATED), a, a)


def test_without_k_the_result_is_zero():
    out = np.full((3, 4), np.nan, np.float16)
    gemm(np.empty((3, 0), np.float16), np.empty((4, 0), np.float16), out=out, **EMULATED)
    assert np.all(out == 0)


def refused(*args, **keywords):
    with pytest.raises(tileloom.Error) as caught:
        gemm(*args, **{**EMULATED, **keywords})
    return caught.value


A = np.zeros((30, 40), np.float16)
B = np.zeros((20, 40), np.float16)


@pytest.mark.parametrize(
    ("args", "keywords", "text"),
    [
        (([1], B), {}, "gemm: a: expected a NumPy array or an object with __dlpack__, found list"),
        ((A, B.astype(np.float32)), {}, "gemm: b: expected float16, found float32"),
        ((A.astype(">f2"), B), {}, "gemm: a: expected float16, found >f2"),
        ((A[0], B), {}, "gemm: a: expected 2 dimensions, found 1 (shape (40,))"),
        (
            (A, B[:, :39]),
            {},
            "gemm: b: expected 40 columns, as a has, found shape (20, 39)\nhint: the product is A @ B.T: b is n x k",
        ),
        (
            (np.zeros((40, 30), np.float16).T, B),
            {},
            "gemm: a: expected rows of neighbouring elements (strides (ld, 1), ld at least 40), "
            "found strides (1, 30) for shape (30, 40)\nhint: make a copy that has them: "
            "numpy.ascontiguousarray(a), or your library's call for it",
        ),
        (
            (A, B[::-1]),
            {},
            "gemm: b: expected rows of neighbouring elements (strides (ld, 1), ld at least 40), "
            "found strides (-40, 1) for shape (20, 40)\nhint: make a copy that has them: "
            "numpy.ascontiguousarray(b), or your library's call for it",
        ),
        (
            (np.broadcast_to(A[0], (30, 40)), B),
            {},
            "gemm: a: expected rows of neighbouring elements (strides (ld, 1), ld at least 40), "
            "found strides (0, 1) for shape (30, 40)\nhint: make a copy that has them: "
            "numpy.ascontiguousarray(a), or your library's call for it",
        ),
        ((A, B), {"out": np.zeros((20, 30), np.float16)}, "gemm: out: expected shape (30, 20), found (20, 30)"),
        ((A, B), {"out": np.zeros((30, 20))}, "gemm: out: expected float16, found float64"),
        ((A, B), {"accumulate": "f64"}, "gemm: accumulate: expected f32 or f16, found 'f64'"),
        ((A, B), {"backend": "gpu"}, "gemm: backend: expected auto, cuda or emulator, found 'gpu'"),
        ((A, B), {"raster_width": -2}, "gemm: raster_width: expected -1 (off), 0 (chosen) or a width, found -2"),
        (
            (A, B),
            {"kernel": "simple", "stages": 2},
            "stages: expected none, kernel simple_128x128x16_f32 has no pipeline; found 2\n"
            "hint: leave them out, or choose the family multistage",
        ),
    ],
)
def test_errors(args, keywords, text):
    error = refused(*args, **keywords)
    assert str(error) == text
    assert isinstance(error, ValueError)


def test_error_of_three_dimensions_says_what_to_do():
    assert str(refused(np.zeros((2, 3, 4), np.float16), B)) == (
        "gemm: a: expected 2 dimensions, found 3 (shape (2, 3, 4))\n"
        "hint: batches are not there yet: multiply one matrix at a time, "
        "or join the batch with the rows (reshape(-1, k))"
    )


def test_error_of_a_k_by_n_matrix_says_what_to_do():
    assert refused(A, B.T.copy()).hint == (
        "the product is A @ B.T: b is n x k, so give numpy.ascontiguousarray(b.T), or your library's call for it"
    )
    assert refused(A, B[:, :39]).hint == "the product is A @ B.T: b is n x k"


def test_out_must_be_writable_and_apart():
    frozen = np.zeros((30, 20), np.float16)
    frozen.setflags(write=False)
    assert str(refused(A, B, out=frozen)) == (
        "gemm: out: expected an array that can be written to, found a read-only one"
    )
    square = np.zeros((40, 40), np.float16)
    for out, name in ((square, "a"), (square[8:28, :20], "a")):
        error = refused(square[: len(out)], np.zeros((out.shape[1], 40), np.float16), out=out)
        assert error.message == f"gemm: out: expected memory apart from a and b, found it inside {name}"
    assert refused(A[:20], square[:20], out=square[19:39, :20]).message.endswith("found it inside b")
    gemm(square[:8, :40], B, out=square[8:16, :20], **EMULATED)  # neighbours do not overlap


def test_an_arch_without_images_cannot_run():
    error = refused(A, B, arch="sm_75", kernel="simple")
    assert isinstance(error, tileloom.CannotRun)
    assert isinstance(error, RuntimeError)


def test_the_gil_is_released():
    """Another thread goes on while the emulator works."""
    a, b = operands(512, 256, 512)

    def ticks_meanwhile():
        ticks = 0
        started, done = threading.Event(), threading.Event()

        def work():
            started.set()
            gemm(a, b, kernel="simple", **EMULATED)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        while not done.is_set():
            ticks += 1
            done.wait(1e-4)
        thread.join()
        return ticks

    assert any(ticks_meanwhile() > 5 for _ in range(5))  # the machine may be busy


def test_threads_get_their_own_results():
    cases = [operands(20 + i, 30, 40 + i, seed=i) for i in range(6)]
    results = [None] * len(cases)

    def work(i):
        results[i] = gemm(*cases[i], **EMULATED)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(cases))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(close(d, a, b) for d, (a, b) in zip(results, cases, strict=True))


def test_explain():
    lines = tileloom.explain(1000, 900, 8, kernel="multistage", backend="emulator").splitlines()
    assert lines == [
        "D = A·Bᵀ, m 1000, n 900, k 8, f16, accumulate f32",
        "kernel    multistage_128x128x64_f32",
        "tile      128 x 128 x 64, 128 threads",
        "shared    3 stages, 98304 bytes",
        "grid      64 CTAs, in bands of 8 tile columns (0: no bands)",
        "backend   emulator, emulator (sm_90), PTX compute_90",
        "because   kernel: the default of family multistage for accumulate f32",
    ]
    assert "instead   " in tileloom.explain(256, 256, 256, backend="emulator")
    with pytest.raises(tileloom.BadInput, match="^gemm: m: expected at least 0, found -1$"):
        tileloom.explain(-1, 1, 1)


@pytest.mark.skipif(not tileloom.gpus(), reason="no GPU")
def test_host_memory_on_a_gpu():
    a, b = operands(300, 200, 100)
    d = gemm(a, b, backend="cuda", kernel="simple")
    assert close(d, a, b)
    assert same_bits(d, gemm(a, b, backend="emulator", kernel="simple"))
