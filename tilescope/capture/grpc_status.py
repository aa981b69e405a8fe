"""Faults of a capture, from the status of a gRPC call or of the HTTP under it."""

from __future__ import annotations

import re
from typing import Final

from tilescope.capture.failures import CaptureCause, Fault

_NAMES: Final = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)

_CAUSES: Final = {
    "DEADLINE_EXCEEDED": CaptureCause.DEADLINE,
    "UNIMPLEMENTED": CaptureCause.UNIMPLEMENTED,
    "UNAVAILABLE": CaptureCause.LOST,
    "ALREADY_EXISTS": CaptureCause.BUSY,
}

# What servers say when a run is active: "Another profiling session active.", "Another profiler is active.",
# "A profiling session is already running.", "Only one profile session can be active at a time."
_BUSY: Final = re.compile(r"another profil|profil\w* session is already|only one profil", re.IGNORECASE)
_PROXY_STATUSES: Final = frozenset({"502", "503", "504"})
_MOST_TEXT: Final = 500  # characters that are kept of what a server says


def fault_of_status(code: str, message: str) -> Fault | None:
    """The fault that `grpc-status` and `grpc-message` report; None if the call did not fail."""
    if not re.fullmatch("[0-9]{1,9}", code, re.ASCII):
        return Fault(CaptureCause.BAD_ANSWER, "it ends without a status")
    if int(code) == 0:
        return None
    message = message[:_MOST_TEXT].strip().removesuffix(".")
    if _BUSY.search(message):
        return Fault(CaptureCause.BUSY, message)
    name = _NAMES[int(code)] if int(code) < len(_NAMES) else f"status {code}"
    return Fault(_CAUSES.get(name, CaptureCause.REFUSED_BY_SERVER), f"{name}: {message}" if message else name)


def fault_of_http(headers: dict[str, str]) -> Fault | None:
    """The fault of headers that are no answer of a gRPC server; None if they are one."""
    status = headers.get(":status", "")[:10]
    if status in _PROXY_STATUSES:
        return Fault(CaptureCause.UNREACHABLE, f"a proxy says HTTP status {status}")
    if status != "200" or not headers.get("content-type", "").startswith("application/grpc"):
        return Fault(CaptureCause.NOT_A_PROFILER, f"it is a web server, and says HTTP status {status}")
    return None
