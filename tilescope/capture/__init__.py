"""Captures from profiler servers of JAX and TensorFlow: from an address to a run in a log directory."""

from tilescope.capture.address import ProfilerAddress, parse_address, parse_addresses
from tilescope.capture.capturing import capture
from tilescope.capture.continuous import WindowOptions, capture_continuously
from tilescope.capture.failures import CaptureCause, CaptureFailed, Failure
from tilescope.capture.monitoring import MonitorOptions, monitor
from tilescope.capture.options import CaptureOptions
from tilescope.capture.profiler import Profiler
from tilescope.capture.progress import CapturePhase, HostProgress, Tell
from tilescope.capture.result import CaptureResult, HostCapture
from tilescope.capture.sample import MonitorSample, MonitorSource

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
