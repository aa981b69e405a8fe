"""Pages by want-lists and credit, as on the WebSocket: the same queue decides what is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Final

from tilescope.server.errors import BadMessage
from tilescope.server.metrics import PageMeter
from tilescope.server.page_keys import parse_page_keys
from tilescope.server.rpc.messages import bytes_field
from tilescope.server.stream.fetched_steps import fetched_step
from tilescope.server.stream.messages import MAX_WANTS, TierEnd, Want, WantTier
from tilescope.server.stream.wants import Done, Fetch, WantQueue
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PageKey
from tilescope.tiler.store.store import Store
from tilescope.v1 import tiles_pb2 as pb

# A message is full with so many bytes of pages. One for each page would cost twice as much: gRPC sends in a thread of
# its own, that has to be woken, and wakes ours.
MESSAGE_BYTES: Final = 256 * 1024


async def first(requests: AsyncIterator[pb.PagesRequest]) -> pb.PagesStart:
    """Returns the message that begins every stream of pages. Raises `BadMessage`."""
    request = await anext(requests, None)
    if request is None or request.WhichOneof("request") != "start":
        raise BadMessage('the first message must be "start", which names the build')
    return request.start


class PageSession:
    """One call: a client's wishes on the one side, a store on the other."""

    def __init__(self, store: Store, meter: PageMeter) -> None:
        self._store = store
        self._meter = meter
        self._wants = WantQueue()
        self._changed = asyncio.Event()
        self._ended = False
        self._error: BadMessage | None = None

    async def responses(self, requests: AsyncIterator[pb.PagesRequest]) -> AsyncGenerator[bytes, None]:
        """Pages as they are wanted, until the client ends its side and has all of them. Raises `BadMessage`."""
        receiver = asyncio.create_task(self._receive(requests))
        try:
            while True:
                if self._error is not None:
                    raise self._error
                self._changed.clear()
                response = await self._next_response()
                if response is not None:
                    yield response
                elif self._ended:
                    return
                else:
                    await self._changed.wait()
        finally:
            receiver.cancel()
            await asyncio.gather(receiver, return_exceptions=True)

    async def _next_response(self) -> bytes | None:
        """A `PagesResponse`: what is due, up to the end of a tier or list, or until it is full; None: nothing is."""
        parts: list[bytes] = []
        size_bytes = 0
        while size_bytes < MESSAGE_BYTES and (step := await fetched_step(self._store, self._wants)) is not None:
            if isinstance(step, Done):
                parts.append(pb.PagesResponse(done=pb.Done(id=step.want_id, tier=step.tier)).SerializeToString())
                break
            if not isinstance(step, Fetch):
                raise AssertionError(f"{step}: only views are resolved, and they have a call of their own")
            page = stored_page(self._store, step.key)
            key = pb.PageKey(**step.key._asdict())
            if page is None:
                parts.append(pb.PagesResponse(missing=[pb.Missing(id=step.want_id, key=key)]).SerializeToString())
                continue
            self._wants.page_sent(step.key, len(page))
            self._meter.sent(len(page))
            head = pb.Page(id=step.want_id, key=key).SerializeToString()
            data = bytes_field(pb.Page.DATA_FIELD_NUMBER, page)
            parts += bytes_field(pb.PagesResponse.PAGES_FIELD_NUMBER, head, *data)
            size_bytes += len(page)
        return b"".join(parts) if parts else None

    async def _receive(self, requests: AsyncIterator[pb.PagesRequest]) -> None:
        try:
            async for request in requests:
                self._take(request)
                self._changed.set()
        except BadMessage as error:
            self._error = error
        finally:
            self._ended = True
            self._changed.set()

    def _take(self, request: pb.PagesRequest) -> None:
        match request.WhichOneof("request"):
            case "want":
                self._wants.replace(_want(request.want))
            case "credit":
                self._wants.add_credit(request.credit.bytes)
            case _:
                raise BadMessage('after "start", a message must be "want" or "credit"')


def _want(want: pb.Want) -> Want:
    lists = {"": want.pages}
    if want.HasField("tiers"):
        if want.pages:
            raise BadMessage('a want-list has either "pages" or "tiers"')
        lists = {tier: getattr(want.tiers, tier) for tier in WantTier}
    pages: list[PageKey] = []
    ends = []
    try:
        for name, keys in lists.items():
            listed = [[key.block, key.level, key.index, key.slot, key.part] for key in keys]
            pages += parse_page_keys(listed, name or "pages")
            ends += [TierEnd(WantTier(name), len(pages))] if name else []
    except ValueError as error:
        raise BadMessage(str(error)) from None
    if len(pages) > MAX_WANTS:
        raise BadMessage(f"a want-list holds at most {MAX_WANTS:,} pages, not {len(pages):,}")
    return Want(want.id, tuple(pages), want.received if want.HasField("received") else None, tuple(ends))
