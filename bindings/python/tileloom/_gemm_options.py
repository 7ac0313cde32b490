# SPDX-License-Identifier: Apache-2.0
"""The options of a product, and the texts for those that are of the wrong type."""

from __future__ import annotations

from typing import Any, TypeAlias

from . import _options
from ._errors import BadInput
from ._tileloom import Kernel

__all__ = ["KernelName", "check_integer", "check_options", "given_options", "kernel_name"]

KernelName: TypeAlias = str | Kernel
"""An instance or a family by name, or a shipped `Kernel`."""


def kernel_name(kernel: Any) -> str:
    """The name of a kernel that is given as itself, empty for None; raises BadInput for one that is not shipped."""
    return _options.kernel_name(kernel, "gemm: ")


def check_integer(name: str, value: Any, bits: int) -> None:
    """Raises BadInput unless it is an integer that fits."""
    if not hasattr(value, "__index__"):
        raise BadInput(f"gemm: {name}: expected an integer, found {value!r}")
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise BadInput(f"gemm: {name}: expected an integer of at most {bits} bits, found {value!r}")


def check_options(accumulate: Any, stages: Any, raster_width: Any, backend: Any = "auto", arch: Any = None) -> None:
    """Raises BadInput for the first that is of the wrong type; values are looked at where the product is made."""
    if not isinstance(accumulate, str):
        raise BadInput(f"gemm: accumulate: expected f32 or f16, found {accumulate!r}")
    check_integer("stages", stages, 32)
    check_integer("raster_width", raster_width, 32)
    if not isinstance(backend, str):
        raise BadInput(f"gemm: backend: expected auto, cuda or emulator, found {backend!r}")
    if not (arch is None or isinstance(arch, str)):
        raise BadInput(f"gemm: arch: expected text such as sm_90, found {arch!r}")


def given_options(accumulate: str, kernel: KernelName | None, stages: int, raster_width: int) -> dict[str, Any]:
    """The options of torch's operator that are not at their defaults: its dispatcher takes time for each."""
    options: dict[str, Any] = {}
    if accumulate != "f32":
        options["accumulate"] = accumulate
    if kernel is not None:
        options["kernel_name"] = kernel_name(kernel)
    if stages != 0:
        options["stages"] = stages
    if raster_width != 0:
        options["raster_width"] = raster_width
    if options:
        check_options(accumulate, stages, raster_width)
    return options
