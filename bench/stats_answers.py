"""Times of statistics and call trees of spans."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from bench.answer_work import Subject, Timed, Work
from bench.viewports import random_viewports


def spans(subject: Subject, count: int, tool: str = "stats", **question: str) -> Iterator[Timed]:
    """All tracks: the whole run, then spans anywhere, from a few microseconds to the whole run."""
    end = subject.reader.end
    spans = [
        (viewport.start, viewport.end)
        for viewport in itertools.islice(random_viewports(subject.reader, seed=11), count)
    ]
    for first, last in [(0, end + 1), (end // 8 + 1, end - end // 8 + 1), *spans][:count]:
        yield partial(subject.ask, tool, start=first, end=last, **question)


ROWS = (
    Work("statistics of any range, all tracks, by name", 100, 50, spans),
    Work("statistics of any range, all tracks, by track", 100, 50, partial(spans, by="track")),
    Work("call trees of any range, all tracks, by name", 5000, 1000, partial(spans, tool="call_tree"), 20),
)
