"""The text and the figures of `Monitor`, as servers of TPUs write them.

    Timestamp: 20:41:52
    TPU type: TPU v2
    Number of TPU cores: 8 (Replica count = 8, num cores per replica = 1)
    TPU idle time (lower is better): 36.9%
    Utilization of TPU Matrix Units (higher is better): 10.7%
    Step time: 90.8ms (avg), 89.8ms (min), 92.2ms (max)
    Infeed percentage: 0.000% (avg), 0.000% (min), 0.000% (max)

Which lines there are depends on the level, and on what was measured. A prefix may stand before any unit: 1.95 kms is
1,950 ms. Figures come beside it as numbers, which are not rounded and win; but nothing in them distinguishes what was
not measured from zero, so a zero counts only where the text has it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from tilescope.profiler import profiler_pb2 as pb

_NUMBER: Final = r"([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)"
_PERCENT: Final = rf"{_NUMBER} ?%"
_TIME: Final = rf"{_NUMBER} ?([kMG]?)(ns|us|µs|μs|ms|s|min)\b"
_MS: Final[Mapping[str, float]] = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4}
_PREFIXES: Final[Mapping[str, float]] = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_MOST_TEXT: Final = 4096

_TYPE: Final = re.compile(r"^\s*\w+ type:[ \t]*(\S[^\n]*?)\s*$", re.MULTILINE | re.IGNORECASE)
_DEVICES: Final = re.compile(r"^\s*Number of \w+ cores:\s*([0-9]{1,9})\b", re.MULTILINE | re.IGNORECASE)
_IDLE: Final = re.compile(rf"^[^\n:]*idle time[^\n:]*:\s*{_PERCENT}", re.MULTILINE | re.IGNORECASE)
_MATRIX: Final = re.compile(rf"^[^\n:]*matrix units?[^\n:]*:\s*{_PERCENT}", re.MULTILINE | re.IGNORECASE)
_STEP: Final = re.compile(r"^\s*Step time:([^\n]*)$", re.MULTILINE | re.IGNORECASE)
_INFEED: Final = re.compile(r"^\s*Infeed percentage:([^\n]*)$", re.MULTILINE | re.IGNORECASE)


def monitor_figures(response: pb.MonitorResponse) -> dict[str, Any]:
    """The fields of `MonitorSample` that were measured."""
    text = response.data[:_MOST_TEXT]
    numbers = _of_result(response.monitor_result) if response.HasField("monitor_result") else {}
    return _of_text(text) | numbers


def _of_text(text: str) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    if match := _TYPE.search(text):
        figures["device_type"] = match[1]
    if match := _DEVICES.search(text):
        figures["devices"] = int(match[1])
    if match := _IDLE.search(text):
        figures["device_idle"] = float(match[1]) / 100
    if match := _MATRIX.search(text):
        figures["matrix_unit_utilization"] = float(match[1]) / 100
    if match := _STEP.search(text):
        times = [float(number) * _PREFIXES[prefix] * _MS[unit] for number, prefix, unit in re.findall(_TIME, match[1])]
        figures |= _three("step_mean_ms", "step_min_ms", "step_max_ms", times)
    if match := _INFEED.search(text):
        # The last one comes without its sign from some servers.
        shares = [float(number) / 100 for number in re.findall(rf"{_NUMBER} ?%?(?=\s*\()", match[1])]
        figures |= _three("infeed_mean", "infeed_min", "infeed_max", shares)
    return figures


def _three(mean: str, least: str, most: str, values: list[float]) -> dict[str, float]:
    return dict(zip((mean, least, most), values, strict=True)) if len(values) == 3 else {}


def _of_result(result: pb.MonitorResult) -> dict[str, float]:
    """The figures that are not zero; the least share of input may be, where there is a greatest."""
    numbers = {
        "device_idle": result.device_idle_time_percent / 100,
        "matrix_unit_utilization": result.matrix_unit_utilization_percent / 100,
        "step_mean_ms": result.step_time_ms_avg,
        "step_min_ms": result.step_time_ms_min,
        "step_max_ms": result.step_time_ms_max,
    }
    numbers = {name: value for name, value in numbers.items() if value > 0}
    if result.infeed_percent_max > 0:
        numbers |= {
            "infeed_mean": result.infeed_percent_avg / 100,
            "infeed_min": result.infeed_percent_min / 100,
            "infeed_max": result.infeed_percent_max / 100,
        }
    return {name: value for name, value in numbers.items() if math.isfinite(value) and value >= 0}
