# SPDX-License-Identifier: Apache-2.0
"""What a call costs on the CPU, from Python: our operators beside torch's, small products on one GPU.

    python benchmarks/python_calls.py [--revision REV] [--device cuda|cpu] > python_calls.json

CPU time of the calling thread. Batches of calls of all candidates in turn; between batches the GPU catches up, so that
no call waits for it. Nothing passes or fails.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import tileloom
import torch
from tileloom import _tileloom

CALLS = 200  # fewer than a stream's queue holds
ROUNDS = 31


def candidates(m: int, n: int, k: int, device: str) -> dict[str, Callable[[], Any]]:
    a = torch.randn(m, k, dtype=torch.float16, device=device)
    b = torch.randn(n, k, dtype=torch.float16, device=device)
    out = torch.empty(m, n, dtype=torch.float16, device=device)
    b_t = b.t()
    matmul_nt, matmul = tileloom.matmul_nt, tileloom.matmul  # which register the operators
    operator = torch.ops.tileloom.matmul_nt.default
    weight = b.clone().requires_grad_()
    linear = torch.nn.functional.linear
    on_gpu = device == "cuda"
    stream = torch.cuda.current_stream().cuda_stream if on_gpu else 0
    raw = (
        a.data_ptr(), k, b.data_ptr(), k, out.data_ptr(), n, m, n, k, "f32", "", 0, 0,
        "cuda" if on_gpu else "emulator", "", 0 if on_gpu else -1, stream,
    )  # fmt: skip
    return {
        "tileloom.matmul_nt(a, b)": lambda: matmul_nt(a, b),
        "tileloom.matmul_nt(a, b, out=)": lambda: matmul_nt(a, b, out=out),
        "tileloom.matmul(a, b.t())": lambda: matmul(a, b_t),
        "torch.ops.tileloom.matmul_nt(a, b)": lambda: operator(a, b),
        "tileloom.gemm(a, b), DLPack": lambda: tileloom.gemm(a, b),
        "the C++ function alone": lambda: _tileloom._gemm(*raw),
        "torch.matmul(a, b.t())": lambda: torch.matmul(a, b_t),
        "torch.mm(a, b.t(), out=)": lambda: torch.mm(a, b_t, out=out),
        "torch.nn.functional.linear(a, b)": lambda: linear(a, b),
        "tileloom.matmul_nt(a, weight), recorded": lambda: matmul_nt(a, weight),
        "torch.nn.functional.linear(a, weight), recorded": lambda: linear(a, weight),
        "an empty Python function": lambda: None,
    }


def measure(
    calls: dict[str, Callable[[], Any]], synchronize: Callable[[], None], rounds: int
) -> dict[str, list[float]]:
    """Microseconds a call, of each batch."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        for _ in range(3):
            call()
    for _ in range(rounds):
        for name, call in calls.items():
            synchronize()
            start = time.thread_time_ns()
            for _ in range(CALLS):
                call()
            times[name].append((time.thread_time_ns() - start) / CALLS / 1000)
    return times


def driver_version() -> str:
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--revision", default="", help="git revision of the package, for the record")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    on_gpu = options.device == "cuda"
    synchronize = torch.cuda.synchronize if on_gpu else (lambda: None)
    rows = []
    for m, n, k in [(64, 64, 64), (256, 256, 256), (16, 4096, 512)] if on_gpu else [(1, 1, 1)]:
        times = measure(candidates(m, n, k, options.device), synchronize, options.rounds)
        for name, batches in times.items():
            quartiles = statistics.quantiles(batches, n=4) if len(batches) > 1 else batches * 3
            rows.append(
                {
                    "call": name,
                    "m": m,
                    "n": n,
                    "k": k,
                    "cpu_us_median": round(statistics.median(batches), 3),
                    "cpu_us_quartiles": [round(quartiles[0], 3), round(quartiles[2], 3)],
                    "cpu_us_least": round(min(batches), 3),
                }
            )
            print(f"{m:5} {n:5} {k:5}  {rows[-1]['cpu_us_median']:8.2f} us  {name}", file=sys.stderr)
    record = {
        "schema": "tileloom.python_calls/1",
        "version": tileloom.__version__,
        "git_revision": options.revision,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "argv": sys.argv,
        "method": f"CPU time of the calling thread; {CALLS} calls a batch, synchronised between batches; "
        f"candidates in turn, {options.rounds} rounds; median over batches",
        "machine": {
            "device": torch.cuda.get_device_name() if on_gpu else "cpu",
            "driver": driver_version(),
            "cuda": torch.version.cuda,
            "cpu": next(
                (line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), ""
            ),
            "python": platform.python_version(),
            "torch": torch.__version__,
        },
        "calls": rows,
    }
    json.dump(record, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
