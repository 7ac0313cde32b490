# SPDX-License-Identifier: Apache-2.0
"""What a user passes to a kernel of `emulate`, as the module `_tileloom` takes it. numpy is not imported here: arrays
are known by what they offer."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ._elements import as_array, check_elements, type_name
from ._errors import BadInput
from ._options import MOST_INT64, integer, is_number_of_numpy, shown, text
from ._tileloom import KernelEntry, Parameter

__all__ = ["Output", "Pointer"]

_REALS = {"f32": "<f", "f64": "<d", "f16": "<e"}  # as struct packs them
_FLOATS = (*_REALS, "bf16")


class Output:
    """An array that the kernel fills: what it holds before the launch counts as never written.

    A checked launch reports reads of such elements, which it cannot of an array that is passed by itself.
    """

    def __init__(self, array: Any) -> None:
        self.array = array

    def __repr__(self) -> str:
        if not is_array(self.array):
            return f"<tileloom.Output of {shown(self.array)}>"
        return f"<tileloom.Output of {type(self.array).__name__} {getattr(self.array, 'shape', '')}>"


class Pointer(NamedTuple):
    """The buffer of an earlier argument again, from a byte on."""

    argument: str
    offset: int = 0


def is_array(value: Any) -> bool:
    """Whether a kernel gets a pointer to it: a numpy array, not a number of numpy's."""
    return hasattr(value, "__array_interface__") and not is_number_of_numpy(value)


def _extent(array: Any) -> tuple[int, int]:
    start = array.__array_interface__["data"][0]
    return start, start + array.nbytes


def _place_in(name: str, array: Any, other: str, seen: Any) -> int | None:
    """The byte of an earlier argument at which this one lies; None where they share no memory."""
    (start, end), (first, last) = _extent(array), _extent(seen)
    if array is not seen and (start >= last or end <= first or start == end):
        return None
    if start < first or end > last:
        raise BadInput(
            f"argument {name}: expected memory of its own or a part of {other}'s, found both",
            "pass the larger array first",
        )
    return start - first


def _buffer(name: str, array: Any, written: bool) -> tuple[Any, ...]:
    if not array.flags.c_contiguous:
        raise BadInput(
            f"argument {name}: expected an array in C order without gaps, found strides {array.strides}",
            "numpy.ascontiguousarray makes one; a copy is not written back",
        )
    if not written and not array.flags.writeable:
        raise BadInput(f"argument {name}: expected an array that can be written, found a read-only one")
    kind = type_name(array.dtype)
    shape = [*array.shape] if kind else [*array.shape, array.dtype.itemsize]
    return ("buffer", name, kind or "u8", array.tobytes(), shape, written, array.flags.writeable)


def _bad_value(
    name: str, parameter: Parameter, found: str, hint: str = "a number of numpy's is passed as it is"
) -> BadInput:
    return BadInput(f"argument {name}: expected a value for {parameter.type} {parameter.name}, found {found}", hint)


def _integer(name: str, value: int, parameter: Parameter) -> tuple[Any, ...]:
    if parameter.bytes not in (1, 2, 4, 8) or "[" in parameter.type:
        raise BadInput(
            f"argument {name}: expected {parameter.bytes} bytes for {parameter.type} {parameter.name}, "
            "found an integer",
            "bytes, a ctypes structure or a number of numpy's are passed as they are",
        )
    bits = 8 * parameter.bytes
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise BadInput(f"argument {name}: expected an integer of {bits} bits, found {shown(value)}")
    kind = "i" if value < 0 else "u"
    return ("value", name, f"{kind}{bits}", value.to_bytes(parameter.bytes, "little", signed=value < 0))


def _real(name: str, value: float, parameter: Parameter) -> tuple[Any, ...]:
    try:
        return ("value", name, parameter.type, struct.pack(_REALS[parameter.type], float(value)))
    except OverflowError:
        found = shown(value)
    raise BadInput(f"argument {name}: expected a value of {parameter.type}, found {found}")


def _number(name: str, value: float, parameter: Parameter) -> tuple[Any, ...]:
    """An int or a float of Python's, as a number of the parameter's type."""
    is_bool = isinstance(value, bool) and parameter.type in _FLOATS
    if parameter.type in _REALS and not is_bool:
        return _real(name, value, parameter)
    if isinstance(value, int) and parameter.type not in _FLOATS:
        return _integer(name, int(value), parameter)
    found = shown(value) if is_bool else "an integer" if isinstance(value, int) else "a float"
    raise _bad_value(name, parameter, found)


def _is_integer(parameter: Parameter) -> bool:
    return parameter.type[0] in "su" and parameter.type[1:].isdigit()


def _of_numpy(name: str, value: Any, parameter: Parameter) -> tuple[Any, ...]:
    """Its bytes. PTX does not tell what b32 and structures are; where it does, an int is no float."""
    dtype = value.dtype
    check_elements(f"argument {name}", dtype)
    kinds = "fV" if parameter.type in _FLOATS else "iubV" if _is_integer(parameter) else dtype.kind
    if dtype.itemsize == parameter.bytes and dtype.kind not in kinds:
        raise _bad_value(name, parameter, dtype.name, "numbers of Python's are converted, those of numpy's are not")
    return ("value", name, type_name(dtype) or "bytes", value.tobytes())


def _by_value(name: str, value: Any, parameter: Parameter) -> tuple[Any, ...]:
    if is_number_of_numpy(value) and not isinstance(value, bytes):
        return _of_numpy(name, value, parameter)
    if isinstance(value, int | float):
        return _number(name, value, parameter)
    try:
        return ("value", name, "bytes", bytes(memoryview(value)))
    except TypeError:
        found = type(value).__name__
    raise BadInput(
        f"argument {name}: expected a numpy array, a number, bytes, text or a Pointer, found {found}",
        "other arrays become numpy's by numpy.from_dlpack or numpy.asarray",
    )


def _check_names(names: Sequence[Any], kernel: KernelEntry) -> None:
    """Names are the user's own, in the order of the parameters; one of the kernel's at another place is a mistake."""
    at = {parameter.name: i for i, parameter in enumerate(kernel.parameters)}
    for i, name in enumerate(names):
        if not isinstance(name, str) or not name or "=" in name:
            raise BadInput(f"args: expected names of arguments, texts without '=', found {shown(name)}")
        text("args, a name", name)
        if at.get(name, i) != i:
            raise BadInput(
                f"argument {name}: expected at place {at[name]}, where kernel {kernel.name} has it, found at place {i}",
                f"names bind nothing, the order counts: {', '.join(at)}",
            )


def _check_count(found: int, kernel: KernelEntry) -> None:
    expected = [f"{parameter.type} {parameter.name}" for parameter in kernel.parameters]
    if found != len(expected):
        raise BadInput(
            f"kernel {kernel.name}: expected {len(expected)} argument{'s' * (len(expected) != 1)}, found {found}",
            f"in this order: {', '.join(expected)}" if expected else "it has no parameter",
        )


def _named(given: Any, kernel: KernelEntry) -> list[tuple[str, Any]]:
    if isinstance(given, Mapping):
        _check_names([*given], kernel)
        named = [*given.items()]
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes | bytearray | memoryview):
        named = [(f"arg{i}", value) for i, value in enumerate(given)]
    else:
        raise BadInput(f"args: expected a list or a dict of arguments, found {type(given).__name__}")
    _check_count(len(named), kernel)
    return named


class Arguments:
    """Arguments of one launch, and the arrays that get back what the kernel wrote."""

    def __init__(self, given: Mapping[str, Any] | Sequence[Any], kernel: KernelEntry) -> None:
        self.given: dict[str, Any] = {}  # the buffers as they were passed
        self.specifications: list[tuple[Any, ...]] = []
        self._arrays: dict[str, Any] = {}  # the same memory as numpy's arrays
        self._places: dict[str, int] = {}
        for i, ((name, value), parameter) in enumerate(zip(_named(given, kernel), kernel.parameters, strict=True)):
            self.specifications.append(self._specification(name, value, parameter))
            self._places[name] = i

    def write_back(self, name: str, data: bytes) -> None:
        """Puts what the kernel left in a buffer into the array that was passed."""
        array = self._arrays.get(name)
        if array is not None and array.nbytes and array.flags.writeable:
            import numpy

            array.reshape(-1).view("u1")[:] = numpy.frombuffer(data, "u1")

    def _alias(self, name: str, pointer: Pointer) -> tuple[Any, ...]:
        if pointer.argument not in self._places:
            raise BadInput(f"argument {name}: no argument before it is named {shown(pointer.argument)}")
        offset = integer(f"argument {name}, offset", pointer.offset, 0, MOST_INT64)
        return ("alias", name, (self._places[pointer.argument], offset))

    def _specification(self, name: str, value: Any, parameter: Parameter) -> tuple[Any, ...]:
        if isinstance(value, str):
            return ("text", name, text(f"argument {name}", value))
        if isinstance(value, Pointer):
            return self._alias(name, value)
        given = value.array if isinstance(value, Output) else value
        if not is_array(given):
            if isinstance(value, Output):
                raise BadInput(f"argument {name}: expected an Output of a numpy array, found {value!r}")
            return _by_value(name, given, parameter)
        array = as_array(f"argument {name}", given)
        for other, seen in self._arrays.items():
            offset = _place_in(name, array, other, seen)
            if offset is not None:
                return self._alias(name, Pointer(other, offset))
        made = _buffer(name, array, not isinstance(value, Output))
        self._arrays[name] = array
        self.given[name] = given
        return made
