# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: what importing costs, what its exceptions are."""

import pickle
import subprocess
import sys

import pytest

import tileloom


def test_import_loads_neither_numpy_nor_torch():
    code = "import sys, tileloom; print(sorted({'numpy', 'torch'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("kind", "also"),
    [
        (tileloom.CheckFailed, Exception),
        (tileloom.BadInput, ValueError),
        (tileloom.CannotRun, RuntimeError),
        (tileloom.InputOutputError, OSError),
    ],
)
def test_exceptions(kind, also):
    error = kind("m: expected 1, found 2", "give 1")
    assert isinstance(error, tileloom.Error)
    assert isinstance(error, also)
    assert str(error) == "m: expected 1, found 2\nhint: give 1"
    assert str(kind("no hint")) == "no hint"
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.message, copy.hint, copy.kind) == (kind, error.message, error.hint, error.kind)
