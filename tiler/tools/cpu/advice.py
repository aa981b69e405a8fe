"""Sentences about the use of processors: whether data need more threads or fewer, and which operation is heavy."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.data_preparation import DataStage
from tilescope.tiler.facts.ascend.processors import Metric, OperationUse, ProcessorUse, curve_mean

BUSY_PERCENT: Final = 80  # of all processors: more is a machine with nothing left
_IDLE_PERCENT: Final = 50  # where data are late, so much idling asks for more threads
_SYSTEM_PERCENT: Final = 20  # of all processors: more is much work of the kernel
_OTHERS_PERCENT: Final = 20
_HEAVY: Final = Fraction(1, 2)  # of what all operations take
_USUAL_WORKERS: Final = 8  # num_parallel_workers unless it is set


def advice(use: ProcessorUse) -> Iterator[tuple[bool, str]]:
    """Sentences in the order of their weight; True: it is a warning."""
    is_slow = use.preparation is not None and use.preparation.stage_in_doubt is DataStage.PROCESSING
    busy = use.busy
    system = curve_mean(use.machine.get(Metric.SYSTEM, ()))
    runnable = curve_mean(use.machine.get(Metric.RUNNABLE, ()))
    if busy is not None and busy > BUSY_PERCENT:
        words = f"{_percent(busy)} of all processors are busy on average, more than {BUSY_PERCENT} %"
        yield True, f"{words}: more threads will not help"
    elif busy is not None and is_slow and busy < 100 - _IDLE_PERCENT:
        words = f"processing of data is slow while {_percent(100 - busy)} of all processors idle"
        yield True, f"{words}: raise num_parallel_workers of the operations that input_pipeline marks"
    if system is not None and runnable is not None and use.processors and system > _SYSTEM_PERCENT:
        words = f"{_percent(system)} of all processors run the system"
        if runnable > use.processors:
            waiting = f"{float(runnable):.1f} processes want {plural(use.processors, 'processor', 'processors')}"
            yield True, f"{words}, and {waiting}: lower the number of threads"
        else:
            yield False, f"{words}: where contexts are switched often, fewer threads help"
    if use.others is not None and use.others > _OTHERS_PERCENT:
        yield True, f"other processes take {_percent(use.others)} of all processors: they may slow down this one"
    heavy = heaviest(use)
    if heavy is not None:
        workers = heavy.operation.workers if heavy.operation is not None else None
        threads = "" if workers is None else f" with {plural(workers, 'worker', 'workers')}"
        share = _percent(100 * heavy.busy / sum((operation.busy for operation in use.operations), Fraction()))
        yield False, f"{heavy.name} takes {share} of what all operations take{threads}: look at its code"


def heaviest(use: ProcessorUse) -> OperationUse | None:
    """The operation that takes at least half of what all take, with fewer workers than usual; None: there is none."""
    whole = sum((operation.busy for operation in use.operations), Fraction())
    greatest = max(use.operations, key=lambda operation: operation.busy, default=None)
    if greatest is None or not whole or len(use.operations) < 2 or greatest.busy < _HEAVY * whole:
        return None
    workers = greatest.operation.workers if greatest.operation is not None else None
    return greatest if workers is None or workers < _USUAL_WORKERS else None


def _percent(value: Fraction) -> str:
    return f"{float(value):.0f} %" if value.denominator == 1 else f"{float(value):.1f} %"
