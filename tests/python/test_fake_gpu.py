# SPDX-License-Identifier: Apache-2.0
"""The path of a GPU's memory without a GPU: a stand-in for NVIDIA's driver, whose device memory is the host's."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("numpy")
FAKE = os.environ.get("TILELOOM_FAKE_CUDA", "")
pytestmark = pytest.mark.skipif(not FAKE, reason="TILELOOM_FAKE_CUDA is not set")

PRELUDE = """
import ctypes
import numpy as np
import tileloom
from gemm_cases import close, operands, same_bits
from tileloom import DeviceArray, gemm

def view(array):  # the stand-in's device memory
    rows, cols = array.shape
    return np.frombuffer((ctypes.c_uint16 * (rows * cols)).from_address(array.address), np.float16).reshape(rows, cols)

def on_gpu(x, device=0):
    array = DeviceArray(*x.shape, device)
    view(array)[:] = x
    return array

class Foreign:  # an array of a library that speaks DLPack and nothing else
    def __init__(self, array):
        self.array, self.asked = array, []
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        return self.array.__dlpack__(**keywords)

a, b = operands(33, 20, 50)
"""


def run(code, **variables):
    folder = os.path.dirname(__file__)
    environment = {**os.environ, "LD_LIBRARY_PATH": FAKE, **variables}
    environment["PYTHONPATH"] = os.pathsep.join([environment.get("PYTHONPATH", ""), folder])
    done = subprocess.run([sys.executable, "-c", PRELUDE + code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_product_in_a_gpus_memory():
    assert run("""
d = gemm(Foreign(on_gpu(a)), Foreign(on_gpu(b)))
print(d)
print(close(view(d), a, b), tileloom.gpus())
""") == ["DeviceArray((33, 20), float16, cuda:0)", "True [('Fake GPU', 'sm_90')]"]


def test_the_stream_is_told_to_the_arrays_library():
    assert run("""
x, y = Foreign(on_gpu(a)), Foreign(on_gpu(b))
gemm(x, y)
print(x.asked, y.asked)
""") == ["[{'max_version': (1, 1), 'stream': 1}] [{'max_version': (1, 1), 'stream': 1}]"]


def test_the_result_is_complete_for_a_library_without_a_known_stream():
    assert run(
        """
try:
    gemm(Foreign(on_gpu(a)), Foreign(on_gpu(b)))
except tileloom.CannotRun as error:
    print(error)
""",
        FAKE_CUDA_FAIL="cuStreamSynchronize:700",
    ) == ["backend cuda: running the kernel: CUDA_ERROR_FAKE (planned by the test)"]


def test_out_in_a_gpus_memory():
    assert run("""
out = on_gpu(np.zeros((33, 20), np.float16))
print(gemm(on_gpu(a), on_gpu(b), out=out) is out, close(view(out), a, b))
""") == ["True True"]


def test_errors_of_memory():
    assert run(
        """
def refused(*args, **keywords):
    try:
        gemm(*args, **keywords)
    except tileloom.BadInput as error:
        print(str(error))

refused(on_gpu(a), b)
refused(a, on_gpu(b))
refused(on_gpu(a), on_gpu(b, device=1))
refused(on_gpu(a), on_gpu(b), out=np.zeros((33, 20), np.float16))
refused(on_gpu(a), on_gpu(b), backend="emulator")
""",
        FAKE_CUDA_DEVICES="2",
    ) == [
        "gemm: b: expected cuda:0, where a is, found host memory",
        "gemm: b: expected host memory, where a is, found cuda:0",
        "gemm: b: expected cuda:0, where a is, found cuda:1",
        "gemm: out: expected cuda:0, where a is, found host memory",
        "gemm: backend emulator: expected arrays in host memory, found cuda:0",
    ]


def test_host_memory_goes_to_the_gpu_and_back():
    assert run("""
print(close(gemm(a, b), a, b), close(gemm(a, b, backend="cuda"), a, b))
print("backend   cuda, Fake GPU (sm_90)" in tileloom.explain(33, 20, 50))
""") == ["True True", "True"]


def test_numpy_gets_nothing_of_a_gpus_memory():
    assert run("""
for call in (np.asarray, np.array, lambda x: np.asarray(x, dtype=np.float32)):
    try:
        call(on_gpu(a))
    except tileloom.BadInput as error:
        print(error)
""") == 3 * [
        "DeviceArray: expected host memory for a NumPy array, found cuda:0",
        "hint: cupy.from_dlpack and torch.from_dlpack take it as it is, and copy to the host",
    ]


def test_a_gpu_that_is_only_said():
    assert run(
        """
class Liar(Foreign):
    def __dlpack_device__(self):
        return (2, 1)

try:
    gemm(Liar(on_gpu(a)), Foreign(on_gpu(b)))
except tileloom.BadInput as error:
    print(error)
""",
        FAKE_CUDA_DEVICES="2",
    ) == ["gemm: a: expected DLPack device (2, 1), as __dlpack_device__ says, found (2, 0)"]
