# SPDX-License-Identifier: Apache-2.0
"""Half-precision tensor-core GEMM that you can see through.

Importing this package imports neither numpy nor torch.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from . import layout
from ._arguments import Output, Pointer
from ._emulate import Emulation, emulate
from ._errors import BadInput, CannotRun, CheckFailed, Error, InputOutputError
from ._explain import explain
from ._gemm import gemm
from ._gemm_run import emulate_gemm
from ._kernel import check, suggest, trace
from ._tileloom import (
    ComposedLayout,
    CopyAtom,
    DeviceArray,
    Kernel,
    Layout,
    MmaAtom,
    Module,
    Picture,
    Swizzle,
    TiledCopy,
    TiledMma,
    __version__,
    atom,
    atoms,
    evaluate,
    gpus,
    kernel_names,
)

if TYPE_CHECKING:
    from ._torch_ops import matmul as matmul
    from ._torch_ops import matmul_nt as matmul_nt

__all__ = [
    "BadInput",
    "CannotRun",
    "CheckFailed",
    "ComposedLayout",
    "CopyAtom",
    "DeviceArray",
    "Emulation",
    "Error",
    "InputOutputError",
    "Kernel",
    "Layout",
    "MmaAtom",
    "Module",
    "Output",
    "Picture",
    "Pointer",
    "Swizzle",
    "TiledCopy",
    "TiledMma",
    "__version__",
    "atom",
    "atoms",
    "check",
    "emulate",
    "emulate_gemm",
    "evaluate",
    "explain",
    "gemm",
    "gpus",
    "kernel_names",
    "layout",
    "suggest",
    "trace",
]

_OF_TORCH = ("matmul", "matmul_nt")  # not in __all__: `import *` does not need torch


def __getattr__(name: str) -> Any:
    """The functions of torch, which is imported when the first of them is asked for."""
    if name not in _OF_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if find_spec("torch") is None:  # an AttributeError: hasattr() answers
        raise AttributeError(f"{__name__}.{name} needs torch, which is not installed\nhint: pip install torch")
    from . import _torch_ops

    globals().update({each: getattr(_torch_ops, each) for each in _OF_TORCH})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *(_OF_TORCH if find_spec("torch") else ())})
