# SPDX-License-Identifier: Apache-2.0
"""Patterns of addresses and source sizes for asynchronous copies: what one warp's copy of `unit` bytes a lane is given.

  patterns.py UNIT OUTPUT.bin     as copies.cuh reads them

A pattern is (name, to, from, size), three lists by lane. In memory that the pattern does not name nothing else lies.
"""
import random
import struct
import sys

LANES = range(32)
IN_LAUNCH = 16  # as copy_counts.cu has it


def layouts(unit):
    """name -> (to, from): what tiles look like, then anything."""
    rows = {}
    dense = [lane * unit for lane in LANES]
    for row_bytes in (128, 64):
        a_row = row_bytes // unit
        for skew, label in ((0, ""), (16, " all rows 16 off"), (-16, " odd rows 16 off")):
            def start(row, skew=skew):
                return row * 8192 + (skew if skew > 0 else -skew * (row % 2))
            rows[f"rows of {row_bytes}{label}"] = (dense, [start(lane // a_row) + lane % a_row * unit for lane in LANES])
    swizzled = [(lane // 8 * 8 + (lane % 8 ^ lane // 8)) * unit for lane in LANES]
    rows["rows of 128 swizzled"] = (swizzled, rows["rows of 128"][1])
    rows["rows of 128 odd rows 16 off, swizzled"] = (swizzled, rows["rows of 128 odd rows 16 off"][1])
    rows["one line"] = (dense, [lane * unit % 128 for lane in LANES])
    rows["one place"] = (dense, [0 for _ in LANES])
    rows["a column"] = ([lane * 128 for lane in LANES], [lane * 8192 for lane in LANES])
    return rows


def masks(generator):
    """name -> the lanes that read."""
    found = {"all": set(LANES), "none": set(), "odd": {lane for lane in LANES if lane % 2}}
    for n in (1, 8, 12, 16, 24, 31):
        found[f"first {n}"] = set(range(n))
    found["second and third of 4"] = {lane for lane in LANES if lane % 4 in (1, 2)}
    found["random"] = {lane for lane in LANES if generator.random() < 0.6}
    return found


def contiguous(unit, stride):
    """Rows as timings want them: all of a warp's data within 1024 bytes."""
    a_row = 128 // unit if stride == 128 else 64 // unit
    return [lane * unit for lane in LANES], [lane // a_row * 128 + lane % a_row * unit for lane in LANES]


def patterns(unit):
    generator = random.Random(unit)
    made = []
    for name, (to, source) in layouts(unit).items():
        for mask_name, readers in masks(generator).items():
            made.append((f"{name}; {mask_name} read", to, source, [unit if lane in readers else 0 for lane in LANES]))
    to, source = layouts(unit)["rows of 128"]
    for n in (8, 16, 24):  # where those that read nothing point
        size = [unit if lane < n else 0 for lane in LANES]
        for where, moved in (("at lane 0's place", 0), ("far away, each its own line", None)):
            made.append((f"rows of 128; first {n} read, others {where}", to,
                         [source[lane] if lane < n else moved if moved is not None else 300000 + lane * 4096
                          for lane in LANES], size))
    for i in range(24):
        places = generator.sample(range(64), 32)
        chosen = [generator.randrange(128) * unit for _ in LANES]
        made.append((f"random {i}", [p * unit for p in places], chosen,
                     [unit if generator.random() < (1, 0.8, 0.5)[i % 3] else 0 for _ in LANES]))
    for row_bytes, stride in ((128, 128), (64, 64)):  # the timed ones
        to, source = contiguous(unit, stride)
        for mask_name, readers in (("all", set(LANES)), ("odd", set(LANES[1::2])), ("none", set())):
            made.append((f"timed rows of {row_bytes}; {mask_name} read", to, source,
                         [unit if lane in readers else 0 for lane in LANES]))
    to, source = layouts(unit)["one line"]
    for mask_name, readers in (("all", set(LANES)), ("odd", set(LANES[1::2])), ("none", set())):
        made.append((f"timed one line; {mask_name} read", to, source, [unit if lane in readers else 0 for lane in LANES]))
    made += [made[0]] * (-len(made) % IN_LAUNCH)
    to, source = layouts(unit)["rows of 128"]
    for i in range(IN_LAUNCH):  # in a launch of their own: parts of a copy
        part = unit // 2 if i % 2 else unit // 4 * 3
        made.append((f"rows of 128; first {2 * i} read {part} of {unit} bytes", to, source,
                     [part if lane < 2 * i else unit for lane in LANES]))
    return made


def main():
    unit = int(sys.argv[1])
    with open(sys.argv[2], "wb") as output:
        for _, to, source, size in patterns(unit):
            output.write(struct.pack("96i", *to, *source, *size))


if __name__ == "__main__":
    main()
