#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes kernels.ptx from kernels.cu; run it after a change and commit both. A test compares line numbers.
set -eu
cd "$(dirname "$0")"
"${NVCC:-nvcc}" -ptx -arch=sm_80 -lineinfo -o kernels.ptx kernels.cu
# Names that do not tell where it was compiled.
sed -i -E 's|^(\s*\.file\s+[0-9]+ ")[^"]*/|\1|' kernels.ptx
