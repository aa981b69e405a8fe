"""Progress of a run: the watch of the WebSocket, as a stream that ends when there is no more to tell."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

from tilescope.server.rpc.messages import to_message
from tilescope.server.runs.registry import Registry
from tilescope.server.watch.connection import LOOK_INTERVAL_S
from tilescope.server.watch.news import News
from tilescope.v1 import tiles_pb2 as pb


async def responses(registry: Registry, request: pb.WatchRequest) -> AsyncGenerator[pb.WatchResponse, None]:
    """The news of a run, until it is ready or failed. A slow client is told less often, never more at once."""
    run = await registry.find(request.run)
    news = News()
    with registry.watching(run.id) as watcher:
        if request.want_blocks:
            watcher.want(tuple(request.want_blocks))
            registry.forward_wants(run.id)
        while True:
            watcher.changed.clear()
            while True:
                status, built = registry.status(run.id), registry.built(run.id)
                message = news.next_message(status, built, time.monotonic())
                if message is None:
                    break
                response = _response(json.loads(message))
                yield response
                if response.WhichOneof("update") in ("ready", "failed"):
                    return
            wait_s = news.progress_wait_s(time.monotonic()) if news.is_progress_due else LOOK_INTERVAL_S
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await watcher.changed.wait()


def _response(message: dict[str, Any]) -> pb.WatchResponse:
    kind = message.pop("type")
    if kind == "progress":
        about = {name: message.pop(name) for name in ("state", "build")}
        return to_message({"progress": {**about, "progress": message}}, pb.WatchResponse())
    return to_message({kind: message}, pb.WatchResponse())
