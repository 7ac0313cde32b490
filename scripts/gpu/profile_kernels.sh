#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the GPU counts, by instruction: profiles the launches of profile_launches.txt with Nsight Compute.
#   profile_kernels.sh TILELOOM OUTPUT.json
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tileloom=$1 output=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

metrics=inst_executed,thread_inst_executed_true
for end in "" _ideal; do
  metrics+=,memory_l1_wavefronts_shared$end,memory_l2_theoretical_sectors_global$end
done
for counter in data_pipe_lsu_wavefronts_mem_shared{,_op_ld,_op_st} m_xbar2l1tex_read_sectors; do
  metrics+=,l1tex__$counter.sum
done

reports=()
while read -r name arguments; do
  case $name in '' | '#'*) continue ;; esac
  # shellcheck disable=SC2086
  ncu --clock-control none --metrics "$metrics" --export "$work/$name" "$tileloom" gemm $arguments --backend cuda >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
  reports+=("$name=$arguments=$work/$name.ncu-rep")
done <"$here/profile_launches.txt"
python3 "$here/ncu_by_instruction.py" "${reports[@]}" >"$output"
