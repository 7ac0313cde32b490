# SPDX-License-Identifier: Apache-2.0
"""Shipped kernels on the emulator: the same as `tileloom gemm`, and what their counters must be."""

import numpy as np
import program
import pytest

import tileloom


def operands(m=70, n=50, k=40, lda=None, ldb=None):
    values = np.random.default_rng(5)
    a = np.full((m, lda or k), np.nan, np.float16)
    b = np.full((n, ldb or k), np.nan, np.float16)
    a[:, :k] = values.integers(-3, 4, (m, k))
    b[:, :k] = values.integers(-3, 4, (n, k))
    return a[:, :k], b[:, :k]


def product(a, b):
    return (a.astype(np.float32) @ b.astype(np.float32).T).astype(np.float16)


@pytest.mark.parametrize("kernel", ["simple", "smem", "handwritten", "multistage"])
@pytest.mark.parametrize("accumulate", ["f32", "f16"])
def test_a_run_is_the_programs(kernel, accumulate, tmp_path):
    a, b = operands()
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    follow = "D:3,9" if accumulate == "f32" else "A:65,7"
    run = tileloom.emulate_gemm(
        a, b, kernel=kernel, accumulate=accumulate, check=True, counters=True, follow=follow, arch="sm_80"
    )
    expected = program.report(
        "gemm", tmp_path / "a.npy", tmp_path / "b.npy", "--kernel", kernel, "--accumulate", accumulate, "--check",
        "--counters", "--follow", follow, "--arch", "sm_80",
    )  # fmt: skip
    found = run.to_dict()
    for report in (found, expected):
        report["run"].pop("seconds")
    assert found.items() <= expected.items()
    assert run.ok
    np.testing.assert_array_equal(run.d, product(a, b))


def test_rows_may_lie_apart():
    a, b = operands(lda=48, ldb=44)
    run = tileloom.emulate_gemm(a, b, kernel="multistage")
    np.testing.assert_array_equal(run.d, product(a, b))
    assert run.to_dict()["problem"]["lda_elements"] == 48


@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (0, 5, 3), (4, 0, 3), (4, 5, 0), (3, 1, 17)])
def test_small_and_empty_products(m, n, k):
    a, b = operands(m, n, k)
    np.testing.assert_array_equal(tileloom.emulate_gemm(a, b, kernel="simple").d, product(a, b))


def test_each_step_of_optimisation_shows_in_the_counters():
    a, b = operands(128, 128, 64)
    runs = {k: tileloom.emulate_gemm(a, b, kernel=k, counters=True) for k in ("simple", "smem", "multistage")}
    read = {k: sum(t.global_memory.bytes for t in r.counters.totals if t.name in ("ld.global", "cp.async"))
            for k, r in runs.items()}  # fmt: skip
    assert read["simple"] > read["smem"] == read["multistage"] == 2 * (128 + 128) * 64
    copies = runs["multistage"].counters.total("cp.async").shared
    loads = runs["multistage"].counters.total("ldmatrix").shared
    assert copies.wavefronts_high == copies.ideal_wavefronts
    assert loads.wavefronts_high == loads.ideal_wavefronts
    assert runs["simple"].counters.total("ldmatrix").executions == 0


WRONG = {
    "a type": (lambda a, b: (a.astype(np.float32), b), {}, "a: expected a numpy array of float16 .* 2-D float32"),
    "a dimension": (lambda a, b: (a, b[0]), {}, "b: expected a numpy array of float16 .*, found 1-D float16"),
    "a list": (lambda a, b: ([1], b), {}, "a: expected a numpy array of float16 .*, found list"),
    "columns apart": (lambda a, b: (a.T, b), {}, "a: expected rows whose elements lie together, found strides"),
    "other columns": (lambda a, b: (a, b[:, :5]), {}, "expected the same number of columns, found 40 and 5"),
    "a kernel": (lambda a, b: (a, b), {"kernel": "smen"}, "smen"),
    "a sum": (lambda a, b: (a, b), {"accumulate": "f8"}, "accumulate: expected f32 or f16, found 'f8'"),
    "an element": (lambda a, b: (a, b), {"follow": "A:70,0"}, r"--follow: expected an element of A, which has 70 x 40"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_operands_are_named(name):
    change, options, message = WRONG[name]
    with pytest.raises(tileloom.BadInput, match=message):
        tileloom.emulate_gemm(*change(*operands()), **options)
