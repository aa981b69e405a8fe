"""Progress of a capture, host by host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.failures import Failure


class CapturePhase(StrEnum):
    """Phase of a host's capture. It goes down this list; a new attempt begins again above."""

    CONNECTING = "connecting"
    DELAYED = "delayed"  # asked, and the moment to start has not come
    CAPTURING = "capturing"  # for `duration_ms`
    COLLECTING = "collecting"  # the time is over, and the server puts the answer together
    RECEIVING = "receiving"  # `size_bytes` have come
    STOPPING = "stopping"  # asked to end early
    WAITING = "waiting"  # for `wait_s` until the next attempt, because of `failure`
    DONE = "done"
    FAILED = "failed"  # for good, because of `failure`


@dataclass(frozen=True, slots=True)
class HostProgress:
    """Progress of one host. It is told on each change of phase, and while bytes come a few times a second."""

    address: ProfilerAddress
    phase: CapturePhase
    attempt: int = 1  # from 1
    attempts: int = 1  # that it may take
    duration_ms: int = 0  # of the capture
    size_bytes: int = 0  # that have come
    total_bytes: int = 0  # of the answer, 0 where unknown
    wait_s: float = 0.0  # until the next attempt
    failure: Failure | None = None  # of the last attempt


Tell = Callable[[HostProgress], None]
"""Called in the event loop; must not take long."""
