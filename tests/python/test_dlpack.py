# SPDX-License-Identifier: Apache-2.0
"""Arrays through DLPack: NumPy as another library, a library written here, and CuPy and JAX where they are."""

import ctypes
import gc

import pytest

np = pytest.importorskip("numpy")

from dlpack_cases import Foreign, Old, handmade
from gemm_cases import close, operands, same_bits

import tileloom
from tileloom import DeviceArray, gemm

EMULATED = {"backend": "emulator"}
HAS_GPU = bool(tileloom.gpus())


def test_foreign_arrays_give_an_array_of_ours():
    a, b = operands(33, 20, 50)
    d = gemm(Foreign(a), Foreign(b), **EMULATED)
    assert isinstance(d, DeviceArray)
    assert d.shape == (33, 20)
    assert d.__dlpack_device__() == (1, 0)
    assert repr(d) == "DeviceArray((33, 20), float16, host memory)"
    assert same_bits(np.from_dlpack(d), gemm(a, b, **EMULATED))
    assert close(np.from_dlpack(gemm(d, Foreign(b[:, :20]), **EMULATED)), np.from_dlpack(d), b[:, :20])


def test_the_newest_protocol_is_asked_for_without_a_stream_of_the_host():
    a, b = operands(3, 4, 5)
    foreign = Foreign(a)
    gemm(foreign, b, **EMULATED)
    assert foreign.asked == [{"max_version": (1, 1)}]


def test_an_old_library_is_still_served():
    a, b = operands(3, 4, 5)
    assert same_bits(np.from_dlpack(gemm(Old(a), Old(b), **EMULATED)), gemm(a, b, **EMULATED))


def test_strides_and_offsets_go_along():
    a, b = operands(30, 20, 64)
    views = Foreign(a[3:20, 8:41]), Foreign(b[:, 7:40])
    out = np.zeros((17, 33), np.float16)
    gemm(*views, out=Foreign(out[:, 5:25]), **EMULATED)
    assert same_bits(out[:, 5:25], gemm(a[3:20, 8:41].copy(), b[:, 7:40].copy(), **EMULATED))
    assert not out[:, :5].any() and not out[:, 25:].any()
    with pytest.raises(tileloom.BadInput, match="found strides \\(1, 64\\) for shape \\(64, 30\\)"):
        gemm(Foreign(a.T), Foreign(b), **EMULATED)


def test_read_only_is_honoured():
    a, b = operands(3, 4, 5)
    a.setflags(write=False)
    frozen = np.zeros((3, 4), np.float16)
    frozen.setflags(write=False)
    gemm(Foreign(a), b, **EMULATED)
    with pytest.raises(tileloom.BadInput, match="expected an array that can be written to, found a read-only one"):
        gemm(a, b, out=Foreign(frozen), **EMULATED)


@pytest.mark.parametrize("type_name", ["float32", "int16", "uint16", "bool", "complex64", "float64"])
def test_types_are_named(type_name):
    a, b = operands(3, 4, 5)
    with pytest.raises(tileloom.BadInput, match=f"^gemm: b: expected float16, found {type_name}$"):
        gemm(a, Foreign(b.astype(type_name)), **EMULATED)


def test_a_device_that_is_not_known():
    class Elsewhere(Foreign):
        def __dlpack_device__(self):
            return (10, 0)

    a, b = operands(3, 4, 5)
    text = "gemm: a: expected memory of the host or of a CUDA GPU, found DLPack device 10"
    with pytest.raises(tileloom.BadInput, match=text):
        gemm(Elsewhere(a), b, **EMULATED)


def test_a_capsule_is_used_once_and_its_array_kept():
    x = np.ones((4, 4), np.float16)
    capsule = x.__dlpack__()
    taken = tileloom._tileloom.ImportedArray(capsule)
    assert (taken.shape, taken.strides, taken.dtype, taken.read_only) == ((4, 4), (4, 1), "float16", False)
    with pytest.raises(tileloom.BadInput, match="^dlpack: expected a capsule that is not used yet$"):
        tileloom._tileloom.ImportedArray(capsule)
    with pytest.raises(tileloom.BadInput):
        tileloom._tileloom.ImportedArray(3)
    address = taken.address
    del x, capsule
    gc.collect()
    assert ctypes.c_uint16.from_address(address).value == 0x3C00
    del taken


def test_fields_of_a_capsule():
    x = np.arange(12, dtype=np.float16).reshape(3, 4)
    deleted = []
    capsule, address = handmade(x, deleted, byte_offset=64, flags=1)
    taken = tileloom._tileloom.ImportedArray(capsule)
    assert (taken.address, taken.strides, taken.read_only) == (x.ctypes.data, (4, 1), True)
    assert deleted == []
    del taken
    gc.collect()
    assert deleted == [address]


def test_a_newer_major_version_is_given_back_unread():
    deleted = []
    capsule, address = handmade(np.zeros((2, 2), np.float16), deleted, major=2)
    with pytest.raises(tileloom.BadInput, match="^dlpack: expected version 1, found 2.7$"):
        tileloom._tileloom.ImportedArray(capsule)
    gc.collect()
    assert deleted == [address]


def test_bfloat16_is_not_there_yet():
    class Brain(Foreign):
        def __dlpack__(self, **keywords):
            return handmade(self.array, [], code=4)[0]

    a, b = operands(3, 4, 5)
    with pytest.raises(tileloom.BadInput) as caught:
        gemm(Brain(a), b, **EMULATED)
    assert str(caught.value) == (
        "gemm: a: expected float16, found bfloat16\n"
        "hint: there are no bfloat16 kernels yet; convert to float16, whose largest number is 65504"
    )


def test_our_array_gives_what_is_asked_for():
    array = DeviceArray(2, 3)
    assert '"dltensor"' in repr(array.__dlpack__())
    assert '"dltensor"' in repr(array.__dlpack__(max_version=(0, 8)))
    assert '"dltensor_versioned"' in repr(array.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=False))
    with pytest.raises(BufferError, match="expected device \\(1, 0\\), found \\(2, 0\\)"):
        array.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="expected copy=False or None"):
        array.__dlpack__(copy=True)


def test_sizes_of_our_array():
    assert np.from_dlpack(DeviceArray(0, 3)).shape == (0, 3)
    assert DeviceArray(3, 3).address % 64 == 0
    for rows, cols in [(-1, 3), (3, -1), (2**40, 2**40)]:
        with pytest.raises(tileloom.BadInput):
            DeviceArray(rows, cols)


def test_our_array_outlives_its_name():
    array = DeviceArray(50, 60)
    view = np.from_dlpack(array)
    unused = array.__dlpack__()
    del array, unused
    gc.collect()
    view[:] = 3
    assert view.sum(dtype=np.int64) == 9000


def on_gpu(module):
    library = pytest.importorskip(module)
    if not HAS_GPU:
        pytest.skip("no GPU")
    return library


def test_cupy():
    cupy = on_gpu("cupy")
    a, b = operands(300, 200, 100)
    x, y = cupy.asarray(a), cupy.asarray(b)
    d = gemm(x, y)
    assert isinstance(d, cupy.ndarray)
    assert same_bits(cupy.asnumpy(d), gemm(a, b, backend="cuda"))
    assert same_bits(
        cupy.asnumpy(gemm(x[::2, 3:80], y[5:, 3:80])), gemm(a[::2, 3:80].copy(), b[5:, 3:80].copy(), backend="cuda")
    )
    with pytest.raises(tileloom.BadInput, match="^gemm: b: expected cuda:0, where a is, found host memory$"):
        gemm(x, b)
    with pytest.raises(
        tileloom.BadInput, match="^gemm: backend emulator: expected arrays in host memory, found cuda:0$"
    ):
        gemm(x, y, **EMULATED)


def test_cupy_streams():
    cupy = on_gpu("cupy")
    a, b = (cupy.asarray(x) for x in operands(2000, 2000, 2000))
    expected = gemm(a, b)
    with cupy.cuda.Stream(non_blocking=True):  # what the stream did to a comes before the product
        other = cupy.zeros_like(a)
        for _ in range(20):
            cupy.multiply(other, 1, out=other)
        other += a
        d = gemm(other, b)
        assert bool((d == expected).all())


def test_jax():
    jax = on_gpu("jax")
    a, b = operands(300, 200, 100)
    x, y = jax.numpy.asarray(a), jax.numpy.asarray(b)
    d = gemm(x, y)
    assert isinstance(d, jax.Array)
    assert d.devices() == x.devices()
    assert same_bits(np.asarray(d), gemm(a, b, backend="cuda"))
    for _ in range(50):  # buffers that jax frees and uses again while our kernel may still read
        fresh = jax.numpy.asarray(a) * 1
        assert same_bits(np.asarray(gemm(fresh, y)), np.asarray(d))


def test_libraries_mixed():
    cupy, torch = on_gpu("cupy"), on_gpu("torch")
    a, b = operands(300, 200, 100)
    out = torch.empty((300, 200), dtype=torch.float16, device="cuda")
    gemm(cupy.asarray(a), torch.asarray(b, device="cuda"), out=out)
    assert same_bits(out.cpu().numpy(), gemm(a, b, backend="cuda"))
    ours = gemm(Foreign(cupy.asarray(a)), Foreign(cupy.asarray(b)))
    assert isinstance(ours, DeviceArray)
    assert same_bits(cupy.asnumpy(cupy.from_dlpack(ours)), out.cpu().numpy())
    assert close(cupy.asnumpy(cupy.from_dlpack(gemm(ours, out))), out.cpu().numpy(), out.cpu().numpy())
