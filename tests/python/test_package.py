# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: what importing costs, what its exceptions are."""

import copy
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
    made = pickle.loads(pickle.dumps(error))
    assert (type(made), made.message, made.hint, made.kind) == (kind, error.message, error.hint, error.kind)


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None  # as if it were not installed
import inspect, pydoc, tileloom
assert not hasattr(tileloom, "matmul_nt") and not hasattr(tileloom, "matmul")
assert "matmul_nt" not in dir(tileloom) and "gemm" in dir(tileloom)
assert dict(inspect.getmembers(tileloom))["gemm"] is tileloom.gemm
assert "DeviceArray" in pydoc.render_doc(tileloom)
try:
    tileloom.matmul_nt
except AttributeError as error:
    print(error)
"""


def test_without_torch_its_functions_are_not_there_and_say_why():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (
        "tileloom.matmul_nt needs torch, which is not installed\nhint: pip install torch\n",
        "",
    )


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match="^module 'tileloom' has no attribute 'matmul_tn'$"):
        _ = tileloom.matmul_tn


def test_with_torch_its_functions_are_listed():
    pytest.importorskip("torch")
    assert {"matmul", "matmul_nt"} <= set(dir(tileloom))


@pytest.mark.parametrize(
    "expression",
    [
        "Layout('(_4,(2,_8)):(_2,(_1,16))')",
        "ComposedLayout('Sw<3,3,3> o _0 o (_8,_64):(_64,_1)')",
        "Swizzle(3, 3, 3)",
        "MmaAtom('SM80_16x8x16_F16F16F16F16_TN')",
        "CopyAtom('SM75_U32x4_LDSM_N')",
        "layout.SymbolicLayout('(M,K):(K{div=8},_1)')",
    ],
)
def test_copies_and_pickles(expression):
    thing = eval(f"tileloom.{expression}")
    for made in (copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):
        assert type(made) is type(thing)
        assert made == thing
        assert str(made) == str(thing)
        assert hash(made) == hash(thing)


@pytest.mark.parametrize("name", ["Kernel", "TiledMma", "TiledCopy"])
def test_what_is_equal_without_a_hash_says_so(name):
    kind = getattr(tileloom, name)
    assert kind.__hash__ is None
    assert kind.__eq__ is not object.__eq__


def test_a_module_of_any_bytes():
    ptx = b".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n"
    for data in (ptx, bytearray(ptx), memoryview(ptx)):
        assert [k.name for k in tileloom.Module.from_bytes(data).kernels] == ["nothing"]
    with pytest.raises(tileloom.BadInput) as caught:
        tileloom.Module.from_bytes("text")
    assert str(caught.value) == (
        "data: expected bytes, found str\nhint: Module.from_ptx takes text, Module.load a path"
    )
