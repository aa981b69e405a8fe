"""Tracks, processes and threads as the file says them: what is needed to write its events as they were."""

from __future__ import annotations

from msgspec import Struct

# A pid or tid: a number where the file has a number, text where it has text; None where it has none.
Identity = int | float | str | None


class TrackOrigin(Struct, frozen=True, array_like=True):
    """Members that the events of a track share in a trace-event file."""

    pid: Identity
    tid: Identity  # None, too, where events of several threads are on the track: then each has its own
    phase: str  # letter of most of them
    counter: str = ""  # name of a counter
    counter_id: str = ""
    series: str = ""  # argument of a counter that the track shows


class Label(Struct, frozen=True, array_like=True):
    """A metadata event (phase `M`) that names or orders a process or thread."""

    what: str  # process_name, thread_sort_index …
    pid: Identity
    tid: Identity  # None for a process
    value: str | int
