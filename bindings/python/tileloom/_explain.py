# SPDX-License-Identifier: Apache-2.0
"""What `gemm` would do."""

from __future__ import annotations

from typing import Any

from ._errors import BadInput
from ._gemm_options import KernelName, check_options, kernel_name
from ._tileloom import _explain

__all__ = ["explain"]


def _check_size(name: str, value: Any) -> None:
    if not hasattr(value, "__index__"):
        raise BadInput(f"gemm: {name}: expected an integer, found {value!r}")
    if not -(1 << 63) <= value < 1 << 63:
        raise BadInput(f"gemm: {name}: expected an integer of at most 64 bits, found {value!r}")


def explain(
    m: int,
    n: int,
    k: int,
    *,
    accumulate: str = "f32",
    kernel: KernelName | None = None,
    stages: int = 0,
    raster_width: int = 0,
    backend: str = "auto",
    arch: str | None = None,
) -> str:
    """What :func:`gemm` would do with a product of that size, and why: kernel, tile, grid, backend.

    Sizes are in elements: A is ``m`` x ``k``, B is ``n`` x ``k``. Nothing is run.

    >>> import tileloom
    >>> print(tileloom.explain(1000, 900, 8, kernel="multistage", backend="emulator").splitlines()[1])
    kernel    multistage_128x128x64_f32
    """
    for name, size in (("m", m), ("n", n), ("k", k)):
        _check_size(name, size)
    check_options(accumulate, stages, raster_width, backend, arch)
    name = "" if kernel is None else kernel_name(kernel)
    return _explain(m, n, k, accumulate, name, stages, raster_width, backend, arch or "")
