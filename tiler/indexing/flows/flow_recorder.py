"""The flows of a run: ends are bound to slices track by track, and joined file by file when all tracks are built."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.indexing.flows.correlation import (
    MOST_JOINED,
    MOST_WORK_OF_A_LAUNCH,
    CorrelatedSlices,
    TrackPairs,
    correlated_pairs,
)
from tilescope.tiler.indexing.flows.edge_recorders import EDGE_RECORDERS, TrackEdges, are_on_devices
from tilescope.tiler.indexing.flows.edges import FlowEdges, FlowPart
from tilescope.tiler.indexing.flows.join import JoinedFlows, join_flows
from tilescope.tiler.indexing.scratch import parts
from tilescope.tiler.indexing.tracks.findings import Findings, FlowCounts
from tilescope.tiler.indexing.tracks.recorder import BuiltTrack, Part, Recording, RecordMaker, TrackEnds
from tilescope.tiler.records.flow_ends import FlowEnds
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Entry

Ints = NDArray[np.int64]

_NO_NUMBERS = np.zeros(0, np.int64)

# Tracks with fewer ends are looked at together: a part is worth a change of threads.
_ENDS_OF_A_PART = 1 << 15

# Shares of keys that are joined side by side. Each looks at all ends, which takes a tenth of joining them.
_SHARES = 4
_ENDS_WITH_SHARES = 1 << 17


class FlowRecorder(RecordMaker):
    """Takes flow ends from any thread. Flows do not cross from file to file: their keys are those of one file.

    The edges of each track are recorded by all of `EDGE_RECORDERS`.
    """

    records: ClassVar[tuple[Record, ...]] = tuple(chain.from_iterable(kind.records for kind in EDGE_RECORDERS))

    def __init__(self, recording: Recording) -> None:
        self._paths = [file.path for file in recording.run.files]
        self._kept = recording.kept  # for the ends, until all tracks are built
        self._working = recording.working  # for what is made of them then
        self._most_ends = recording.most_flow_ends
        self._recorders = [recorder(recording) for recorder in EDGE_RECORDERS]
        self._is_on_device = are_on_devices(recording.layout)
        self._counts = FlowCounts()
        self._calls_without_work = self._work_without_launch = 0
        self._crowded = 0  # slices of devices, as CorrelatedPairs counts them
        self._ends: dict[int, tuple[int, int]] = {}  # by track: how many leave, how many arrive
        self._pair_ends: dict[int, tuple[int, int]] = {}  # the same of pairs by correlation
        self._parts: dict[int, dict[int, FlowPart]] = {}  # by file and number of the track in it
        self._correlated: dict[int, dict[int, CorrelatedSlices]] = {}  # the same
        self._left_out = ""  # why no launches of a file are joined: it has too many slices
        self._adding = threading.Lock()

    def add_ends(self, ends: TrackEnds) -> Iterable[Entry]:
        """Binds flow ends to the slices of their track."""
        part = FlowPart.from_rows(ends.rows, ends.track, ends.slices, self._kept)
        with self._adding:
            self._parts.setdefault(ends.file, {})[ends.number] = part
        return ()

    def add(self, track: BuiltTrack) -> Iterable[Entry]:
        """Takes the slices of a track that have a correlation."""
        if track.correlations is not None:
            place = track.place
            slices = CorrelatedSlices.from_track(track.correlations, place.id, track.data, self._kept)
            with self._adding:
                self._correlated.setdefault(place.file, {})[place.source] = slices
        return ()

    def end(self) -> Iterator[list[Part]]:
        """Parts to be written, file by file. Each part may raise TooMany."""
        for file in sorted({*self._parts, *self._correlated}):
            parts_by_number = self._parts.pop(file, {})
            ends = FlowPart.join(
                [parts_by_number.pop(number) for number in sorted(parts_by_number)] or [FlowPart.none()], self._working
            )
            joined: dict[int, JoinedFlows] = {}
            yield _join_parts(ends, joined)
            correlated = self._correlated.pop(file, {})
            flows = JoinedFlows.together([joined.pop(share) for share in sorted(joined)])
            edges, pairs = self._edges(ends, flows, list(correlated.values()))
            del ends, flows, correlated
            numbers_by_track = dict(edges.by_track(self._working))
            parts: list[Part] = []
            chunk_tracks: list[_TrackParts] = []
            n = 0
            for track in sorted({*numbers_by_track, *pairs}):
                part = _TrackParts(track, numbers_by_track.get(track, _NO_NUMBERS), pairs.get(track))
                chunk_tracks.append(part)
                n += len(part.numbers) + (0 if part.pairs is None else len(part.pairs))
                if n >= _ENDS_OF_A_PART:
                    parts.append(partial(self._entries, file, edges, chunk_tracks))
                    chunk_tracks, n = [], 0
            if chunk_tracks:
                parts.append(partial(self._entries, file, edges, chunk_tracks))
            yield parts

    def last(self) -> Iterator[Entry]:
        """Records of the run."""
        return chain.from_iterable(recorder.last() for recorder in self._recorders)

    def report(self, findings: Findings) -> None:
        """Adds counts, and warnings about what could not be joined."""
        findings.flow_counts, findings.flow_ends, findings.pair_ends = self._counts, self._ends, self._pair_ends
        self._counts.calls_without_work = None if self._left_out else self._calls_without_work
        self._counts.work_without_launch = None if self._left_out else self._work_without_launch
        count = self._counts.ambiguous
        if count:
            what = "1 event of a device has" if count == 1 else f"{count:,} events of devices have"
            findings.warnings.append(f"{what} a correlation that several launches have: no arrow says which of them")
        if self._crowded:
            findings.warnings.append(
                f"{self._crowded:,} events of devices have the correlation of one launch with more than "
                f"{MOST_WORK_OF_A_LAUNCH:,} of them: no arrow leads to them"
            )
        if self._left_out:
            findings.warnings.append(
                f"no room to join launches to what they launched by correlations: {self._left_out}"
            )

    def _entries(self, file: int, edges: FlowEdges, tracks: Sequence[_TrackParts]) -> Iterator[Entry]:
        with_flows = [(part.track, part.numbers) for part in tracks if len(part.numbers)]
        stored = edges.stored(with_flows, self._working) if with_flows else iter(())
        for part in tracks:
            ends = next(stored)[1] if len(part.numbers) else FlowEnds.none()
            arriving = int(np.count_nonzero(ends.incoming))
            self._ends[part.track] = len(ends) - arriving, arriving
            if part.pairs is not None:
                self._pair_ends[part.track] = part.pairs.leaving, part.pairs.arriving
            for recorder in self._recorders:
                yield from recorder.entries(self._paths[file], TrackEdges(part.track, ends, part.pairs))

    def _edges(
        self, ends: FlowPart, joined: JoinedFlows, correlated: Sequence[CorrelatedSlices]
    ) -> tuple[FlowEdges, dict[int, TrackPairs]]:
        """Edges of the file's flows, and by track the pairs that correlations tell besides."""
        bound = np.empty(len(joined), np.bool_)
        for part in parts(len(joined)):
            bound[part] = (ends.ordinal[joined.source[part]] >= 0) & (ends.ordinal[joined.target[part]] >= 0)
        counts = self._counts
        counts.edges += int(np.count_nonzero(bound))
        counts.without_slice += int(np.count_nonzero(~bound))
        counts.starts_without_end += joined.starts_without_end
        counts.ends_without_start += joined.ends_without_start
        counts.without_id += joined.without_id
        source, target = joined.source[bound], joined.target[bound]
        edges = FlowEdges.between(ends, source, target, self._working)
        if not correlated:
            return edges, {}
        most = self._most_ends // 2
        pairs = correlated_pairs(correlated, ends, (source, target), self._is_on_device, most)
        if pairs is None:
            is_too_many = sum(map(len, correlated)) > MOST_JOINED
            self._left_out = f"a file has more than {MOST_JOINED:,}" if is_too_many else "give more with --memory"
            return edges, {}
        counts.derived += pairs.count
        counts.ambiguous += pairs.ambiguous
        self._crowded += pairs.crowded
        self._calls_without_work += pairs.calls_without_work
        self._work_without_launch += pairs.work_without_launch
        return edges, pairs.by_track()


def _join_parts(ends: FlowPart, joined: dict[int, JoinedFlows]) -> list[Part]:
    """Parts that join the flows of a file, each of which puts its share into `joined`."""
    shares = _SHARES if len(ends.phase) >= _ENDS_WITH_SHARES else 1

    def join(share: int) -> Iterator[Entry]:
        joined[share] = join_flows(ends.phase, ends.tick, ends.key, share, shares)
        return iter(())

    return [partial(join, share) for share in range(shares)]


class _TrackParts(Struct, frozen=True):
    """Edges of a track."""

    track: int
    numbers: Ints  # of its ends of the file's flows
    pairs: TrackPairs | None
