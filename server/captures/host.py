"""One host of a capture, from the wish to what came of it."""

from __future__ import annotations

from tilescope.capture import CapturePhase, Failure, HostCapture, HostProgress, ProfilerAddress
from tilescope.server.guard.capture_rules import AllowedHost
from tilescope.server.redaction import without_folders
from tilescope.tiler.schema import CapturedHost, CaptureProblem


class CaptureHost:
    """State of one host in a capture."""

    def __init__(self, allowed: AllowedHost, attempts: int) -> None:
        self.allowed = allowed
        self.address: ProfilerAddress | None = None  # in numbers, once its name has been looked up
        self._phase = CapturePhase.CONNECTING
        self._attempt = 1
        self._attempts = attempts
        self._size_bytes = 0
        self._total_bytes = 0
        self._wait_s = 0.0
        self._failure: Failure | None = None

    def follow(self, progress: HostProgress) -> None:
        """Takes in what the capture tells."""
        self._phase = progress.phase
        self._attempt, self._attempts = progress.attempt, progress.attempts
        self._size_bytes, self._total_bytes = progress.size_bytes, progress.total_bytes
        self._wait_s = progress.wait_s
        self._failure = progress.failure or self._failure

    def end(self, result: HostCapture) -> None:
        """Takes in what came of it."""
        self._phase = CapturePhase.FAILED if result.failure is not None else CapturePhase.DONE
        self._attempt = max(1, result.attempts)
        self._size_bytes = self._total_bytes = result.size_bytes
        self._failure = result.failure

    def fail(self, failure: Failure) -> None:
        """There will be no trace."""
        self._phase, self._failure = CapturePhase.FAILED, failure

    def leave(self, failure: Failure | None) -> None:
        """Nothing more will come of it."""
        if self._phase not in (CapturePhase.DONE, CapturePhase.FAILED):
            self._phase, self._failure = CapturePhase.FAILED, failure or self._failure

    def to_schema(self) -> CapturedHost:
        """As clients are told of it."""
        return CapturedHost(
            name=self.allowed.name,
            phase=self._phase.value,
            attempt=self._attempt,
            attempts=max(self._attempt, self._attempts),
            size_bytes=str(self._size_bytes),
            total_bytes=str(self._total_bytes),
            wait_ms=round(self._wait_s * 1000),
            problem=None if self._failure is None else problem_of(self._failure),
        )


def problem_of(failure: Failure) -> CaptureProblem:
    """A failure as clients are told of it: without folders of this machine."""
    return CaptureProblem(
        cause=failure.cause.value,
        sentence=failure.sentence,
        detail=without_folders(failure.detail),
        hints=list(failure.hints),
    )
