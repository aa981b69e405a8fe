"""Time until a question stops that nobody waits for: the steps between which it can be stopped, on their way."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from bench.answer_work import Subject, Timed, Work
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools import Scope, ask, from_values, tool

# What reads most of a run. A server gives each 50 ms at a time (`TURN_S`), and the step that it is at.
_QUESTIONS: Final[tuple[tuple[str, dict[str, object]], ...]] = (
    ("search", {"query": "dur>1ns", "limit": 0}),
    ("search", {"query": "arg:flops>1", "limit": 100}),
    ("hit_bins", {"query": "fusion"}),
    ("stats", {"by": "track"}),
    ("gaps", {}),
    ("overlap", {}),
)


def _steps(subject: Subject, count: int) -> Iterator[Timed]:
    """One step each, of all questions in turn, on the way through the run."""
    begun = itertools.cycle([_Begun(subject, name, values) for name, values in _QUESTIONS])
    return (partial(next(begun).step) for _ in range(count))


class _Begun:
    """A question on its way; begun anew when it is answered, without what was kept."""

    def __init__(self, subject: Subject, name: str, values: dict[str, object]) -> None:
        self._subject, self._name, self._values = subject, name, values
        self._steps: Interruptible[Any] | None = None

    def step(self) -> float:
        """Takes one. Returns how long it took, in seconds."""
        if self._steps is None:
            named_tool = tool(self._name)
            scope = Scope(QueryReader(self._subject.store))
            self._steps = ask(named_tool, scope, from_values(named_tool.question, self._values))
        began = time.perf_counter()
        if next(self._steps, self) is self:
            self._steps = None
        return time.perf_counter() - began


ROWS = (Work("one step of a question, after which it can be stopped", 50, 20, _steps, 3000),)
