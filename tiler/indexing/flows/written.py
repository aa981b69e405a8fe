"""Flow ends as their files have them, beside the edges that are made of them: with those that no edge has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct, field

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.details import chunk
from tilescope.tiler.indexing.reading.arguments import gather_args
from tilescope.tiler.indexing.reading.timed import TimedEvents
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.pages import compress
from tilescope.tiler.records.origins import Carrier
from tilescope.tiler.records.written_flows import WRITTEN_FLOW_ARGUMENTS, WRITTEN_FLOWS, WrittenFlows
from tilescope.tiler.store.store import Entry


class FlowWriter(Struct):
    """Takes the flow ends of carriers from any thread, each carrier once."""

    run: RunFiles
    scratch: Scratch
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)  # of carriers, by file and track in it
    _carriers: dict[int, Carrier] = field(default_factory=dict)  # by number

    def __post_init__(self) -> None:
        for file, trace in enumerate(self.run.files):
            for number, track in enumerate(trace.summary.tracks):
                if track.kind == TrackKind.FLOW and track.origin is not None:
                    self._numbers[file, number] = len(self._numbers)

    def entries(self, file: int, number: int, place: int, events: TimedEvents) -> Iterator[Entry]:
        """All chunks of a carrier, track `number` of a file; its thread's slices are the track at `place`, -1 none."""
        origin = self.run.files[file].summary.tracks[number].origin
        carrier = self._numbers.get((file, number))
        if origin is None or carrier is None:
            return
        order = np.argsort(events.start, kind="stable")
        pick = self.scratch.pick
        whole = WrittenFlows(pick(events.start, order), pick(events.phase, order), pick(events.name, order))
        for first, part in whole.chunks():
            yield WRITTEN_FLOWS.key(carrier, first), compress(part.encode(carrier))
        args_end, args = gather_args(self.scratch, events.args_end, events.args, order)
        if len(args):
            for first, packed in chunk.split(args_end, args, texts=self.run.files[file].events.texts):
                yield WRITTEN_FLOW_ARGUMENTS.key(carrier, first), packed
        self._carriers[carrier] = Carrier(file, place, len(whole), len(whole) if len(args) else 0, origin)

    def carriers(self) -> list[Carrier]:
        """All of them, once their entries have been taken."""
        return [self._carriers.get(number) or self._empty(*place) for place, number in self._numbers.items()]

    def _empty(self, file: int, number: int) -> Carrier:
        origin = self.run.files[file].summary.tracks[number].origin
        assert origin is not None
        return Carrier(file, -1, 0, 0, origin)
