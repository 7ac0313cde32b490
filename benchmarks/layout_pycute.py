#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The calls of layout_bench, timed with pycute in the same run.

usage: layout_pycute.py PATH_OF_LAYOUT_BENCH [FOLDER_THAT_HOLDS_PYCUTE]

pycute comes with the CUTLASS wheel. Prints nanoseconds a call for both and their ratio; exits with 1 if a ratio is
below 40.
"""
import json
import subprocess
import sys
import time
import timeit


def pycute_calls():
    from pycute import Layout, complement, composition, logical_divide

    a, b = Layout((16, 8), (8, 1)), Layout((4, 8), (8, 1))
    block = Layout((4, 8), (2, 16))
    matrix, tile = Layout((16, 64), (64, 1)), Layout((4, 8), (1, 16))
    return {
        "composition_rank2": lambda: composition(a, b),
        "complement_rank2": lambda: complement(block, 1024),
        "logical_divide_rank2": lambda: logical_divide(matrix, tile),
    }


def main():
    if len(sys.argv) > 2:
        sys.path.insert(0, sys.argv[2])
    command = [sys.argv[1], "--benchmark_format=json", "--benchmark_filter=_rank2/1"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    ours = {b["name"].split("/")[0]: b["cpu_time"] for b in report["benchmarks"]}
    print(f"{'call':<22} {'tileloom ns':>11} {'pycute ns':>10} {'ratio':>6}")
    slow = False
    for name, call in pycute_calls().items():
        count = 2000
        pycute = min(timeit.repeat(call, number=count, repeat=5, timer=time.process_time)) / count * 1e9
        ratio = pycute / ours[name]
        slow = slow or ratio < 40
        print(f"{name:<22} {ours[name]:>11.0f} {pycute:>10.0f} {ratio:>6.0f}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
