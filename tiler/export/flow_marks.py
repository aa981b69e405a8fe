"""The flows of an exported file: which of them it has, and what their two ends are known by on both of their tracks."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import numpy as np

from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.lookup.flow_ends import flow_ends
from tilescope.tiler.records.flow_ends import FlowEnds
from tilescope.tiler.store.store import Store
from tilescope.tiler.tools.question_windows import QuestionWindows
from tilescope.tiler.windows import Mask, Windows

# Track, slice and tick on both sides, and a number.
_EDGE: Final = struct.Struct("<7q")


@dataclass(frozen=True, slots=True)
class FlowMark:
    """One end of a flow. `id` is that of its other end, too: 64 bits in hexadecimal, the most that Perfetto reads."""

    id: str
    is_incoming: bool
    tick: int


class FlowMarks:
    """Ends of the flows between some tracks that leave and arrive in the time windows, on slices that the file has."""

    def __init__(self, store: Store, scope_windows: QuestionWindows, tracks: Collection[int]) -> None:
        self._store = store
        self._scope_windows = scope_windows
        self._tracks = tracks
        self._track = -1
        self._chunks: Iterator[FlowEnds] = iter(())  # of that track, those that are still to come
        self._chunk: FlowEnds | None = None  # the one that goes on

    def marks_on(self, track: int, ordinals: range) -> dict[int, list[FlowMark]]:
        """The ends on some slices of a track, by ordinal; those of a track are asked for in their order.

        Raises DamagedStore.
        """
        if track != self._track:
            self._track = track
            self._chunks = flow_ends(self._store, track, ordinals.start)
            self._chunk = next(self._chunks, None)
        marks: dict[int, list[FlowMark]] = {}
        while self._chunk is not None:
            first, last = np.searchsorted(self._chunk.ordinal, (ordinals.start, ordinals.stop)).tolist()
            for ordinal, mark in self._marks(track, self._chunk.take(slice(first, last))):
                marks.setdefault(ordinal, []).append(mark)
            if last < len(self._chunk):
                break
            self._chunk = next(self._chunks, None)
        return marks

    def _marks(self, track: int, ends: FlowEnds) -> Iterator[tuple[int, FlowMark]]:
        ends = ends.take(self._scope_windows.on_track(track).hold(ends.tick))
        ends = ends.take(self._partner_is_there(ends))
        alike: Counter[bytes] = Counter()  # flows between the same slices at the same times
        columns = (ends.incoming, ends.ordinal, ends.tick, ends.partner_track, ends.partner_ordinal, ends.partner_tick)
        for incoming, ordinal, tick, *partner in zip(*(column.tolist() for column in columns), strict=True):
            own = (track, ordinal, tick)
            edge = (*partner, *own) if incoming else (*own, *partner)
            # What leaves and what arrives counts for itself: a slice may have both ends of a flow.
            side = _EDGE.pack(*edge, incoming)
            number, alike[side] = alike[side], alike[side] + 1
            name = blake2b(_EDGE.pack(*edge, number), digest_size=8).hexdigest()
            yield ordinal, FlowMark(f"0x{name}", bool(incoming), tick)

    def _partner_is_there(self, ends: FlowEnds) -> Mask:
        there = np.zeros(len(ends), np.bool_)
        for track in np.unique(ends.partner_track).tolist():
            if track in self._tracks:
                of_track = np.flatnonzero(ends.partner_track == track)
                there[of_track] = self._are_there(track, ends.take(of_track))
        return there

    def _are_there(self, track: int, ends: FlowEnds) -> Mask:
        """True for each flow that arrives in the windows of a track, and at a slice that the file has."""
        windows = self._scope_windows.on_track(track)
        start, tick = ends.partner_start, ends.partner_tick
        # A flow may arrive before its slice begins.
        there: Mask = windows.hold(tick) & windows.meet(start, np.maximum(start, tick))
        for k in np.flatnonzero(~there & windows.hold(tick)).tolist():
            # The end of the slice tells: it may end at the first tick of a window, or reach into one.
            there[k] = self._is_in(windows, track, int(ends.partner_ordinal[k]))
        return there

    def _is_in(self, windows: Windows, track: int, ordinal: int) -> bool:
        details = event_details(self._store, track, ordinal)
        if details is None:
            return False
        start, duration = int(details["start"]), int(details["duration"])
        return bool(windows.meet(np.array([start]), np.array([start + duration]))[0])
