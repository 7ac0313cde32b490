# SPDX-License-Identifier: Apache-2.0
"""The source places of PTX instructions: the innermost and all that it was inlined into."""
import gzip
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "src/kernels/ptx"
LOC = re.compile(r"\s*\.loc\s+(\d+) (\d+) (\d+)(?:, function_name [^,]+, inlined_at (\d+) (\d+) (\d+))?")
FILE = re.compile(r'\s*\.file\s+(\d+) "([^"]*)"')


def chains(ptx_file):
    """By PTX line: the set of (file, source line) that the instruction there was inlined through."""
    text = gzip.decompress((FOLDER / (ptx_file + ".gz")).read_bytes()).decode().splitlines()
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
