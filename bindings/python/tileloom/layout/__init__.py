# SPDX-License-Identifier: Apache-2.0
"""CuTe's layout algebra: functions of layouts, named as in CuTe.

Wherever a function takes a layout it takes its text as well, or an expression for it. Integers in tuples are dynamic,
those in text with an underscore static. With `cute=True` an answer is CuTe's own, right or wrong, text and all;
otherwise it obeys the law that the function states, and what has no answer is refused.
"""

from .._static import Static
from .._tileloom import (
    ComposedLayout,
    Layout,
    Swizzle,
    SymbolicLayout,
    Tensor,
    call,
    evaluate,
    properties,
    table_text,
)
from .._tileloom import explain_expression as explain
from . import _algebra, _coordinates, _modes, _tiling
from ._algebra import *
from ._call import AnyLayout, IntTree, LayoutLike, Tiler
from ._coordinates import *
from ._modes import *
from ._tiling import *

__all__ = [
    "AnyLayout",
    "ComposedLayout",
    "IntTree",
    "Layout",
    "LayoutLike",
    "Static",
    "Swizzle",
    "SymbolicLayout",
    "Tensor",
    "Tiler",
    "call",
    "evaluate",
    "explain",
    "properties",
    "table_text",
    *_algebra.__all__,
    *_coordinates.__all__,
    *_modes.__all__,
    *_tiling.__all__,
]
