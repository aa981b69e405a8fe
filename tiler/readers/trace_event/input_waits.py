"""Waits for input that msprof draws in a wrong place, as arrows `Data_aug Bound N`.

Such a wait lasts from the end of step N - 1 to the begin of `FP_BP Time N`, the computation of step N. Its arrow begins
at the end of step N instead, and is as long. Where the trace ends there, it makes the run twice as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.columns import DrawnWaits
from tilescope.tiler.readers.trace_event.ascend_streams import is_ascend
from tilescope.tiler.readers.trace_event.entries import Entries, JsonTrack, Role

LABEL: Final = "Data_aug Bound"

_ARROW: Final = f"{LABEL} "
_COMPUTATION: Final = "FP_BP Time "


def input_waits(entries: Entries, event_names: Sequence[str]) -> list[DrawnWaits]:
    """The waits of each thread of a file of Ascend's profiler. A track is added for those of a thread."""
    arrows = {text.removeprefix(_ARROW): name for name, text in enumerate(event_names) if text.startswith(_ARROW)}
    if not arrows or not is_ascend(entries):
        return []
    step_names = {
        arrows[number]: name
        for name, text in enumerate(event_names)
        if text.startswith(_COMPUTATION) and (number := text.removeprefix(_COMPUTATION)) in arrows
    }
    slices = {track.thread: number for number, track in enumerate(entries.tracks) if track.role == Role.THREAD_SLICES}
    waits = []
    for carrier, track in enumerate(list(entries.tracks)):
        if track.role == Role.THREAD_FLOWS and track.thread in slices and step_names:
            waits.append(DrawnWaits(carrier, slices[track.thread], len(entries.tracks), step_names))
            entries.tracks.append(JsonTrack(Role.THREAD_SLICES, track.process, track.thread, LABEL, "", ""))
    return waits
