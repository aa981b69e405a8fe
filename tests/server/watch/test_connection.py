"""Watching a run over a real WebSocket, with jobs that do as the test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import ClientWebSocketResponse, WSCloseCode, WSMsgType

from tests.server.conftest import Client, Site
from tilescope.server.app import make_app
from tilescope.server.keys import WATCHES
from tilescope.server.runs.run import IndexProgress
from tilescope.server.watch import connection
from tilescope.server.watch.messages import MAX_MESSAGE_BYTES

RUN0 = "/api/v1/runs/run0"
READING = IndexProgress("read", 0.25, 1000)
SHOWN = IndexProgress("build", 0.5, 2000, blocks=3, build="b1", revision=1)

Socket = ClientWebSocketResponse


async def receive(socket: Socket) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(await socket.receive_str(timeout=5))
    return message


async def want(socket: Socket, *blocks: int) -> None:
    await socket.send_str(json.dumps({"type": "want", "blocks": blocks}))


async def test_a_run_is_followed_from_new_to_ready(client: Client, site: Site) -> None:
    async with client.ws_connect(f"{RUN0}/watch") as socket:
        assert (await receive(socket))["state"] == "new"
        await client.post(f"{RUN0}/index")
        states = set()
        while (message := await receive(socket))["phase"] != "read":
            states.add(message["state"])
        assert states <= {"queued", "indexing"}
        report = site.jobs.reports["run0"]
        report(SHOWN, [])
        message = await receive(socket)
        assert (message["build"], message["revision"], message["blocks"]) == ("b1", 1, 3)
        report(replace(SHOWN, blocks_done=1), [2])
        assert await receive(socket) == {"type": "blocks", "build": "b1", "blocks": [2]}
        assert (await receive(socket))["blocks_done"] == 1
        report(replace(SHOWN, blocks_done=3), [0, 1])
        assert (await receive(socket))["blocks"] == [0, 1]
        await site.jobs.end("run0")
        while (message := await receive(socket))["type"] == "progress":
            assert message["state"] == "indexing"
        assert message == {"type": "ready", "build": "b1"}


async def test_who_comes_later_is_told_all_blocks_that_are_done(client: Client, site: Site) -> None:
    await client.post(f"{RUN0}/index")
    await site.jobs.begun("run0")
    site.jobs.reports["run0"](SHOWN, [2])
    site.jobs.reports["run0"](SHOWN, [0])
    async with client.ws_connect(f"{RUN0}/watch") as socket:
        assert (await receive(socket))["type"] == "progress"
        assert await receive(socket) == {"type": "blocks", "build": "b1", "blocks": [2, 0]}
        await site.jobs.end("run0", error="no room")
        assert await receive(socket) == {"type": "failed", "error": "no room"}


async def test_a_run_that_is_ready_says_so(client: Client) -> None:
    async with client.ws_connect("/api/v1/runs/run1/watch") as socket:
        assert await receive(socket) == {"type": "ready", "build": "b1"}


async def test_a_trace_that_changes_is_noticed(client: Client, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LOOK_INTERVAL_S", 0.01)
    async with client.ws_connect("/api/v1/runs/run1/watch") as socket:
        assert (await receive(socket))["type"] == "ready"
        site.file("run1").write_text("other content")
        await client.get("/api/v1/runs")
        assert (await receive(socket))["state"] == "new"
        site.file("run1").unlink()
        await client.get("/api/v1/runs")
        assert (await receive(socket))["code"] == "not_found"
        assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE


async def test_the_worker_hears_what_all_want_and_no_more_when_they_are_gone(client: Client, site: Site) -> None:
    async with client.ws_connect(f"{RUN0}/watch") as first:
        await want(first, 5, 6)  # before there is a worker
        await receive(first)
        await client.post(f"{RUN0}/index")
        await site.jobs.begun("run0")
        wishes = site.jobs.wishes["run0"]
        async with asyncio.timeout(5):
            assert await wishes.next() == (5, 6)
            async with client.ws_connect(f"{RUN0}/watch") as second:
                await want(second, 9, 5, 1)
                assert await wishes.next() == (5, 9, 6, 1)
                await want(first, 2)
                assert await wishes.next() == (2, 9, 5, 1)
            assert await wishes.next() == (2,)


@pytest.mark.parametrize("message", ["{}", '{"type": "want", "blocks": [-1]}', b"\x80"])
async def test_what_is_no_message_ends_the_watch(client: Client, message: str | bytes) -> None:
    async with client.ws_connect(f"{RUN0}/watch") as socket:
        await receive(socket)
        await (socket.send_str(message) if isinstance(message, str) else socket.send_bytes(message))
        assert (await receive(socket))["code"] == "bad_message"
        frame = await socket.receive(timeout=5)
        assert (frame.type, frame.data) == (WSMsgType.CLOSE, WSCloseCode.POLICY_VIOLATION)


async def test_a_failure_of_ours_is_told_and_logged(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(text: str) -> None:
        raise ZeroDivisionError(text)

    monkeypatch.setattr("tilescope.server.watch.messages.parse_want", fail)
    async with client.ws_connect(f"{RUN0}/watch") as socket:
        await receive(socket)
        await want(socket, 1)
        assert await receive(socket) == {
            "type": "error",
            "code": "internal",
            "message": "the server failed to answer; its log says why",
        }
        assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE
        assert socket.close_code == WSCloseCode.INTERNAL_ERROR
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "GET /api/v1/runs/run0/watch failed"
    ]


async def test_a_message_that_is_too_large_ends_the_watch(client: Client) -> None:
    async with client.ws_connect(f"{RUN0}/watch") as socket:
        await receive(socket)
        await socket.send_str(" " * (MAX_MESSAGE_BYTES + 1))
        frame = await socket.receive(timeout=5)
        assert (frame.type, frame.data) == (WSMsgType.CLOSE, WSCloseCode.MESSAGE_TOO_BIG)


async def test_a_watcher_that_does_not_read_holds_no_queue(
    client: Client, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    stuck = asyncio.Event()

    async def send(self: object, text: str, compress: int | None = None) -> None:
        sent.append(text)
        await stuck.wait()

    monkeypatch.setattr("aiohttp.web.WebSocketResponse.send_str", send)
    async with client.ws_connect(f"{RUN0}/watch"):
        await client.post(f"{RUN0}/index")
        await site.jobs.begun("run0")
        for k in range(500):
            site.jobs.reports["run0"](replace(SHOWN, events=k), [k])
            await asyncio.sleep(0)
        assert len(sent) == 1
        stuck.set()
        async with asyncio.timeout(5):
            while '"blocks":[0,1,2' not in sent[-1]:
                await asyncio.sleep(0.001)
        assert len(sent) == 3
        assert '"events":"499"' in sent[1]


async def test_the_server_says_goodbye(site: Site, aiohttp_client: Callable[..., Awaitable[Client]]) -> None:
    site.add_run("run0")
    app = make_app(site.registry())
    client = await aiohttp_client(app)
    async with client.ws_connect(f"{RUN0}/watch") as socket:
        await receive(socket)
        closing = asyncio.create_task(client.server.close())
        frame = await socket.receive(timeout=5)
        assert (frame.type, frame.data) == (WSMsgType.CLOSE, WSCloseCode.GOING_AWAY)
        await closing
    assert not app[WATCHES]


async def test_a_watch_of_nothing_is_not_found(client: Client) -> None:
    answer = await client.get("/api/v1/runs/nobody/watch")
    assert (answer.status, (await answer.json())["error"]["code"]) == (404, "not_found")


async def test_foreign_pages_may_not_watch(client: Client) -> None:
    answer = await client.get(
        f"{RUN0}/watch",
        headers={"Origin": "https://elsewhere.example", "Upgrade": "websocket", "Connection": "upgrade"},
    )
    assert answer.status == 403
