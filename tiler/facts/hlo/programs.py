"""The programs of a run: where the store keeps their HLO protos; parsed when they are first asked for, and kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar, cast
from weakref import WeakKeyDictionary

from tilescope.tiler.facts.hlo.buffers import BufferAssignment, parse_buffers
from tilescope.tiler.facts.hlo.damage import HloDamage
from tilescope.tiler.facts.hlo.module import HloModule
from tilescope.tiler.facts.hlo.parsing import MAX_PROTO_BYTES, parse_module
from tilescope.tiler.facts.hlo.program_parts import ProgramParts, parse_parts
from tilescope.tiler.facts.hlo.values import ProgramValues, parse_values
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.store.attachments import AttachmentEntry, listed, whole_content

# Of what a build's programs take in memory.
MAX_KEPT_BYTES: Final = 256 << 20

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
        """Of the run."""
        return self.entry.file


def programs_of(reader: QueryReader) -> tuple[Program, ...]:
    """Those of a run; none while it is indexed. Raises DamagedStore."""
    record = reader.store.attachments()
    if record is None:
        return ()
    return tuple(Program(entry) for entry in listed(record) if entry.name.startswith(_PREFIX))


def hlo_module(reader: QueryReader, program: Program) -> Steps[HloModule]:
    """What a program consists of. Raises HloDamage, one line that names it; DamagedStore."""
    return (yield from _kept(reader, program, "module", parse_module))


def program_values(reader: QueryReader, program: Program) -> Steps[ProgramValues]:
    """Its instructions for those who ask for single ones. Raises HloDamage, one line that names it; DamagedStore."""
    return (yield from _kept(reader, program, "values", parse_values))


def program_parts(reader: QueryReader, program: Program) -> Steps[ProgramParts]:
    """Its instructions with what they call. Raises HloDamage, one line that names it; DamagedStore."""
    return (yield from _kept(reader, program, "parts", parse_parts))


def buffer_assignment(reader: QueryReader, program: Program) -> Steps[BufferAssignment]:
    """The memory of a program. Raises HloDamage, one line that names it; DamagedStore."""
    return (yield from _kept(reader, program, "buffers", parse_buffers))


def left_out_words(program: Program) -> str:
    """What damage does to one, in words."""
    return f"the HLO proto of {program.label} was left out"


_Key = tuple[str, str, int, int]
_Parsed = HloModule | BufferAssignment | ProgramParts | ProgramValues


class _Kept:
    """What was parsed, the least recently used forgotten first; or why it could not be."""

    def __init__(self) -> None:
        self._of: OrderedDict[_Key, tuple[_Parsed | str, int]] = OrderedDict()

    def get(self, key: _Key) -> _Parsed | str | None:
        found = self._of.pop(key, None)
        if found is None:
            return None
        self._of[key] = found
        return found[0]

    def put(self, key: _Key, value: _Parsed | str, size: int) -> None:
        self._of[key] = value, size
        while len(self._of) > 1 and sum(size for _, size in self._of.values()) > MAX_KEPT_BYTES:
            self._of.popitem(last=False)


_KEPT: WeakKeyDictionary[QueryReader, _Kept] = WeakKeyDictionary()


def _kept(
    reader: QueryReader, program: Program, what: str, parse: Callable[[bytes], Generator[None, None, T]]
) -> Steps[T]:
    entry = program.entry
    kept = _KEPT.setdefault(reader, _Kept())
    # Hosts that run one program have the same bytes of it.
    key = (what, entry.name, entry.size_bytes, entry.crc32)
    found = kept.get(key)
    if found is None:
        try:
            found = yield from parse((yield from _content(reader, entry)))
            kept.put(key, found, found.size_bytes)
        except HloDamage as damage:
            found = str(damage)
            kept.put(key, found, len(found))
    if isinstance(found, str):
        raise HloDamage(f"{left_out_words(program)}: {found}")
    return cast(T, found)


def _content(reader: QueryReader, entry: AttachmentEntry) -> Steps[bytes]:
    if entry.size_bytes > MAX_PROTO_BYTES:
        raise HloDamage(f"it has {entry.size_bytes:,} bytes, the limit is {MAX_PROTO_BYTES:,}")
    return (yield from whole_content(entry, partial(reader.store.attachment_chunk, entry.id)))
