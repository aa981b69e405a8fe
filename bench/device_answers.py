"""Times of questions about devices: when they are idle, how well they hide communication, where flows go."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

from bench.answer_work import Subject, Timed, Work
from bench.viewports import random_viewports


def _whole(tool: str) -> Callable[[Subject, int], Iterator[Timed]]:
    """The whole run; the limit differs, so that no question is asked twice."""

    def questions(subject: Subject, count: int) -> Iterator[Timed]:
        for number in range(count):
            yield partial(subject.ask, tool, limit=50 + number)

    return questions


def _spans(tool: str) -> Callable[[Subject, int], Iterator[Timed]]:
    """Anywhere, from a few microseconds to the whole run."""

    def questions(subject: Subject, count: int) -> Iterator[Timed]:
        for viewport in itertools.islice(random_viewports(subject.reader, seed=12), count):
            yield partial(subject.ask, tool, start=viewport.start, end=viewport.end)

    return questions


ROWS = (
    Work("gaps of all devices, whole run", 5000, 2000, _whole("gaps"), 2),
    Work("gaps of all devices, any range", 5000, 2000, _spans("gaps"), 10),
    Work("overlap of all devices, whole run", 5000, 2000, _whole("overlap"), 2),
    Work("overlap of all devices, any range", 5000, 2000, _spans("overlap"), 10),
    Work("flows from track to track, whole run", 500, 200, _whole("flows"), 5),
)
