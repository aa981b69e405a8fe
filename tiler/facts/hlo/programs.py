"""The programs of a run: where the store keeps their HLO protos; parsed when they are first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler._native import NamedParts
from tilescope.tiler.caches import KeyedCache
from tilescope.tiler.facts.hlo.buffers import BufferAssignment, parse_buffers
from tilescope.tiler.facts.hlo.damage import HloDamage
from tilescope.tiler.facts.hlo.module import HloModule
from tilescope.tiler.facts.hlo.parsing import MAX_PROTO_BYTES, parse_module
from tilescope.tiler.facts.hlo.program_devices import DeviceAssignment, program_assignment, program_devices
from tilescope.tiler.facts.hlo.program_parts import ProgramParts, find_parts, program_of_parts
from tilescope.tiler.facts.hlo.values import ProgramValues, parse_values
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.store.attachments import AttachmentEntry, attachments_of, whole_content
from tilescope.tiler.store.two_threads import Aside

# Of the programs that a second thread looks through before anybody asks for one: it takes tens of milliseconds.
_MAX_AHEAD_BYTES: Final = 64 << 20
_MIN_AHEAD_BYTES: Final = 1 << 20

_PREFIX: Final = "hlo/"

T = TypeVar("T", HloModule, BufferAssignment, ProgramParts, ProgramValues)


@dataclass(frozen=True, slots=True)
class Program:
    """One that a file of the run has an HLO proto of."""

    entry: AttachmentEntry

    @property
    def id(self) -> str:
        """Decimal: it may be beyond 2^63."""
        return self.entry.name.removeprefix(_PREFIX)

    @property
    def label(self) -> str:
        """As the trace calls it: "jit_step(7)"."""
        return self.entry.label

    @property
    def name(self) -> str:
        """Without its id: "jit_step"."""
        return self.label.removesuffix(f"({self.id})")

    @property
    def file(self) -> int:
        """Index of its file among those of the run."""
        return self.entry.file


def programs_of(reader: QueryReader) -> tuple[Program, ...]:
    """Programs of a run. Raises NotBuilt while it is indexed, DamagedStore."""
    return tuple(Program(entry) for entry in attachments_of(reader.store) if entry.name.startswith(_PREFIX))


def hlo_module(reader: QueryReader, program: Program) -> Interruptible[HloModule]:
    """The module of a program. Raises HloDamage, one line that names it; DamagedStore."""
    return (yield from _kept(reader, program, "module", _of_bytes(parse_module)))


def program_values(reader: QueryReader, program: Program) -> Interruptible[ProgramValues]:
    """Its instructions for those who ask for single ones. Raises HloDamage, one line that names it; DamagedStore."""
    return (yield from _kept(reader, program, "values", _of_bytes(parse_values)))


def program_parts(reader: QueryReader, program: Program) -> Interruptible[ProgramParts]:
    """Its instructions with what they call. Raises HloDamage, one line that names it; DamagedStore."""
    return (yield from _kept(reader, program, "parts", _read_parts))


def buffer_assignment(reader: QueryReader, program: Program) -> Interruptible[BufferAssignment]:
    """The memory of a program. Raises HloDamage, one line that names it; DamagedStore."""
    return (yield from _kept(reader, program, "buffers", _of_bytes(parse_buffers)))


def device_count(reader: QueryReader, program: Program) -> Interruptible[int]:
    """The number of devices that run it as one; 0 where it does not say. Raises HloDamage; DamagedStore."""
    return program_devices((yield from _content(reader, program.entry)))


def device_assignment(reader: QueryReader, program: Program) -> Interruptible[DeviceAssignment | None]:
    """The places of devices in it; None: it does not say them. Raises HloDamage; DamagedStore."""
    return program_assignment((yield from _content(reader, program.entry)))


def parts_ahead(reader: QueryReader) -> Interruptible[AbstractContextManager[object]]:
    """Begins to find the parts of the programs of a run, unless they are large: a second thread does it meanwhile.

    For whoever is going to ask for `program_parts`, in a block. What is damaged is told then. Raises DamagedStore.
    """
    ahead = _AHEAD.setdefault(reader, {})
    entries = {_key("parts", program.entry): program.entry for program in programs_of(reader)}
    if sum(entry.size_bytes for entry in entries.values()) > _MAX_AHEAD_BYTES:
        return nullcontext()
    with ExitStack() as begun:
        for key, entry in entries.items():
            if entry.size_bytes >= _MIN_AHEAD_BYTES and _PROGRAMS.get(reader, key) is None and key not in ahead:
                raw = yield from _content(reader, entry)
                ahead[key] = begun.enter_context(Aside(partial(find_parts, raw)))
                begun.callback(ahead.pop, key, None)
        return begun.pop_all()


def left_out_words(program: Program) -> str:
    """Effect of the damage of a program, in words."""
    return f"the HLO proto of {program.label} was left out"


_Key = tuple[str, str, int, int]
_Parsed = HloModule | BufferAssignment | ProgramParts | ProgramValues


# Parsed programs; a text says why one could not be parsed.
_PROGRAMS: Final = KeyedCache[QueryReader, _Key, _Parsed | str](
    "programs",
    "HLO protos of programs, parsed",
    lambda value: len(value) if isinstance(value, str) else value.size_bytes,
)

# Parts of programs that a second thread looks for while a question needs them: no cache, they end with that question.
_AHEAD: Final[WeakKeyDictionary[QueryReader, dict[_Key, Aside[NamedParts]]]] = WeakKeyDictionary()


def _key(what: str, entry: AttachmentEntry) -> _Key:
    """Hosts that run one program have the same bytes of it."""
    return what, entry.name, entry.size_bytes, entry.crc32


def _kept(
    reader: QueryReader, program: Program, what: str, read: Callable[[QueryReader, AttachmentEntry], Interruptible[T]]
) -> Interruptible[T]:
    entry = program.entry
    key = _key(what, entry)
    parsed = _PROGRAMS.get(reader, key)
    if parsed is None:
        try:
            parsed = yield from read(reader, entry)
        except HloDamage as damage:
            parsed = str(damage)
        _PROGRAMS.keep(reader, key, parsed)
    if isinstance(parsed, str):
        raise HloDamage(f"{left_out_words(program)}: {parsed}")
    return cast(T, parsed)


def _read_parts(reader: QueryReader, entry: AttachmentEntry) -> Interruptible[ProgramParts]:
    ahead = _AHEAD.get(reader, {}).pop(_key("parts", entry), None)
    parts = ahead.result() if ahead is not None else find_parts((yield from _content(reader, entry)))
    return (yield from program_of_parts(parts, entry.size_bytes))


def _of_bytes(
    parse: Callable[[bytes], Generator[None, None, T]],
) -> Callable[[QueryReader, AttachmentEntry], Interruptible[T]]:
    def read(reader: QueryReader, entry: AttachmentEntry) -> Interruptible[T]:
        return (yield from parse((yield from _content(reader, entry)).tobytes()))

    return read


def _content(reader: QueryReader, entry: AttachmentEntry) -> Interruptible[NDArray[np.uint8]]:
    if entry.size_bytes > MAX_PROTO_BYTES:
        raise HloDamage(f"it has {entry.size_bytes:,} bytes, the limit is {MAX_PROTO_BYTES:,}")
    return (yield from whole_content(reader.store, entry))
