"""Operations of hosts that a question is about, for several tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.host_operations import (
    HostTable,
    OperatorSplit,
    OpSource,
    framework_threads,
    host_operations,
)
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Fact
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope

NO_HOST_OPERATIONS: Final = (
    "no operations of a framework on threads of hosts: TensorFlow and JAX name theirs in plane /host:CPU of an "
    "XSpace, from host_tracer_level 2 on, PyTorch has operators with ProfilerActivity.CPU"
)


@dataclass(frozen=True, slots=True)
class AskedHost:
    """Operations of hosts, in ticks."""

    table: HostTable
    tick_ps: int

    def idle_fact(self, fact_id: str) -> Fact:
        """The share of the time of its threads in which no operation runs."""
        share = self.table.idle / self.table.span if self.table.span else None
        if any(operation.op.source is OpSource.PYTORCH for operation in self.table.operations):
            words = "of threads that run operators: Python between them is part of it, and waiting"
            return Fact(fact_id, "Host outside operators", share, "fraction", words)
        return Fact(fact_id, "Host idle", share, "fraction", "of threads that run operations")


def asked_host(scope: Scope, question: SpanQuestion, split: OperatorSplit = "operator") -> Interruptible[AskedHost]:
    """The operations of hosts that a question is about: those on its tracks."""
    question_windows = yield from scope.windows(question)
    tracks = frozenset(scope.leaves(question.tracks))
    every = yield from framework_threads(scope.reader)
    threads = [track for track in every if track in tracks and scope.is_done(track)]
    table = yield from host_operations(scope.reader, threads, question_windows.on_track, split)
    return AskedHost(table, scope.reader.tick_ps)
