# SPDX-License-Identifier: Apache-2.0
"""`emulate`: kernels of a file, run on the CPU with numpy arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ._arguments import Arguments
from ._errors import BadInput
from ._options import MOST_INT32, MOST_UINT64, extents, flag, followed, integer, path, text
from ._tileloom import Counters, Failure, Module, Provenance, Race, UninitialisedRead, _launch, _Run

__all__ = ["Emulation", "emulate"]

Extent = int | Sequence[int]


class Emulation:
    """A launch in the emulator and what was seen of it.

    Its text is what `tileloom emulate` prints. True where it ran to its end without a finding.
    """

    def __init__(self, run: _Run, arrays: dict[str, Any]) -> None:
        self._run = run
        self._given = arrays

    @cached_property
    def arrays(self) -> dict[str, Any]:
        """Every buffer as the kernel left it, by argument: the array that was passed; for text a new one.

        A new one of bf16 has the patterns, as uint16.
        """
        import numpy

        made = {}
        for name, kind, shape, data in self._run._buffers():
            if name in self._given:
                made[name] = self._given[name]
            else:
                dtype = "u2" if kind == "bf16" else f"{kind[0]}{int(kind[1:]) // 8}"
                made[name] = numpy.frombuffer(bytearray(data), dtype).reshape(shape)
        return made

    @property
    def kernel(self) -> str:
        """Its name, as C++ writes it."""
        return self._run.kernel

    @property
    def ok(self) -> bool:
        """Whether it ran to its end without a finding."""
        return self._run.ok

    @property
    def failure(self) -> Failure | None:
        """What ended the launch: out of bounds, misaligned, a deadlock, ..."""
        return self._run.failure

    @property
    def findings(self) -> list[Race | UninitialisedRead]:
        """Of a checked launch: races, then uninitialised reads."""
        return self._run.findings

    @property
    def races(self) -> list[Race]:
        """Of a checked launch: accesses that nothing orders."""
        return self._run.races

    @property
    def uninitialised_reads(self) -> list[UninitialisedRead]:
        """Of a checked launch: reads of bytes that nothing has written."""
        return self._run.uninitialised_reads

    @property
    def ignored(self) -> list[Race | UninitialisedRead]:
        """Findings that the file `ignore` accepts."""
        return self._run.ignored

    @property
    def counters(self) -> Counters | None:
        """Of a counted launch: executions, wavefronts, sectors by line and by instruction."""
        return self._run.counters

    @property
    def followed(self) -> Provenance | None:
        """Of a followed launch: the way of the element."""
        return self._run.followed

    @property
    def seconds(self) -> float:
        """That the launch took here."""
        return self._run.seconds

    @property
    def warp_instructions(self) -> int:
        """Executed, of all warps."""
        return self._run.warp_instructions

    @property
    def notes(self) -> list[str]:
        """What one must know before trusting the result."""
        return self._run.notes

    def raise_for_findings(self) -> None:
        """Raises CheckFailed where there is a failure or a finding."""
        self._run.raise_for_findings()

    def to_dict(self) -> dict[str, Any]:
        """What `tileloom emulate --json` prints, without the fields about the program and its arguments."""
        return self._run.to_dict()

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return str(self._run)

    def __repr__(self) -> str:
        found = self.failure.kind if self.failure else "ok" if self.ok else f"{len(self.findings)} findings"
        return f"<tileloom.Emulation {self.kernel}: {found}>"


def _module(source: Module | str | bytes | os.PathLike[str], arch: str | None) -> Module:
    if isinstance(source, Module):
        return source
    chosen = "sm_90" if arch is None else arch
    if isinstance(source, bytes | bytearray | memoryview):
        return Module.from_bytes(bytes(source), arch=chosen)
    if isinstance(source, str) and "\n" in source:
        return Module.from_ptx(text("source", source), arch=chosen)
    if not isinstance(source, str | os.PathLike):
        raise BadInput(f"source: expected a Module, a file, PTX text or bytes, found {type(source).__name__}")
    return Module.load(path("source", source), arch=chosen)


def emulate(
    source: Module | str | bytes | os.PathLike[str],
    args: Mapping[str, Any] | Sequence[Any] = (),
    *,
    entry: str = "",
    grid: Extent = 1,
    block: Extent,
    shared: int = 0,
    arch: str | None = None,
    check: bool = True,
    counters: bool = False,
    follow: str | tuple[str, int] | None = None,
    delivery: str = "late",
    schedule: int | None = None,
    max_instructions: int = 0,
    threads: int = 0,
    ignore: str | os.PathLike[str] | None = None,
    raise_failure: bool = True,
) -> Emulation:
    """Runs a kernel on the CPU, bit for bit, and looks for races. No GPU is needed.

    source: a `Module`; a file (PTX, a fatbin, an object or executable of nvcc's, a .cu); PTX text; or bytes of a file.
    args: the kernel's arguments, in the order of its parameters: a list, or a dict. The dict's names are yours, for
        messages, `Pointer` and `follow`; they bind nothing, the order counts. A numpy array is a pointer to it, and
        holds afterwards what the kernel left in it (`Output(array)`: it holds nothing before; a store to a read-only
        array ends the launch). An int or a float is a number of the parameter's type; a number of numpy's, bytes and
        ctypes structures are passed as they are; `Pointer(name, offset)` is an earlier buffer again; text is what
        `tileloom emulate --arg` takes, such as "f16[64,64]:normal:7".
    entry: the kernel, by any part of its name that one kernel alone has; not needed where there is one.
    grid, block: CTAs (1) and threads of a CTA, an int or up to three. shared: bytes of dynamic shared memory (0).
    arch: the GPU that is modelled, sm_90 if not given; a `Module` has its own, and another is refused.
    check: look for races and uninitialised reads. counters: count executions, wavefronts and sectors.
    follow: where the 16 bits at a byte of a buffer go, "x:18" or ("x", 18).
    delivery: when cp.async arrives, "late", "early" or "seed:N". schedule: a seed that orders warps and CTAs.
    max_instructions: end a CTA that runs more warp instructions (0: no limit). threads: of this machine (0: all).
    ignore: a file of findings that are accepted.

    raise_failure: what ends a launch (out of bounds, a deadlock, ...) raises CheckFailed; False: it is `failure` of the
        result. Races do not raise: see `findings` and `raise_for_findings`.

    Ctrl-C stops the launch.

    >>> import tileloom
    >>> ptx = '''
    ... .version 7.0
    ... .target sm_80
    ... .address_size 64
    ... .visible .entry twice(.param .u64 x) {
    ...   .reg .b64 %p; .reg .b32 %t; .reg .f32 %v;
    ...   ld.param.u64 %p, [x];
    ...   mov.u32 %t, %tid.x;
    ...   mad.wide.u32 %p, %t, 4, %p;
    ...   ld.global.f32 %v, [%p];
    ...   add.f32 %v, %v, %v;
    ...   st.global.f32 [%p], %v;
    ...   ret;
    ... }'''
    >>> import numpy
    >>> x = numpy.arange(4, dtype=numpy.float32)
    >>> tileloom.emulate(ptx, [x], block=4).ok
    True
    >>> x
    array([0., 2., 4., 6.], dtype=float32)
    """
    options = {
        "grid": extents("grid", grid),
        "block": extents("block", block),
        "shared": integer("shared", shared, 0, MOST_INT32),
        "arch": None if arch is None else text("arch", arch),
        "check": flag("check", check),
        "counters": flag("counters", counters),
        "follow": None if follow is None else followed(follow, "BUFFER:BYTE", ("x", 18)),
        "delivery": text("delivery", delivery),
        "schedule": None if schedule is None else integer("schedule", schedule, 0, MOST_UINT64),
        "max_instructions": integer("max_instructions", max_instructions, 0, MOST_UINT64),
        "threads": integer("threads", threads, 0, MOST_INT32),
        "ignore": None if ignore is None else path("ignore", ignore),
    }
    raises = flag("raise_failure", raise_failure)
    module = _module(source, arch)
    arguments = Arguments(args, module.kernel(text("entry", entry)))
    run = _launch(module, entry, arguments.specifications, **options)
    for name, _, _, data in run._buffers():
        arguments.write_back(name, data)
    if raises:
        run.raise_for_failure()
    return Emulation(run, arguments.given)
