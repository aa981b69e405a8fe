"""A row of `bench.answers`: some questions of one kind, and what they may take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench.table import Row, Target, measured_row
from bench.viewports import percentile
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import RunStore
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, tools

# What is timed: one question, from asking to its answer.
Timed = Callable[[], object]


@dataclass(frozen=True)
class Subject:
    """The run that is asked about."""

    path: Path
    store: RunStore

    @cached_property
    def reader(self) -> QueryReader:
        """Kept for all questions, as a server keeps it; it knows all tools by then, too."""
        tools()
        return QueryReader(self.store)

    def ask(self, name: str, **values: object) -> Answer:
        """The answer of a tool, computed anew."""
        named_tool = tool(name)
        return finish(ask(named_tool, Scope(self.reader), from_values(named_tool.question, values)))


@dataclass(frozen=True, slots=True)
class Work:
    """Questions of one kind. `questions` are made before the time is taken; none is asked twice."""

    work: str
    must_ms: float
    aim_ms: float | None
    questions: Callable[[Subject, int], Iterator[Timed]]  # so many of them
    count: int = 100
    part: float = 0.99  # of the questions, which must not take longer

    @property
    def percentile_name(self) -> str:
        """The part in words: `p99`."""
        return f"p{round(100 * self.part)}"

    def measured(self, subject: Subject, quick: bool = False) -> Row:
        """A row of the times: all but the slowest must be fast enough."""
        seconds, processor_s = [], []
        for question in list(self.questions(subject, min(self.count, 3) if quick else self.count)):
            started_s, begun_s = time.perf_counter(), time.process_time()
            question()
            seconds.append(time.perf_counter() - started_s)
            processor_s.append(time.process_time() - begun_s)
        return row_of(self, seconds, processor_s, f"the first {_ms(seconds[0] * 1e3)}")


def row_of(work: Work, seconds: list[float], processor_s: list[float], detail: str) -> Row:
    """A row of the measured times against the target. `processor_s` may be empty: of another process."""
    p50, slow = percentile(seconds, 0.5), percentile(seconds, work.part)
    target = Target(work.must_ms, work.aim_ms, _ms, at_most=True)
    if processor_s:
        detail += "; processor " + " and ".join(_ms(percentile(processor_s, part) * 1e3) for part in (0.5, work.part))
    detail = f"p50 {_ms(p50 * 1e3)}, {detail}; {len(seconds)} questions"
    return measured_row(f"{work.work}, {work.percentile_name}", target, slow * 1e3, detail)


def _ms(value: float) -> str:
    return f"{value:.1f} ms"
