#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds what run.sh profiles: the programs, and one shipped kernel assembled with fewer and fewer registers.
#   build.sh NVCC OUTPUT_FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
nvcc=$1 out=$2
mkdir -p "$out"
for program in copy_counts copy_times register_counts; do
  "$nvcc" -arch=sm_90 -std=c++20 -O2 -lineinfo -I"$root/src" -o "$out/$program" "$here/$program.cu"
  strip "$out/$program"
done
for registers in 255 248 240 224; do
  zstd -dcq "$root/src/kernels/ptx/multistage_128x256x32_f16.ptx.zst" |
    sed "s/^\.minnctapersm 1/.maxnreg $registers/" >"$out/kernel.ptx"
  "$(dirname "$nvcc")/ptxas" --fmad=false -arch=sm_90 "$out/kernel.ptx" -o "$out/kernel_$registers.cubin"
done
rm "$out/kernel.ptx"
