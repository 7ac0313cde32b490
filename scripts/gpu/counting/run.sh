#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures what copies of build.sh's programs count and how long they take, on the GPU here.
#   run.sh BUILT_FOLDER COPIES.json MORE.json      tests/golden/h200/copies.json and results/h200/copies.json
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
built=$(cd "$1" && pwd) copies=$2 more=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

by_instruction=launch__registers_per_thread,inst_executed,thread_inst_executed_true
for end in "" _ideal; do
  by_instruction+=,memory_l1_wavefronts_shared$end,memory_l2_theoretical_sectors_global$end
done
# The hardware's own counters, where this GPU has them.
ncu --query-metrics >"$work/metrics" 2>/dev/null || true
hardware=$(awk '$2 != "Ratio" && $2 != "Throughput" { print $1 }' "$work/metrics" |
  grep -E '^l1tex__(data_pipe_lsu_wavefronts(_mem_shared(_op_(ld|st))?|_mem_lg)?|data_bank_(reads|writes)|data_bank_conflicts_pipe_lsu(_mem_shared_op_ldgsts)?|m_xbar2l1tex_read_sectors|lsuin_requests|t_sectors_pipe_lsu_mem_global_op_ldgsts.*|t_requests_pipe_lsu_mem_global_op_ldgsts.*)$' |
  sed 's/$/.sum/' | paste -sd, || true)
[ -n "$hardware" ] || hardware=l1tex__data_pipe_lsu_wavefronts_mem_shared.sum

# profile METRICS NAME COMMAND...
profile() {
  local metrics=$1 name=$2
  shift 2
  ncu --clock-control none --metrics "$metrics" --force-overwrite --export "$work/$name" "$@" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; return 1; }
}

for unit in 16 8 4; do python3 "$here/patterns.py" $unit "$work/patterns$unit.bin"; done
# Where `timed` patterns and the first of each layout stand.
indices=$(python3 "$here/summary.py" --indices)
for form in cg16 ca16 ca8 ca4; do
  for sized in "" _sized; do
    patterns="$work/patterns${form#c?}.bin"
    profile "$by_instruction" "counts.$form$sized" "$built/copy_counts" "$patterns" $form$sized
    case $form in *16) # shellcheck disable=SC2086
      profile "$hardware" "hardware.$form$sized" "$built/copy_counts" "$patterns" $form$sized $indices ;;
    esac
  done
done
profile "$by_instruction" registers.pressure "$built/register_counts" pressure
for cubin in "$built"/kernel_*.cubin; do
  name=$(basename "$cubin" .cubin)
  profile "$by_instruction" "registers.$name" "$built/register_counts" "$cubin" multistage_128x256x32_f16
  (cd "$built" && ./register_counts "$name.cubin" multistage_128x256x32_f16) >>"$work/sums"
done
# shellcheck disable=SC2046
"$built/copy_times" "$work/patterns16.bin" $(python3 "$here/summary.py" --timed) >"$work/times"
python3 "$here/summary.py" "$work" "$copies" "$more"
