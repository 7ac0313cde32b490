# SPDX-License-Identifier: Apache-2.0
"""Libraries that speak DLPack, written here: what they say is what a test makes them say."""

import ctypes


class Foreign:
    """An array of a library that speaks DLPack and nothing else; it counts what is asked of it."""

    def __init__(self, array):
        self.array = array
        self.asked = []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        return self.array.__dlpack__(**keywords)


class Old(Foreign):
    """A library of before DLPack 1.0."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


kept = []  # whatever order the collector takes, a deleter must still be there when it is called


def handmade(array, deleted, major=1, byte_offset=0, flags=0, code=2, **lies):
    """A capsule with compact strides left out, and the address that its deleter is called with.

    lies: other values of fields of the tensor.
    """
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    managed = Versioned(major, 7, None, Deleter(deleted.append), flags)
    managed.tensor = Tensor(array.ctypes.data - byte_offset, 1, 0, array.ndim, code, 16, 1, shape, None, byte_offset)
    for field, value in lies.items():
        setattr(managed.tensor, field, value)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    kept.append((managed, shape, array))
    return new(ctypes.addressof(managed), b"dltensor_versioned", None), ctypes.addressof(managed)
