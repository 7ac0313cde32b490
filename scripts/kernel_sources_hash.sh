#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the SHA-256 of everything that the kernels' PTX is made from, the compiler and CUTLASS excepted.
#   kernel_sources_hash.sh SOURCE_ROOT
set -euo pipefail
cd "$1"
export LC_ALL=C
sha256sum src/kernels/*.cuh src/kernels/*.cu.in src/kernels/instances.json src/kernels/params.hpp \
  scripts/compile_ptx.sh | sha256sum | cut -d' ' -f1
