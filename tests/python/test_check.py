# SPDX-License-Identifier: Apache-2.0
"""Reports of `check` and `suggest`: the same as the program's, and what they promise."""

import program
import pytest

import tileloom

NAMES = tileloom.kernel_names()
EXAMPLE = "examples/hgemm-128x256x32.json"


@pytest.mark.parametrize("name", NAMES)
def test_reports_are_the_programs(name):
    report = tileloom.check(name)
    arguments = ["check", "--kernel", name]
    assert report.to_dict() == program.report(*arguments)
    assert str(report) == program.text(*arguments)
    assert report.ok
    assert report
    assert not report.failures


# A fault, and what must say so.
FAULTS = {
    "rows without alignment": ({"gmem.A": "(M,K):(K,_1)"}, "alignment"),
    "rows of shared memory that overlap": ({"smem.A": "(_128,_32,_3):(_16,_1,_2048)"}, "overlap"),
    "a tile that the copies do not cover": (
        {"g2s.A": {"atom": "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>", "thr": "(_32,_2):(_2,_1)", "val": "(_1,_8)"}},
        None,
    ),
    "an instruction that the GPU has not": ({"arch": "sm_75"}, "instructions"),
    "too much shared memory": ({"smem.A": "(_128,_32,_3):(_32,_1,_1048576)"}, "shared memory"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_told_as_by_the_program(fault):
    settings, name = FAULTS[fault]
    kernel = tileloom.Kernel.from_json(program.ROOT / EXAMPLE, settings=settings)
    arguments = ["check", EXAMPLE]
    for field, value in settings.items():
        arguments += ["--set", f"{field}={value if isinstance(value, str) else program.json.dumps(value)}"]
    report = kernel.check()
    assert program.run(*arguments)[0] == 1
    assert report.to_dict() == program.report(*arguments)
    assert str(report) == program.text(*arguments)
    assert not report.ok
    assert not report
    assert report.failures
    assert all(p.verdict == "bad" and p.text for p in report.failures)
    if name is not None:
        assert name in {p.name for p in report.failures}


def test_conflicts_are_those_beyond_the_ideal():
    kernel = tileloom.Kernel.from_json(program.ROOT / EXAMPLE)
    report = kernel.check()
    written = report.to_dict()["sites"]
    for site, one in zip(report.sites, written, strict=True):
        assert (site.site, site.memory, site.width) == (one["site"], one["memory"], one["width_bytes"])
        if site.memory == "shared":
            cost = one["wavefronts"]
            assert site.conflicts == cost["high"] - cost["ideal"]
            assert (site.shared.all_high, site.shared.rule) == (cost["all_high"], cost["rule"])
            assert site.global_memory is None
        else:
            assert site.conflicts == 0
            assert site.global_memory.all_sectors == one["sectors"]["all"]
    most = max(site.conflicts for site in report.sites)
    assert most > 0
    assert kernel.check(max_conflicts=most).ok
    refused = kernel.check(max_conflicts=most - 1)
    assert not refused.ok
    assert refused.to_dict() == program.report("check", EXAMPLE, "--max-conflicts", most - 1)


def test_sizes_are_those_of_the_command_line():
    report = tileloom.check("multistage", sizes={"K": 64, "M": 1024})
    assert report.to_dict() == program.report("check", "--kernel", "multistage", "--size", "K=64", "--size", "M=1024")


@pytest.mark.parametrize("named", ["smem", EXAMPLE])
def test_suggestions_are_the_programs_and_cost_what_they_say(named):
    kernel = tileloom.Kernel(named) if named == "smem" else tileloom.Kernel.from_json(program.ROOT / named)
    arguments = ["check", *(["--kernel", named] if named == "smem" else [named]), "--suggest"]
    suggestions = tileloom.suggest(kernel)
    assert suggestions.to_dict() == program.report(*arguments)["suggestions"]
    assert program.text(*arguments).endswith(str(suggestions))
    tried = 0
    for operand in suggestions.operands:
        for suggestion in operand.best:
            changed = suggestion.apply()
            report = changed.check()
            assert report.ok
            assert changed.shared_bytes == suggestion.shared_bytes
            costs = {s.site: s.shared for s in report.sites if s.memory == "shared" and s.site[0] == operand.operand}
            stated = [c for c in (suggestion.cost.write, suggestion.cost.read) if c is not None]
            assert sorted(c.all_high for c in costs.values()) == sorted(c.all_high for c in stated)
            tried += 1
        excesses = [suggestion.cost.excess for suggestion in operand.best]
        assert excesses == sorted(excesses)
        assert not excesses or excesses[0] <= operand.now.excess
    assert tried >= 2
