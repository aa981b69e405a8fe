"""What programs do as a whole in many windows, on TPU cores: sums that need no row of each instruction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from tilescope.tiler.facts.operations.borders import Mask, TrackBorders, borders_of_each
from tilescope.tiler.facts.operations.instruction_columns import Exact, Ints, products, sum_of
from tilescope.tiler.facts.operations.instruction_places import instruction_places
from tilescope.tiler.facts.operations.kind_sums import clipped
from tilescope.tiler.facts.operations.op_table import TpuCore, core_span
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.records import OperationRecords, track_kinds
from tilescope.tiler.facts.operations.roofline import is_control, is_feed, nothing_of_program
from tilescope.tiler.pages.operations import Operations, TrackKinds
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.windows import Windows, WindowsOf

# How often each instruction runs is counted for some windows at once, so that what they share is read once: 32 MB.
_COUNTED_AT_ONCE: Final = 1 << 22

# Sums that are kept for the next question, of some hundred bytes.
_KEPT_SUMS: Final = 20_000

_Key = tuple[bool, bytes]


def program_sums(
    reader: QueryReader, cores: Sequence[TpuCore], windows: Sequence[WindowsOf], *, with_feeds: bool
) -> Steps[list[Operation | None]]:
    """As `roofline.program` of the table of each of some windows; None: no operation is there."""
    known = {} if reader.store.is_growing else _KNOWN.setdefault(reader, {})
    keys = [(with_feeds, _digest(cores, windows_of)) for windows_of in windows]
    found = {key: known[key] for key in keys if key in known}
    left = {key: windows_of for key, windows_of in zip(keys, windows, strict=True) if key not in found}
    if left:
        reading = _Reading(reader, cores, with_feeds=with_feeds)
        yield from reading.begin()
        for some in reading.batches(list(left)):
            programs = yield from reading.programs([left[key] for key in some])
            found.update(zip(some, programs, strict=True))
        if len(known) + len(left) > _KEPT_SUMS:
            known.clear()
        known.update((key, found[key]) for key in left)
    return [found[key] for key in keys]


_KNOWN: WeakKeyDictionary[QueryReader, dict[_Key, Operation | None]] = WeakKeyDictionary()


def _digest(cores: Sequence[TpuCore], windows_of: WindowsOf) -> bytes:
    """Of what is looked at on which cores."""
    found = blake2b(digest_size=20)
    for core in cores:
        for track in (*core.operations, *core.steps):
            of = windows_of(track)
            found.update(f"{track} {len(of)} ".encode())
            found.update(of.starts.tobytes() + of.stops.tobytes())
    return found.digest()


@dataclass(frozen=True, slots=True)
class _Track:
    """Operations of a core, and what is known of each of their kinds."""

    track: int
    kinds: TrackKinds
    records: OperationRecords
    places: Ints
    of_program: Mask  # those that have rows
    feeds: Mask  # those that do not belong to the program, nor does their time
    custom: Mask


class _Sums:
    """Of one of the windows."""

    def __init__(self, places: int) -> None:
        self.count = np.zeros(places, np.int64)  # of each instruction
        self.seen = np.zeros(places, np.bool_)
        self.feeds = 0  # what they take, ps
        self.flops = self.model_flops = self.bytes = 0  # of custom calls


class _Reading:
    """Reads for one question."""

    def __init__(self, reader: QueryReader, cores: Sequence[TpuCore], *, with_feeds: bool) -> None:
        self._reader = reader
        self._instructions = instruction_places(reader)
        self._with_feeds = with_feeds
        self._cores = [core for core in cores if any(track_kinds(reader, track) for track in core.operations)]
        self._tracks: list[_Track] = []

    def begin(self) -> Steps[None]:
        """Finds out what operations are: before anything else."""
        for core in self._cores:
            for track in core.operations:
                kinds = track_kinds(self._reader, track)
                places = None if kinds is None else (yield from self._instructions.places(track, kinds))
                if kinds is not None and places is not None:
                    self._tracks.append(self._of(track, kinds, places))

    def _of(self, track: int, kinds: TrackKinds, places: Ints) -> _Track:
        known = self._instructions.columns
        of_program = known.has_symbol[places]
        feeds = known.are(is_feed)[places] & of_program & (not self._with_feeds)
        custom = self._instructions.are_custom()[places] & of_program
        return _Track(track, kinds, OperationRecords(self._reader, track, kinds), places, of_program, feeds, custom)

    def batches(self, keys: Sequence[_Key]) -> Iterator[Sequence[_Key]]:
        """As many at a time as there is memory for."""
        step = max(_COUNTED_AT_ONCE // max(len(self._instructions), 1), 1)
        for first in range(0, len(keys), step):
            yield keys[first : first + step]

    def programs(self, windows: Sequence[WindowsOf]) -> Steps[list[Operation | None]]:
        """The program in each of some windows; None: no operation is there."""
        sums = [_Sums(len(self._instructions)) for _ in windows]
        for of in self._tracks:
            yield from self._add(of, [windows_of(of.track) for windows_of in windows], sums)
        return [self._program(windows_of, own) for windows_of, own in zip(windows, sums, strict=True)]

    def _program(self, windows_of: WindowsOf, sums: _Sums) -> Operation | None:
        known = self._instructions.columns
        sums.seen &= known.has_symbol
        if not sums.seen.any():
            return None
        span = sum(core_span(self._reader, core, windows_of(core.operations[0])) for core in self._cores)
        found = nothing_of_program(span - sums.feeds)
        some = known.has_symbol & ~known.are(is_control)
        if not self._with_feeds:
            some &= ~known.are(is_feed)
        count = np.where(some, sums.count, 0)
        plain = np.where(self._instructions.are_custom(), 0, count)
        found.flops = sums.flops + sum_of(products(known.flops, plain))
        found.model_flops = sums.model_flops + sum_of(products(known.model_flops, plain))
        found.bytes = sums.bytes + sum_of(products(known.bytes, plain))
        if (known.tells_memory & sums.seen & some).any():
            found.by_memory = {key: sum_of(products(moved, count)) for key, moved in known.traffic.items()}
        return found

    def _add(self, of: _Track, looked: Sequence[Windows], sums: Sequence[_Sums]) -> Steps[None]:
        """Adds the operations of a track to the sums of each of some windows."""
        borders = yield from borders_of_each(self._reader, of.track, [(one.starts, one.stops) for one in looked])
        adding = [_Adding(of, *each) for each in zip(looked, borders, strict=True)]
        met: dict[int, list[_Adding]] = {}
        for one in adding:
            for number in of.records.met(one.looked) if len(one.looked) else ():
                met.setdefault(number, []).append(one)
        for number, some in sorted(met.items(), key=lambda item: item[0]):
            found = of.records.operations(number)
            for one in some:
                one.add(found, of.records.first(number))
            yield
        for one, own in zip(adding, sums, strict=True):
            np.add.at(own.count, of.places, one.count)
            own.seen[of.places[one.seen | (one.count > 0)]] = True
            own.feeds += one.feeds
            self._add_custom(of, np.where(of.custom, one.count, 0), one.said, own)

    def _add_custom(self, of: _Track, count: Ints, said: dict[str, int], sums: _Sums) -> None:
        """Adds custom calls: what they say themselves goes before what their instructions say."""
        if not of.custom.any():
            return
        known = self._instructions.columns

        def total(column: Exact) -> int:
            return sum_of(products(column[of.places], count))

        flops = said.get("flops")
        sums.flops += total(known.flops) if flops is None else flops
        model_flops = said.get("model_flops", flops)
        sums.model_flops += total(known.model_flops) if model_flops is None else model_flops
        moved = said.get("bytes_accessed")
        sums.bytes += total(known.bytes) if moved is None else moved


class _Adding:
    """Adds what of the records of a track lies in some windows."""

    def __init__(self, of: _Track, looked: Windows, borders: TrackBorders) -> None:
        self.looked = looked
        self.count = np.zeros(len(of.places), np.int64)
        self.seen = np.zeros(len(of.places), np.bool_)
        self.feeds = 0
        self.said: dict[str, int] = {}
        self._of, self._borders = of, borders

    def add(self, found: Operations, first: int) -> None:
        """Adds a record, which begins with an event."""
        last = first + len(found)
        opened = self._borders.opened.between(first, last)
        for at in self._borders.met(first, last):
            some = slice(max(int(self._borders.first[at]) - first, 0), int(self._borders.last[at]) - first)
            self.count += np.bincount(found.kind[some], minlength=len(self.count))
        parts = np.where(self._borders.starts(first, last), found.duration, 0) if self._of.feeds.any() else None
        for ordinal, start, end in zip(*(column.tolist() for column in opened.columns), strict=True):
            row = ordinal - first
            part = clipped(self.looked, start, end, int(found.duration[row]))
            self.seen[found.kind[row]] |= part > 0
            if parts is not None:
                parts[row] = part
        if parts is not None:
            self.feeds += _own(found, parts, self._of.feeds)
        if found.numbers and self._of.custom.any():
            _add_numbers(found, self._borders.starts(first, last) & self._of.custom[found.kind], self.said)


def _own(of: Operations, parts: Ints, wanted: Mask) -> int:
    """What some kinds of operations take themselves, without those that lie in them."""
    within = of.parent >= 0
    inner = np.zeros(len(of), np.bool_)
    inner[within] = wanted[of.parent[within]]
    return sum_of(parts[wanted[of.kind]]) - sum_of(parts[inner])


def _add_numbers(of: Operations, some: Mask, into: dict[str, int]) -> None:
    """Adds what operations say themselves."""
    for name in _SAID:
        if name in of.numbers:
            said = of.numbers[name][some[of.told]]
            into[name] = into.get(name, 0) + sum_of(said[said > 0])


_SAID: Final = ("flops", "model_flops", "bytes_accessed")
