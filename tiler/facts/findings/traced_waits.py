"""Waits for data that step traces of devices have: they bound what late batches cost, whatever the host does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilescope.tiler.facts.findings.device_time import DeviceTime
from tilescope.tiler.facts.step_traces import StepTrace, step_traces
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps


def traced_wait(reader: QueryReader, steps: RunSteps, lanes: Sequence[DeviceTime]) -> Interruptible[float | None]:
    """Mean ticks that a step waits before forward, on the device that waits longest; None: a device's are not recorded.

    Raises DamagedStore, NotBuilt.
    """
    series = [steps.of_device(lane.device.tracks[0].track) for lane in lanes]
    distinct = {own.process: own for own in series if own is not None}
    traces = {trace.series.process: trace for trace in (yield from step_traces(reader, list(distinct.values())))}
    means = []
    for own, lane in zip(series, lanes, strict=True):
        trace = None if own is None else traces.get(own.process)
        mean = None if trace is None or not lane.frames.are_steps else _mean_wait(trace, lane)
        if mean is None:
            return None
        means.append(mean)
    return max(means, default=None)


def _mean_wait(trace: StepTrace, lane: DeviceTime) -> float | None:
    rows, frames = trace.rows, lane.frames
    keys = set(zip(frames.pass_.tolist(), frames.number.tolist(), strict=True))
    is_frame = np.array([key in keys for key in zip(rows.pass_.tolist(), rows.number.tolist(), strict=True)], np.bool_)
    within = np.where(trace.is_marked & ~trace.is_cut, trace.forward - rows.start, -1)
    wait = np.where(trace.wait >= 0, trace.wait, within)[is_frame]
    return float(wait.mean()) if len(wait) and (wait >= 0).all() else None
