# SPDX-License-Identifier: Apache-2.0
"""Integers that CuTe knows at compile time."""


class Static(int):
    """A static integer, CuTe's ``_4``; a plain int is dynamic, CuTe's ``4``.

    Shapes and strides of results hold these where CuTe prints an underscore. They are integers in every other way.

    >>> from tileloom import Layout
    >>> from tileloom.layout import Static
    >>> print(Layout((Static(4), 8)))
    (_4,8):(_1,_4)
    >>> Layout('(_4,8):(8,_1)').shape
    (4, 8)
    """

    __slots__ = ()
