from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgpack
import pytest
from aiohttp import ClientWebSocketResponse, WSMsgType

from tests.server.conftest import Client, Site
from tests.server.fakes import FakeStore, page_bytes, small_pages
from tilescope.server.app import make_app
from tilescope.server.http import sockets
from tilescope.server.keys import CONNECTIONS
from tilescope.server.stream.messages import MAX_MESSAGE_BYTES
from tilescope.server.stream.wants import START_CREDIT_BYTES
from tilescope.tiler.pages import PageKey

pytestmark = pytest.mark.slow

STREAM = "/api/v1/runs/run1/builds/b1/stream"
PAGES = small_pages()
ABSENT = PageKey(5, 0, 0, 0)
DAMAGED = PageKey(0, 31, 0, 0)

Socket = ClientWebSocketResponse


def transport_of(socket: Socket) -> asyncio.Transport:
    """The client's end of the connection, to misbehave with."""
    http_connection = socket._response.connection
    assert http_connection is not None
    assert http_connection.transport is not None
    return http_connection.transport


async def want(socket: Socket, want_id: int, pages: Sequence[PageKey], received: int | None = None) -> None:
    message: dict[str, Any] = {"type": "want", "id": want_id, "pages": [key.to_json() for key in pages]}
    if received is not None:
        message["received"] = received
    await socket.send_bytes(msgpack.packb(message))


async def credit(socket: Socket, size_bytes: int) -> None:
    await socket.send_bytes(msgpack.packb({"type": "credit", "bytes": size_bytes}))


async def receive(socket: Socket) -> tuple[dict[str, Any], bytes]:
    frame = await socket.receive_bytes(timeout=5)
    unpacker = msgpack.Unpacker()
    unpacker.feed(frame)
    return unpacker.unpack(), frame[unpacker.tell() :]


async def receive_until_done(socket: Socket) -> list[tuple[str, PageKey]]:
    got = []
    while (message := await receive(socket))[0]["type"] != "done":
        head, payload = message
        assert head.get("bytes", 0) == len(payload)
        got.append((head["type"], PageKey(*head["key"])))
    return got


async def test_pages_come_as_stored_in_the_order_that_was_asked_for(client: Client) -> None:
    async with client.ws_connect(STREAM) as socket:
        await want(socket, 7, [PAGES[2], ABSENT, PAGES[0]])
        assert await receive(socket) == (
            {"type": "page", "id": 7, "key": PAGES[2].to_json(), "bytes": len(page_bytes(PAGES[2]))},
            page_bytes(PAGES[2]),
        )
        assert await receive(socket) == ({"type": "missing", "id": 7, "key": ABSENT.to_json()}, b"")
        assert (await receive(socket))[1] == page_bytes(PAGES[0])
        assert await receive(socket) == ({"type": "done", "id": 7}, b"")


async def big_client(site: Site, aiohttp_client: Callable[..., Awaitable[Client]], size_bytes: int) -> Client:
    """A server whose 16 pages are of that size."""
    site.stores.make = lambda build: FakeStore(build, {key: page_bytes(key, size_bytes) for key in PAGES})
    site.add_run("run1", build="b1")
    return await aiohttp_client(make_app(site.registry()))


async def test_the_server_stops_when_credit_is_used_up_and_goes_on_with_new_credit(
    site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    client = await big_client(site, aiohttp_client, START_CREDIT_BYTES // 4)
    async with client.ws_connect(STREAM) as socket:
        await want(socket, 1, PAGES)
        for key in PAGES[:4]:
            head, payload = await receive(socket)
            assert head["key"] == key.to_json()
        assert len(payload) * 4 > START_CREDIT_BYTES
        with pytest.raises(TimeoutError):
            await socket.receive(timeout=0.05)
        await credit(socket, len(payload))
        assert (await receive(socket))[0]["key"] == PAGES[4].to_json()


async def test_a_new_list_replaces_the_old_one_also_while_the_server_waits_for_credit(
    site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    client = await big_client(site, aiohttp_client, START_CREDIT_BYTES // 2)
    async with client.ws_connect(STREAM) as socket:
        await want(socket, 1, PAGES)
        for key in PAGES[:2]:
            assert (await receive(socket))[0]["key"] == key.to_json()
        await want(socket, 2, [PAGES[9], PAGES[1]], received=1)
        await credit(socket, 2 * START_CREDIT_BYTES)
        assert await receive_until_done(socket) == [("page", PAGES[9])]


async def test_a_client_that_does_not_read_holds_up_nobody_and_is_cut_off_at_shutdown(
    site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    client = await big_client(site, aiohttp_client, 1_000_000)
    async with client.ws_connect(STREAM) as lazy, client.ws_connect(STREAM) as eager:
        transport_of(lazy).pause_reading()
        await credit(lazy, 10**9)
        await want(lazy, 1, PAGES)
        await want(eager, 1, PAGES[:2])
        assert await receive_until_done(eager) == [("page", PAGES[0]), ("page", PAGES[1])]
        assert (await client.get("/api/v1/runs/run1/manifest")).status == 200
        transports = [served._transport for served in client.app[CONNECTIONS]]
        assert max(transport.get_write_buffer_size() for transport in transports) < 2_500_000
        async with asyncio.timeout(8):
            await client.server.close()
        assert not client.app[CONNECTIONS]
        transport_of(lazy).abort()


@pytest.mark.parametrize("granted", [0, 10**12], ids=["within its first credit", "with credit without end"])
async def test_a_client_that_stops_reading_costs_at_most_its_credit_however_often_it_asks(
    site: Site, aiohttp_client: Callable[..., Awaitable[Client]], granted: int
) -> None:
    client = await big_client(site, aiohttp_client, 500_000)
    async with client.ws_connect(STREAM) as lazy:
        transport_of(lazy).pause_reading()
        await credit(lazy, granted)
        buffered = []
        for want_id in range(150):
            await want(lazy, want_id, [*PAGES, *(PageKey(9, 0, index, 0) for index in range(4000))])
            (served,) = client.app[CONNECTIONS]
            buffered.append(served._transport.get_write_buffer_size())
            assert len(served._wants._steps) <= 4096 + 1
            await asyncio.sleep(0)
        while served._wants._want_id != 149:  # all lists have been read
            await asyncio.sleep(0.01)
            buffered.append(served._transport.get_write_buffer_size())
        # What the socket does not take is one page: far below a credit without end, and below the first credit.
        assert max(buffered) <= 600_000
        assert served._wants._sent_count <= 16
        transport_of(lazy).abort()


async def test_a_client_that_takes_nothing_for_too_long_is_cut_off(
    site: Site, aiohttp_client: Callable[..., Awaitable[Client]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "SEND_TIMEOUT_S", 0.05)
    client = await big_client(site, aiohttp_client, 1_000_000)
    async with client.ws_connect(STREAM) as lazy:
        transport_of(lazy).pause_reading()
        await credit(lazy, 10**9)
        await want(lazy, 1, PAGES)
        async with asyncio.timeout(5):
            while not client.app[CONNECTIONS]:
                await asyncio.sleep(0)
            while client.app[CONNECTIONS]:
                await asyncio.sleep(0.01)
        transport_of(lazy).abort()


async def test_a_client_that_answers_no_ping_is_cut_off(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "HEARTBEAT_S", 0.1)
    async with client.ws_connect(STREAM, autoping=False) as socket:
        assert (await socket.receive(timeout=5)).type is WSMsgType.PING
        async with asyncio.timeout(5):
            while client.app[CONNECTIONS]:
                await asyncio.sleep(0.01)


async def test_many_absent_pages_need_no_credit(client: Client) -> None:
    absent = [PageKey(6, 0, index, 0) for index in range(4096)]
    async with client.ws_connect(STREAM) as socket:
        await want(socket, 1, absent)
        assert await receive_until_done(socket) == [("missing", key) for key in absent]


@pytest.mark.parametrize(
    "data", [b"nonsense", msgpack.packb({"type": "want", "id": 1, "pages": [[1]]}), msgpack.packb({"type": "credit"})]
)
async def test_a_bad_message_is_answered_and_the_stream_closed(client: Client, data: bytes) -> None:
    async with client.ws_connect(STREAM) as socket:
        await socket.send_bytes(data)
        head, _ = await receive(socket)
        assert (head["type"], head["code"]) == ("error", "bad_message")
        assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE
        assert socket.close_code == 1008


async def test_text_is_refused(client: Client) -> None:
    async with client.ws_connect(STREAM) as socket:
        await socket.send_str('{"type": "want"}')
        assert (await receive(socket))[0]["message"] == "messages are binary"


async def test_a_message_that_is_too_large_closes_the_stream(client: Client) -> None:
    async with client.ws_connect(STREAM) as socket:
        await socket.send_bytes(bytes(MAX_MESSAGE_BYTES + 1))
        assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE
        assert socket.close_code == 1009


async def test_a_damaged_page_ends_the_stream_with_the_reason(client: Client) -> None:
    async with client.ws_connect(STREAM) as socket:
        await want(socket, 1, [PAGES[0], DAMAGED])
        assert (await receive(socket))[0]["type"] == "page"
        head, _ = await receive(socket)
        assert head == {"type": "error", "code": "bad_store", "message": "track 0, level 31, tile 0: damaged"}
        assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE
        assert socket.close_code == 1011


async def test_clients_are_told_when_the_server_goes_away(client: Client) -> None:
    async with client.ws_connect(STREAM) as socket:
        await want(socket, 1, [])
        await receive(socket)
        closing = asyncio.create_task(client.server.close())
        assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE
        assert socket.close_code == 1001
        await closing


async def test_a_client_that_vanishes_leaves_nothing_behind(client: Client) -> None:
    socket = await client.ws_connect(STREAM)
    await want(socket, 1, [])
    await receive(socket)
    (served,) = client.app[CONNECTIONS]
    assert socket._response.connection is not None
    assert socket._response.connection.transport is not None
    socket._response.connection.transport.abort()
    async with asyncio.timeout(5):
        while served in client.app[CONNECTIONS]:
            await asyncio.sleep(0)
    await socket.close()


async def test_a_stream_is_a_websocket(client: Client) -> None:
    answer = await client.get(STREAM)
    assert answer.status == 400
    assert (await answer.json())["error"]["code"] == "bad_request"


async def test_a_stream_of_an_unknown_build_is_refused_before_the_handshake(client: Client) -> None:
    answer = await client.get(STREAM.replace("b1", "b0"), headers={"Connection": "Upgrade", "Upgrade": "websocket"})
    assert answer.status == 404
    assert (await answer.json())["error"]["code"] == "unknown_build"
