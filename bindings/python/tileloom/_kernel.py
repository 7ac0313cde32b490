# SPDX-License-Identifier: Apache-2.0
"""`trace`, `check` and `suggest` of a kernel by name, by configuration, or as an object."""

from __future__ import annotations

import os
from typing import Any

from ._tileloom import CheckReport, Kernel, Suggestions, Trace

__all__ = ["check", "suggest", "trace"]

KernelLike = Kernel | str | os.PathLike[str] | dict[str, Any]


def _kernel(kernel: KernelLike) -> Kernel:
    if isinstance(kernel, Kernel):
        return kernel
    is_name = isinstance(kernel, str) and not kernel.endswith(".json") and not kernel.lstrip().startswith("{")
    return Kernel(kernel) if is_name else Kernel.from_json(kernel)


def trace(kernel: KernelLike, **question: Any) -> Trace:
    """Asks one question about a kernel; the same as `Kernel.trace`.

    kernel: a `Kernel`; the name of a shipped one; a configuration as a dict, JSON text or a file that ends in .json.

    >>> import tileloom
    >>> route = tileloom.trace("multistage", element="A:0,9")
    >>> route.holders[0].lane, route.holders[0].register, route.holders[0].bits
    (0, 'a2', (31, 16))
    """
    return _kernel(kernel).trace(**question)


def check(kernel: KernelLike, *, max_conflicts: int | None = None, sizes: dict[str, int] | None = None) -> CheckReport:
    """What every memory access of a kernel costs, and what would not work; the same as `Kernel.check`.

    >>> import tileloom
    >>> tileloom.check("multistage").ok
    True
    """
    return _kernel(kernel).check(max_conflicts=max_conflicts, sizes=sizes or {})


def suggest(kernel: KernelLike) -> Suggestions:
    """Layouts of shared memory with fewer conflicts; the same as `Kernel.suggest`.

    >>> import tileloom
    >>> [o.operand for o in tileloom.suggest("smem").operands]
    ['A', 'B']
    """
    return _kernel(kernel).suggest()
