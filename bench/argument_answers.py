"""Times of questions about events with arguments, as columns, and about sums of arguments."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import tilescope
from bench.answer_work import Subject, Timed, Work

_EVENTS = 1_000_000
_COLUMNS = ("track", "ordinal", "name", "start", "duration", "args.flops", "args.bytes_accessed", "args.hlo_category")


def _million(subject: Subject, count: int) -> Iterator[Timed]:
    """A million events that follow one another, with three arguments: by the client, which opens the store anew."""
    tracks = subject.reader.tree.tracks
    busy = [track.id for track in tracks if track.kind == "slice" and track.name == "XLA Ops"]

    def read() -> object:
        with tilescope.connect(subject.path) as client:
            table = client.run().events(tracks=busy, columns=_COLUMNS, limit=_EVENTS)
            return [table[name] for name in ("args.flops", "args.bytes_accessed")]

    yield from itertools.repeat(read, count)


def _whole_run(subject: Subject, count: int) -> Iterator[Timed]:
    """The count of a search by an argument over all events: nothing of it is known beforehand."""
    for k in range(count):
        yield partial(subject.ask, "search", query=f"arg:device_offset_ps>{10**9 + k}", limit=0)


ROWS = (
    Work("1 M consecutive events with three arguments as columns", 2000, 1000, _million, 5),
    Work("count and total time by an argument, whole run", 10_000, None, _whole_run, 2),
)
