"""Work in the queue of a stream: what has been launched and has not started yet, exactly.

A launch waits from its start until the last slice that it launches on the stream has started: a graph of many kernels
counts once. One whose slices start no later than itself never waits. So the length is never below 0, and 0 in the end.
The curve is made in pieces of time: a view reads the events of its own pieces, and of the rest of the run the launches
alone, by ordinals. An ordinal is a rank by start: it says on which side of a piece an event lies without being read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.lanes.step_curve import StepCurve
from tilescope.tiler.facts.launches.launch_chunks import LaunchChunks, LaunchPairs, launch_chunks, launch_pairs
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Events of a piece on the stream and on the threads that launch for it: 5 ms of reading each 100,000.
_EVENTS_AT_ONCE: Final = 200_000

_BEFORE: Final = -1  # a launch in an earlier piece
_LATER: Final = np.iinfo(np.int64).max  # a start in a later piece


@dataclass(frozen=True, slots=True)
class QueueCurve:
    """The queue of one stream, whose pieces are made when they are asked for."""

    track: int
    chunks: LaunchChunks
    borders: Ints  # of the pieces, shape (n + 1,), ticks

    @property
    def launching_tracks(self) -> tuple[int, ...]:
        """Tracks that launch its work."""
        return tuple(self.chunks.tracks.tolist())

    def pieces(self, reader: QueryReader, start: int, stop: int) -> Iterator[StepCurve | None]:
        """The pieces that have a tick in [start, stop), by time; None where whoever asks may stop.

        Raises DamagedStore.
        """
        first = max(int(np.searchsorted(self.borders, start, side="right")) - 1, 0)
        end = min(int(np.searchsorted(self.borders, stop, side="left")), len(self.borders) - 1)
        for number in range(first, end):
            curve = _PIECES.get(reader, (self.track, number))
            if curve is None:
                piece = self._piece(reader, int(self.borders[number]), int(self.borders[number + 1]))
                curve = _PIECES.keep(reader, (self.track, number), (yield from piece))
            yield curve

    def waiting(self, reader: QueryReader, tick: int) -> Interruptible[LaunchPairs]:
        """The slices that wait at a tick, in the order of their starts, with their launches. Raises DamagedStore."""
        number = int(np.searchsorted(self.borders, tick, side="right")) - 1
        if not 0 <= number < len(self.borders) - 1:
            return LaunchPairs(*(np.zeros(0, np.int64) for _ in range(3)))
        waits = yield from self._waits(reader, int(self.borders[number]), int(self.borders[number + 1]))
        return waits.pairs.take(np.flatnonzero((waits.launch <= tick) & (waits.start > tick)))

    def launches(self, reader: QueryReader, ordinals: Ints) -> Interruptible[LaunchPairs]:
        """The launches of some slices of the stream, as far as they were recorded. Raises DamagedStore."""
        parts = [LaunchPairs(*(np.zeros(0, np.int64) for _ in range(3)))]
        for first, last in zip(self.chunks.first.tolist(), self.chunks.last.tolist(), strict=True):
            if ((ordinals >= first) & (ordinals <= last)).any():
                pairs = yield from launch_pairs(reader, self.track, first)
                parts.append(pairs.take(np.flatnonzero(np.isin(pairs.ordinal, ordinals))))
                yield
        return LaunchPairs.joined(parts)

    def _piece(self, reader: QueryReader, start: int, stop: int) -> Interruptible[StepCurve]:
        waits = (yield from self._waits(reader, start, stop)).by_launch()
        yield
        return _curve(np.maximum(waits.launch, start), waits.start[waits.start < _LATER], start, stop)

    def _waits(self, reader: QueryReader, start: int, stop: int) -> Interruptible[_Waits]:
        """Slices that wait at some tick of a piece."""
        reading = Reading(reader)
        device = yield from _starts_within(reader, reading, self.track, start, stop)
        hosts = {}
        for track in self.launching_tracks:
            hosts[track] = yield from _starts_within(reader, reading, track, start, stop)
        ends = np.array([hosts[track].first + len(hosts[track].start) for track in self.launching_tracks], np.int64)
        parts = [_Waits(LaunchPairs(*(np.zeros(0, np.int64) for _ in range(3))), *[np.zeros(0, np.int64)] * 2)]
        for row in self.chunks.overlapping(device.first, ends).tolist():
            pairs = yield from launch_pairs(reader, self.track, int(self.chunks.first[row]))
            launch = np.full(len(pairs), _LATER)
            for track, host in hosts.items():
                is_here = pairs.track == track
                launch[is_here] = host.ticks(pairs.launch[is_here])
            begin = device.ticks(pairs.ordinal)
            waits = np.flatnonzero((launch < begin) & (begin > _BEFORE))
            parts.append(_Waits(pairs.take(waits), launch[waits], begin[waits]))
        launch, begin = (np.concatenate([getattr(part, column) for part in parts]) for column in ("launch", "start"))
        return _Waits(LaunchPairs.joined([part.pairs for part in parts]), launch, begin)


@dataclass(frozen=True, slots=True)
class _Waits:
    """Slices of a stream and their launches; ticks of both, _BEFORE and _LATER beside the piece. Shape (n,)."""

    pairs: LaunchPairs
    launch: Ints
    start: Ints

    def by_launch(self) -> _Waits:
        """The slice of each launch that starts last."""
        order = np.lexsort((self.start, self.pairs.launch, self.pairs.track))
        track, launch = self.pairs.track[order], self.pairs.launch[order]
        is_last = (np.diff(track, append=-1) != 0) | (np.diff(launch, append=-1) != 0)
        last = order[is_last]
        return _Waits(self.pairs.take(last), self.launch[last], self.start[last])


@dataclass(frozen=True, slots=True)
class _Starts:
    """The ticks at which consecutive events of a track start; `first`: ordinal of the first of them."""

    first: int
    start: Ints

    def ticks(self, ordinals: Ints) -> Ints:
        """The start of each of these events; _BEFORE and _LATER for those before and after."""
        place = ordinals - self.first
        ticks = np.append(self.start, _LATER)[np.clip(place, 0, len(self.start))]
        return np.where(place < 0, _BEFORE, ticks)


_QUEUES: Final = KeyedRunCache[int, QueueCurve]("queues", "Launches for streams, by chunks")
_PIECES: Final = KeyedRunCache[tuple[int, int], StepCurve](
    "queue_pieces", "Pieces of the queues of streams", grows=True
)


def queue_curve(reader: QueryReader, track: int) -> QueueCurve | None:
    """The queue of a stream; None where no launch for it was recorded. Raises DamagedStore, NotBuilt, StoredLast."""
    curve = _QUEUES.get(reader, track)
    if curve is not None:
        return curve
    chunks = launch_chunks(reader, track)
    if not len(chunks.first):
        return None
    borders = piece_borders(reader, [track, *chunks.tracks.tolist()])
    return _QUEUES.keep(reader, track, QueueCurve(track, chunks, borders))


def piece_borders(reader: QueryReader, tracks: list[int]) -> Ints:
    """Borders of pieces of the whole run in which not too many events of the tracks start."""
    starts, events = [], []
    for track in tracks:
        start, _, counts = _leaves(reader, track)
        starts.append(start)
        events.append(counts)
    start, counts = np.concatenate(starts), np.concatenate(events)
    order = np.argsort(start, kind="stable")
    number = np.cumsum(counts[order]) // _EVENTS_AT_ONCE
    cuts = start[order][np.flatnonzero(np.diff(number, prepend=0))]
    return np.unique(np.concatenate([[0], cuts[cuts <= reader.end], [reader.end + 1]])).astype(np.int64)


def _leaves(reader: QueryReader, track: int) -> tuple[Ints, Ints, Ints]:
    """Start and end of the leaves of a track, by time, and the number of events that start in each."""
    shape = reader.tiles(track // TRACKS_PER_BLOCK).shape
    leaves = shape.leaves(track % TRACKS_PER_BLOCK)
    shift = 2 * shape.level[leaves] + 8
    return shape.index[leaves] << shift, (shape.index[leaves] + 1) << shift, shape.events[leaves]


def _starts_within(reader: QueryReader, reading: Reading, track: int, start: int, stop: int) -> Interruptible[_Starts]:
    """The starts of the events of a track in [start, stop), whatever they are. Raises DamagedStore."""
    leaf_start, leaf_stop, events = _leaves(reader, track)
    first = int(np.searchsorted(leaf_stop, start, side="right"))  # the first leaf that ends after the start
    before = int(events[:first].sum())
    # From the start of that leaf on: of its earlier events none lies in the piece, and their number is needed.
    begin = min(start, int(leaf_start[first])) if first < len(leaf_start) else start
    parts = []
    plan = reader.plan(track, Windows.single(begin, stop))
    # Outliers too: a launch that lies far from the rest is the launch all the same.
    for batch in reading.events_and_outliers(plan, plan.leaf_runs):
        seen = (batch.start >= begin) & (batch.start < stop)
        parts.append(np.stack([batch.ordinal[seen], batch.start[seen]]))
        yield
    ordinal, ticks = np.concatenate([np.zeros((2, 0), np.int64), *parts], axis=1)
    order = np.argsort(ordinal)
    ordinal, ticks = ordinal[order], ticks[order]
    if len(ordinal) and (int(ordinal[0]) != before or int(ordinal[-1]) != before + len(ordinal) - 1):
        raise DamagedStore(f"the events of track {track} between ticks {begin} and {stop} are not all there")
    skipped = int(np.searchsorted(ticks, start))
    return _Starts(before + skipped, ticks[skipped:])


def _curve(begins: Ints, ends: Ints, start: int, stop: int) -> StepCurve:
    """The number of spans that last, of spans of which some begin before a piece or end after it."""
    times = np.concatenate([[start], begins, ends]).astype(np.int64)
    change = np.concatenate([[0], np.ones(len(begins)), np.full(len(ends), -1)]).astype(np.int64)
    order = np.argsort(times, kind="stable")
    times, value = times[order], np.cumsum(change[order])
    is_last = np.append(np.diff(times) != 0, True)
    times, value = times[is_last], value[is_last]
    changes = np.append(True, np.diff(value) != 0)
    return StepCurve(start, stop, times[changes], value[changes])
