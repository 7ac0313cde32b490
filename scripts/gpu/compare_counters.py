#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Nsight Compute counted (profile_kernels.sh) with what the emulator counts of the same launches.

  compare_counters.py COUNTERS.json TILELOOM      totals by kind of access, then source lines
"""
import collections
import json
import re
import subprocess
import sys

import counting_rules
import ptx_places

# SASS of a kind of access -> the emulator's name of it
KINDS = {"LDGSTS": "cp.async", "LDSM": "ldmatrix", "LDS": "ld.shared", "STS": "st.shared", "LDG": "ld.global",
         "STG": "st.global", "HMMA": "mma"}
# What is compared of a kind: these are one for one in PTX and SASS.
COUNTED = {"cp.async": ("executed", "lanes", "wavefronts", "sectors"), "ldmatrix": ("executed", "lanes", "wavefronts"),
           "mma": ("executed", "lanes"), "ld.shared": ("wavefronts",), "st.shared": ("wavefronts",),
           "ld.global": ("sectors",), "st.global": ("sectors",)}
WORDS = ("equal", "inside", "explained", "differs")

# At `places` (file, line), `counts` name -> (low, high): Nsight Compute's are (n, n).
Record = collections.namedtuple("Record", "kind places counts sass")


def measured(launch):
    for i in launch["instructions"]:
        opcode = re.sub(r"^@!?U?P(T|\d+) ", "", i["sass"]).split()[0].split(".")[0]
        if opcode in KINDS and not i["sass"].startswith("@!PT "):  # which ptxas puts there to wait, and never load
            counts = {name: (i[name], i[name]) for name in ("executed", "lanes", "wavefronts", "sectors")}
            counts["profiled"] = counts["wavefronts"]
            yield Record(KINDS[opcode], {(i["file"], i["line"])}, counts, [i])


def kind_of(i):
    if i["opcode"].startswith("mma.sync"):
        return "mma"
    return i["access"] + {"ld": ".shared" if i["shared"] else ".global",
                          "st": ".shared" if i["shared"] else ".global"}.get(i["access"], "")


def emulated(launch, tileloom):
    command = [tileloom, "gemm", *launch["arguments"].split(), "--backend", "emulator", "--counters", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    instructions = report["counters"]["instructions"]
    chains = ptx_places.chains(instructions[0]["ptx_file"])
    for i in instructions:
        shared, memory = i["shared"] or {}, i["global"] or {}
        counts = {"executed": (i["executions"],) * 2, "lanes": (i["lanes"],) * 2,
                  "profiled": (shared.get("profiled_wavefronts", 0),) * 2,
                  "wavefronts": (shared.get("wavefronts_low", 0), shared.get("wavefronts_high", 0)),
                  "sectors": (memory.get("sectors", 0),) * 2}
        if kind_of(i) in COUNTED:
            yield Record(kind_of(i), {(i["file"], i["line"])} | set(chains[i["ptx_line"]]), counts, [i])


def rows(ours, theirs):
    """(places, ours, theirs) of one kind. A place is the emulator's: the innermost outside library headers. ptxas names
    for some instructions one that this was inlined into, or the library's; what that mixes is one row."""
    def own(r):
        return (r.sass[0]["file"], r.sass[0]["line"])

    groups = []  # (own places, ours, theirs)
    for place in sorted({own(r) for r in ours}):
        groups.append(({place}, [r for r in ours if own(r) == place], []))
    for r in theirs:
        hit = [g for g in groups if any(r.places & mine.places for mine in g[1])]
        rest = [g for g in groups if not any(g is h for h in hit)]
        merged = (set().union(r.places if not hit else set(), *(g[0] for g in hit)),
                  [mine for g in hit for mine in g[1]], [other for g in hit for other in g[2]] + [r])
        groups = rest + [merged]
    return sorted(groups, key=lambda g: sorted(g[0]))


def compare(launch, kind, ours, theirs):
    """(what, low, high, found, word, rule) for what is compared of a kind."""
    mine, other = counting_rules.total(ours), counting_rules.total(theirs)
    for what in COUNTED[kind]:
        (low, high), found = mine[what], other[what][0]
        word = "equal" if low == high == found else "inside" if low <= found <= high else "differs"
        rule = counting_rules.explain(launch, kind, what, ours, theirs) if word == "differs" else None
        yield what, low, high, found, "explained" if rule else word, rule


def span(low, high):
    return str(low) if low == high else f"{low}..{high}"


def place_names(places):
    files = {}
    for file, line in sorted(places):
        files.setdefault(file, []).append(str(line))
    return ", ".join(f"{file}:{'+'.join(lines)}" for file, lines in files.items())


def cell(low, high, found, word, rule):
    if word == "equal":
        return str(found)
    return f"{span(low, high)} / {found}" + {"inside": " inside", "explained": f" [{rule}]"}.get(word, " **differs**")


def totals_table(launches, tally):
    print("| launch | access | of | emulator | Nsight Compute | |\n| --- | --- | --- | ---: | ---: | --- |")
    for launch, ours, theirs in launches:
        for kind in COUNTED:
            mine, other = [r for r in ours if r.kind == kind], [r for r in theirs if r.kind == kind]
            for what, low, high, found, word, rule in compare(launch, kind, mine, other) if mine or other else ():
                tally[word] += 1
                print(f"| `{launch['name']}` | {kind} | {what} | {span(low, high)} | {found} | "
                      f"{f'{word}: [{rule}]' if rule else word} |")


def lines_table(launches, tally):
    print("| launch | access | line | executed | lanes | wavefronts | sectors |\n"
          "| --- | --- | --- | ---: | ---: | ---: | ---: |")
    for launch, ours, theirs in launches:
        for kind in COUNTED:
            for places, mine, other in rows([r for r in ours if r.kind == kind], [r for r in theirs if r.kind == kind]):
                cells = dict.fromkeys(("executed", "lanes", "wavefronts", "sectors"), "")
                for what, low, high, found, word, rule in compare(launch, kind, mine, other):
                    tally[word] += 1
                    cells[what] = cell(low, high, found, word, rule)
                print(f"| `{launch['name']}` | {kind} | {place_names(places)} | {' | '.join(cells.values())} |")


def main():
    counters, tileloom = sys.argv[1:]
    launches = [(launch, list(emulated(launch, tileloom)), list(measured(launch)))
                for launch in json.load(open(counters))["launches"]]
    for title, table in (("Totals", totals_table), ("Source lines", lines_table)):
        tally = dict.fromkeys(WORDS, 0)
        print(f"## {title}\n")
        table(launches, tally)
        print("\n" + ", ".join(f"{tally[word]} {word}" for word in WORDS) + ".\n")


if __name__ == "__main__":
    main()
