"""Results of a capture: traces, and reasons for those that are missing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.failures import Failure


@dataclass(frozen=True, slots=True)
class HostCapture:
    """Result of one host: a trace, or the reason why there is none."""

    address: ProfilerAddress
    attempts: int  # that it took
    path: Path | None = None  # of the trace file
    size_bytes: int = 0
    tool_files: tuple[Path, ...] = ()  # other files that the server sent along
    failure: Failure | None = None  # None exactly if there is a `path`
    tried: tuple[Failure, ...] = ()  # the failures of earlier attempts, in their order


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """Result of a capture. At least one trace is there if `folder` is."""

    run_name: str
    folder: Path | None  # LOGDIR/plugins/profile/RUN_NAME; None: no host gave a trace, and nothing was left behind
    hosts: tuple[HostCapture, ...]  # in the order of the addresses
    was_stopped: bool = False  # before the time was over, on request

    @property
    def captured(self) -> tuple[HostCapture, ...]:
        """The hosts with a trace."""
        return tuple(host for host in self.hosts if host.path is not None)

    @property
    def failed(self) -> tuple[HostCapture, ...]:
        """The hosts without."""
        return tuple(host for host in self.hosts if host.path is None)
