"""Traces that are sent over HTTP to a server with real readers and workers, by those who may and those who may not."""

from __future__ import annotations

import asyncio
import gzip
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from tests.server.conftest import Client
from tests.server.uploads.sending import (
    BYTES,
    SENDING,
    TOKEN,
    UPLOADS,
    Place,
    begin,
    checked,
    indexed,
    list_runs,
    order_of,
    put,
    run_of,
    send,
    trace_of,
)
from tilescope.server.guard.access import Access
from tilescope.server.guard.admission import exchange
from tilescope.server.guard.upload_rules import UploadRules
from tilescope.server.http import bodies
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.schema import UPLOAD_PIECE_BYTES

Make = Callable[..., Awaitable[Client]]
RULES = SENDING.uploads


async def test_a_trace_is_sent_listed_and_indexed(place: Place, make: Make) -> None:
    client = await make()
    room = await checked(await client.get(UPLOADS), "UploadRoom")
    assert room["allowed"]
    assert "token" in room["seen_by"]
    assert room["kept_days"] == 7
    trace = trace_of("hello", "world")
    state = await send(client, {"a.json": trace}, piece=20)
    assert state["state"] == "listed"
    assert state["received_bytes"] == [str(len(trace))]
    (run,) = state["runs"]
    entry = await indexed(client, run)
    assert (entry["state"], entry["events"], entry["name"]) == ("ready", "2", "a.json")
    assert entry["notes"][0].startswith("sent by a browser: removed after 20")
    assert (await (await client.get(f"{UPLOADS}/{state['id']}")).json())["runs"] == [run]


async def test_a_folder_keeps_its_layout(make: Make) -> None:
    client = await make()
    files = {
        f"logs/plugins/profile/2026_01_0{day}_00_00_00/host{host}.trace.json.gz": gzip.compress(
            trace_of(f"{day}{host}")
        )
        for day in (1, 2)
        for host in (0, 1)
    }
    state = await send(client, files | {"logs/events.out.txt": b"no trace"})
    runs = [await run_of(client, run) for run in state["runs"]]
    assert [(run["name"], run["hosts"]) for run in runs] == [
        ("2026_01_02_00_00_00", ["host0", "host1"]),
        ("2026_01_01_00_00_00", ["host0", "host1"]),
    ]


async def refusal(client: Client, files: dict[str, bytes]) -> str:
    """The line that says why an upload is not listed."""
    upload = await begin(client, files)
    for number, content in enumerate(files.values()):
        if content:
            await checked(await put(client, upload, number, 0, content))
    answer = await list_runs(client, upload)
    assert answer.status in (400, 422)
    assert (await client.get(f"{UPLOADS}/{upload}")).status == 404
    return str((await answer.json())["error"]["message"])


@pytest.mark.parametrize(
    "content", [b"\x0a\xff\xff\xff\xff\x7f", random.Random(1).randbytes(4000), b"", b"PK\x03\x04" + bytes(100)]
)
@pytest.mark.parametrize("name", ["a.json", "a.xplane.pb", "a.zip", "a/b.txt"])
async def test_what_is_no_trace_is_refused_and_not_kept(place: Place, make: Make, name: str, content: bytes) -> None:
    client = await make()
    why = await refusal(client, {name: content})
    assert why.startswith("a")
    assert "\n" not in why
    assert str(place.folder) not in why
    assert place.files() == set()


async def test_what_is_damaged_further_on_is_listed_with_what_is_wrong(place: Place, make: Make) -> None:
    client = await make()
    cut = await send(client, {"cut.json": trace_of("one", "two")[:-9]})
    assert (await indexed(client, cut["runs"][0]))["events"] == "1"
    torn = await send(client, {"torn.json.gz": gzip.compress(trace_of(*map(str, range(5000))))[:-4000]})
    entry = await indexed(client, torn["runs"][0])
    assert entry["state"] in ("ready", "failed")
    assert str(place.folder) not in str(entry)


async def test_a_bomb_is_held_by_the_limit_of_the_server(place: Place, make: Make) -> None:
    place.max_inflated = 1_000_000
    client = await make()
    bomb = gzip.compress(b"[" + b" " * 20_000_000 + trace_of("x")[1:])
    assert "--max-inflated" in await refusal(client, {"a.json.gz": bomb})
    state = await send(client, {"logs/plugins/profile/run/a.trace.json.gz": bomb})
    entry = await indexed(client, state["runs"][0])
    assert entry["state"] == "failed"
    assert "--max-inflated" in entry["error"]


@pytest.mark.parametrize("name", ["../../x.json", "/etc/../../x.json", "..\\x.json", "", "x" * 2000, "a/" * 20 + "b"])
async def test_hostile_names_are_refused(place: Place, make: Make, name: str) -> None:
    client = await make()
    answer = await client.post(UPLOADS, json=order_of({name: b"x"}))
    assert answer.status == 400
    assert place.files() == set()


@pytest.mark.parametrize("name", ["/etc/x.json", "C:\\a\\..json", ".ssh/x.json", "a\0b.json", "%2e%2e%2fa.json"])
async def test_no_name_becomes_a_path(place: Place, make: Make, name: str) -> None:
    client = await make()
    before = {path for path in place.folder.rglob("*") if not path.is_relative_to(place.folder / "cache")}
    await send(client, {name: trace_of("x")})
    assert {path for path in place.folder.rglob("*") if not path.is_relative_to(place.folder / "cache")} == before
    for upload in place.shelf.uploads():
        assert upload.root.resolve().is_relative_to(place.shelf.folder.resolve())
        assert upload.root.exists()


@pytest.mark.parametrize(
    "order",
    [
        {},
        {"files": []},
        {"files": [{"name": "a", "size_bytes": "-1", "modified_ms": "0"}]},
        {"files": [{"name": "a", "size_bytes": 1, "modified_ms": "0"}]},
        {"files": [{"name": "a", "size_bytes": "9" * 19, "modified_ms": "0"}]},
        {"files": [{"name": "a", "size_bytes": "1", "modified_ms": "0", "path": "/x"}]},
        {"files": [{"name": "a", "size_bytes": "1", "modified_ms": "0"}] * 2001},
    ],
)
async def test_orders_that_make_no_sense_are_refused(place: Place, make: Make, order: Any) -> None:
    client = await make()
    assert (await client.post(UPLOADS, json=order)).status == 400
    assert place.files() == set()


async def test_pieces_are_bounded_and_come_in_order(make: Make) -> None:
    client = await make()
    large = bytes(UPLOAD_PIECE_BYTES + 5)
    upload = await begin(client, {"a.json": large})
    assert (await put(client, upload, 0, 0, large)).status == 413
    assert (await put(client, upload, 0, 1, b"x")).status == 409
    assert (await put(client, upload, 1, 0, b"x")).status == 404
    assert (await put(client, "nothing", 0, 0, b"x")).status == 404
    assert (await put(client, "..%2f..", 0, 0, b"x")).status == 404
    compressed = {"Content-Encoding": "gzip", **BYTES}
    answer = await client.put(f"{UPLOADS}/{upload}/files/0/0", data=gzip.compress(large[:9]), headers=compressed)
    assert answer.status == 400
    await checked(await put(client, upload, 0, 0, large[:-5]))
    assert (await put(client, upload, 0, len(large) - 5, b"123456")).status == 413, "more than the order says"
    assert (await list_runs(client, upload)).status == 409, "bytes lack"


async def raw_piece(
    client: Client, upload: str, length: int, body: bytes
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A piece of which only this has been sent."""
    reader, writer = await asyncio.open_connection(client.host, client.port)
    head = (
        f"PUT {UPLOADS}/{upload}/files/0/0 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
        f"Content-Type: application/octet-stream\r\nContent-Length: {length}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    await writer.drain()
    return reader, writer


async def received(client: Client, upload: str) -> int:
    state = await checked(await client.get(f"{UPLOADS}/{upload}"))
    return int(state["received_bytes"][0])


async def until_received(client: Client, upload: str, count: int) -> None:
    async with asyncio.timeout(20):
        while await received(client, upload) < count:
            await asyncio.sleep(0.01)


async def test_a_piece_that_is_cut_off_goes_on_where_it_ended(make: Make) -> None:
    client = await make()
    trace = trace_of(*map(str, range(20_000)))
    upload = await begin(client, {"a.json": trace})
    _, writer = await raw_piece(client, upload, len(trace), trace[: bodies.STEP_BYTES])
    await until_received(client, upload, bodies.STEP_BYTES)
    writer.transport.abort()
    start = await received(client, upload)
    await checked(await put(client, upload, 0, start, trace[start:]))
    state = await checked(await list_runs(client, upload))
    assert (await indexed(client, state["runs"][0]))["events"] == "20000"


async def test_a_sender_is_ended_by_lack_of_progress_alone(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "STEP_TIMEOUT_S", 0.4)
    client = await make()
    size = 6 * bodies.STEP_BYTES
    upload = await begin(client, {"a.json": bytes(size)})
    reader, writer = await raw_piece(client, upload, size, b"")
    for _ in range(5):  # longer in all than a step may take
        writer.write(bytes(bodies.STEP_BYTES))
        await asyncio.sleep(0.2)
    assert await received(client, upload) == 5 * bodies.STEP_BYTES
    assert b" 408 " in await asyncio.wait_for(reader.readline(), 5)
    writer.close()
    assert await received(client, upload) == 5 * bodies.STEP_BYTES, "what has come is kept"


async def test_a_second_sender_takes_over(make: Make) -> None:
    client = await make()
    size = 4 * bodies.STEP_BYTES
    upload = await begin(client, {"a.json": bytes(size)})
    reader, writer = await raw_piece(client, upload, size, bytes(bodies.STEP_BYTES))
    await until_received(client, upload, bodies.STEP_BYTES)
    await checked(await put(client, upload, 0, bodies.STEP_BYTES, bytes(bodies.STEP_BYTES)))
    writer.write(b"x" * bodies.STEP_BYTES)
    assert b" 409 " in await asyncio.wait_for(reader.readline(), 5)
    writer.close()
    assert await received(client, upload) == 2 * bodies.STEP_BYTES


async def test_many_send_at_once(make: Make) -> None:
    client = await make()
    traces = [{"a.json": trace_of(*[f"{number}"] * (number + 1))} for number in range(6)]
    states = await asyncio.gather(*(send(client, trace, piece=100) for trace in traces))
    entries = [await indexed(client, state["runs"][0]) for state in states]
    assert [entry["events"] for entry in entries] == [str(number + 1) for number in range(6)]
    assert len({entry["id"] for entry in entries}) == 6


async def test_what_is_cancelled_is_gone(place: Place, make: Make) -> None:
    client = await make()
    upload = await begin(client, {"a.json": bytes(100)})
    await put(client, upload, 0, 0, bytes(50))
    assert (await client.delete(f"{UPLOADS}/{upload}")).status == 204
    assert place.files() == set()
    assert (await put(client, upload, 0, 50, bytes(50))).status == 404
    state = await send(client, {"b.json": trace_of("x")})
    await indexed(client, state["runs"][0])
    assert (await client.delete(f"{UPLOADS}/{state['id']}")).status == 204
    runs = (await (await client.get("/api/v1/runs")).json())["runs"]
    assert runs == []
    assert place.files() == set()


async def test_what_is_cancelled_in_the_middle_of_a_piece_is_gone(place: Place, make: Make) -> None:
    client = await make()
    size = 4 * bodies.STEP_BYTES
    upload = await begin(client, {"a.json": bytes(size)})
    reader, writer = await raw_piece(client, upload, size, bytes(bodies.STEP_BYTES))
    await until_received(client, upload, bodies.STEP_BYTES)
    assert (await client.delete(f"{UPLOADS}/{upload}")).status == 204
    writer.write(bytes(bodies.STEP_BYTES))
    assert b" 404 " in await asyncio.wait_for(reader.readline(), 5)
    writer.close()
    assert place.files() == set()


async def test_a_server_that_is_started_again_goes_on(
    place: Place, make: Make, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    first = await make()
    trace = trace_of("one", "two", "three")
    upload = await begin(first, {"a.json": trace})
    await put(first, upload, 0, 0, trace[:30])
    whole = await send(first, {"b.json": trace})
    await first.close()
    second = await make()
    assert (await run_of(second, whole["runs"][0]))["name"] == "b.json"
    assert await received(second, upload) == 30
    await checked(await put(second, upload, 0, 30, trace[30:]))
    state = await checked(await list_runs(second, upload))
    assert (await indexed(second, state["runs"][0]))["events"] == "3"


# -- who may -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        DEFAULTS,
        replace(SENDING, uploads=UploadRules()),
        replace(DEFAULTS, start=Access("s" * 32), uploads=UploadRules(is_allowed=True)),
    ],
)
async def test_others_may_not_send(place: Place, make: Make, settings: Settings) -> None:
    client = await make(settings)
    room = await checked(await client.get(UPLOADS), "UploadRoom")
    assert not room["allowed"]
    assert room["reason"]
    for answer in (
        await client.post(UPLOADS, json=order_of({"a": b"x"})),
        await client.get(f"{UPLOADS}/x"),
        await put(client, "x", 0, 0, b"x"),
        await list_runs(client, "x"),
        await client.delete(f"{UPLOADS}/x"),
    ):
        assert answer.status == 403
    assert place.files() == set()


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}],
)
async def test_pages_of_other_sites_may_not_send(make: Make, headers: dict[str, str]) -> None:
    settings = replace(SENDING, allow_origins=frozenset({"https://elsewhere.example"}))
    client = await make(settings, Authorization=f"Bearer {TOKEN}", **headers)
    assert (await client.post(UPLOADS, json=order_of({"a": b"x"}))).status == 403
    assert (await put(client, "x", 0, 0, b"x")).status == 403
    assert (await client.delete(f"{UPLOADS}/x")).status == 403


async def test_forms_may_not_send(make: Make) -> None:
    client = await make()
    form = {"Content-Type": "text/plain"}
    assert (await client.post(UPLOADS, data=b"{}", headers=form)).status == 400
    assert (await client.post(f"{UPLOADS}/x/runs", headers=form)).status == 400
    assert (await client.put(f"{UPLOADS}/x/files/0/0", data=b"x", headers=form)).status in (400, 404)


async def test_the_browser_of_this_start_may_send(make: Make) -> None:
    secret = "s" * 32
    client = await make(
        replace(DEFAULTS, start=Access(secret), uploads=UploadRules(is_allowed=True)), Accept="text/html"
    )
    stranger = await client.get("/?run=x&start=another", allow_redirects=False)
    assert (stranger.status, stranger.headers["Location"], len(stranger.cookies)) == (303, "./?run=x", 0)
    answer = await client.get(f"/?run=x&start={secret}", allow_redirects=False)
    assert (answer.status, answer.headers["Location"]) == (303, "./?run=x")
    (cookie,) = answer.cookies.values()
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert secret not in cookie.value
    sending = {"Cookie": f"{cookie.key}={cookie.value}"}
    room = await (await client.get(UPLOADS, headers=sending)).json()
    assert room["allowed"]
    assert "log in to the machine" in room["seen_by"]
    assert (await client.post(UPLOADS, json=order_of({"a": b"x"}), headers=sending)).status == 201
    client.session.cookie_jar.clear()
    assert not (await (await client.get(UPLOADS)).json())["allowed"], "others see the page, and may not send"


async def test_questions_keep_the_start_of_their_span(make: Make) -> None:
    """It was taken for a secret, and left out: the answer of `tilescope view` began at the start of the run."""
    client = await make(replace(DEFAULTS, start=Access("s" * 32), base_path="/below"))
    question = "/below/api/v1/runs/absent/builds/b/tools/stats?start=5&end=9"
    assert (await client.get(question, allow_redirects=False)).status == 404
    assert (await client.get("/below/?start=5", allow_redirects=False)).headers["Location"] == "./"


def test_a_browser_does_not_keep_a_cookie_of_each_start() -> None:
    """All of them go into the head of a request, which is bounded."""
    kept: dict[str, str] = {"other": "x"}
    for number in range(60):
        start = Access(f"{number:032d}")
        cookies = "; ".join(f"{name}={value}" for name, value in kept.items())
        request = make_mocked_request("GET", f"/?start={start.token}", headers={"Cookie": cookies})
        for name, cookie in exchange(request, start, "start").cookies.items():
            if cookie.value:
                kept[name] = cookie.value
            else:
                del kept[name]
        assert start.cookie_name() in kept
    assert len(kept) == 32
    assert "other" in kept
