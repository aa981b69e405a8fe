"""Captures over HTTP: who may begin one, from where, how it is followed, and what is left of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import ClientWebSocketResponse, WSMsgType
from jsonschema import Draft202012Validator

from tests.server.captures.fakes import FakeCapture, FakeCapturer
from tests.server.conftest import Client, Site
from tilescope.capture import (
    CaptureCause,
    CapturePhase,
    CaptureResult,
    Failure,
    HostCapture,
    ProfilerAddress,
)
from tilescope.server.app import make_app
from tilescope.server.captures import captures
from tilescope.server.guard.access import Access
from tilescope.server.guard.capture_rules import parse_capture_rules
from tilescope.server.openapi import describe_api
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.errors import DiskFull

CAPTURES = "/api/v1/captures"
HERE = "127.0.0.1:9012"
TOKEN = "a-token-of-some-length"
EMPTY = Failure(CaptureCause.EMPTY, "the plane of the device has no line")

Make = Callable[..., Awaitable[Client]]


@pytest.fixture
def capturer() -> FakeCapturer:
    return FakeCapturer()


@pytest.fixture
def make(site: Site, capturer: FakeCapturer, aiohttp_client: Callable[..., Awaitable[Client]]) -> Make:
    async def of(settings: Settings = DEFAULTS) -> Client:
        return await aiohttp_client(make_app(site.registry(), settings=settings, capturer=capturer))

    return of


async def begin(client: Client, *hosts: str, **more: Any) -> dict[str, Any]:
    answer = await client.post(CAPTURES, json={"hosts": hosts or [HERE], **more})
    assert answer.status == 202, await answer.text()
    return await checked(answer, "Capture")


async def checked(answer: Any, name: str) -> dict[str, Any]:
    """The JSON of an answer, which fits its description."""
    components = describe_api()["components"]
    told: dict[str, Any] = await answer.json()
    Draft202012Validator({**components["schemas"][name], "components": components}).validate(told)
    return told


async def now(client: Client, capture: dict[str, Any]) -> dict[str, Any]:
    return await checked(await client.get(f"{CAPTURES}/{capture['id']}"), "Capture")


async def over(client: Client, capture: dict[str, Any]) -> dict[str, Any]:
    """The capture when its end has come."""
    async with client.ws_connect(f"{CAPTURES}/{capture['id']}/watch") as socket:
        while (told := await receive(socket))["state"] == "running":
            pass
        return told


async def receive(socket: ClientWebSocketResponse) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(await socket.receive_str(timeout=5))
    return told


def done(site: Site, call: FakeCapture, *failures: Failure | None) -> CaptureResult:
    """What came of it; the failures of hosts in their order, None: its trace is there."""
    file = site.file("run5")
    if None in failures:
        file.write_text("a trace")
    hosts = [
        HostCapture(address, 1, file, 7) if failure is None else HostCapture(address, 3, failure=failure)
        for address, failure in zip(call.addresses, failures, strict=True)
    ]
    return CaptureResult("run5", site.folder if None in failures else None, tuple(hosts))


async def test_a_capture_is_followed_from_the_order_to_its_run(make: Make, site: Site, capturer: FakeCapturer) -> None:
    client = await make()
    assert (await (await client.get("/api/v1/runs")).json())["runs"] == []
    order: dict[str, Any] = {
        "duration_ms": 250,
        "delay_ms": 5,
        "host_tracer_level": 1,
        "device_tracer_level": 0,
        "attempts": 2,
    }
    order |= {"python_tracer_level": 1, "include_dataset_ops": False, "run_name": "run5"}
    capture = await begin(client, "localhost:9012", **order)
    call = await capturer.call()
    assert call.addresses == (ProfilerAddress("127.0.0.1", 9012),)
    assert call.logdir == site.folder
    assert {name: getattr(call.options, name) for name in order} == order
    async with client.ws_connect(f"{CAPTURES}/{capture['id']}/watch") as socket:
        first = await receive(socket)
        assert (first["state"], first["hosts"][0]["phase"]) == ("running", "connecting")
        call.say(CapturePhase.WAITING, wait_s=0.25, failure=Failure(CaptureCause.BUSY), attempts=2)
        host = (await receive(socket))["hosts"][0]
        assert (host["name"], host["phase"], host["wait_ms"]) == ("localhost:9012", "waiting", 250)
        assert host["problem"]["cause"] == "busy"
        assert host["problem"]["hints"]
        call.say(CapturePhase.RECEIVING, attempt=2, attempts=2, size_bytes=5_000_000_000, total_bytes=7)
        host = (await receive(socket))["hosts"][0]
        assert (host["attempt"], host["size_bytes"]) == (2, "5000000000")
        call.result.set_result(done(site, call, None))
        last = await receive(socket)
        assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE
    assert (last["state"], last["run"], last["hosts"][0]["phase"]) == ("captured", "run5", "done")
    assert last["hosts"][0]["problem"] is None
    await site.jobs.begun("run5")  # nobody has asked for its index
    (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
    assert (run["id"], run["state"]) == ("run5", "indexing")
    assert await now(client, capture) == last  # and so after its end
    room = await checked(await client.get(CAPTURES), "CaptureRoom")
    assert (room["allowed"], room["addresses"], room["captures"]) == (True, ["loopback"], [last])


async def test_captures_stay_in_what_is_served(make: Make, site: Site, capturer: FakeCapturer) -> None:
    """And what was left there by a server that was killed goes at the next start."""
    run = site.folder / "plugins" / "profile" / "run"
    run.mkdir(parents=True)
    (run / ".host.xplane.pb-0123abcd.part").write_bytes(b"half of a trace")
    client = await make()
    assert not run.exists()
    await begin(client)
    call = await capturer.call()
    assert call.options.confined_to == (site.folder,)


async def test_what_some_hosts_gave_is_kept(make: Make, site: Site, capturer: FakeCapturer) -> None:
    client = await make()
    capture = await begin(client, HERE, "127.0.0.2:9012", "[::1]:9012")
    call = await capturer.call()
    lost = Failure(CaptureCause.LOST, f"{site.folder}/x: gone")
    call.result.set_result(done(site, call, EMPTY, None, lost))
    last = await over(client, capture)
    assert (last["state"], last["run"]) == ("partly", "run5")
    assert [host["phase"] for host in last["hosts"]] == ["failed", "done", "failed"]
    assert [host["attempt"] for host in last["hosts"]] == [3, 1, 3]
    problem = last["hosts"][0]["problem"]
    assert (problem["cause"], len(problem["hints"])) == ("empty", 3)
    assert last["hosts"][2]["problem"]["detail"] == "x: gone"


async def test_failures_of_all_hosts_and_of_the_whole(make: Make, site: Site, capturer: FakeCapturer) -> None:
    client = await make()
    capture = await begin(client)
    call = await capturer.call()
    call.result.set_result(done(site, call, Failure(CaptureCause.REFUSED)))
    last = await over(client, capture)
    assert (last["state"], last["run"], last["hosts"][0]["problem"]["cause"]) == ("failed", None, "refused")
    capture = await begin(client)
    (await capturer.call(1)).result.set_exception(DiskFull(f"{site.folder}/x: there is no room"))
    last = await over(client, capture)
    assert (last["state"], last["problem"]) == ("failed", "x: there is no room")
    assert last["hosts"][0]["phase"] == "failed"


async def test_a_trace_that_is_not_served_is_said(make: Make, capturer: FakeCapturer, site: Site) -> None:
    client = await make()
    capture = await begin(client)
    call = await capturer.call()
    hosts = (HostCapture(call.addresses[0], 1, site.folder / "x" / "y", 7),)
    (site.folder / "x").mkdir()
    call.result.set_result(CaptureResult("x", site.folder / "x", hosts))
    last = await over(client, capture)
    assert (last["state"], last["run"]) == ("captured", None)
    assert "not among the runs" in last["problem"]


async def test_one_that_is_stopped_keeps_what_it_has(make: Make, site: Site, capturer: FakeCapturer) -> None:
    client = await make()
    capturer.on_stop = lambda call: done(site, call, None)
    capture = await begin(client)
    await capturer.call()
    answer = await checked(await client.delete(f"{CAPTURES}/{capture['id']}"), "Capture")
    assert answer["was_stopped"]
    last = await over(client, capture)
    assert (last["state"], last["was_stopped"], last["run"]) == ("captured", True, "run5")
    capturer.on_stop = lambda call: done(site, call, Failure(CaptureCause.STOPPED))
    capture = await begin(client)
    await capturer.call(1)
    assert (await client.delete(f"{CAPTURES}/{capture['id']}")).status == 200
    last = await over(client, capture)
    assert (last["state"], last["run"]) == ("cancelled", None)
    assert (await (await client.delete(f"{CAPTURES}/{capture['id']}")).json())["state"] == "cancelled"


async def test_a_server_that_ends_keeps_what_comes_soon(
    make: Make, site: Site, capturer: FakeCapturer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captures, "STOP_TIMEOUT_S", 0.05)
    client = await make()
    await begin(client)
    await begin(client, "127.0.0.2:9012")
    soon, never = await capturer.call(0), await capturer.call(1)
    kept: list[str] = []

    def keep(call: FakeCapture) -> CaptureResult:
        kept.extend(str(address) for address in call.addresses)
        return done(site, call, None)

    soon_only = soon.addresses
    capturer.on_stop = None
    closing = asyncio.create_task(client.server.close())
    soon.result.set_result(keep(soon))
    await closing
    assert kept == [str(soon_only[0])]
    assert site.file("run5").exists()
    assert (soon.was_cancelled, never.was_cancelled) == (False, True)


async def test_one_at_a_time_of_each_host(make: Make, site: Site, capturer: FakeCapturer) -> None:
    client = await make()
    capture = await begin(client)
    call = await capturer.call()
    second = await client.post(CAPTURES, json={"hosts": ["127.0.0.3:1", HERE]})
    assert (second.status, (await second.json())["error"]["code"]) == (409, "busy")
    same = await begin(client, "localhost:9012")  # another name of it
    told = await over(client, same)
    assert (told["state"], told["hosts"][0]["problem"]["cause"]) == ("failed", "busy")
    assert len(capturer.calls) == 1
    call.result.set_result(done(site, call, None))
    await over(client, capture)
    await begin(client)


async def test_so_many_at_once_and_so_many_kept(
    make: Make, site: Site, capturer: FakeCapturer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captures, "MOST_RUNNING", 2)
    monkeypatch.setattr(captures, "MOST_KEPT", 3)
    client = await make()
    first = await begin(client)
    await begin(client, "127.0.0.2:9012")
    third = await client.post(CAPTURES, json={"hosts": ["127.0.0.3:9012"]})
    assert (third.status, (await third.json())["error"]["code"]) == (409, "busy")
    for number in range(4):
        call = await capturer.call(0 if number == 0 else number + 1)
        call.result.set_result(done(site, call, EMPTY))
        await over(client, first)
        first = await begin(client)
    assert len((await (await client.get(CAPTURES)).json())["captures"]) == 3


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "https://wiki.example"},  # which may use the rest of the API
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
    ],
)
async def test_strangers_begin_nothing(make: Make, capturer: FakeCapturer, headers: dict[str, str]) -> None:
    client = await make(Settings(allow_origins=frozenset({"https://wiki.example"})))
    capture = await begin(client)
    url = f"{CAPTURES}/{capture['id']}"
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket"}
    for answer in (
        await client.post(CAPTURES, json={"hosts": ["127.0.0.2:9012"]}, headers=headers),
        await client.delete(url, headers=headers),
        await client.get(f"{url}/watch", headers=headers | upgrade),
    ):
        assert (answer.status, (await answer.json())["error"]["code"]) == (403, "forbidden")
    await capturer.call()
    assert len(capturer.calls) == 1
    assert not (await now(client, capture))["was_stopped"]


async def test_a_form_cannot_begin_one(make: Make, capturer: FakeCapturer) -> None:
    client = await make()
    body = json.dumps({"hosts": [HERE]})
    for content_type in ("text/plain", "application/x-www-form-urlencoded"):
        answer = await client.post(CAPTURES, data=body, headers={"Content-Type": content_type})
        assert (answer.status, (await answer.json())["error"]["code"]) == (400, "bad_request")
    assert capturer.calls == []


async def test_without_the_token_there_is_nothing(make: Make, capturer: FakeCapturer) -> None:
    client = await make(Settings(host="0.0.0.0", access=Access(TOKEN)))
    ours = {"Authorization": f"Bearer {TOKEN}"}
    for headers, status in (({}, 401), ({"Authorization": "Bearer another-token"}, 401), (ours, 202)):
        answer = await client.post(CAPTURES, json={"hosts": [HERE]}, headers=headers)
        assert answer.status == status
    url = f"{CAPTURES}/{(await answer.json())['id']}"
    for asked in (client.get(CAPTURES), client.get(url), client.delete(url), client.get(f"{url}/watch")):
        assert (await asked).status == 401
    await capturer.call()
    assert len(capturer.calls) == 1


async def test_only_towards_what_the_operator_allowed(make: Make, capturer: FakeCapturer) -> None:
    client = await make(Settings(captures=parse_capture_rules(["trainer=127.0.0.7:9012"], ["none"])))
    refused = await client.post(CAPTURES, json={"hosts": ["trainer", HERE]})
    assert refused.status == 403
    assert f"--allow-capture {HERE}" in (await refused.json())["error"]["message"]
    assert capturer.calls == []
    capture = await begin(client, "trainer")
    assert (await capturer.call()).addresses == (ProfilerAddress("127.0.0.7", 9012),)
    assert capture["hosts"][0]["name"] == "trainer"
    room = await checked(await client.get(CAPTURES), "CaptureRoom")
    assert (room["targets"], room["addresses"]) == ([{"name": "trainer", "address": "127.0.0.7:9012"}], [])


async def test_where_captures_are_not_possible_the_reason_is_told(
    make: Make, site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    off = await make(Settings(captures=parse_capture_rules([], ["none"])))
    room = await checked(await off.get(CAPTURES), "CaptureRoom")
    assert (room["allowed"], room["captures"]) == (False, [])
    assert "--allow-capture HOST:PORT" in room["reason"]
    assert (await off.post(CAPTURES, json={"hosts": [HERE]})).status == 403
    site.add_run("run1")
    registry = site.registry()
    registry.paths = (site.file("run1"),)
    single = await aiohttp_client(make_app(registry))
    room = await checked(await single.get(CAPTURES), "CaptureRoom")
    assert "start the server with a log folder" in room["reason"]
    refused = await single.post(CAPTURES, json={"hosts": [HERE]})
    assert (refused.status, (await refused.json())["error"]["code"]) == (422, "not_available")


@pytest.mark.parametrize(
    "order",
    [
        {},
        [],
        {"hosts": []},
        {"hosts": "localhost:1"},
        {"hosts": ["localhost"]},
        {"hosts": [HERE, HERE]},
        {"hosts": [HERE], "duration_ms": 0},
        {"hosts": [HERE], "duration_ms": 600_001},
        {"hosts": [HERE], "duration_ms": "1000"},
        {"hosts": [HERE], "run_name": "../x"},
        {"hosts": [HERE], "run_name": ""},
        {"hosts": [HERE], "logdir": "/etc"},
        {"hosts": [f"127.0.0.1:{port}" for port in range(1, 300)]},
    ],
)
async def test_what_makes_no_sense_is_refused(make: Make, capturer: FakeCapturer, order: Any) -> None:
    client = await make()
    answer = await client.post(CAPTURES, json=order)
    assert (answer.status, (await answer.json())["error"]["code"]) == (400, "bad_request")
    assert capturer.calls == []


async def test_an_unknown_capture(make: Make) -> None:
    client = await make()
    url = f"{CAPTURES}/nothing"
    for asked in (client.get(url), client.delete(url), client.get(f"{url}/watch")):
        assert (await asked).status == 404
    capture = await begin(client)
    async with client.ws_connect(f"{CAPTURES}/{capture['id']}/watch") as socket:
        await receive(socket)
        await socket.send_str("hello")
        assert (await receive(socket))["code"] == "bad_message"
