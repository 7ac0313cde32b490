# SPDX-License-Identifier: Apache-2.0
"""What the functions of this package share."""

from __future__ import annotations

from typing import Any, TypeAlias

from .._tileloom import ComposedLayout, Layout, Swizzle, Tensor, call

AnyLayout: TypeAlias = Layout | ComposedLayout
LayoutLike: TypeAlias = Layout | ComposedLayout | str
"""A layout, or its text or an expression for it."""
IntTree: TypeAlias = int | str | tuple[Any, ...] | list[Any] | None
"""An integer, a tuple of trees, None for a mode that is kept, or text."""
Tiler: TypeAlias = Layout | int | str | tuple[Any, ...] | list[Any] | None
"""A layout, a size, or a tuple with one tiler a mode; None keeps a mode."""

__all__ = ["AnyLayout", "IntTree", "LayoutLike", "Tiler", "call_function"]


def call_function(name: str, *arguments: Any, cute: bool = False) -> Any:
    """Calls a function of expressions with the arguments that were given: those before the first missing one."""
    given = list(arguments)
    while given and given[-1] is MISSING:
        given.pop()
    return call(name, *given, cute=cute)


class _Missing:
    """No argument; None is the wildcard."""

    def __repr__(self) -> str:
        return "..."


MISSING: Any = _Missing()

Swizzled: TypeAlias = Layout | ComposedLayout | Swizzle | str
Sliceable: TypeAlias = Layout | ComposedLayout | Tensor | tuple[Any, ...] | str
