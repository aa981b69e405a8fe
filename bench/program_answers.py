"""Times of questions about a program: a module of 50,000 instructions with 10,000 buffers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from bench.answer_work import Subject, Timed, Work
from bench.pod_run import PodShape
from tilescope.tiler.tools.answer import values_of

SHAPE: Final = PodShape(layers=3570, hosts=1, chips=1, steps=2, late_host=None, fed_slowly=None, slow_core=None)
QUICK_SHAPE: Final = replace(SHAPE, layers=20)


def _first(subject: Subject, count: int) -> Iterator[Timed]:
    """Each of a reader that has parsed nothing."""
    for _ in range(count):
        yield partial(Subject(subject.path, subject.store).ask, "memory_viewer")


def _orders(subject: Subject, count: int) -> Iterator[Timed]:
    subject.ask("memory_viewer")
    for number in range(count):
        order = ("size", "program")[number % 2]
        yield partial(subject.ask, "memory_viewer", buffers="all", order=order, limit=100 + number)


def _neighbourhoods(subject: Subject, count: int) -> Iterator[Timed]:
    """Neighbourhoods of any instruction, at any distance."""
    rng = random.Random(18)
    subject.ask("graph")
    names = values_of(subject.ask("graph", find="fusion").table("found").column("name"))
    for number in range(count):
        name = rng.choice(names)
        yield partial(subject.ask, "graph", instruction=str(name), distance=1 + number % 10, open=str(name))


ROWS = (
    Work("memory viewer of 50,000 instructions, the first question", 500, None, _first, 10),
    Work("memory viewer of 50,000 instructions, all buffers", 500, None, _orders),
    Work("graph around an instruction of 50,000", 100, None, _neighbourhoods),
)
