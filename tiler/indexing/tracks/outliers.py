"""Events that lie apart from all else, or cannot be true: looked for while tracks are built; the manifest lists them.

See docs/formats.md, Outliers. A track is looked at when it is there as columns; which of its events are too long, or
lie apart, depends on all tracks and is settled when all are built.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.device_lines import WORK_CATEGORIES, is_stream
from tilescope.tiler.indexing.scratch import parts
from tilescope.tiler.indexing.tracks.findings import Findings
from tilescope.tiler.indexing.tracks.layout import PlacedTrack
from tilescope.tiler.indexing.tracks.overruns import StreamOverruns
from tilescope.tiler.indexing.tracks.recorder import BuiltTrack, Recording, RecordMaker
from tilescope.tiler.indexing.tracks.stretches import FAR, Stretches, shortest_pause
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.schema import Outlier, OutlierReason, Outliers

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Shorter slices are true, however much longer than all else: waits for a rank that is lost, main functions, servers.
_LONG_PS: Final = 86_400 * 10**12

# So many slices of a run may be too long, and so much work may overrun: more are no exceptions, and none is an outlier.
_MOST: Final = 1000

# Of events that lie apart so many are named, on each side.
_NAMED: Final = 16

# All tracks together keep so many stretches: those of a track with more are joined across its shortest pauses.
_MOST_STRETCHES: Final = 1 << 20


class _Suspect(Struct, frozen=True, order=True):
    """A slice that may be an outlier, or is one."""

    track: int
    ordinal: int
    name: int  # id, -1 none
    start: int
    end: int
    later: int = 0

    def record(self, reason: OutlierReason) -> Outlier:
        """As the manifest has it."""
        return Outlier(
            track=self.track,
            ordinal=str(self.ordinal),
            name=self.name,
            start=str(self.start),
            end=str(self.end),
            reason=reason,
            later=str(self.later),
        )


class OutlierRecorder(RecordMaker):
    """The outliers of a run, which the manifest lists."""

    def __init__(self, recording: Recording) -> None:
        run, tracks = recording.run, len(recording.layout.tracks)
        self._run = run
        self._tick_ps = run.timeline.tick_ps
        self._pause = shortest_pause(self._tick_ps)
        self._long = _LONG_PS // self._tick_ps
        self._most_stretches = max(2, _MOST_STRETCHES // max(1, tracks))
        self._is_work = run.names.in_categories(WORK_CATEGORIES)
        self._has_work = bool(self._is_work.any())
        self._long_slices: list[_Suspect] = []
        self._overruns: list[_Suspect] = []
        # Track; start, end, events; ordinal, name and end of the first: shape (7, n). Most tracks are one stretch.
        self._stretches: list[Ints] = []
        self._whole_tracks: list[tuple[int, ...]] = []

    def add_tiles(self, track: BuiltTrack, tiles: _native.Tiles) -> None:
        """Takes note of a track's events."""
        place, data = track.place, track.data
        overruns = self._overruns_of(place, data) if len(self._overruns) <= _MOST else []
        self._overruns += overruns
        left_out = [suspect.ordinal for suspect in overruns]
        start, stop = track.facts.span or (0, 0)
        if stop - start >= self._long and len(self._long_slices) <= _MOST:
            long = [suspect for suspect in self._long_slices_of(place, data) if suspect.ordinal not in left_out]
            self._long_slices += long
            left_out += [suspect.ordinal for suspect in long]
        if left_out or stop - start >= self._pause:
            self._add_stretches(place.id, data, np.array(left_out, np.int64))
        else:
            first = 0, int(data.name[0]), start + int(data.duration[0])
            self._whole_tracks.append((place.id, start, stop, len(data), *first))

    def report(self, findings: Findings) -> None:
        """Adds the outliers of all tracks."""
        findings.outliers = self._outliers()

    def _outliers(self) -> Outliers | None:
        """None without any."""
        whole = np.array(self._whole_tracks, np.int64).reshape(-1, 7).T
        columns = np.concatenate([whole, *self._stretches], axis=1)
        tracks, start, end, events = columns[:4]
        if not len(tracks):
            return None
        rest = self._rest(start, end, events)
        limit = FAR * (rest[1] - rest[0])
        too_long = [suspect for suspect in self._long_slices if suspect.end - suspect.start > limit]
        if 2 * len(too_long) >= int(events.sum()) or len(self._long_slices) > _MOST:
            too_long = []
        overruns = self._overruns if len(self._overruns) <= _MOST else []
        true = {*self._long_slices, *self._overruns}.difference(too_long, overruns)
        if true:
            # What is long and true is of the run, and nothing lies apart that lies within it.
            rest = self._rest(
                np.append(start, [suspect.start for suspect in true]),
                np.append(end, [suspect.end for suspect in true]),
                np.append(events, np.ones(len(true), np.int64)),
            )
        before, after = end < rest[0], start > rest[1]
        named: list[Outlier] = []
        sides: tuple[tuple[Mask, OutlierReason], ...] = ((before, "before"), (after, "after"))
        for side, reason in sides:
            positions = np.flatnonzero(side)
            positions = positions[np.lexsort((tracks[positions], start[positions]))][:_NAMED]
            rows = zip(tracks[positions].tolist(), *columns[[4, 5, 1, 6]][:, positions].tolist(), strict=True)
            named += [_Suspect(*row).record(reason) for row in rows]
        named += [suspect.record("too_long") for suspect in sorted(too_long)]
        named += [suspect.record("overrun") for suspect in sorted(overruns)]
        if not named:
            return None
        return Outliers(
            start=str(rest[0]),
            end=str(rest[1]),
            before=str(int(events[before].sum())),
            after=str(int(events[after].sum())),
            too_long=str(len(too_long)),
            overruns=str(len(overruns)),
            events=named,
        )

    def _rest(self, start: Ints, end: Ints, events: Ints) -> tuple[int, int]:
        """From the first start to the last end of what does not lie apart."""
        joined = Stretches.joined(start, end, events, self._pause)
        first, last = joined.main(self._tick_ps)
        return int(joined.start[first]), int(joined.end[last])

    def _long_slices_of(self, track: PlacedTrack, data: TrackData) -> list[_Suspect]:
        """Slices that last long enough to be too long; none where they are no exceptions."""
        long: list[_Suspect] = []
        for part in parts(len(data)):
            ordinals = part.start + np.flatnonzero(data.duration[part] >= self._long)
            if len(long) + len(ordinals) > _MOST:
                return []
            columns = (
                ordinals,
                data.name[ordinals],
                data.start[ordinals],
                data.start[ordinals] + data.duration[ordinals],
            )
            long += [_Suspect(track.id, *row) for row in zip(*(column.tolist() for column in columns), strict=True)]
        return long

    def _add_stretches(self, track: int, data: TrackData, left_out: Ints) -> None:
        """Adds stretches of the events of a track, but for some ordinals."""
        firsts: list[Ints] = []
        reaches: list[Ints] = []
        events, reach = 0, -self._pause  # the first one begins a stretch
        counts: list[Ints] = []
        for part in parts(len(data)):
            ordinals = np.arange(part.start, part.stop)
            ordinals = ordinals[~np.isin(ordinals, left_out)] if len(left_out) else ordinals
            start = data.start[ordinals]
            reached = np.maximum.accumulate(np.append(reach, start + data.duration[ordinals]))
            begins = np.flatnonzero(start - reached[:-1] >= self._pause)
            firsts.append(ordinals[begins])
            reaches.append(reached[begins])
            counts.append(events + begins)
            events, reach = events + len(ordinals), int(reached[-1])
        first = np.concatenate(firsts)
        if not len(first):
            return
        end = np.append(np.concatenate(reaches)[1:], reach)
        count = np.diff(np.append(np.concatenate(counts), events))
        if len(first) > self._most_stretches:
            pauses = data.start[first[1:]] - end[:-1]
            kept = np.append(0, 1 + np.sort(np.argsort(-pauses, kind="stable")[: self._most_stretches - 1]))
            first, end = first[kept], end[np.append(kept[1:] - 1, len(end) - 1)]
            count = np.add.reduceat(count, kept)
        start = data.start[first]
        columns = np.full(len(first), track), start, end, count, first, data.name[first], start + data.duration[first]
        self._stretches.append(np.stack(columns))

    def _overruns_of(self, track: PlacedTrack, data: TrackData) -> list[_Suspect]:
        is_stream_line = self._is_stream_line(track)
        if data.value is not None or not (is_stream_line or self._has_work):
            return []
        overruns = StreamOverruns(data, None if is_stream_line else self._is_work).overruns()
        return [_Suspect(track.id, row[0], int(data.name[row[0]]), *row[1:]) for row in overruns]

    def _is_stream_line(self, track: PlacedTrack) -> bool:
        """True if a track is a stream of a GPU's plane, on which there is nothing but its work."""
        summary = self._run.files[track.file].summary
        return is_stream(track.name) and summary.processes[summary.tracks[track.source].process].is_device
