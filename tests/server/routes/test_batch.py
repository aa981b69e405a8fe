"""Batches, read by a decoder that was written from docs/api.md alone."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import pytest

from tests.server.conftest import Client, Site
from tests.server.fakes import FakeStore, page_bytes, small_pages
from tilescope.server.app import make_app
from tilescope.server.keys import REGISTRY
from tilescope.server.routes import batch
from tilescope.tiler.pages import PageKey
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tiles import PAGE

BATCH = "/api/v1/runs/run1/builds/b1/batch"
PAGES = small_pages()
ABSENT = PageKey(5, 3, 2**40, 31)
DAMAGED = PageKey(0, 31, 0, 0)
END = (2, PageKey(0, 0, 0, 0), b"")


def frames(body: bytes) -> Iterator[tuple[int, PageKey, bytes]]:
    """Kind, key and payload of each frame."""

    def number(start: int, length: int) -> int:
        return int.from_bytes(body[start : start + length], "little")

    at = 0
    while at < len(body):
        assert body[at + 1 : at + 4] == bytes(3)
        assert body[at + 15] == 0
        key = PageKey(number(at + 8, 4), number(at + 12, 1), number(at + 16, 8), number(at + 13, 1), body[at + 14])
        end = at + 24 + number(at + 4, 4)
        assert end <= len(body)
        yield body[at], key, body[at + 24 : end]
        at = end


def body_of(keys: Sequence[Sequence[int]]) -> bytes:
    return json.dumps({"pages": [list(key) for key in keys]}).encode()


async def test_residuals_are_named_by_a_fifth_number(client: Client) -> None:
    page, residual = PAGES[5], PAGES[5].residual
    body = json.dumps({"pages": [page.to_json(), residual.to_json(), [*page[:4], 0], PAGES[0].residual]}).encode()
    answer = await client.post(BATCH, data=body)
    assert list(frames(await answer.read())) == [
        (0, page, page_bytes(page)),
        (0, residual, page_bytes(residual)),
        (1, PAGES[0].residual, b""),
        END,
    ]


async def test_pages_come_as_stored_in_the_order_of_the_list_and_each_once(client: Client) -> None:
    answer = await client.post(BATCH, data=body_of([PAGES[2], ABSENT, PAGES[0], PAGES[2]]))
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/vnd.tilescope.batch"
    assert answer.headers["Cache-Control"] == "no-store"
    assert list(frames(await answer.read())) == [
        (0, PAGES[2], page_bytes(PAGES[2])),
        (1, ABSENT, b""),
        (0, PAGES[0], page_bytes(PAGES[0])),
        END,
    ]


async def test_whole_numbers_may_be_written_with_a_point(client: Client) -> None:
    answer = await client.post(BATCH, data=b'{"pages": [[0.0, 1e0, 20E-1, 0]]}')
    assert list(frames(await answer.read())) == [(0, PageKey(0, 1, 2, 0), page_bytes(PageKey(0, 1, 2, 0))), END]


async def test_an_empty_list_is_complete_at_once(client: Client) -> None:
    assert list(frames(await (await client.post(BATCH, data=body_of([]))).read())) == [END]


async def test_the_bytes_are_those_of_the_documentation(client: Client) -> None:
    body = await (await client.post(BATCH, data=body_of([(5, 3, 2**40, 31)]))).read()
    missing = "01000000 00000000 05000000 03 1f 0000 0000000000010000"
    end = "02000000 00000000 00000000 00 00 0000 0000000000000000"
    assert body == bytes.fromhex(missing + end)


async def test_damage_ends_the_body_with_the_reason(client: Client) -> None:
    answer = await client.post(BATCH, data=body_of([PAGES[0], DAMAGED, PAGES[1]]))
    (first, last) = frames(await answer.read())
    assert first[1] == PAGES[0]
    assert last[0] == 3
    message = "track 0, level 31, tile 0: damaged"
    assert json.loads(last[2]) == {"error": {"code": "bad_store", "message": message}}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"pages": 7}',
        b'{"pages": [[0, 0, 0, 32]]}',
        b'{"pages": [[0, 0, 0, 0.5]]}',
        b'{"pages": [[0, 0, 0, 1e999]]}',
        b'{"pages": [[0, 0, 1e300, 0]]}',
        b'{"pages": [[0, 0, 0, NaN]]}',
        b'{"pages": [[0, 0, 0, true]]}',
        b'{"pages": [], "more": 1}',
        b"[" * 100_000,
        b'{"pages": [[' + b"9" * 5000 + b", 0, 0, 0]]}",
        b"\xff\xfe",
        body_of([(0, 0, 0, 0)] * 4097),
    ],
)
async def test_nonsense_is_refused_with_the_reason(client: Client, body: bytes) -> None:
    answer = await client.post(BATCH, data=body)
    assert (answer.status, (await answer.json())["error"]["code"]) == (400, "bad_request")


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "a gzip bomb"])
async def test_bodies_are_bounded_as_sent_and_as_decoded(client: Client, packed: bool) -> None:
    body = b'{"pages": []' + b" " * 300_000 + b"}"
    if packed:
        body = gzip.compress(body + b" " * 100_000_000, 9)
        assert len(body) < 256 * 1024
    headers = {"Content-Encoding": "gzip"} if packed else {}
    answer = await client.post(BATCH, data=body, headers=headers)
    assert (answer.status, (await answer.json())["error"]["code"]) == (413, "too_large")


async def test_other_builds_and_runs_are_not_found(client: Client) -> None:
    for path, code in [(BATCH.replace("b1", "b0"), "unknown_build"), (BATCH.replace("run1", "run7"), "not_found")]:
        answer = await client.post(path, data=body_of([]))
        assert (answer.status, (await answer.json())["error"]["code"]) == (404, code)


class Counting(FakeStore):
    """A store of large pages that counts how many were read."""

    def __init__(self, build: str) -> None:
        super().__init__(build, {key: page_bytes(key, 1_000_000) for key in PAGES})
        self.reads = 0

    def get(self, record: Record, *numbers: int) -> bytes | None:
        self.reads += record is PAGE
        return super().get(record, *numbers)


async def stuck_batch(client: Client, big_list: Sequence[PageKey]) -> asyncio.StreamWriter:
    """A batch whose client reads nothing."""
    body = body_of(big_list)
    reader, writer = await asyncio.open_connection(client.host, client.port, limit=1)
    head = f"POST {BATCH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await reader.read(1)
    transport = writer.transport
    assert isinstance(transport, asyncio.ReadTransport)
    transport.pause_reading()
    return writer


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_goes_away_leaves_nothing_behind(
    site: Site, aiohttp_server: Any, aiohttp_client: Any, caplog: pytest.LogCaptureFixture, handler_cancellation: bool
) -> None:
    site.stores.make = Counting
    site.add_run("run1", build="b1")
    server = await aiohttp_server(make_app(site.registry()))
    server.handler.handler_cancellation = handler_cancellation
    client = await aiohttp_client(server)
    writer = await stuck_batch(client, PAGES)
    writer.transport.abort()
    async with asyncio.timeout(5):
        while server.handler.connections:
            await asyncio.sleep(0.01)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    entries = server.app[REGISTRY]._stores._entries
    assert [entry.leases for entry in entries.values()] == [0]


async def test_a_client_that_stops_reading_costs_a_few_pages_and_is_cut_off(
    site: Site, aiohttp_client: Callable[..., Awaitable[Client]], monkeypatch: pytest.MonkeyPatch
) -> None:
    site.stores.make = Counting
    site.add_run("run1", build="b1")
    client = await aiohttp_client(make_app(site.registry()))
    assert (await client.get("/api/v1/runs/run1/manifest")).status == 200
    (store,) = site.stores.opened
    assert isinstance(store, Counting)
    monkeypatch.setattr(batch, "SEND_TIMEOUT_S", 1.0)
    writer = await stuck_batch(client, PAGES)
    async with asyncio.timeout(5):
        while client.server.handler is not None and len(client.server.handler.connections) > 1:
            await asyncio.sleep(0.02)
    # What the kernel holds for both ends, and one page more: the rest was not even read from the store.
    assert store.reads < len(PAGES)
    writer.transport.abort()
