"""News that a watcher of a run has not been sent yet. A pure state machine: no I/O, no clock of its own.

Nothing is queued: progress is what it is at the moment of telling, and of the blocks that are done it is known up to
where they were told. A watcher that is slow is told less often, and costs no more than one that is fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.server.runs.run import RunState, RunStatus
from tilescope.server.watch import messages
from tilescope.server.watch.messages import MAX_BLOCKS

PROGRESS_INTERVAL_S: Final = 0.1


class News:
    """The state of one watcher's knowledge."""

    def __init__(self) -> None:
        self._last_status: RunStatus | None = None  # by the last message, progress apart
        self._told_progress: str | None = None
        self._blocks_told = 0
        self._next_progress_s = 0.0
        self.is_progress_due = False  # some was held back, because the last is fresh

    def next_message(self, status: RunStatus, built: Sequence[int], now_s: float) -> str | None:
        """Next message about a run as it is now; None when there is nothing that may be sent now."""
        previous, self._last_status = self._last_status, status
        if previous is None or previous.build != status.build or previous.state is not status.state:
            self._blocks_told = 0
            is_new = True
        else:
            is_new = _stage(previous) != _stage(status)
        self.is_progress_due = False
        match status.state:
            case RunState.READY:
                return messages.ready_message(status.build or "") if is_new else None
            case RunState.FAILED:
                is_new = is_new or previous is None or previous.error != status.error
                return messages.failed_message(status.error or "") if is_new else None
        return self._progress(status, now_s, at_once=is_new) or self._blocks(status, built)

    def progress_wait_s(self, now_s: float) -> float:
        """Seconds until progress that was held back may be sent."""
        return max(0.0, self._next_progress_s - now_s)

    def _progress(self, status: RunStatus, now_s: float, *, at_once: bool) -> str | None:
        message = messages.progress_message(status)
        if message == self._told_progress and not at_once:
            return None
        if now_s < self._next_progress_s and not at_once:
            self.is_progress_due = True
            return None
        self._told_progress = message
        self._next_progress_s = now_s + PROGRESS_INTERVAL_S
        return message

    def _blocks(self, status: RunStatus, built: Sequence[int]) -> str | None:
        if status.build is None or len(built) <= self._blocks_told:
            return None
        blocks = built[self._blocks_told : self._blocks_told + MAX_BLOCKS]
        self._blocks_told += len(blocks)
        return messages.blocks_message(status.build, blocks)


def _stage(status: RunStatus) -> tuple[str, int]:
    """Stage of a run, phase and revision: a change of it is sent at once."""
    return ("", 0) if status.progress is None else (status.progress.phase, status.progress.revision)
