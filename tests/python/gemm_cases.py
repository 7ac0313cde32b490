# SPDX-License-Identifier: Apache-2.0
"""Data and references that the tests of the product share."""

import os
import pathlib
import subprocess
import tempfile

import numpy as np
import pytest

needs_program = pytest.mark.skipif("TILELOOM_PROGRAM" not in os.environ, reason="TILELOOM_PROGRAM is not set")

SHAPES = [
    (1, 1, 1),
    (16, 8, 16),
    (33, 65, 40),
    (17, 5, 129),
    (128, 128, 64),
    (130, 3, 0),
    (0, 5, 7),
    (5, 0, 7),
    (0, 0, 0),
]


def operands(m, n, k, seed=0):
    rng = np.random.default_rng(seed + 31 * m + 7 * n + k)
    return rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((n, k)).astype(np.float16)


def close(d, a, b, accumulate="f32"):
    """Whether d is a @ b.T within the rounding of sums in the type and one rounding to float16."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    unit = 2.0**-11 if accumulate == "f16" else 2.0**-22
    bound = unit * (a.shape[1] + 2) * (np.abs(a) @ np.abs(b).T) + 2.0**-10 * np.abs(a @ b.T) + 2.0**-24
    d = np.asarray(d, np.float64)
    return d.shape == bound.shape and bool(np.all(np.abs(d - a @ b.T) <= bound))


def program_product(a, b, *options):
    """The product as `tileloom gemm` computes it, which calls the C++ interface on files."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(pathlib.Path(folder, name)) for name in ("a.npy", "b.npy", "d.npy")]
        np.save(files[0], a)
        np.save(files[1], b)
        command = [os.environ["TILELOOM_PROGRAM"], "gemm", *files[:2], "-o", files[2], *options]
        subprocess.run(command, check=True, capture_output=True)
        return np.load(files[2])


def with_gaps(x, gap, fill=np.nan):
    """The same matrix with `gap` elements of `fill` after each row."""
    wide = np.full((x.shape[0], x.shape[1] + gap), fill, x.dtype)
    wide[:, : x.shape[1]] = x
    return wide[:, : x.shape[1]]


def same_bits(x, y):
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
    return x.shape == y.shape and x.dtype == y.dtype and bool(np.all(x.view(np.uint16) == y.view(np.uint16)))
