"""A server with tools of another package that are broken, and a tool that never ends: it goes on for all others."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import grpc
import pytest

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from bench.server_process import ServerProcess, serving
from tests.demo import DEMO_TRACE, LACKING
from tests.toy_tools import install
from tilescope.tiler.indexing import build_store
from tilescope.v1 import tiles_pb2 as pb

pytestmark = pytest.mark.slow

FAULTS = {
    "late": (500, r"the tool 'late' failed in toy_tools\.py, line \d+: KeyError: 'missing'"),
    "leaving": (500, r"the tool 'leaving' failed in toy_tools\.py, line \d+: SystemExit: 3"),
    "wrong": (500, r"the tool 'wrong' failed: TypeError: a value of type float is none of kind 'count'"),
    "plain": (500, r"the tool 'plain' failed: TypeError: its function returns a value of type Answer: it must yield"),
    "torn": (500, r"the tool 'torn' failed in toy_tools\.py, line \d+: ValueError: torn"),
    "absent": (422, r"absent has no answer for this run: no HLO protos in this trace: record with XLA_FLAGS=.*"),
}


@dataclass(frozen=True)
class Site:
    server: ServerProcess
    store: Path
    packages: Path
    log: Path
    notes: Path

    @property
    def base(self) -> str:
        return self.server.url + self.server.build_path()

    def noted(self, what: str) -> int:
        """How often `endless` has begun, or was stopped."""
        file = self.notes / what
        return len(file.read_text()) if file.exists() else 0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("faulty")
    build_store([DEMO_TRACE], folder / "demo.store")
    (folder / "packages").mkdir()
    (folder / "notes").mkdir()
    packages = install(folder / "packages", faulty=True)
    with pytest.MonkeyPatch.context() as patch, (folder / "log").open("w") as log:
        patch.setenv("TOY_NOTES", str(folder / "notes"))
        with serving(folder / "demo.store", packages=packages, log=log) as server:
            yield Site(server, folder / "demo.store", packages, folder / "log", folder / "notes")


def refusal(url: str) -> tuple[int, str, str]:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(url, timeout=60)
    error = json.load(refused.value)["error"]
    return refused.value.code, error["code"], error["message"]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_clear_error_by_every_way(site: Site, name: str) -> None:
    status, message = FAULTS[name]
    code = "tool_failed" if status == 500 else "not_available"
    got = refusal(f"{site.base}/tools/{name}")
    assert got[:2] == (status, code)
    assert re.fullmatch(message, got[2])

    _, _, _, run, _, build = site.server.build_path().split("/")
    with grpc.insecure_channel(site.server.grpc_address) as channel, pytest.raises(grpc.RpcError) as failed:
        list(tiles_pb2_grpc.TilesStub(channel).Ask(pb.AskRequest(run=run, build=build, tool=name), timeout=60))
    wanted = grpc.StatusCode.INTERNAL if status == 500 else grpc.StatusCode.FAILED_PRECONDITION
    assert failed.value.code() is wanted
    assert re.fullmatch(message, failed.value.details())
    assert dict(failed.value.trailing_metadata())["tilescope-code"] == code

    environment = {**os.environ, "PYTHONPATH": str(site.packages)}
    command = [sys.executable, "-m", "tilescope", "ask", str(site.store), name]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert re.fullmatch(f"tilescope: {message}\n", ran.stderr)


def test_the_others_are_answered_and_the_log_has_a_line_for_each(site: Site) -> None:
    with urllib.request.urlopen(f"{site.base}/tools/stats?limit=1", timeout=60) as answer:
        assert json.load(answer)["complete"]
    with urllib.request.urlopen(f"{site.base}/tools", timeout=60) as answer:
        listed = {one["id"]: one for one in json.load(answer)["tools"]}
    assert {name for name, one in listed.items() if not one["available"]} == {"torn", "absent", *LACKING}
    assert listed["torn"]["reason"].endswith("ValueError: torn")
    assert refusal(f"{site.base}/tools/late")[1] == "tool_failed"
    log = site.log.read_text()
    assert "Traceback" not in log
    assert "the tool 'late' failed in toy_tools.py" in log
    told = [line for line in log.splitlines() if "left out" in line]
    assert [line.partition(": ")[0] for line in told] == ["tilescope"] * 4, "once, by the server alone"


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():
            await asyncio.sleep(0.01)


async def over_http(site: Site, tool: str) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{site.base}/tools/{tool}") as answer:
        await answer.read()


async def over_grpc(site: Site, tool: str) -> None:
    _, _, _, run, _, build = site.server.build_path().split("/")
    async with grpc.aio.insecure_channel(site.server.grpc_address) as channel:
        stub = tiles_pb2_grpc.TilesStub(channel)
        async for _ in stub.Ask(pb.AskRequest(run=run, build=build, tool=tool)):
            pass


@pytest.mark.parametrize("ask", [over_http, over_grpc])
async def test_a_client_that_goes_away_stops_the_work(site: Site, ask: Callable[[Site, str], Awaitable[None]]) -> None:
    begun, stopped = site.noted("begun"), site.noted("stopped")
    asking = [asyncio.ensure_future(ask(site, "endless")) for _ in range(6)]  # as many as one client may have begun
    await until(lambda: site.noted("begun") == begun + 6)
    for one in asking:
        one.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    await until(lambda: site.noted("stopped") == stopped + 6)
    await asyncio.to_thread(urllib.request.urlopen, f"{site.base}/tools/stats?limit=2", timeout=30)


@pytest.mark.parametrize("ask", [over_http, over_grpc])
async def test_no_step_follows_the_one_in_which_a_client_goes_away(
    site: Site, ask: Callable[[Site, str], Awaitable[None]]
) -> None:
    for file in ("gate", "step", "left"):
        (site.notes / file).unlink(missing_ok=True)
    asking = asyncio.ensure_future(ask(site, "gated"))
    await until(lambda: site.noted("step") == 1)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    async with asyncio.timeout(30):
        while await asyncio.to_thread(questions_of, site.server.url):  # until the server has noticed
            await asyncio.sleep(0.01)
    (site.notes / "gate").touch()
    await until(lambda: site.noted("left") == 1)
    assert site.noted("step") == 1


async def answer_of(site: Site, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"{site.base}/tools/{path}") as answer:
        return answer.status, await answer.text()


async def test_a_tool_that_does_not_yield_costs_its_question_alone(site: Site) -> None:
    """It is given up, and not asked again for a while; what its process had begun besides is begun anew."""
    begun = site.noted("begun")
    others = [asyncio.ensure_future(over_http(site, "endless")) for _ in range(2)]  # one in each process, or so
    await until(lambda: site.noted("begun") >= begun + 2)
    hogs = [asyncio.ensure_future(answer_of(site, "hog")) for _ in range(2)]
    await until(lambda: site.noted("hogging") > 0)
    # Both hogs are given up after 5 s of processor time each, or after a minute in which others left them less.
    status, _ = await asyncio.wait_for(answer_of(site, "stats?limit=3"), 300)
    assert status == 200
    for status, text in await asyncio.gather(*hogs):
        assert status == 500
        assert re.search(r'"code": ?"tool_failed"', text)
        assert re.search("it took (5 s of processor time|60 s) without a pause, which is a fault of the tool", text)
    hogging = site.noted("hogging")
    assert "may be asked again in" in (await answer_of(site, "hog"))[1]
    assert site.noted("hogging") == hogging, "a question that was given up is refused"
    await until(lambda: site.noted("begun") > begun + 2)
    for one in others:
        one.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    assert "Traceback" not in site.log.read_text()


def test_a_server_ends_in_time_whatever_its_tools_do(site: Site, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    with pytest.MonkeyPatch.context() as patch, (tmp_path / "log").open("w") as log:
        patch.setenv("TOY_NOTES", str(notes))
        with serving(site.store, packages=site.packages, log=log) as server, ThreadPoolExecutor() as asking:
            url = f"{server.url}{server.build_path()}/tools/hog"
            asked = asking.submit(refusal, url)
            deadline = time.monotonic() + 60
            while not (notes / "hogging").exists():
                assert time.monotonic() < deadline
                time.sleep(0.01)
            server.process.send_signal(signal.SIGTERM)
            # Without an end it would be there for a minute: 14 s by its own clocks, and the rest for a busy machine.
            server.process.wait(timeout=45)
            asked.exception(timeout=45)
    assert "Traceback" not in (tmp_path / "log").read_text()


def questions_of(url: str) -> float:
    """How many questions a server works on."""
    with urllib.request.urlopen(f"{url}metrics", timeout=30) as answer:
        found = re.search(r"^tilescope_questions ([0-9.]+)$", answer.read().decode(), re.MULTILINE)
    assert found
    return float(found[1])
