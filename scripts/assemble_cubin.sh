#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Assembles PTX to machine code and keeps ptxas's report (registers, spills, shared memory) beside it.
#   assemble_cubin.sh PTXAS SM_XX INPUT.ptx OUTPUT.cubin      writes OUTPUT.cubin and OUTPUT.cubin.log
set -euo pipefail
ptxas=$1 arch=$2 input=$3 output=$4
if ! "$ptxas" -v --fmad=false -arch="$arch" "$input" -o "$output" 2>"$output.log"; then
  cat "$output.log" >&2
  exit 1
fi
