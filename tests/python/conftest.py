# SPDX-License-Identifier: Apache-2.0
"""Settings of all tests: hypothesis runs the same examples each time and keeps no files."""

import os
import pathlib

import hypothesis
import pytest

hypothesis.settings.register_profile("tileloom", derandomize=True, database=None, deadline=None, max_examples=60)
hypothesis.settings.load_profile("tileloom")


@pytest.fixture(scope="session")
def root():
    """The source tree."""
    return pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program():
    """The command line of the same build."""
    if "TILELOOM_PROGRAM" not in os.environ:
        pytest.skip("TILELOOM_PROGRAM, the path of the program, is not set")
    return os.environ["TILELOOM_PROGRAM"]
