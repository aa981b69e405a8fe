"""Measurements of one viewer: time to the first pixels, and bytes of the first screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import aiohttp

from bench.stream_client import CREDIT_BYTES, Answer, StreamClient
from bench.viewports import WIDTH_PX, Viewport, whole_run
from tilescope.tiler.query import QueryReader


@dataclass(slots=True)
class Times:
    """Seconds since a list or view was sent, one value for each viewport that has pages."""

    first_page: list[float] = field(default_factory=list)
    complete: list[float] = field(default_factory=list)

    def add(self, answer: Answer) -> None:
        """Notes one viewport."""
        if answer.first_page is not None:
            self.first_page.append(answer.first_page)
            self.complete.append(answer.visible)


async def by_list(
    session: aiohttp.ClientSession, path: str, reader: QueryReader, viewports: Sequence[Viewport]
) -> Times:
    """Each viewport as a list of its visible pages, which the client has resolved; one after the other."""
    times = Times()
    async with session.ws_connect(path, max_msg_size=0) as socket:
        client = StreamClient(socket)
        await client.grant(CREDIT_BYTES)
        for viewport in viewports:
            times.add(await client.want({"visible": viewport.tiers(reader)["visible"]}))
    return times


async def by_view(session: aiohttp.ClientSession, path: str, viewports: Sequence[Viewport]) -> Times:
    """Each viewport as a span of tracks, resolved by the server; one after the other, margins included."""
    times = Times()
    async with session.ws_connect(path, max_msg_size=0) as socket:
        client = StreamClient(socket)
        await client.grant(CREDIT_BYTES)
        for viewport in viewports:
            times.add(
                await client.view(start=viewport.start, end=viewport.end, px=WIDTH_PX, tracks=list(viewport.tracks))
            )
    return times


async def first_screen(session: aiohttp.ClientSession, path: str, reader: QueryReader) -> Answer:
    """The whole run: the visible pages, and what is around."""
    async with session.ws_connect(path, max_msg_size=0) as socket:
        return await StreamClient(socket).want(whole_run(reader).tiers(reader))
