"""The figures that suggestions are made of, and where in the timeline they can be seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tilescope.tiler.details.instruction_stats import BARRIER, DEBUG_PRINT
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.event_fraction import EventFraction, event_fractions
from tilescope.tiler.facts.memory import hosts_of, memories_of
from tilescope.tiler.facts.operations import Operation, tpu_cores
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.environment import HBM, MXU, Environment
from tilescope.tiler.tools.input_pipeline.device_tables import Measured
from tilescope.tiler.tools.input_pipeline.tpu_side import tpu_steps
from tilescope.tiler.tools.operations import AskedOperations
from tilescope.tiler.tools.overview.performance import DeviceUse
from tilescope.tiler.tools.overview.suggestions import OFFLOAD_SHARE, RULED, Evidence, SeenAt, suggestions
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.question_windows import QuestionWindows
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_times import AskedSteps
from tilescope.tiler.windows import Windows


def advice(
    scope: Scope,
    question: SpanQuestion,
    device_operations: AskedOperations,
    steps: AskedSteps,
    measured: Measured | None,
    run_environment: Environment,
    use: DeviceUse,
) -> Interruptible[list[Note]]:
    """Suggestions with their numbers. Raises DamagedStore."""
    tracks = frozenset(scope.leaves(question.tracks))
    barriers = yield from _fractions(scope, steps, BARRIER)
    prints = yield from _fractions(scope, steps, DEBUG_PRINT)
    places: dict[str, SeenAt] = {}
    sparse = None
    if measured is not None and steps.of_tpus:
        summary = tpu_steps(steps.times, steps.aligned)
        whole = int(summary.duration.sum())
        sparse = int(summary.sparse_infeed.sum()) / whole if whole else None
    barrier, debug = max(barriers, key=_share, default=None), max(prints, key=_share, default=None)
    for name, fraction in (("barrier", barrier), ("debug", debug)):
        if fraction is not None and fraction.track >= 0:
            places[name] = SeenAt(fraction.track, fraction.start, fraction.stop)
    counters = run_environment.counter(MXU), run_environment.counter(HBM)
    evidence = Evidence(
        sparse=sparse,
        barrier=sum(fraction.share for fraction in barriers) / len(barriers) if barriers else None,
        debug=_worst_host(scope, prints),
        mxu=counters[0] if counters[0] is not None else use.flops,
        hbm=counters[1] if counters[1] is not None else use.hbm,
        span=device_operations.table.span,
        operations=_of_rules(device_operations),
        places=places,
    )
    if evidence.waits_for_collectives > OFFLOAD_SHARE and scope.reader.is_whole:
        evidence = replace(evidence, memory=(yield from _memory_share(scope, tracks, steps.question_windows)))
    return suggestions(evidence)


def _of_rules(device_operations: AskedOperations) -> list[Operation]:
    """The operations that rules are about."""
    places = np.flatnonzero(device_operations.table.columns.are(RULED.__contains__)).tolist()
    return [device_operations.table.operations[place] for place in places]


def _memory_share(
    scope: Scope, tracks: frozenset[int], question_windows: QuestionWindows
) -> Interruptible[float | None]:
    """Greatest share of its memory that any device has in use; None: no allocator says it."""
    shares: list[float] = []
    windows = Windows.single(*question_windows.span(sorted(tracks)))

    for host in hosts_of(scope.reader, sorted(tracks)):
        try:
            recorded = yield from memories_of(scope.reader, host)
        except UsageError:  # too many allocations for one answer
            return None
        for memory in recorded.memories:
            if memory.is_host or not len(windows):
                continue
            figures = yield from memory.figures(windows)
            if isinstance(figures, str):  # too many rows
                return None
            if figures.peak is not None and figures.peak.fill.capacity:
                shares.append(figures.peak.fill.used / figures.peak.fill.capacity)
    return max(shares, default=None)


def _fractions(scope: Scope, steps: AskedSteps, word: str) -> Interruptible[list[EventFraction]]:
    if not steps.of_tpus or not scope.reader.is_whole:
        return []
    return (yield from event_fractions(scope.reader, tpu_cores(scope.reader), steps.times, word))


def _share(fraction: EventFraction) -> float:
    return fraction.share


def _worst_host(scope: Scope, fractions: list[EventFraction]) -> float | None:
    """The mean of the cores of each host, of the one where it is most."""
    by_host: dict[int, list[float]] = {}
    for fraction in fractions:
        by_host.setdefault(scope.reader.file_of(fraction.core.operations[0]), []).append(fraction.share)
    return max((sum(shares) / len(shares) for shares in by_host.values()), default=None)
