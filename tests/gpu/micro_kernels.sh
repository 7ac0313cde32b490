#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: micro_kernels.sh PROGRAM DIRECTORY
# Records in DIRECTORY what the GPU of this machine gives for the micro-kernels. A kernel that fails takes PROGRAM with
# it; it is named and left out of the next try.
set -u
export CUDA_MODULE_LOADING=EAGER  # so that kernels are compiled on all processors
program=$1
to=$2
rm -f "$to/micro_kernels.bin.failed"
try=0
while [ "$try" -lt 30 ]; do
  "$program" "$to/micro_kernels.bin" "$to/micro_kernels.whole" >"$to/micro_kernels.log" 2>&1
  status=$?
  [ "$status" -eq 3 ] || break
  try=$((try + 1))
done
grep '^failed' "$to/micro_kernels.log"
tail -n 1 "$to/micro_kernels.log"
exit "$status"
