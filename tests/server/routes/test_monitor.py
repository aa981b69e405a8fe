"""The monitor of a running job: who may look, one for all who look, and way made for captures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import ClientWebSocketResponse, WSMsgType
from jsonschema import Draft202012Validator

from tests.server.captures.fakes import FakeCapturer
from tests.server.conftest import Client, Site
from tilescope.capture import (
    CaptureCause,
    CaptureFailed,
    CaptureResult,
    Failure,
    HostCapture,
    MonitorSample,
    MonitorSource,
    ProfilerAddress,
)
from tilescope.server.app import make_app
from tilescope.server.captures import monitors
from tilescope.server.guard.access import Access
from tilescope.server.guard.capture_rules import parse_capture_rules
from tilescope.server.openapi import describe_api
from tilescope.server.settings import DEFAULTS, Settings

MONITOR = "/api/v1/monitor"
HERE = "127.0.0.1:9012"
TOKEN = "a-token-of-some-length"

Make = Callable[..., Awaitable[Client]]


class FakeSampler:
    """Gives what the test puts in: samples, and failures."""

    def __init__(self) -> None:
        self.begun: list[ProfilerAddress] = []
        self.open = 0
        self._given: asyncio.Queue[float | Failure] = asyncio.Queue()

    async def __call__(self, address: ProfilerAddress) -> AsyncGenerator[MonitorSample, None]:
        self.begun.append(address)
        self.open += 1
        try:
            number = 0
            while True:
                given = await self._given.get()
                if isinstance(given, Failure):
                    raise CaptureFailed(str(address), given)
                number += 1
                yield MonitorSample(address, number, 7, 2, MonitorSource.CAPTURES, 1000, device_idle=given)
        finally:
            self.open -= 1

    def give(self, *given: float | Failure) -> None:
        for one in given:
            self._given.put_nowait(one)

    async def until(self, open_now: int) -> None:
        async with asyncio.timeout(5):
            while self.open != open_now:
                await asyncio.sleep(0)


@pytest.fixture
def sampler() -> FakeSampler:
    return FakeSampler()


@pytest.fixture
def capturer() -> FakeCapturer:
    return FakeCapturer()


@pytest.fixture
def make(
    site: Site, sampler: FakeSampler, capturer: FakeCapturer, aiohttp_client: Callable[..., Awaitable[Client]]
) -> Make:
    async def of(settings: Settings = DEFAULTS) -> Client:
        app = make_app(site.registry(), settings=settings, capturer=capturer, sampler=sampler)
        return await aiohttp_client(app)

    return of


async def receive(socket: ClientWebSocketResponse) -> dict[str, Any]:
    """The next message, which fits its description."""
    told: dict[str, Any] = json.loads(await socket.receive_str(timeout=5))
    components = describe_api()["components"]
    schema = {**components["schemas"]["MonitorMessage"], "components": components}
    Draft202012Validator(schema).validate(told)
    return told


async def test_samples_come_and_what_fails_is_tried_again(
    make: Make, sampler: FakeSampler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitors, "RETRY_S", 0.001)
    client = await make()
    async with client.ws_connect(f"{MONITOR}/localhost:9012") as socket:
        sampler.give(0.25)
        sample = await receive(socket)
        assert (sample["type"], sample["device_idle"], sample["source"]) == ("sample", 0.25, "captures")
        assert (sample["step_mean_ms"], sample["time_ns"]) == (None, "7")
        sampler.give(Failure(CaptureCause.BUSY, "active"))
        problem = await receive(socket)
        assert (problem["type"], problem["problem"]["cause"], problem["retry_ms"]) == ("problem", "busy", 1)
        sampler.give(0.5)
        assert (await receive(socket))["device_idle"] == 0.5
        assert sampler.begun == [ProfilerAddress("127.0.0.1", 9012)] * 2
    await sampler.until(0)  # nobody looks: nothing is asked


async def test_all_who_look_share_one_monitor(make: Make, sampler: FakeSampler) -> None:
    client = await make()
    async with client.ws_connect(f"{MONITOR}/{HERE}") as one, client.ws_connect(f"{MONITOR}/localhost:9012") as other:
        sampler.give(0.25)
        assert await receive(one) == await receive(other)
        await one.close()
        sampler.give(0.5)
        assert (await receive(other))["device_idle"] == 0.5
        assert (sampler.open, len(sampler.begun)) == (1, 1)
    await sampler.until(0)


async def test_a_capture_goes_first(make: Make, site: Site, sampler: FakeSampler, capturer: FakeCapturer) -> None:
    client = await make()
    async with client.ws_connect(f"{MONITOR}/{HERE}") as socket:
        sampler.give(0.25)
        await receive(socket)
        await client.post("/api/v1/captures", json={"hosts": ["localhost:9012"]})
        assert (await receive(socket)) == {"type": "held"}
        call = await capturer.call()
        assert sampler.open == 0  # what it asked had ended when the capture began
        async with client.ws_connect(f"{MONITOR}/{HERE}") as late:
            assert await receive(late) == {"type": "held"}
        refused = Failure(CaptureCause.REFUSED)
        call.result.set_result(CaptureResult("x", None, (HostCapture(call.addresses[0], 1, failure=refused),)))
        sampler.give(0.5)
        assert (await receive(socket))["device_idle"] == 0.5


async def test_who_may_not_is_told_so(make: Make, sampler: FakeSampler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitors, "MOST_MONITORS", 1)
    client = await make(Settings(captures=parse_capture_rules(["trainer=127.0.0.7:9012"], [HERE, "127.0.0.1:9013"])))
    async with client.ws_connect(f"{MONITOR}/trainer"):
        await sampler.until(1)
        for host, code in (("10.0.0.7:9012", "forbidden"), ("nonsense", "bad_request"), (HERE, "busy")):
            async with client.ws_connect(f"{MONITOR}/{host}") as socket:
                told = await receive(socket)
                assert (told["type"], told["code"]) == ("error", code)
                assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE
    assert sampler.begun == [ProfilerAddress("127.0.0.7", 9012)]


async def test_a_name_without_an_address(make: Make) -> None:
    name = "a" * 64 + ".example"  # no label is so long: no name server is asked
    client = await make(Settings(captures=parse_capture_rules([f"trainer={name}:9012"], [])))
    async with client.ws_connect(f"{MONITOR}/trainer") as socket:
        assert (await receive(socket))["problem"]["cause"] == "unknown_host"
        assert (await socket.receive(timeout=5)).type is WSMsgType.CLOSE


async def test_strangers_look_at_nothing(make: Make, sampler: FakeSampler) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket"}
    client = await make(Settings(allow_origins=frozenset({"https://wiki.example"})))
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "https://wiki.example"}):
        assert (await client.get(f"{MONITOR}/{HERE}", headers=headers | upgrade)).status == 403
    assert (await client.get(f"{MONITOR}/{HERE}", headers={"Sec-Fetch-Site": "cross-site"})).status == 403
    assert (await client.get(f"{MONITOR}/{HERE}")).status == 400
    closed = await make(Settings(host="0.0.0.0", access=Access(TOKEN)))
    assert (await closed.get(f"{MONITOR}/{HERE}", headers=upgrade)).status == 401
    assert sampler.begun == []


async def test_a_server_that_ends_asks_nothing_more(make: Make, sampler: FakeSampler) -> None:
    client = await make()
    socket = await client.ws_connect(f"{MONITOR}/{HERE}")
    await sampler.until(1)
    await client.server.close()
    assert sampler.open == 0
    assert socket.closed or (await socket.receive(timeout=5)).type is not WSMsgType.TEXT
