# SPDX-License-Identifier: Apache-2.0
"""Arrays through DLPack that are not what they should be: every one is refused with the argument's name."""

import ctypes
import gc

import pytest

np = pytest.importorskip("numpy")

from dlpack_cases import Foreign, handmade

import tileloom
from tileloom import gemm

A, B = np.ones((3, 5), np.float16), np.ones((4, 5), np.float16)


class Liar(Foreign):
    """An array whose capsule has other fields than it should."""

    def __init__(self, array, device=(1, 0), **lies):
        super().__init__(array)
        self.device, self.lies, self.deleted = device, lies, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        return handmade(self.array, self.deleted, **self.lies)[0]


def refusal(a, b=B, **keywords):
    with pytest.raises(tileloom.BadInput) as caught:
        gemm(a, b, backend="emulator", **keywords)
    return str(caught.value)


NO_SHAPE = ctypes.POINTER(ctypes.c_int64)()
NEGATIVE = (ctypes.c_int64 * 2)(-3, 5)


@pytest.mark.parametrize(
    ("lies", "text"),
    [
        ({"rank": 10**8}, "expected a DLPack tensor of 0 to 64 dimensions, found 100000000"),
        ({"rank": 2**31 - 1}, "expected a DLPack tensor of 0 to 64 dimensions, found 2147483647"),
        ({"rank": 65}, "expected a DLPack tensor of 0 to 64 dimensions, found 65"),
        ({"rank": -1}, "expected a DLPack tensor of 0 to 64 dimensions, found -1"),
        ({"rank": 0}, "expected 2 dimensions, found 0 (shape ())"),
        ({"rank": 1}, "expected 2 dimensions, found 1 (shape (3,))"),
        ({"shape": NO_SHAPE}, "expected a DLPack tensor with a shape, found a null pointer"),
        ({"shape": NEGATIVE}, "expected sizes of at least 0, found -3"),
        ({"lanes": 4}, "expected float16, found float16x4"),
        ({"bits": 32}, "expected float16, found float32"),
        ({"device_type": 2}, "expected DLPack device (1, 0), as __dlpack_device__ says, found (2, 0)"),
        ({"data": 0}, "expected the address of a 3 x 5 matrix, found null"),
    ],
    ids=lambda x: str(x)[:40],
)
def test_lies_are_refused_and_given_back(lies, text):
    liar = Liar(A, **lies)
    assert refusal(liar) == f"gemm: a: {text}"
    gc.collect()
    assert len(liar.deleted) == 1
    assert refusal(B, Liar(A, **lies)).startswith("gemm: b: ") or "data" in lies


def test_a_device_that_is_only_said():
    text = "gemm: a: expected DLPack device (2, 1), as __dlpack_device__ says, found {}"
    assert refusal(Liar(A, device=(2, 1))) == text.format((1, 0))
    assert refusal(Liar(A, device=(2, 1), device_type=2)) == text.format((2, 0))


def test_pinned_memory_is_the_hosts():
    gemm(Liar(A, device=(3, 0)), Liar(B, device_type=3), backend="emulator")


def test_masked_arrays_are_refused():
    masked = np.ma.masked_array(A, A > 0)
    text = "gemm: {}: expected an array without a mask, found {}\nhint: array.filled(0), for example, has a value where "
    text += "the mask is"
    assert refusal(masked) == text.format("a", "MaskedArray")
    assert refusal(A, np.ma.masked_array(B)) == text.format("b", "MaskedArray")
    assert refusal(A, out=np.ma.masked_array(np.empty((3, 4), np.float16))) == text.format("out", "MaskedArray")
    gemm(masked.data, masked.filled(0), backend="emulator")

    class Own(np.ma.MaskedArray):
        """Of another module than numpy's."""

    assert refusal(A.view(Own)) == text.format("a", "Own")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((2**70, 3), f"rows: expected an integer of at most 64 bits, found {2**70}"),
        ((2, 3.0), "cols: expected an integer, found 3.0"),
        ((2, None), "cols: expected an integer, found None"),
        ((2, 3, "cuda"), "device: expected an integer, found 'cuda'"),
        ((2, 3, 2**31), "device: expected an integer of at most 32 bits, found 2147483648"),
    ],
)
def test_types_of_the_sizes_of_our_array(arguments, text):
    with pytest.raises(tileloom.BadInput) as caught:
        tileloom.DeviceArray(*arguments)
    assert str(caught.value) == text


def test_our_array_as_one_of_numpy():
    ours = gemm(Foreign(A), Foreign(B), backend="emulator")
    seen = np.asarray(ours)
    assert (seen.shape, seen.dtype, seen.ctypes.data) == ((3, 4), np.float16, ours.address)
    assert np.all(seen == 5)
    assert np.asarray(ours, dtype=np.float32).dtype == np.float32
    assert np.array(ours).ctypes.data != ours.address
    assert np.asarray(ours, copy=False).ctypes.data == ours.address
    with pytest.raises(ValueError, match="copy"):
        np.asarray(ours, dtype=np.float64, copy=False)
    del ours
    gc.collect()
    assert np.all(seen == 5)
