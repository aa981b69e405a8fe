"""Garbage of Python while many objects are made that stay: when a run is indexed, or a base folder listed."""

from __future__ import annotations

import atexit
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# New objects before a collection, and collections before an older generation is looked through. A build makes few
# cycles, but many objects that stay: looking through them took 3 % of its processor time (0.51 s of 16, now 0.03), and
# a sixth of that of a list of 80,000 files.
_SELDOM: Final = (50_000, 20, 100)


def collect_seldom() -> None:
    """From now on, for a process that builds one store and ends. Modules and all else that is there are no garbage.

    All of it used to be looked through once after the imports and once after the build, while nothing else ran: 10 ms
    each time with 10 million events. What is frozen is not collected at the end of the interpreter, either, and native
    types that are left then are reported as leaked: so it thaws before.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)
    if gc.get_threshold()[0]:
        gc.set_threshold(*_SELDOM)


class _Blocks:
    """Blocks that run now, in any thread: the first to begin raises thresholds, the last to end puts them back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._before = (0, 0, 0)

    def begin(self) -> None:
        """Counts a block."""
        with self._lock:
            self._count += 1
            if self._count > 1:
                return
            self._before = gc.get_threshold()
            if self._before[0]:  # else whoever called has switched it off
                gc.set_threshold(*(max(pair) for pair in zip(self._before, _SELDOM, strict=True)))

    def end(self) -> None:
        """Counts its end."""
        with self._lock:
            self._count -= 1
            if not self._count:
                gc.set_threshold(*self._before)


_BLOCKS: Final = _Blocks()


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Within the block, cycles are looked for seldom. Arrays go with their last reference, as ever. For any thread."""
    _BLOCKS.begin()
    try:
        yield
    finally:
        _BLOCKS.end()
