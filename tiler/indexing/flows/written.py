"""Flow ends as trace-event files have them, those of no edge among them; and the origins of tracks and carriers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.details import chunk
from tilescope.tiler.indexing.reading.arguments import gather_args
from tilescope.tiler.indexing.tracks.recorder import Recording, RecordMaker, TrackEnds
from tilescope.tiler.pages import compress
from tilescope.tiler.records.origins import ORIGINS, Carrier, FileOrigin, Origins
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.written_flows import WRITTEN_FLOW_ARGUMENTS, WRITTEN_FLOWS, WrittenFlows
from tilescope.tiler.store.store import Entry


class WrittenFlowRecorder(RecordMaker):
    """Takes each carrier once; and says where all tracks and carriers come from."""

    records: ClassVar[tuple[Record, ...]] = (WRITTEN_FLOW_ARGUMENTS, WRITTEN_FLOWS, ORIGINS)

    def __init__(self, recording: Recording) -> None:
        self._run = recording.run
        self._layout = recording.layout
        self._scratch = recording.working
        self._numbers: dict[tuple[int, int], int] = {}  # of carriers, by file and track in it
        self._carriers: dict[int, Carrier] = {}  # by number
        for file, trace in enumerate(self._run.files):
            for number, track in enumerate(trace.summary.tracks):
                if track.kind == TrackKind.FLOW and track.origin is not None:
                    self._numbers[file, number] = len(self._numbers)

    def add_ends(self, ends: TrackEnds) -> Iterator[Entry]:
        """All chunks of a carrier."""
        events, file = ends.carried, self._run.files[ends.file]
        origin = file.summary.tracks[ends.number].origin
        carrier = self._numbers.get((ends.file, ends.number))
        if events is None or origin is None or carrier is None:
            return
        order = np.argsort(events.start, kind="stable")
        pick = self._scratch.pick
        whole = WrittenFlows(pick(events.start, order), pick(events.phase, order), pick(events.name, order))
        for first, part in whole.chunks():
            yield WRITTEN_FLOWS.key(carrier, first), compress(part.encode(carrier))
        args_end, args = gather_args(self._scratch, events.args_end, events.args, order)
        if len(args):
            for first, packed in chunk.split(args_end, args, texts=file.events.texts):
                yield WRITTEN_FLOW_ARGUMENTS.key(carrier, first), packed
        self._carriers[carrier] = Carrier(ends.file, ends.track, len(whole), len(whole) if len(args) else 0, origin)

    def last(self) -> Iterator[Entry]:
        """The record of origins."""
        summaries = [file.summary for file in self._run.files]
        tracks = [
            None if track.file < 0 else summaries[track.file].tracks[track.source].origin
            for track in self._layout.tracks
        ]
        files = [
            FileOrigin(summary.base_time_ns, summary.labels)
            if any(track.origin is not None for track in summary.tracks) or summary.labels
            else None
            for summary in summaries
        ]
        carriers = [self._carriers.get(number) or self._empty(*place) for place, number in self._numbers.items()]
        yield ORIGINS.key(), compress(Origins(files, tracks, carriers).encode())

    def _empty(self, file: int, number: int) -> Carrier:
        origin = self._run.files[file].summary.tracks[number].origin
        assert origin is not None
        return Carrier(file, -1, 0, 0, origin)
