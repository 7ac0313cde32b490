# SPDX-License-Identifier: Apache-2.0
"""The reports of run.sh as JSON: the patterns with what was counted, and everything else.

  summary.py WORK_FOLDER COPIES.json MORE.json    reads *.ncu-rep, times and sums there
  summary.py --indices | --timed  numbers of the patterns that hardware counters see; NAME:NUMBER of those to time
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import ncu_by_instruction  # noqa: E402
from patterns import patterns  # noqa: E402

NAMES = [name for name, _, _, _ in patterns(16)]
TIMED = [i for i, name in enumerate(NAMES) if name.startswith("timed ")]
SEEN = TIMED + [NAMES.index(name) for name in (
    "rows of 128; all read", "rows of 128; first 16 read", "rows of 128; none read", "rows of 128 odd rows 16 off; all read",
    "rows of 128 all rows 16 off; all read", "rows of 64; all read", "rows of 64; first 16 read")]


def actions(path):
    module = ncu_by_instruction.ncu_report()
    found = module.load_report(str(path)).range_by_idx(0)
    return [found.action_by_idx(i) for i in range(found.num_actions())]


def copies(action):
    return [i for i in ncu_by_instruction.instructions(action) if "LDGSTS" in i["sass"]]


def predicates(sass):
    """Of the guard and of the source: `P0`, `!P3`; None where there is none."""
    found = re.match(r"(?:@(!?P\d) )?LDGSTS\S* [^,]*, *(?:(!?P\d), *)?", sass)
    return found.groups()


def count(copy):
    guard, source = predicates(copy["sass"])
    return {"guard": guard, "source": source, "lanes": copy["lanes"], "wavefronts": copy["wavefronts"],
            "ideal": copy["ideal_wavefronts"], "sectors": copy["sectors"]}


def counts(work):
    """By form: the patterns' numbers with what was counted of each."""
    made = {}
    for path in sorted(work.glob("counts.*.ncu-rep")):
        every = [copy for action in actions(path) for copy in copies(action)]
        made[path.name.split(".")[1]] = [count(copy) for copy in every]
    return made


def registers(work):
    """Guarded copies among more and more registers in use."""
    made = []
    for path in sorted(work.glob("registers.*.ncu-rep")):
        for action in actions(path):
            guarded = [count(c) for c in copies(action) if c["sass"].startswith("@")]
            made.append({"kernel": path.name.split(".")[1],
                         "registers": int(action.metric_by_name("launch__registers_per_thread").as_double()),
                         "guards": sorted({c["guard"] for c in guarded}), "lanes": sum(c["lanes"] for c in guarded),
                         "wavefronts": sum(c["wavefronts"] for c in guarded),
                         "sectors": sum(c["sectors"] for c in guarded)})
    return made


def hardware(work):
    """The SM's own counters, for each of 100 copies."""
    made = []
    for path in sorted(work.glob("hardware.*.ncu-rep")):
        for i, action in zip(SEEN, actions(path)):
            names = [name for name in action.metric_names() if name.startswith("l1tex__") and name.endswith(".sum")]
            made.append({"form": path.name.split(".")[1], "pattern": NAMES[i],
                         **{name: action.metric_by_name(name).as_double() for name in names}})
    return made


def patterns_json():
    return {str(unit): [{"name": name, "to": to, "from": source, "size": size}
                        for name, to, source, size in patterns(unit)] for unit in (16, 8, 4)}


def lines(key, rows):
    return f'"{key}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]"


def main():
    if sys.argv[1] == "--indices":
        return print(*SEEN)
    if sys.argv[1] == "--timed":
        return print(*(NAMES[i].removeprefix("timed ").replace(" ", "_") + f":{i}" for i in TIMED))
    work, golden, results = (pathlib.Path(argument) for argument in sys.argv[1:])
    golden.write_text("{\n" + ",\n".join(lines(k, v) for part in (patterns_json(), counts(work))
                                         for k, v in part.items()) + "\n}\n")
    times = [json.loads(line) for line in open(work / "times")]
    results.write_text("{\n" + ",\n".join([lines("times", times), lines("hardware", hardware(work)),
                                           lines("registers", registers(work)),
                                           lines("sums", open(work / "sums").read().splitlines())]) + "\n}\n")
    return None


if __name__ == "__main__":
    main()
