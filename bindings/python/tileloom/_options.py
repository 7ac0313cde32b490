# SPDX-License-Identifier: Apache-2.0
"""Options of launches: what Python gives, as the module `_tileloom` takes it, or BadInput that names the option."""

from __future__ import annotations

import operator
import os
import sys
from typing import Any

from ._errors import BadInput
from ._tileloom import Kernel

__all__ = ["extents", "flag", "followed", "integer", "kernel_name", "path", "shown", "text"]

MOST_INT32 = 2**31 - 1
MOST_INT64 = 2**63 - 1
MOST_UINT64 = 2**64 - 1
_LONGEST = 80


def shown(value: Any) -> str:
    """What a message says was found: short, and never an error of its own."""
    if isinstance(value, int) and value.bit_length() > 4 * _LONGEST:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= _LONGEST else type(value).__name__


def is_number_of_numpy(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool) or (is_number_of_numpy(value) and value.dtype.kind == "b")


def integer(name: str, value: Any, least: int, most: int, unit: str = "an integer") -> int:
    """An int, also one of numpy's; a flag or a float is none."""
    try:
        number = None if _is_flag(value) else operator.index(value)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise BadInput(f"{name}: expected {unit} from {least} to {most}, found {shown(value)}")
    return number


def flag(name: str, value: Any) -> bool:
    """True or False, also of numpy's."""
    if not _is_flag(value):
        raise BadInput(f"{name}: expected True or False, found {shown(value)}")
    return bool(value)


def text(name: str, value: Any, expected: str = "text") -> str:
    """Text that can be written in UTF-8."""
    try:
        if isinstance(value, str) and value.encode() is not None:
            return str(value)
    except UnicodeEncodeError:
        pass
    raise BadInput(f"{name}: expected {expected}, found {shown(value)}")


def path(name: str, value: Any) -> str:
    """Of a file: text, bytes or what os.fspath takes."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise BadInput(f"{name}: expected the path of a file, found {shown(value)}") from None


def extents(name: str, value: Any) -> tuple[int, int, int]:
    """An int or up to three."""
    is_text = isinstance(value, str | bytes)
    try:
        numbers = tuple(value) if hasattr(value, "__len__") and not is_text else (value,)
    except TypeError:  # an array without dimensions
        numbers = (value,)
    if not 1 <= len(numbers) <= 3:
        raise BadInput(f"{name}: expected an integer or one to three of them, found {shown(value)}")
    x, y, z = [*(integer(name, n, 1, MOST_INT32) for n in numbers), 1, 1][:3]
    return x, y, z


def followed(value: Any, words: str, example: tuple[Any, ...]) -> str:
    """Text, or a tuple of a name and numbers like ``example``: ("A", 0, 9) is "A:0,9"."""
    if isinstance(value, str):
        return text("follow", value)
    if not isinstance(value, tuple | list) or len(value) != len(example) or not isinstance(value[0], str):
        raise BadInput(
            f"follow: expected {words} as text or as a tuple, found {shown(value)}",
            f'for example {example} or "{followed(example, words, example)}"',
        )
    numbers = [str(integer("follow", n, 0, MOST_INT64)) for n in value[1:]]
    return f"{text('follow', value[0])}:{','.join(numbers)}"


def kernel_name(value: Any, call: str = "") -> str:
    """A shipped kernel: its name, a `Kernel` of it, or None, which is empty text. Messages begin with ``call``."""
    if value is None:
        return ""
    if not isinstance(value, Kernel):
        return text(f"{call}kernel", value, "a name or a Kernel")
    if not value.shipped:
        raise BadInput(
            f"{call}kernel: expected a shipped kernel, found {value!r}, a configuration of its own",
            "only what was compiled can run: tileloom.kernel_names() lists it; Kernel.check tells of any configuration",
        )
    return value.name
