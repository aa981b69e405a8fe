"""Captures from profiler servers of JAX and TensorFlow: from an address to a run in a log directory."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tilescope.capture.address import ProfilerAddress, parse_address, parse_addresses
from tilescope.capture.failures import CaptureCause, CaptureFailed, Failure
from tilescope.capture.options import CaptureOptions
from tilescope.capture.progress import CapturePhase, HostProgress, Tell
from tilescope.capture.result import CaptureResult, HostCapture
from tilescope.capture.sample import MonitorSample, MonitorSource

if TYPE_CHECKING:
    from tilescope.capture.capturing import capture
    from tilescope.capture.continuous import WindowOptions, capture_continuously
    from tilescope.capture.monitoring import MonitorOptions, monitor
    from tilescope.capture.profiler import Profiler

# What speaks with servers is loaded when it is asked for: a server of ours knows addresses and results, and starts
# without h2 and protobuf.
_PLACES = {
    "MonitorOptions": "monitoring",
    "Profiler": "profiler",
    "WindowOptions": "continuous",
    "capture": "capturing",
    "capture_continuously": "continuous",
    "monitor": "monitoring",
}

__all__ = [
    "CaptureCause",
    "CaptureFailed",
    "CaptureOptions",
    "CapturePhase",
    "CaptureResult",
    "Failure",
    "HostCapture",
    "HostProgress",
    "MonitorOptions",
    "MonitorSample",
    "MonitorSource",
    "Profiler",
    "ProfilerAddress",
    "Tell",
    "WindowOptions",
    "capture",
    "capture_continuously",
    "monitor",
    "parse_address",
    "parse_addresses",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    return value
