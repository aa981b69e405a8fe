"""Samples that monitoring a server yields, query by query."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tilescope.capture.address import ProfilerAddress


class MonitorSource(StrEnum):
    """The side that evaluated a sample."""

    MONITOR = "monitor"  # the server itself, which implements `Monitor`
    CAPTURES = "captures"  # Tilescope, from a short capture: the server answers UNIMPLEMENTED


@dataclass(frozen=True, slots=True)
class MonitorSample:
    """Figures of a server during one query. None: not recorded; it is never NaN. Shares are fractions, 0 to 1.

    At level 1 only `device_type` and `matrix_unit_utilization` are asked for; all others are None.
    """

    address: ProfilerAddress
    number: int  # of the query, from 1
    time_ns: int  # Unix time at which it was answered
    level: int  # 1 or 2
    source: MonitorSource
    duration_ms: int  # over which the server was looked at
    device_type: str | None = None
    matrix_unit_utilization: float | None = None
    devices: int | None = None  # cores of TPUs, or GPUs
    device_idle: float | None = None
    steps: int | None = None  # that the times below are of
    step_mean_ms: float | None = None
    step_min_ms: float | None = None
    step_max_ms: float | None = None
    infeed_mean: float | None = None  # share of a step's time that it waits for its input
    infeed_min: float | None = None
    infeed_max: float | None = None
