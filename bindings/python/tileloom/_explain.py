# SPDX-License-Identifier: Apache-2.0
"""What `gemm` would do."""

from __future__ import annotations

from ._gemm_options import KernelName, check_integer, check_options, kernel_name
from ._tileloom import _explain

__all__ = ["explain"]


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
        check_integer(name, size, 64)
    check_options(accumulate, stages, raster_width, backend, arch)
    return _explain(m, n, k, accumulate, kernel_name(kernel), stages, raster_width, backend, arch or "")
