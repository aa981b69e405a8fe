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


def whole_trees(subject: Subject, count: int) -> Iterator[Timed]:
    """All tracks, all of the run; the limit differs, so that no question is asked twice."""
    for number in range(count):
        yield partial(subject.ask, "call_tree", limit=1000 + number)


ROWS = (
    Work("statistics of any range, all tracks, by name", 100, 50, spans),
    Work("statistics of any range, all tracks, by track", 100, 50, partial(spans, by="track")),
    Work("call trees of any range, all tracks, by name", 300, None, partial(spans, tool="call_tree"), part=0.95),
    Work(
        "call trees of any range, all tracks, by track",
        300,
        None,
        partial(spans, tool="call_tree", by="track"),
        part=0.95,
    ),
    Work("call tree of the whole run, all tracks, by name", 1000, None, whole_trees, 5),
)
