"""Times of derived lanes as a viewer draws them: ten million events of one GPU and the threads that launch its work.

The first question about a place reads its events; views of it are drawn from what that keeps.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from bench.answer_work import Subject, Timed, Work
from bench.launch_run import LaunchShape
from bench.pod_answers import FirstWork, whole
from bench.viewports import WIDTH_PX, random_viewports
from tilescope.tiler.tools import values_of

SHAPE: Final = LaunchShape()
QUICK_SHAPE: Final = LaunchShape(launches=4_000)


def views(tool: str) -> Callable[[Subject, int], Iterator[Timed]]:
    """The first lane of a tool: the whole run, then anywhere, once all of it has been on the screen."""

    def questions(subject: Subject, count: int) -> Iterator[Timed]:
        lane = next(iter(values_of(subject.ask("lanes", source=tool).table("lanes").column("lane"))))
        subject.ask("lane_bins", lane=lane, bins=1)
        end = subject.reader.end
        for number in range(count):
            # The whole run in views that differ by some pixels: no question is asked twice.
            if number % 4 == 0:
                yield partial(subject.ask, "lane_bins", lane=lane, start=number, end=end, bins=WIDTH_PX)
            else:
                (view,) = itertools.islice(random_viewports(subject.reader, seed=number), 1)
                yield partial(subject.ask, "lane_bins", lane=lane, start=view.start, end=view.end, bins=WIDTH_PX)

    return questions


ROWS = (
    FirstWork("lanes of 10 M events, first", 500, None, whole("lanes"), 5),
    Work("a device's lane in any view of 10 M events", 50, None, views("overlap")),
    Work("a stream's queue in any view of 10 M events", 50, None, views("queues")),
)
