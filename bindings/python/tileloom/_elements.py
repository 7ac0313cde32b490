# SPDX-License-Identifier: Apache-2.0
"""Which arrays and numbers of numpy's a kernel of the emulator can get, byte for byte."""

from __future__ import annotations

from typing import Any

from ._errors import BadInput

__all__ = ["as_array", "check_elements", "check_not_masked", "type_name"]

_NUMBERS = "biufc"
_HINTS = {
    "O": "Python objects have no bytes for a kernel; array.astype('f4'), for example, makes numbers",
    "M": "array.view('i8') has the same bytes",
    "m": "array.view('i8') has the same bytes",
    "V": "array.view('u1') has the same bytes",
    "S": "array.view('u1') has the same bytes",
}


def type_name(dtype: Any) -> str | None:
    """As the command line calls it; None where elements are just bytes."""
    if dtype.name == "bfloat16":
        return "bf16"
    if dtype.kind in "fiu" and dtype.itemsize in (1, 2, 4, 8):
        return f"{dtype.kind}{8 * dtype.itemsize}"
    return None


def check_not_masked(name: str, array: Any) -> None:
    """A mask is no part of the memory that a kernel sees."""
    if hasattr(array, "filled") and hasattr(array, "mask"):
        raise BadInput(
            f"{name}: expected an array without a mask, found {type(array).__name__}",
            "array.filled(0), for example, has a value where the mask is",
        )


def check_elements(name: str, dtype: Any) -> None:
    """Refuses what has no meaning in a kernel: objects, dates, raw memory, the other byte order."""
    import numpy

    is_structure = dtype.names is not None
    is_number = dtype.kind in _NUMBERS or (dtype.kind == "V" and dtype.type is not numpy.void)  # bfloat16, float8
    if dtype.hasobject or not (is_number or is_structure):
        found = "object" if dtype.hasobject and not is_structure else str(dtype)
        hint = _HINTS["O"] if dtype.hasobject else _HINTS.get(dtype.kind, "")
        raise BadInput(f"{name}: expected numbers or structures of numbers, found {found}", hint)
    if not dtype.isnative:
        raise BadInput(
            f"{name}: expected the byte order of this machine, found {dtype}",
            "array.astype(array.dtype.newbyteorder('=')) has it; a copy is not written back",
        )


def as_array(name: str, value: Any) -> Any:
    """The same memory as a plain array of numpy's."""
    import numpy

    check_not_masked(name, value)
    try:
        array = numpy.asarray(value)
    except (AttributeError, TypeError, ValueError) as error:
        raise BadInput(f"{name}: expected an array, found a {type(value).__name__} that is none: {error}") from None
    check_elements(name, array.dtype)
    return array
