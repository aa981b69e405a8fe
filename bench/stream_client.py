"""A viewer as the server sees it: lists of pages out, pages in, credit back. Decodes nothing: servers are measured."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgpack
from aiohttp import ClientWebSocketResponse

from tilescope.tiler.pages import PageKey

Tiers = Mapping[str, Sequence[PageKey]]

CREDIT_BYTES = 4 * 1024 * 1024  # beside what the server starts with: enough to keep a connection busy


@dataclass(slots=True)
class Answer:
    """Pages of one list or view. Times in seconds since it was sent; None: it had no pages."""

    first_page: float | None = None
    visible: float = 0.0  # the tier `visible` was complete
    done: float = 0.0
    visible_bytes: int = 0
    size_bytes: int = 0
    pages: list[PageKey] = field(default_factory=list)


class StreamClient:
    """One connection."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self._socket = socket
        self._want_id = 0
        self._received = 0

    async def view(self, **view: Any) -> Answer:
        """Asks for a view, as a client does that knows no shapes."""
        return await self._ask({"type": "view", **view})

    async def want(self, tiers: Tiers) -> Answer:
        """Asks for pages, as the viewer in the browser does."""
        return await self._ask({"type": "want", "tiers": {tier: list(keys) for tier, keys in tiers.items()}})

    async def grant(self, size_bytes: int) -> None:
        """Gives credit."""
        await self._send({"type": "credit", "bytes": size_bytes})

    async def send_want(self, keys: Sequence[PageKey]) -> None:
        """Asks and does not wait."""
        self._want_id += 1
        await self._send({"type": "want", "id": self._want_id, "pages": list(keys)})

    async def _ask(self, message: dict[str, Any]) -> Answer:
        self._want_id += 1
        answer = Answer()
        begin = time.perf_counter()
        await self._send(message | {"id": self._want_id, "received": self._received})
        while True:
            frame = await self._socket.receive_bytes(timeout=60)
            now = time.perf_counter() - begin
            kind, head = _head(frame)
            if kind == "page":
                if answer.first_page is None:
                    answer.first_page = now
                self._received += 1
                answer.size_bytes += head["bytes"]
                answer.pages.append(PageKey(*head["key"]))
                await self.grant(head["bytes"])
            elif kind == "done" and head.get("tier") == "visible":
                answer.visible, answer.visible_bytes = now, answer.size_bytes
            elif kind == "done" and "tier" not in head:
                answer.done = now
                return answer
            elif kind in ("error", "missing"):
                raise AssertionError(head)

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_bytes(msgpack.packb(message))


def _head(frame: bytes) -> tuple[str, dict[str, Any]]:
    """The map at the start of a frame. Only as much of a page is looked at as a head is long."""
    unpacker = msgpack.Unpacker()
    unpacker.feed(frame if len(frame) < 4096 else frame[:256])
    try:
        head = unpacker.unpack()
    except msgpack.OutOfData:  # a long list of the pages of a view
        head = msgpack.unpackb(frame)
    return str(head["type"]), head
