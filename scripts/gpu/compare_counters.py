#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Nsight Compute counted (profile_kernels.sh) with what the emulator counts of the same launches.

  compare_counters.py COUNTERS.json TILELOOM
"""
import json
import re
import subprocess
import sys

# SASS of a kind of access -> the emulator's name of it
KINDS = {"LDGSTS": "cp.async", "LDSM": "ldmatrix", "LDS": "ld.shared", "STS": "st.shared", "LDG": "ld.global",
         "STG": "st.global"}


def measured(launch):
    sums = {}
    for i in launch["instructions"]:
        opcode = re.sub(r"^@!?U?P(T|\d+) ", "", i["sass"]).split()[0].split(".")[0]
        if opcode in KINDS:
            found = sums.setdefault(KINDS[opcode], dict.fromkeys(("wavefronts", "ideal_wavefronts", "sectors"), 0))
            for name in found:
                found[name] += i[name]
    return sums


def emulated(launch, tileloom):
    command = [tileloom, "gemm", *launch["arguments"].split(), "--backend", "emulator", "--counters", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {total["access"]: total for total in report["counters"]["totals"]}


def verdict(low, high, found):
    return "equal" if low == high == found else "inside" if low <= found <= high else "differs"


def rows(launch, tileloom):
    ours = emulated(launch, tileloom)
    for kind, found in measured(launch).items():
        if kind not in ours:
            continue
        shared, memory = ours[kind]["shared"], ours[kind]["global"]
        if shared:
            low, high = shared["wavefronts_low"], shared["wavefronts_high"]
            yield kind, "wavefronts", f"{low}..{high}" if low != high else str(low), found["wavefronts"], verdict(
                low, high, found["wavefronts"])
        if memory:
            yield kind, "sectors", str(memory["sectors"]), found["sectors"], verdict(
                memory["sectors"], memory["sectors"], found["sectors"])


def main():
    print("| launch | access | of | emulator | Nsight Compute | |\n| --- | --- | --- | ---: | ---: | --- |")
    for launch in json.load(open(sys.argv[1]))["launches"]:
        for kind, what, ours, theirs, word in rows(launch, sys.argv[2]):
            print(f"| `{launch['name']}` | {kind} | {what} | {ours} | {theirs} | {word} |")


main()
