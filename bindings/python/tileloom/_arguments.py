# SPDX-License-Identifier: Apache-2.0
"""What a user passes to a kernel of `emulate`, as the module `_tileloom` takes it. numpy is not imported here: arrays
are known by what they offer."""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ._errors import BadInput
from ._tileloom import KernelEntry, Parameter

__all__ = ["Output", "Pointer"]

_KINDS = {"f": "f", "i": "i", "u": "u"}


class Output:
    """An array that the kernel fills: what it holds before the launch counts as never written.

    A checked launch reports reads of such elements, which it cannot of an array that is passed by itself.
    """

    def __init__(self, array: Any) -> None:
        self.array = array


class Pointer(NamedTuple):
    """The buffer of an earlier argument again, from a byte on."""

    argument: str
    offset: int = 0


def is_array(value: Any) -> bool:
    """Whether a kernel gets a pointer to it: a numpy array, not a number of numpy's."""
    return hasattr(value, "__array_interface__") and not _is_number_of_numpy(value)


def _is_number_of_numpy(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def _type_name(dtype: Any) -> str | None:
    if dtype.name == "bfloat16":
        return "bf16"
    if dtype.kind in _KINDS and dtype.itemsize in (1, 2, 4, 8) and dtype.isnative:
        return f"{dtype.kind}{8 * dtype.itemsize}"
    return None


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
    kind = _type_name(array.dtype)
    shape = [*array.shape] if kind else [*array.shape, array.dtype.itemsize]
    return ("buffer", name, kind or "u8", array.tobytes(), shape, written, array.flags.writeable)


def _integer(name: str, value: int, parameter: Parameter) -> tuple[Any, ...]:
    if parameter.bytes not in (1, 2, 4, 8):
        raise BadInput(
            f"argument {name}: expected {parameter.bytes} bytes for {parameter.type} {parameter.name}, "
            "found an integer",
            "bytes, a ctypes structure or a number of numpy's are passed as they are",
        )
    bits = 8 * parameter.bytes
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise BadInput(f"argument {name}: expected an integer of {bits} bits, found {value}")
    kind = "i" if value < 0 else "u"
    return ("value", name, f"{kind}{bits}", value.to_bytes(parameter.bytes, "little", signed=value < 0))


def _real(name: str, value: float, parameter: Parameter) -> tuple[Any, ...]:
    formats = {"f32": "<f", "f64": "<d", "f16": "<e"}
    if parameter.type not in formats:
        raise BadInput(
            f"argument {name}: expected a value for {parameter.type} {parameter.name}, found a float",
            "a number of numpy's, such as numpy.float16(1.5), is passed as it is",
        )
    try:
        return ("value", name, parameter.type, struct.pack(formats[parameter.type], value))
    except OverflowError:
        raise BadInput(f"argument {name}: expected a value of {parameter.type}, found {value}") from None


def _by_value(name: str, value: Any, parameter: Parameter | None) -> tuple[Any, ...]:
    if _is_number_of_numpy(value):
        return ("value", name, _type_name(value.dtype) or "bytes", value.tobytes())
    if isinstance(value, int) and parameter:
        return _integer(name, int(value), parameter)
    if isinstance(value, float) and parameter:
        return _real(name, value, parameter)
    try:
        return ("value", name, "bytes", bytes(memoryview(value)))
    except TypeError:
        found = type(value).__name__
    raise BadInput(
        f"argument {name}: expected a numpy array, a number, bytes, text or a Pointer, found {found}",
        "other arrays become numpy's by numpy.from_dlpack or numpy.asarray",
    )


def _alias(name: str, pointer: Pointer, before: list[str]) -> tuple[Any, ...]:
    if pointer.argument not in before:
        raise BadInput(f"argument {name}: no argument before it is named '{pointer.argument}'")
    return ("alias", name, (before.index(pointer.argument), pointer.offset))


class Arguments:
    """Arguments of one launch, and the arrays that get back what the kernel wrote."""

    def __init__(self, given: Mapping[str, Any] | Sequence[Any], kernel: KernelEntry) -> None:
        named = given.items() if isinstance(given, Mapping) else [(f"arg{i}", v) for i, v in enumerate(given)]
        self.arrays: dict[str, Any] = {}
        self.specifications: list[tuple[Any, ...]] = []
        names: list[str] = []
        for i, (name, value) in enumerate(named):
            parameter = kernel.parameters[i] if i < len(kernel.parameters) else None
            self.specifications.append(self._specification(name, value, parameter, names))
            names.append(name)

    def _specification(self, name: str, value: Any, parameter: Parameter | None, before: list[str]) -> tuple[Any, ...]:
        if isinstance(value, str):
            return ("text", name, value)
        if isinstance(value, Pointer):
            return _alias(name, value, before)
        array = value.array if isinstance(value, Output) else value
        if not is_array(array):
            return _by_value(name, value, parameter)
        for other, seen in self.arrays.items():
            offset = _place_in(name, array, other, seen)
            if offset is not None:
                return _alias(name, Pointer(other, offset), before)
        made = _buffer(name, array, not isinstance(value, Output))
        self.arrays[name] = array
        return made
