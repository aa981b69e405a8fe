"""Finishes questions, and finds a tool that does not let others have their turn in time."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools import Answer

# Of this thread's processor time, ten times what a step may take: a machine that does much else is slower, four times
# on two cores of a cloud (2026-11-27). Sanitizers make all of it slower still.
MOST_S: Final = 1.0 * (20 if os.environ.get("LD_PRELOAD") else 1)


def finish_watched(tool: str, steps: Interruptible[Answer]) -> Answer:
    """The answer. Raises AssertionError, with the lines between which it lies, for a step that takes too long."""
    while True:
        before, begin = _place(steps), time.thread_time()
        try:
            with _without_collection():
                next(steps)
        except StopIteration as end:
            _check(tool, begin, before, "the end")
            answer: Answer = end.value
            return answer
        _check(tool, begin, before, _place(steps))


@contextmanager
def _without_collection() -> Iterator[None]:
    """Leaves garbage for later: of a process with the objects of a thousand tests a collection takes seconds."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _check(tool: str, begin: float, before: str, after: str) -> None:
    taken = time.thread_time() - begin
    assert taken <= MOST_S, f"{tool}: {1000 * taken:.0f} ms of processor time without a pause, from {before} to {after}"


def _place(steps: Any) -> str:
    """The innermost generator that is paused, as file and line."""
    place = "the beginning"
    while getattr(steps, "gi_frame", None) is not None:
        place = f"{Path(steps.gi_frame.f_code.co_filename).name}:{steps.gi_frame.f_lineno}"
        steps = steps.gi_yieldfrom
    return place
