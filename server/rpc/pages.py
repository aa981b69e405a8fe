"""Pages by want-lists and credit, as on the WebSocket: the same queue decides what is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Final

from tilescope.server.errors import BadMessage
from tilescope.server.page_keys import parse_page_keys
from tilescope.server.runs.store import RunStore
from tilescope.server.stream.messages import MAX_WANTS, Tier, TierEnd, Want
from tilescope.server.stream.wants import Done, Fetch, Step, WantQueue
from tilescope.tiler.pages import PageKey
from tilescope.v1 import tiles_pb2 as pb

STEPS_BEFORE_YIELD: Final = 32  # writes to a fast client do not suspend: let other clients have their turn


async def first(requests: AsyncIterator[pb.PagesRequest]) -> pb.PagesStart:
    """What every stream of pages begins with. Raises `BadMessage`."""
    request = await anext(requests, None)
    if request is None or request.WhichOneof("request") != "start":
        raise BadMessage("the first message says which build is meant: start")
    return request.start


class PageSession:
    """One call: a client's wishes on the one side, a store on the other."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._wants = WantQueue()
        self._changed = asyncio.Event()
        self._ended = False
        self._error: BadMessage | None = None

    async def responses(self, requests: AsyncIterator[pb.PagesRequest]) -> AsyncGenerator[pb.PagesResponse, None]:
        """Pages as they are wanted, until the client ends its side and has all of them. Raises `BadMessage`."""
        receiver = asyncio.create_task(self._receive(requests))
        try:
            sent = 0
            while True:
                if self._error is not None:
                    raise self._error
                step = self._wants.next_step()
                if step is None:
                    if self._ended:
                        return
                    self._changed.clear()
                    await self._changed.wait()
                    continue
                yield self._do(step)
                sent += 1
                if sent % STEPS_BEFORE_YIELD == 0:
                    await asyncio.sleep(0)
        finally:
            receiver.cancel()
            await asyncio.gather(receiver, return_exceptions=True)

    def _do(self, step: Step) -> pb.PagesResponse:
        if isinstance(step, Done):
            return pb.PagesResponse(done=pb.Done(id=step.want_id, tier=step.tier))
        if not isinstance(step, Fetch):
            raise AssertionError(f"{step}: only views are resolved, and they have a call of their own")
        page = self._store.page(step.key)
        key = pb.PageKey(**step.key._asdict())
        if page is None:
            return pb.PagesResponse(missing=pb.Missing(id=step.want_id, key=key))
        self._wants.page_sent(step.key, len(page))
        return pb.PagesResponse(page=pb.Page(id=step.want_id, key=key, data=page))

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
                raise BadMessage("after the start, a message is a want or credit")


def _want(want: pb.Want) -> Want:
    lists = {"": want.pages}
    if want.HasField("tiers"):
        if want.pages:
            raise BadMessage('a want-list has either "pages" or "tiers"')
        lists = {tier: getattr(want.tiers, tier) for tier in Tier}
    pages: list[PageKey] = []
    ends = []
    try:
        for name, keys in lists.items():
            listed = [[key.block, key.level, key.index, key.slot, key.part] for key in keys]
            pages += parse_page_keys(listed, name or "pages")
            ends += [TierEnd(Tier(name), len(pages))] if name else []
    except ValueError as error:
        raise BadMessage(str(error)) from None
    if len(pages) > MAX_WANTS:
        raise BadMessage(f"a want-list holds at most {MAX_WANTS:,} pages, not {len(pages):,}")
    return Want(want.id, tuple(pages), want.received if want.HasField("received") else None, tuple(ends))
