"""Charts of the use of processors over samples: the machine, the process beside it, and each operation."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.processors import Curve, Metric, ProcessorUse
from tilescope.tiler.facts.envelope import shared_envelope
from tilescope.tiler.query import Interruptible
from tilescope.tiler.schema import Kind, SeriesKind
from tilescope.tiler.tools.answer import Column, Series
from tilescope.tiler.tools.cpu.tables import SHARES, TITLES

MOST_POINTS: Final = 4000  # of a chart
MOST_CURVES: Final = 16

_MOST: Final = float(1 << 62)  # of what points are chosen by

_BUSY: Final = (Metric.USER, Metric.SYSTEM)


def charts(use: ProcessorUse) -> Interruptible[list[Series]]:
    """Charts of what was recorded, the machine first."""
    machine = {TITLES[metric]: use.machine[metric] for metric in SHARES if metric in use.machine}
    drawn = [_shares("machine", "Machine", "area", machine)]
    yield
    beside = {"Machine": _sum(use.machine), "Process": _sum(use.process)}
    drawn.append(_shares("process", "Process and machine", "line", beside))
    yield
    curves = {}
    for operation in sorted(use.operations, key=lambda operation: (-operation.busy, operation.number))[:MOST_CURVES]:
        curves[operation.name] = _sum(operation.curves)
        yield
    drawn.append(_shares("operations", "Operations", "line", curves))
    for metric in (Metric.RUNNABLE, Metric.SWITCHES):
        curve = {TITLES[metric]: use.machine.get(metric, ())}
        drawn.append(_chart(metric.value, TITLES[metric], "line", curve, "number", 1))
        yield
    return [series for series in drawn if series is not None]


def _sum(curves: Mapping[Metric, Curve]) -> Curve:
    """User and system time together; None where either could not be read."""
    samples = zip_longest(*(curves[metric] for metric in _BUSY if metric in curves))
    recorded = [[value for value in sample if value is not None] for sample in samples]
    parts = sum(metric in curves for metric in _BUSY)
    return [sum(values) if len(values) == parts else None for values in recorded]


def _shares(name: str, title: str, kind: SeriesKind, curves: Mapping[str, Curve]) -> Series | None:
    return _chart(name, title, kind, curves, "fraction", 100)


def _chart(
    name: str, title: str, kind: SeriesKind, curves: Mapping[str, Curve], unit: Kind, whole: int
) -> Series | None:
    """Curves that have samples, each divided by `whole`; None: there is none."""
    arrays = {label: _array(curve) / whole for label, curve in curves.items() if curve}
    if not arrays:
        return None
    points = shared_envelope([_thousandths(array) for array in arrays.values()], MOST_POINTS)
    ys = []
    for number, (label, array) in enumerate(arrays.items()):
        values = np.full(len(points), np.nan)
        is_there = points < len(array)
        values[is_there] = array[points[is_there]]
        own = "idle" if label == TITLES[Metric.IDLE] else number  # idle time has a look of its own
        ys.append(Column(f"{name}_{own}", label, unit, values))
    return Series(name, title, kind, Column("sample", "Sample", "count", points + 1), ys)


def _array(curve: Curve) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else float(value) for value in curve], np.float64)


def _thousandths(array: NDArray[np.float64]) -> NDArray[np.int64]:
    """Integers by which points are chosen."""
    return np.minimum(np.nan_to_num(array * 1000), _MOST).astype(np.int64)
