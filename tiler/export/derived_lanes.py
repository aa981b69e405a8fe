"""Derived lanes of an export: on threads of a process of their own, in a category by which readers leave them out.

What a lane shows follows from the events of the run. A run that is made of the file has the same events, and no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tilescope.tiler.export.event_text import joined, quoted
from tilescope.tiler.export.times import Times
from tilescope.tiler.facts.lanes import LaneSlices, StepCurve
from tilescope.tiler.query import Interruptible
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.lane import DerivedLane, LanePiece
from tilescope.tiler.tools.lanes.named_lanes import ChosenLane
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool_calls import blamed

# Readers of trace-event JSON know it (tiler/native/trace_event/sink.cpp).
CATEGORY: Final = "tilescope.derived_lane"

_PROCESS_NAME: Final = "Derived lanes"

_EVENTS_AT_ONCE: Final = 10_000  # some ten milliseconds


class DerivedLanes:
    """The lanes of a question, in their order, as text of events."""

    def __init__(self, scope: Scope, lanes: Sequence[ChosenLane], span: TickRange, pid: int, times: Times) -> None:
        self._scope = scope
        self._lanes = lanes
        self._span = span
        self._pid = pid
        self._times = times

    def __len__(self) -> int:
        return len(self._lanes)

    def events(self, number: int, tick: int | None) -> Interruptible[tuple[bytes, int | None]]:
        """Events of a lane from a tick on (None: its first ones), and the tick from which on the next ones are.

        That is None behind the last. Raises what the lane's source raises.
        """
        chosen = self._lanes[number]
        lane = chosen.lane
        texts = [*self._labels(number, chosen)] if tick is None else []
        start = self._span.start if tick is None else tick
        with blamed(chosen.tool):
            for piece in chosen.source.pieces(self._scope, lane, TickRange(start, self._span.stop)):
                if piece is not None:
                    rows, after = _rows(piece, start, self._span.stop, is_first=tick is None)
                    texts += self._texts(number, lane, piece, rows)
                    return joined(texts), after if start < after < self._span.stop else None
                yield
        return joined(texts), None

    def _labels(self, number: int, chosen: ChosenLane) -> Iterator[str]:
        what = f'"cat":"{CATEGORY}"'
        if number == 0:
            yield f'{{"ph":"M","name":"process_name",{what},"pid":{self._pid},"args":{{"name":"{_PROCESS_NAME}"}}}}'
        args = f'"args":{{"name":{quoted(self._title(chosen.lane))},"lane":{quoted(chosen.name)}}}'
        yield f'{{"ph":"M","name":"thread_name",{what}{self._ids(number)},{args}}}'

    def _texts(self, number: int, lane: DerivedLane, piece: LanePiece, rows: slice) -> Iterator[str]:
        ids = self._ids(number)
        if isinstance(piece, StepCurve):
            what = f'"ph":"C","name":{quoted(self._title(lane))},"cat":"{CATEGORY}"{ids},"id":{number}'
            for time, value in zip(piece.time[rows].tolist(), piece.value[rows].tolist(), strict=True):
                start = max(time, self._span.start)
                yield f'{{{what}{self._times.ts_member(start)},"args":{{"value":{value}}}}}'
            return
        names = [quoted(name) for name in piece.names]
        part = piece.take(rows)
        columns = (part.start, part.stop, part.name)
        for start, stop, name in zip(*(column.tolist() for column in columns), strict=True):
            what = f'"ph":"X","name":{names[name]},"cat":"{CATEGORY}"{ids}'
            yield f"{{{what}{self._times.ts_member(start)}{self._times.lasting(stop - start)}}}"

    def _title(self, lane: DerivedLane) -> str:
        """Its title with the name of the track that it is drawn with: several may have one title."""
        return f"{lane.title} · {self._scope.reader.tree.tracks[lane.track].name}"

    def _ids(self, number: int) -> str:
        return f',"pid":{self._pid},"tid":{number + 1}'


def _rows(piece: LanePiece, start: int, stop: int, *, is_first: bool) -> tuple[slice, int]:
    """The rows of a piece that are written at once, and the tick from which on the others are.

    With the first ones goes what lasts at the start: later it has been written.
    """
    times = piece.time if isinstance(piece, StepCurve) else piece.start
    end = int(np.searchsorted(times, stop))
    first = int(np.searchsorted(times, start))
    if is_first and isinstance(piece, LaneSlices):
        first = 0
    elif is_first:
        first = max(int(np.searchsorted(times, start, side="right")) - 1, 0)
    piece_stop = piece.stop if isinstance(piece, StepCurve) else piece.piece_stop
    if end - first <= _EVENTS_AT_ONCE:
        return slice(first, end), piece_stop
    # All that begin at one tick are written together.
    last = int(times[first + _EVENTS_AT_ONCE])
    return slice(first, int(np.searchsorted(times, last, side="right"))), last + 1
