# SPDX-License-Identifier: Apache-2.0
"""Why Nsight Compute's count is another number than the emulator's. Each rule was measured, and each is computed: but for
executions that a guard switches off it explains a difference only if it gives the profiler's number exactly.
docs/memory-cost.md describes them by name.
"""
import edge_loads


def total(records):
    """name -> (low, high) over all records."""
    return {name: (sum(r.counts[name][0] for r in records), sum(r.counts[name][1] for r in records))
            for name in ("executed", "lanes", "wavefronts", "sectors", "profiled")}


def guarded(records, names=("@",)):
    return [r for r in records if r.sass[0]["sass"].startswith(names)]


def predicate(what, mine, other, theirs):
    """A branch round it in PTX is a predicate in SASS: executed by warps of which no lane makes it, too. Those of which
    lanes do are as many: the same lanes, in PTX whole warps."""
    skipped = other["executed"][0] - mine["executed"][0]
    may_skip = total(guarded(theirs))["executed"][0]
    whole = mine["lanes"][0] == 32 * mine["executed"][0]
    return what == "executed" and whole and mine["lanes"] == other["lanes"] and 0 < skipped <= may_skip


def guard_p0(what, mine, other, theirs):
    """Of copies that bypass L1 and are guarded by predicate register P0 the profiler counts executions and lanes only."""
    unseen = guarded(theirs, ("@P0 LDGSTS.E.BYPASS",))
    lanes = other["lanes"][0] - total(unseen)["lanes"][0]  # all copies of a launch cost alike, as many lanes of them
    return (what in ("wavefronts", "sectors") and unseen and total(unseen)[what][0] == 0
            and mine["lanes"] == other["lanes"] and mine[what][0] * lanes == other[what][0] * mine["lanes"][0])


def sized_guard_p0(launch, what, ours, theirs):
    """If such a copy has a source size, the profiler counts the executions that P0 switches off, too, with whatever is in
    the registers. The copies without that guard are equal, one by one, and so is what the SM gets from L2."""
    switched = guarded(theirs, ("@P0 LDGSTS.E.BYPASS",))
    name = {"wavefronts": "profiled", "sectors": "sectors"}.get(what)
    if not name or len(ours) != len(theirs) or not all("ZFILL" in r.sass[0]["sass"] for r in switched):
        return False
    plain = [(mine, other) for mine, other in zip(ours, theirs) if not any(other is r for r in switched)]
    return (switched and plain and all(mine.counts[name] == other.counts[name] for mine, other in plain)
            and hardware(launch, "m_xbar2l1tex_read_sectors") == total(ours)["sectors"][0])


def sized_copy(what, mine, other, theirs):
    """Of a copy that bypasses L1, with a source size that is no constant, the profiler counts the passes twice: as one
    that does not bypass, too. The hardware does not take them."""
    return what == "wavefronts" and any("ZFILL" in r.sass[0]["sass"] for r in theirs) and mine["profiled"] == other[what]


def hardware(launch, counter):
    return launch.get("hardware", {}).get(f"l1tex__{counter}.sum")


def hardware_loads(launch):
    """Wavefronts of ld.shared by the SM's counter, which counts ldmatrix's with them: the profiler and the emulator agree
    on those."""
    both = hardware(launch, "data_pipe_lsu_wavefronts_mem_shared_op_ld")
    matrices = sum(i["wavefronts"] for i in launch["instructions"] if "LDSM" in i["sass"])
    return None if both is None else both - matrices


def sunk_load(launch, what, other):
    """ptxas moves the load of the slab behind the test of row and column: fewer lanes load than in PTX. Where the
    profiler's count is another one still, the hardware's counter decides."""
    expected = edge_loads.expected(launch["arguments"])
    return (what == "wavefronts" and all(other[name][0] == expected[name] for name in ("executed", "lanes"))
            and expected[what] in (other[what][0], hardware_loads(launch)))


def explain(launch, kind, what, ours, theirs):
    """The name of the rule that gives what was counted, if one does."""
    mine, other = total(ours), total(theirs)
    if kind == "ld.shared" and sunk_load(launch, what, other):
        return "sunk load"
    if kind == "cp.async":
        for name, rule in (("predicate", predicate), ("guard P0", guard_p0), ("sized copy", sized_copy)):
            if rule(what, mine, other, theirs):
                return name
        if sized_guard_p0(launch, what, ours, theirs):
            return "guard P0"
    return None
