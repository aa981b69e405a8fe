"""Operations of hosts that a question is about, for several tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.host_operations import HostTable, host_operations, host_threads, operator_threads
from tilescope.tiler.query import Interruptible
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


def asked_host(scope: Scope, question: SpanQuestion) -> Interruptible[AskedHost]:
    """The operations of hosts that a question is about: those on its tracks."""
    question_windows = yield from scope.windows(question)
    tracks = frozenset(scope.leaves(question.tracks))
    every = [*host_threads(scope.reader), *(yield from operator_threads(scope.reader))]
    threads = [track for track in every if track in tracks and scope.is_done(track)]
    table = yield from host_operations(scope.reader, threads, question_windows.on_track)
    return AskedHost(table, scope.reader.tick_ps)
