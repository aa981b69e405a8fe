"""Rates of copies on streams, by kind of copy: the sum of what all copies of a kind that run move in a second, exactly.

A copy says its rate (`memory bandwidth (GB/s)`) or its bytes; one that says neither is left out. Curves are made in
pieces of time, of which each reads its own events.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import Values
from tilescope.tiler.facts.lanes.step_curve import StepCurve
from tilescope.tiler.facts.lanes.stream_queue import piece_borders
from tilescope.tiler.query import EVERYTHING, ArgumentReader, Interruptible, Name, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache, RunCache
from tilescope.tiler.ticks import UNITS_PS
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_KIND: Final = re.compile(r"Memcpy [A-Za-z0-9]{1,20}|Memset")
_CATEGORIES: Final = frozenset({"gpu_memcpy", "gpu_memset", "memcpy", "memset"})
_OTHERS: Final = "Other copies"
_MOST_KINDS: Final = 64

_RATE: Final = "memory bandwidth (GB/s)"
_BYTES: Final = "bytes"
_NOT_RECORDED: Final = -1
_FEW_EVENTS: Final = 1 << 15  # of a stream, that are read to find its kinds
_MOST_BYTES_PER_SECOND: Final = 1 << 50
_MOST_AT_ONCE: Final = 1 << 62  # bytes per second of all copies that run: fits into 64 bits


@dataclass(frozen=True, slots=True)
class CopyKinds:
    """Kinds of copies of a run: `titles`, and of each name the place of its kind, 1 the first, 0 none."""

    titles: Sequence[str]
    numbers: NDArray[np.uint8]  # that of events without a name first


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies of a stream that have a tick in a piece of time; columns of shape (n,), times in ticks."""

    ordinal: Ints
    start: Ints
    stop: Ints
    kind: Ints  # as in `CopyKinds.numbers`
    rate: Ints  # bytes per second, -1 not recorded
    size: Ints  # bytes, -1 not recorded

    def take(self, which: Ints | NDArray[np.bool_]) -> Copies:
        """Some of them."""
        return Copies(*(getattr(self, column)[which] for column in self.__slots__))


_KINDS: Final = RunCache[CopyKinds]("copy_kinds", "Kinds of copies, by name")
_PRESENT: Final = KeyedRunCache[int, Sequence[int]]("copy_kinds_of_streams", "Kinds of copies of each stream")
_BORDERS: Final = KeyedRunCache[int, Ints]("copy_borders", "Pieces of streams with copies")
_PIECES: Final = KeyedRunCache[tuple[int, int], Copies]("copies", "Copies of streams, by pieces", grows=True)


def copy_kinds(reader: QueryReader) -> Interruptible[CopyKinds]:
    """The kinds of copies of a run of PyTorch. Raises DamagedStore."""
    kinds = _KINDS.get(reader)
    if kinds is None:
        titles: dict[str, tuple[int, str]] = {}  # by their small letters, of which keys of lanes are made

        def number(name: Name) -> int:
            if name.category.lower() not in _CATEGORIES:
                return 0
            match = _KIND.match(name.text)
            title = _OTHERS if match is None else match[0]
            if title.lower() not in titles and len(titles) >= _MOST_KINDS:
                title = _OTHERS
            return titles.setdefault(title.lower(), (len(titles) + 1, title))[0]

        numbers = yield from reader.names.numbers(number)
        kinds = _KINDS.keep(reader, CopyKinds([title for _, title in titles.values()], numbers))
    return kinds


def kinds_of_track(reader: QueryReader, track: int) -> Interruptible[Sequence[int]]:
    """The kinds of copies on a stream; of one with many different names those of the run. Raises DamagedStore."""
    present = _PRESENT.get(reader, track)
    if present is None:
        numbers = (yield from copy_kinds(reader)).numbers
        whole = reader.whole_histogram(track)
        if whole is not None and not whole.has_other_names:
            names = [whole.name]
        elif reader.tree.tracks[track].events <= _FEW_EVENTS:
            names = []
            plan = reader.plan(track, EVERYTHING)
            for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
                names.append(np.unique(events.name))
                yield
        else:
            names = [np.arange(len(numbers) - 1)]
        kinds = np.unique(np.concatenate([np.zeros(0, np.uint8), *(numbers[part + 1] for part in names)]))
        present = _PRESENT.keep(reader, track, [int(kind) for kind in kinds if kind])
    return present


def copies_between(reader: QueryReader, track: int, start: int, stop: int) -> Iterator[tuple[int, int, Copies] | None]:
    """Pieces of [start, stop) and a little around it, with the copies in each; None where whoever asks may stop.

    Raises DamagedStore.
    """
    borders = _BORDERS.get(reader, track)
    if borders is None:
        borders = _BORDERS.keep(reader, track, piece_borders(reader, [track]))
    first = max(int(np.searchsorted(borders, start, side="right")) - 1, 0)
    end = min(int(np.searchsorted(borders, stop, side="left")), len(borders) - 1)
    for number in range(first, end):
        begin, finish = int(borders[number]), int(borders[number + 1])
        copies = _PIECES.get(reader, (track, number))
        if copies is None:
            copies = _PIECES.keep(reader, (track, number), (yield from _read(reader, track, begin, finish)))
        yield begin, finish, copies


def rate_curve(copies: Copies, kind: int, start: int, stop: int) -> StepCurve:
    """The rate of copies of a kind in a piece of time, of its copies: bytes per second."""
    copies = copies.take((copies.kind == kind) & (copies.rate > 0) & (copies.stop > copies.start))
    rate = copies.rate
    if float(rate.sum(dtype=np.float64)) > _MOST_AT_ONCE:  # of damaged traces alone
        rate = np.minimum(rate, _MOST_AT_ONCE // len(rate))
    times = np.concatenate([[start], np.maximum(copies.start, start), copies.stop]).astype(np.int64)
    change = np.concatenate([[0], rate, -rate]).astype(np.int64)
    seen = times < stop
    times, change = times[seen], change[seen]
    # What ends at a tick ends before what begins there.
    order = np.lexsort((change, times))
    times, value = times[order], np.cumsum(change[order])
    last = np.append(np.diff(times) != 0, True)
    return StepCurve(start, stop, times[last], value[last])


def _read(reader: QueryReader, track: int, start: int, stop: int) -> Interruptible[Copies]:
    kinds = yield from copy_kinds(reader)
    arguments = ArgumentReader(reader.store)
    none = np.zeros(0, np.int64)
    parts: list[Sequence[Ints]] = [[none] * 6]
    plan = reader.plan(track, Windows.single(start, stop))
    for events in Reading(reader).events(plan, plan.leaf_runs):
        kind = kinds.numbers[events.name + 1].astype(np.int64)
        ends = events.start + np.maximum(events.duration, 1)
        which = (kind > 0) & (events.start < stop) & (ends > start)
        events, kind = events.take(which), kind[which]
        order = np.argsort(events.ordinal, kind="stable")
        events, kind = events.take(order), kind[order]
        rate, size = np.full(len(events), _NOT_RECORDED), np.full(len(events), _NOT_RECORDED)
        for batch in arguments.values(track, events.ordinal, (_RATE, _BYTES)):
            durations = (events.duration[batch.which] * reader.tick_ps).tolist()
            pairs = [_figures(batch.values, row, duration) for row, duration in enumerate(durations)]
            rate[batch.which], size[batch.which] = np.array(pairs, np.int64).reshape(-1, 2).T
            yield
        parts.append([events.ordinal, events.start, events.start + events.duration, kind, rate, size])
        yield
    return Copies(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _figures(values: Sequence[Values], row: int, duration_ps: int) -> tuple[int, int]:
    """Bytes per second, and bytes; -1 not recorded."""
    rate, size = (column.value(row) for column in values)
    whole = size if isinstance(size, int) and not isinstance(size, bool) and 0 <= size < 1 << 62 else _NOT_RECORDED
    if isinstance(rate, int | float) and not isinstance(rate, bool) and math.isfinite(rate) and rate > 0:
        per_second = round(rate * 1_000_000_000)
    elif whole > 0 and duration_ps:
        per_second = whole * UNITS_PS["s"] // duration_ps
    else:
        return _NOT_RECORDED, whole
    return min(per_second, _MOST_BYTES_PER_SECOND), whole
