#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every kernel of tests/emu/races under each tool of compute-sanitizer and prints a table: what each reports.
#   tests/gpu/race_kernels.sh build/release/tests/gpu/race_kernels [LOG_FOLDER]
# `found`: the tool reports an error; `-`: it does not; `time`: it did not end within half a minute.
set -u
program=$1
logs=${2:-race_kernels_logs}
sanitizer=${COMPUTE_SANITIZER:-compute-sanitizer}
tools='memcheck racecheck synccheck initcheck'
mkdir -p "$logs"

# run TOOL KERNEL: its log, and its verdict in a file.
run() {
  more=
  [ "$1" = racecheck ] && more="--racecheck-report all"
  # shellcheck disable=SC2086
  timeout -k 5 30 "$sanitizer" --tool "$1" $more --error-exitcode 9 "$program" "$2" >"$logs/$2.$1.log" 2>&1 </dev/null
  case $? in
    9) echo found ;;
    124 | 137) echo time ;;
    *) if grep -q 'ERROR SUMMARY: 0 errors\|SUMMARY: 0 hazards' "$logs/$2.$1.log"; then echo -; else echo found; fi ;;
  esac >"$logs/$2.$1.verdict"
}

printf '| kernel | memcheck | racecheck | synccheck | initcheck |\n| --- | --- | --- | --- | --- |\n'
"$program" | while read -r name _; do
  for tool in $tools; do run "$tool" "$name" & done
  wait
  row="| $name |"
  for tool in $tools; do row="$row $(cat "$logs/$name.$tool.verdict") |"; done
  printf '%s\n' "$row"
done
