# SPDX-License-Identifier: Apache-2.0
"""The source places of PTX instructions: the innermost and all that it was inlined into."""
import pathlib
import re
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "src/kernels/ptx"
LOC = re.compile(r"\s*\.loc\s+(\d+) (\d+) (\d+)(?:, function_name [^,]+, inlined_at (\d+) (\d+) (\d+))?")
FILE = re.compile(r'\s*\.file\s+(\d+) "([^"]*)"')


def chains(ptx_file):
    """By line of NAME.compute_XX.ptx: the (file, source line)s that the instruction there was inlined through."""
    packed = FOLDER / (ptx_file.split(".")[0] + ".ptx.zst")
    text = subprocess.run(["zstd", "-dcq", packed], check=True, capture_output=True, text=True).stdout.splitlines()
    files = {int(m[1]): m[2].rsplit("/", 1)[-1] for m in map(FILE.match, text) if m}
    of_place, current, found = {}, (), {}  # a place that code was inlined at: what the latest .loc of these numbers said
    for number, line in enumerate(text, 1):
        loc = LOC.match(line)
        if loc:
            at = tuple(int(n) for n in loc.groups()[:3])
            outer = tuple(int(n) for n in loc.groups()[3:]) if loc[4] else None
            current = ((files[at[0]], at[1]),) + (of_place.get(outer, ((files[outer[0]], outer[1]),)) if outer else ())
            of_place[at] = current
        found[number] = current
    return found
