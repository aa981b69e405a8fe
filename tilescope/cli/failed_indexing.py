"""Ends a server that will never have anything to show, because none of the files it was given can be indexed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tilescope.server.runs.registry import Registry

_LOOK_SECONDS: Final = 0.1


async def serve_unless_all_failed(registry: Registry, serving: Coroutine[Any, Any, None]) -> bool:
    """Awaits the server. Returns whether it was ended because indexing has failed for all runs; why has been logged."""
    server = asyncio.create_task(serving)
    looking = asyncio.create_task(_all_failed(registry))
    try:
        await asyncio.wait({server, looking}, return_when=asyncio.FIRST_COMPLETED)
        if not server.done() and looking.result():
            return True
        await server
        return False
    finally:
        for task in (looking, server):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _all_failed(registry: Registry) -> bool:
    """Once every run that was named, not sent, has either failed or not."""
    from tilescope.server.runs.run import RunState

    while True:
        states = {status.state for status in await registry.list_runs() if status.removed_ns is None}
        if states and states <= {RunState.READY, RunState.FAILED}:
            return RunState.READY not in states
        await asyncio.sleep(_LOOK_SECONDS)
