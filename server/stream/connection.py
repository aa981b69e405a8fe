"""One client's stream: a WebSocket on the one side, a store on the other, and the want-queue between them.

What a slow client can hold is one page and the socket's buffer: no page is read from the store before it is its turn.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from aiohttp import WSMsgType, web

from tilescope.server.errors import BadMessage
from tilescope.server.http import sockets
from tilescope.server.http.sockets import SocketConnection
from tilescope.server.metrics import PageMeter
from tilescope.server.runs.store_reads import read_from
from tilescope.server.stream import frames, messages
from tilescope.server.stream.fetched_steps import fetched_step
from tilescope.server.stream.messages import ViewWant, Want
from tilescope.server.stream.views import Resolve, resolve_view
from tilescope.server.stream.wants import Done, Resolved, Step, WantQueue
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.store.store import Store

STEPS_BEFORE_YIELD: Final = 32  # writes to a fast socket do not suspend: let other clients have their turn


class Connection(SocketConnection):
    """Sends the pages that are wanted, as far as credit goes."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        transport: asyncio.Transport,
        store: Store,
        resolve: Resolve,
        meter: PageMeter,
    ) -> None:
        super().__init__(socket, transport)
        self._store = store
        self._resolve = resolve
        self._meter = meter
        self._wants = WantQueue()
        self._changed = asyncio.Event()  # a want-list or credit came in

    async def run(self) -> None:
        """Receives and sends until the socket is closed."""
        await self._converse(self._receive(), self._send())

    async def _receive(self) -> None:
        async for frame in self._socket:
            if frame.type is WSMsgType.ERROR:  # too large, or no WebSocket frame: the library has closed the socket
                return
            if frame.type is not WSMsgType.BINARY:
                raise BadMessage("messages are binary")
            await self._take(frame.data)
            await asyncio.sleep(0)  # to resolve a view takes milliseconds: let other clients have their turn

    async def _take(self, data: bytes) -> None:
        message = messages.parse(data)
        if isinstance(message, Want):
            self._wants.replace(message)
        elif isinstance(message, ViewWant):
            want = await read_from(self._store, partial(resolve_view, message, self._resolve))
            self._wants.replace(want, message.have)
        else:
            self._wants.add_credit(message.size_bytes)
        self._changed.set()

    async def _send(self) -> None:
        while True:
            self._changed.clear()
            await self._send_what_is_due()
            await self._changed.wait()

    async def _send_what_is_due(self) -> None:
        steps = 0
        while (step := await fetched_step(self._store, self._wants)) is not None:
            async with asyncio.timeout(sockets.SEND_TIMEOUT_S):
                await self._socket.send_bytes(self._frame(step))
            steps += 1
            if steps % STEPS_BEFORE_YIELD == 0:
                await asyncio.sleep(0)

    def _frame(self, step: Step) -> bytes:
        if isinstance(step, Done):
            return frames.done_message(step.want_id, step.tier)
        if isinstance(step, Resolved):
            return frames.resolved_message(step.want.id, step.want.pages, step.want.tiers)
        page = stored_page(self._store, step.key)
        if page is None:
            return frames.missing_message(step.want_id, step.key)
        self._wants.page_sent(step.key, len(page))
        self._meter.sent(len(page))
        return frames.page_message(step.want_id, step.key, page)

    async def _send_error(self, code: str, message: str) -> None:
        await self._socket.send_bytes(frames.error_message(code, message))
