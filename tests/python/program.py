# SPDX-License-Identifier: Apache-2.0
"""The program `tileloom`, whose answers those of the package must be."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PROGRAM = os.environ.get("TILELOOM_PROGRAM", str(ROOT / "bin" / "tileloom"))
_OF_THE_RUN = ("tileloom_version", "git_revision", "git_dirty", "argv")


def run(*arguments):
    """Exit code, stdout, stderr."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT, check=False)
    return done.returncode, done.stdout, done.stderr


def text(*arguments):
    """What it prints. Exit code 1 also prints."""
    code, out, error = run(*arguments)
    assert code in (0, 1), error
    return out


def report(*arguments):
    """Its JSON, without what belongs to the run of the program."""
    return {key: value for key, value in json.loads(text(*arguments, "--json")).items() if key not in _OF_THE_RUN}


def refusal(*arguments):
    """The message of a refusal and its hint, as str() of tileloom.Error has them."""
    code, _, error = run(*arguments)
    assert code > 1, error
    return error.removeprefix("error: ").removesuffix("\n")
