"""Time as a capture sees it, so that tests can have one of their own."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Protocol


class CaptureTime(Protocol):
    """Time and chance, as a capture needs them."""

    def unix_ns(self) -> int:
        """Now."""

    async def sleep(self, seconds: float) -> None:
        """Returns after so long."""

    def chance(self) -> float:
        """A random number, at least 0 and below 1."""


class SystemTime:
    """The clock of the system."""

    def unix_ns(self) -> int:
        """Now."""
        return time.time_ns()

    async def sleep(self, seconds: float) -> None:
        """Returns after so long."""
        await asyncio.sleep(seconds)

    def chance(self) -> float:
        """A random number, at least 0 and below 1."""
        return random.random()


async def passes(time: CaptureTime, seconds: float, stop: asyncio.Event) -> bool:
    """Waits so long; whether it was not stopped meanwhile."""
    sleeping = asyncio.create_task(time.sleep(seconds))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({sleeping, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        sleeping.cancel()
        stopping.cancel()
    return not stop.is_set()
