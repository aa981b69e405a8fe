"""Work on many things side by side, for so many seconds: what takes longer goes on, and is not waited for."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Generic, TypeVar

_Thing = TypeVar("_Thing")
_Result = TypeVar("_Result")

_THREADS: Final = 8


class InTime(Generic[_Thing, _Result]):
    """Results of a function of each thing, by the place of the thing. A disk that hangs holds a thread, and no process.

    Threads are daemons: those of an executor would be waited for when the process ends.
    """

    def __init__(self, work: Callable[[_Thing], _Result], things: Sequence[_Thing], seconds: float | None) -> None:
        """Returns when all is done, or after so many seconds; None: whenever that is.

        Raises what `work` raises within them.
        """
        self.results: dict[int, _Result] = {}
        self._work = work
        self._left: queue.SimpleQueue[tuple[int, _Thing]] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[int, _Result | BaseException]] = queue.SimpleQueue()
        for entry in enumerate(things):
            self._left.put(entry)
        self._threads = [
            threading.Thread(target=self._take, name="in-time", daemon=True) for _ in range(min(_THREADS, len(things)))
        ]
        for thread in self._threads:
            thread.start()
        deadline = None if seconds is None else time.monotonic() + seconds
        while len(self.results) < len(things):
            try:
                left = None if deadline is None else max(0.0, deadline - time.monotonic())
                number, result = self._done.get(timeout=left)
            except queue.Empty:
                break
            if isinstance(result, BaseException):
                self._forget()
                raise result
            self.results[number] = result
        self._was_late = len(self.results) < len(things)

    def is_late_done(self) -> bool:
        """True once something is done that was late."""
        return self._was_late and not self._done.empty()

    def _forget(self) -> None:
        """Lets nothing more begin."""
        with suppress(queue.Empty):
            while True:
                self._left.get_nowait()

    def _take(self) -> None:
        while True:
            try:
                number, thing = self._left.get_nowait()
            except queue.Empty:
                return
            try:
                self._done.put((number, self._work(thing)))
            except BaseException as error:  # whoever waits raises it
                self._done.put((number, error))
