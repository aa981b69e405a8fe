"""How long searches take."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from bench.answer_work import Subject, Timed, Work
from bench.viewports import random_viewports


def _spans(subject: Subject, count: int) -> Iterator[tuple[int, int]]:
    """The whole run, then spans anywhere, from a few microseconds to the whole run."""
    yield 0, subject.reader.end + 1
    for at in itertools.islice(random_viewports(subject.reader, seed=11), count - 1):
        yield at.start, at.end


def _occurrences(subject: Subject, count: int) -> Iterator[Timed]:
    for start, end in _spans(subject, count):
        yield partial(subject.ask, "find", text="fusion", limit=0, start=start, end=end)


ROWS = (Work("count of the hits of `fusion`, any range", 50, 20, _occurrences),)
