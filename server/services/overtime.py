"""Time limit of a turn of a process: a tool that does not yield keeps all others waiting, and holds the process."""

from __future__ import annotations

import time
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

from tilescope.tiler.errors import ToolFailed
from tilescope.tiler.system import processor_s

# Of the processor, whatever else the machine does: a turn yields after some tens of milliseconds.
PROCESSOR_S: Final = 5.0
WALL_S: Final = 60.0  # on the clock, for what waits: a disk that is not there
LOOK_S: Final = 0.25
REFUSED_S: Final = 300.0
MOST_REFUSED: Final = 1000

Q = TypeVar("Q", bound=Hashable)


class Overtime(ToolFailed):
    """A question whose turn did not end. It is not asked again for a while: that would cost another process."""


class TurnClock:
    """The time that a process takes since this was made."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._begin_s = time.monotonic()
        self._used_s = processor_s(pid)

    def error(self) -> Overtime | None:
        """The error of a turn that has taken too long; None while it may go on."""
        if processor_s(self._pid) - self._used_s > PROCESSOR_S:
            spent = f"{PROCESSOR_S:g} s of processor time"
        elif time.monotonic() - self._begin_s > WALL_S:
            spent = f"{WALL_S:g} s"
        else:
            return None
        return Overtime(f"the question was given up: it took {spent} without a pause, which is a fault of the tool")


class Overtimes(Generic[Q]):
    """Questions whose turns did not end, until they may be asked again."""

    def __init__(self) -> None:
        self._errors: dict[Q, tuple[float, Overtime]] = {}  # the first that was given up first

    def add(self, question: Q, error: Overtime) -> None:
        """It was given up now."""
        self._errors.pop(question, None)
        self._errors[question] = time.monotonic() + REFUSED_S, error
        while len(self._errors) > MOST_REFUSED:
            del self._errors[next(iter(self._errors))]

    def check(self, question: Q) -> None:
        """Raises what was said of it, while it may not be asked again."""
        until_s, error = self._errors.get(question, (0.0, None))
        if error is not None and time.monotonic() < until_s:
            raise Overtime(f"{error}; it may be asked again in {until_s - time.monotonic():.0f} s")
        self._errors.pop(question, None)
