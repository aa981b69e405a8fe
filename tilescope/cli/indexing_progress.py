"""Shows on the terminal of a server how far the run is that it indexes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tilescope.cli.progress import BAR_EVERY_SECONDS, ProgressDisplay

if TYPE_CHECKING:
    from tilescope.server.runs.registry import Registry

IDLE_SECONDS: Final = 0.5


async def with_progress(registry: Registry, serving: Awaitable[None]) -> None:
    """Awaits the server, and shows meanwhile what it indexes."""
    showing = asyncio.create_task(_show(registry))
    try:
        await serving
    finally:
        showing.cancel()
        with suppress(asyncio.CancelledError):
            await showing


async def _show(registry: Registry) -> None:
    while True:
        if registry.indexing() is not None:
            with ProgressDisplay() as display:
                while (status := registry.indexing()) is not None:
                    if status.progress is not None:
                        display.update_build(status.progress, f"{status.run.name}: ")
                    await asyncio.sleep(BAR_EVERY_SECONDS)
        await asyncio.sleep(IDLE_SECONDS)
