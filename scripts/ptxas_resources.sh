#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Turns ptxas's reports into rows of a C++ table, on stdout: entry, sm, registers, stack, spilled and static shared bytes.
#   ptxas_resources.sh IMAGE_FOLDER      reads IMAGE_FOLDER/NAME.sm_XX.cubin.log
set -euo pipefail
cd "$1"
LC_ALL=C awk '
  function flush() {
    if (entry != "") printf "{\"%s\", {hw::Arch{%s}, %s, %s, %s, %s}},\n", entry, sm, registers, stack, spilled, shared
  }
  /Compiling entry function/ {
    flush()
    split($0, quoted, "\x27")
    entry = quoted[2]
    sm = substr(quoted[4], 4)
    shared = 0
  }
  /bytes stack frame/ { stack = $1; spilled = $5 + $9 }
  /Used [0-9]+ registers/ {
    match($0, /Used [0-9]+/)
    registers = substr($0, RSTART + 5, RLENGTH - 5)
    if (match($0, /[0-9]+ bytes smem/)) shared = substr($0, RSTART, RLENGTH) + 0
  }
  END { flush() }
' ./*.cubin.log | LC_ALL=C sort
