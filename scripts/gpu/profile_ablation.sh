#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What bounds each variant of the ablation: one launch of each under Nsight Compute.
#   profile_ablation.sh ABLATION_BENCH KERNEL_FOLDER SIZE OUTPUT.json
set -euo pipefail
program=$1 folder=$2 size=$3 output=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

metrics=gpu__time_duration.sum,sm__cycles_elapsed.avg.per_second
metrics+=,sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active
metrics+=,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__warps_active.avg.per_cycle_active
metrics+=,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
metrics+=,lts__t_sectors.sum,lts__t_sectors.avg.pct_of_peak_sustained_elapsed,lts__t_sector_hit_rate.pct
metrics+=,dram__bytes_read.sum,dram__bytes_write.sum,smsp__inst_executed.sum
for reason in barrier math_pipe_throttle short_scoreboard long_scoreboard mio_throttle wait not_selected; do
  metrics+=,smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio
done

ncu --clock-control none --kernel-name regex:ablation_ --metrics "$metrics" --csv --page raw --print-units base \
  "$program" "$folder" --launch-each "$size" >"$work/raw.csv" 2>"$work/log" || { cat "$work/log" "$work/raw.csv" >&2; exit 1; }
python3 - "$work/raw.csv" "$folder/variants.json" "$size" "$metrics" >"$output" <<'PYTHON'
import csv, json, sys

with open(sys.argv[1], encoding="utf-8") as file:
    lines = [line for line in file if line.startswith('"')]
with open(sys.argv[2], encoding="utf-8") as file:
    variants = [v["name"] for v in json.load(file)["variants"]]
metrics = sys.argv[4].split(",")
rows = list(csv.DictReader(lines))[1:]  # the first says the units
if len(rows) != len(variants):
    sys.exit(f"expected {len(variants)} launches, found {len(rows)}")
profiles = {}
for name, row in zip(variants, rows):
    profiles[name] = {m: float(row[m].replace(",", "")) for m in metrics}
json.dump({"size": int(sys.argv[3]), "variants": profiles}, sys.stdout, indent=1)
print()
PYTHON
