#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes gemm.ptx.gz, which is tested where there is no nvcc, with CMakeLists.txt's own options; run it after a change to
# gemm.cu.
#   make_ptx.sh CUTLASS_INCLUDE
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -ptx -lineinfo -arch=sm_80 -std=c++17 -I"$1" -o "$work/gemm.ptx" gemm.cu
# Names that do not tell where it was compiled, but still whose headers they are.
sed -E -e '/^\s*\.file/ { s|"[^"]*/targets/[^/]*/include/|"cuda/|; s|"[^"]*/include/cute/|"cutlass/cute/|
  s|"[^"]*/include/cutlass/|"cutlass/cutlass/|; s|"/[^"]*/|"|; }' "$work/gemm.ptx" | gzip -9n >gemm.ptx.gz
