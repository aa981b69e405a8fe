"""Ctrl-C and SIGTERM for work that can be ended early and keeps what it has: the first ends it, the second kills it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stop_on_signals() -> Iterator[asyncio.Event]:
    """An event that the first Ctrl-C or SIGTERM sets; the second cancels the task."""
    loop, task, stop = asyncio.get_running_loop(), asyncio.current_task(), asyncio.Event()
    was_cancelled = False

    def end() -> None:
        nonlocal was_cancelled
        if stop.is_set() and task is not None:
            was_cancelled = True
            task.cancel()
        stop.set()

    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, end)
    try:
        yield stop
    except asyncio.CancelledError:
        if was_cancelled:
            raise KeyboardInterrupt from None
        raise
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
