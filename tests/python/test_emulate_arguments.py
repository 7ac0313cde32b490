# SPDX-License-Identifier: Apache-2.0
"""What a kernel of `emulate` can be given: numbers of the parameter's type, arrays of numbers, names, pointers."""

import warnings

import numpy as np
import pytest

import tileloom

SAXPY = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a)
{
  .reg .b64 %y, %x, %o; .reg .b32 %t; .reg .f32 %a, %u, %v;
  ld.param.u64 %y, [y];  ld.param.u64 %x, [x];  ld.param.f32 %a, [a];
  mov.u32 %t, %tid.x;    mul.wide.u32 %o, %t, 4;
  add.u64 %y, %y, %o;    add.u64 %x, %x, %o;
  ld.global.f32 %u, [%x];  ld.global.f32 %v, [%y];
  fma.rn.f32 %v, %a, %u, %v;
  st.global.f32 [%y], %v;
  ret;
}
"""
MODULE = tileloom.Module.from_ptx(SAXPY)
X = np.arange(64, dtype="f4")
GOOD = (2 * X + 1).tobytes()


def saxpy(y, x=X, a=2):
    return tileloom.emulate(MODULE, {"y": y, "x": x, "a": a}, block=64)


def refused(message, hint, call):
    with pytest.raises(tileloom.BadInput) as found:
        call()
    assert found.value.message == message
    assert hint in found.value.hint


# --- Numbers ---------------------------------------------------------------------------------------------------------

STORE = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry store(.param .u64 to, .param .{type} value)
{{
  .reg .b64 %p, %v64; .reg .b32 %v32; .reg .b16 %v16;
  ld.param.u64 %p, [to];  ld.param.b{bits} %v{bits}, [value];  st.global.b{bits} [%p], %v{bits};
  ret;
}}
"""


def passed(parameter, bits, value):
    """The bytes of a parameter of this type that a value becomes."""
    to = np.zeros(bits // 8, np.uint8)
    assert tileloom.emulate(STORE.format(type=parameter, bits=bits), [to, value], block=1).ok
    return to.tobytes()


REALS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


@pytest.mark.parametrize("name", REALS)
@pytest.mark.parametrize("value", [2, -3, 0, 2049, 2**15 + 1])
def test_an_int_is_a_number_of_the_parameters_type(name, value):
    made = REALS[name](value)
    assert passed(name, 8 * made.nbytes, value) == passed(name, 8 * made.nbytes, float(value)) == made.tobytes()


def test_saxpy_takes_an_int():
    y = np.ones(64, "f4")
    saxpy(y, a=2)
    assert y.tobytes() == GOOD


@pytest.mark.parametrize("name", ["b16", "b32", "b64", "u16", "u32", "s64"])
def test_an_int_keeps_its_bits_where_ptx_tells_no_float(name):
    bits = int(name[1:])
    assert passed(name, bits, 2) == (2).to_bytes(bits // 8, "little")
    assert passed(name, bits, -2) == (-2).to_bytes(bits // 8, "little", signed=True)
    assert passed(name, bits, True) == (1).to_bytes(bits // 8, "little")


def test_a_number_of_numpys_keeps_its_bits():
    tenth, seven = np.float32(0.1), np.int32(-7)
    for name, number in [("f32", tenth), ("b32", tenth), ("b32", seven), ("u32", seven), ("s32", np.uint32(7))]:
        assert passed(name, 32, number) == number.tobytes()
    assert passed("b64", 64, np.complex64(1 + 2j)) == np.complex64(1 + 2j).tobytes()


NUMBERS = {
    "True for a float": ("f32", 32, True, "expected a value for f32 value, found True"),
    "an int beyond f16": ("f16", 16, 10**6, "expected a value of f16, found 1000000"),
    "an int beyond f32": ("f32", 32, 10**40, f"expected a value of f32, found {10**40}"),
    "an int beyond f64": ("f64", 64, 10**5000, "expected a value of f64, found an integer of 16610 bits"),
    "an int beyond u32": ("u32", 32, 10**5000, "expected an integer of 32 bits, found an integer of 16610 bits"),
    "an int for a bf16": ("bf16", 16, 2, "expected a value for bf16 value, found an integer"),
    "a float for a bf16": ("bf16", 16, 2.0, "expected a value for bf16 value, found a float"),
    "a float for a b32": ("b32", 32, 2.0, "expected a value for b32 value, found a float"),
    "numpy's int for a float": ("f32", 32, np.int32(2), "expected a value for f32 value, found int32"),
    "numpy's float for an int": ("s32", 32, np.float32(2), "expected a value for s32 value, found float32"),
    "a date": ("u64", 64, np.datetime64(1, "s"), "expected numbers or structures of numbers, found datetime64[s]"),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_a_number_that_does_not_fit_is_refused(case):
    name, bits, value, message = NUMBERS[case]
    refused(f"argument arg1: {message}", "", lambda: passed(name, bits, value))


@pytest.mark.parametrize("size", [2, 4, 8, 12])
def test_an_int_is_no_structure(size):
    ptx = STORE.format(type="u16", bits=16).replace(".u16 value", f".align 4 .b8 value[{size}]")
    for value in (1, True):
        refused(
            f"argument arg1: expected {size} bytes for b8[{size}] value, found an integer", "ctypes",
            lambda value=value: tileloom.emulate(ptx, ["u8[8]", value], block=1),
        )  # fmt: skip
    refused(
        f"argument arg1: expected a value for b8[{size}] value, found a float", "numpy",
        lambda: tileloom.emulate(ptx, ["u8[8]", 1.0], block=1),
    )  # fmt: skip


# --- Arrays ----------------------------------------------------------------------------------------------------------

RAW = "array.view('u1')"
ELEMENTS = {
    "objects": (np.empty(64, object), "object", "astype"),
    "objects in a structure": (np.zeros(64, [("a", "O"), ("b", "i4")]), "[('a', 'O'), ('b', '<i4')]", "astype"),
    "dates": (np.zeros(64, "M8[s]"), "datetime64[s]", "array.view('i8')"),
    "times": (np.zeros(64, "m8[s]"), "timedelta64[s]", "array.view('i8')"),
    "raw memory": (np.zeros(64, "V4"), "|V4", RAW),
    "bytes": (np.zeros(64, "S4"), "|S4", RAW),
    "text": (np.zeros(64, "U4"), "<U4", ""),
}


@pytest.mark.parametrize("case", ELEMENTS)
@pytest.mark.parametrize("wrapped", [lambda array: array, tileloom.Output])
def test_elements_without_meaning_in_a_kernel_are_refused(case, wrapped):
    array, found, hint = ELEMENTS[case]
    message = f"argument y: expected numbers or structures of numbers, found {found}"
    refused(message, hint, lambda: saxpy(wrapped(array)))


def test_masked_and_swapped_arrays_are_refused():
    y = np.ones(64, "f4")
    refused(
        "argument x: expected an array without a mask, found MaskedArray", ".filled(",
        lambda: saxpy(y, np.ma.masked_array(X, X > 3)),
    )  # fmt: skip
    refused(
        "argument x: expected the byte order of this machine, found >f4", "newbyteorder('=')",
        lambda: saxpy(y, X.astype(">f4")),
    )  # fmt: skip
    with pytest.raises(tileloom.BadInput, match="byte order of this machine"):
        saxpy(np.zeros(64, [("a", ">f4")]))
    assert (y == 1).all()


class Foreign:
    """An array of a library that only speaks numpy's oldest protocol."""

    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


@pytest.mark.parametrize("dtype", ["f4", "u4", "c8", "f2", "?", "g", [("a", "f4")], [("a", "u1"), ("b", "f2")]])
def test_whatever_is_taken_is_written_back(dtype):
    y = np.zeros(256, "u1")
    y[: np.ones(64, "f4").nbytes] = np.ones(64, "f4").view("u1")
    item = np.dtype(dtype).itemsize
    y = np.resize(y, -(-256 // item) * item).view(dtype)
    saxpy(y)
    assert y.tobytes()[:256] == GOOD


def test_views_matrices_and_foreign_arrays_are_written_in_place():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        matrix = np.asmatrix(np.ones((8, 8), "f4"))
    base = np.ones((2, 64), "f4")
    for array, memory in [(matrix, matrix), (base[1:], base[1]), (Foreign(base[0]), base[0])]:
        done = saxpy(array)
        assert memory.tobytes() == GOOD
        assert done.arrays["y"] is array
    one = np.ones(8, "f4")[::2][:1]
    tileloom.emulate(MODULE, [one, X, 2], block=1)
    assert one[0] == 1 + 2 * X[0]


@pytest.mark.parametrize("shape", [(2, 0), (0,), (0, 3, 1)])
def test_an_empty_array_is_an_empty_buffer(shape):
    ptx = STORE.format(type="u64", bits=64)
    assert tileloom.emulate(ptx, [np.zeros(1, "u8"), np.zeros(shape, "f4")], block=1).ok
    with pytest.raises(tileloom.CheckFailed, match=r"of y \(0 bytes\)"):
        saxpy(np.zeros(shape, "f4"))


def test_an_array_interface_must_be_one():
    class Broken:
        __array_interface__ = {"shape": (64,)}  # noqa: RUF012

    with pytest.raises(tileloom.BadInput, match="argument y: expected an array, found a Broken that is none"):
        saxpy(Broken())
    message = "argument y: expected an Output of a numpy array, found <tileloom.Output of 5>"
    refused(message, "", lambda: saxpy(tileloom.Output(5)))


# --- Names and places ------------------------------------------------------------------------------------------------

ORDER = "in this order: u64 y, u64 x, f32 a"
GIVEN = {
    "too many": (lambda y: [y, X, 2, 3], "kernel saxpy: expected 3 arguments, found 4", ORDER),
    "too few": (lambda y: {"y": y}, "kernel saxpy: expected 3 arguments, found 1", ORDER),
    "none": (lambda _: (), "kernel saxpy: expected 3 arguments, found 0", ORDER),
    "an array": (lambda y: y, "args: expected a list or a dict of arguments, found ndarray", ""),
    "text": (lambda _: "yxa", "args: expected a list or a dict of arguments, found str", ""),
    "names that are numbers": (
        lambda y: {1: y, 2: X, 3: 2},
        "args: expected names of arguments, texts without '=', found 1",
        "",
    ),
    "a name that is empty": (
        lambda y: {"": y, "x": X, "a": 2},
        "args: expected names of arguments, texts without '=', found ''",
        "",
    ),
    "a name that is no text of UTF-8": (
        lambda y: {"\ud800": y, "x": X, "a": 2},
        "args, a name: expected text, found '\\ud800'",
        "",
    ),
    "the kernel's names in another order": (
        lambda y: {"x": X, "y": y, "a": 2},
        "argument x: expected at place 1, where kernel saxpy has it, found at place 0",
        "names bind nothing, the order counts: y, x, a",
    ),
}


@pytest.mark.parametrize("case", GIVEN)
def test_arguments_that_cannot_be_meant_are_refused(case):
    made, message, hint = GIVEN[case]
    y = np.ones(64, "f4")
    refused(message, hint, lambda: tileloom.emulate(MODULE, made(y), block=64))
    assert (y == 1).all()


def test_names_of_ones_own_bind_nothing():
    y = np.ones(64, "f4")
    tileloom.emulate(MODULE, {"out": y, "in": X, "factor": 2}, block=64)
    assert y.tobytes() == GOOD
    renamed = SAXPY.replace("[y]", "[arg1]").replace("u64 y,", "u64 arg1,")  # a list's own names are no names
    assert tileloom.emulate(renamed, [y, X, 2], block=64).ok


RANGE = "an integer from 0 to 9223372036854775807"
POINTERS = {
    "negative": (tileloom.Pointer("y", -4), f"argument x, offset: expected {RANGE}, found -4"),
    "large": (tileloom.Pointer("y", 2**70), f"argument x, offset: expected {RANGE}, found {2**70}"),
    "text": (tileloom.Pointer("y", "4"), f"argument x, offset: expected {RANGE}, found '4'"),
    "a flag": (tileloom.Pointer("y", True), f"argument x, offset: expected {RANGE}, found True"),
    "no name": (tileloom.Pointer(5), "argument x: no argument before it is named 5"),
}


@pytest.mark.parametrize("case", POINTERS)
def test_a_wrong_pointer_is_refused(case):
    pointer, message = POINTERS[case]
    refused(message, "", lambda: saxpy(np.ones(64, "f4"), pointer))


def test_a_pointer_leads_to_an_array():
    y = np.ones(64, "f4")
    assert saxpy(y, tileloom.Pointer("y", np.int64(0))).ok
    assert (y == 3).all()
    for number in (7, "u64:7"):
        refused(
            "argument x: expected the name of an array, found y, which is u64", "",
            lambda number=number: saxpy(number, tileloom.Pointer("y")),
        )  # fmt: skip
