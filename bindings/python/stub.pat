# SPDX-License-Identifier: Apache-2.0
# What the stub generator leaves out.
^tileloom._tileloom.__prefix__$:
    __version__: str
