# SPDX-License-Identifier: Apache-2.0
"""What the loads of the epilogue's slab count where only lanes inside D make them: ptxas moves the load, which PTX has
before the test of row and column, behind it."""
import itertools
import json
import pathlib
import re

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "src/kernels/configs"
CHUNK = 8  # halves a lane loads


def slab(config):
    """(rows, columns, columns of a part that is swizzled on its own) of C in shared memory."""
    part, whole = re.fullmatch(
        r"tile_to_shape\(Sw<3,3,3> o _0 o \((_\d+,_\d+)\):\(_\d+,_1\), \((_\d+,_\d+)\)\)", config["smem"]["C"]).groups()
    (_, part_columns), (rows, columns) = ([int(n) for n in re.findall(r"\d+", text)] for text in (part, whole))
    return rows, columns, part_columns


def word(row, column, rows, part_columns):
    """The first 4-byte word of the chunk at (row, column) of the slab."""
    at = row * part_columns + column % part_columns
    at ^= at >> 3 & 0b111000  # Sw<3,3,3>
    return (column // part_columns * rows * part_columns + at) // 2


def passes(words):
    """Wavefronts of a load of 16 bytes a lane (docs/memory-cost.md); no lane reads another one's words here."""
    groups = [words[i:i + 8] for i in range(0, 32, 8)]
    return sum(max([sum(1 for w in group if w is not None and (bank - w) % 32 < 4) for bank in range(32)])
               for group in groups)


def expected(arguments):
    """executed, lanes and wavefronts of the loads of one launch."""
    given = dict(re.findall(r"--(\S+) (\S+)", arguments))
    config = json.loads((CONFIGS / (given["kernel"] + ".json")).read_text())
    m, n, (tile_m, tile_n, _) = int(given["m"]), int(given["n"]), config["tile"]
    rows, columns, part_columns = slab(config)
    thread_rows, thread_columns = (int(i) for i in re.findall(r"\d+", config["epilogue"]["s2g"]["thr"].split(":")[0]))
    counts = {"executed": 0, "lanes": 0, "wavefronts": 0}
    starts = itertools.product(range(0, -(-m // tile_m) * tile_m, thread_rows), range(0, -(-n // tile_n) * tile_n, columns))
    for first_row, first_column in starts:
        for warp in range(thread_rows * thread_columns // 32):
            words = []
            for thread in range(32 * warp, 32 * warp + 32):
                row, column = first_row + thread // thread_columns, thread % thread_columns * CHUNK
                inside = row < m and first_column + column < n
                words.append(word(row % rows, column, rows, part_columns) if inside else None)
            active = sum(w is not None for w in words)
            counts["executed"] += active > 0
            counts["lanes"] += active
            counts["wavefronts"] += passes(words)
    return counts
