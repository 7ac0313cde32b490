#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nsight Compute reports as JSON: one object a launch, with what was counted at each instruction.

  ncu_by_instruction.py NAME=ARGUMENTS=REPORT.ncu-rep...
"""
import glob
import json
import re
import sys

ROOTS = ("/usr/local/cuda*/nsight-compute*/extras/python", "/opt/nvidia/nsight-compute/*/extras/python",
         "/usr/local/**/nsight-compute*/extras/python")


def ncu_report():
    for root in ROOTS:
        for folder in sorted(glob.glob(root, recursive=True), reverse=True):
            sys.path.insert(0, folder)
            import ncu_report as module
            return module
    sys.exit("ncu_by_instruction: Nsight Compute's Python module was not found in " + ", ".join(ROOTS))


COUNTED = {
    "executed": "inst_executed",
    "lanes": "thread_inst_executed_true",
    "wavefronts": "memory_l1_wavefronts_shared",
    "ideal_wavefronts": "memory_l1_wavefronts_shared_ideal",
    "sectors": "memory_l2_theoretical_sectors_global",
    "ideal_sectors": "memory_l2_theoretical_sectors_global_ideal",
}


# The SM's own counters of a whole launch, where the report has them.
HARDWARE = tuple("l1tex__" + name + ".sum" for name in (
    "data_pipe_lsu_wavefronts_mem_shared", "data_pipe_lsu_wavefronts_mem_shared_op_ld",
    "data_pipe_lsu_wavefronts_mem_shared_op_st", "m_xbar2l1tex_read_sectors"))


def by_address(action, metric_name):
    metric = action.metric_by_name(metric_name)
    if metric is None or not metric.has_correlation_ids():
        return {}
    ids = metric.correlation_ids()
    return {ids.as_uint64(i): int(metric.as_double(i)) for i in range(metric.num_instances())}


def instructions(action):
    counts = {name: by_address(action, metric) for name, metric in COUNTED.items()}
    for address in sorted(counts["executed"]):
        values = {name: found.get(address, 0) for name, found in counts.items()}
        if values["executed"] == 0:
            continue
        sass = " ".join(action.sass_by_pc(address).split())
        if not re.match(r"(@!?U?P(T|\d+) )?(LDGSTS|LDSM|LDS|STS|LDG|STG|HMMA)\b", sass):
            continue
        source = action.source_info(address)
        place = {"file": source.file_name().rsplit("/", 1)[-1], "line": source.line()} if source else {}
        yield {"sass": sass, **place, **values}


def launch(report, module):
    name, arguments, path = report.split("=", 2)
    action = module.load_report(path).range_by_idx(0).action_by_idx(0)
    hardware = {metric: int(action.metric_by_name(metric).as_double())
                for metric in HARDWARE if action.metric_by_name(metric) is not None}
    return {"name": name, "arguments": arguments, "kernel": action.name(), "hardware": hardware,
            "instructions": list(instructions(action))}


def main():
    module = ncu_report()
    print(json.dumps({"launches": [launch(report, module) for report in sys.argv[1:]]}, indent=1))


if __name__ == "__main__":
    main()
