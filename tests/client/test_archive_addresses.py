"""Archives at addresses, opened by `tilescope.connect`: as the file is, and apart from servers of Tilescope's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tilescope
from tests.example import Example
from tests.remote.static_server import Behaviour, static_server
from tilescope.cli.dispatch import main
from tilescope.client import Unreachable, connect_async
from tilescope.remote.address import Address
from tilescope.remote.server_addresses import is_server
from tilescope.remote.web_requests import WebRequests
from tilescope.tiler.errors import BlobMissing, NoStore


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory, example: Example) -> Path:
    path = tmp_path_factory.mktemp("archive") / "run.tsarc"
    assert main(["archive", str(example.path), "-o", str(path)]) == 0
    return path


@pytest.fixture
def behaviour(archive: Path) -> Behaviour:
    health = b'{"status":"ok","version":"1"}'
    return Behaviour({"/run.tsarc": archive.read_bytes(), "/page": b"<html>", "/tiles/healthz": health})


@pytest.fixture
def origin(behaviour: Behaviour) -> Iterator[str]:
    with static_server(behaviour) as origin:
        yield origin


def test_answers_are_those_of_the_file(archive: Path, origin: str) -> None:
    with tilescope.connect(f"{origin}/run.tsarc") as remote, tilescope.connect(archive) as local:
        run, other = remote.run(), local.run()
        assert (run.build, run.name) == (other.build, "run.tsarc")
        assert run.stats().table.rows() == other.stats().table.rows()
        assert remote.runs()[0].path == f"{origin}/run.tsarc"
    with tilescope.connect(f"{origin}/run.tsarc") as again:
        assert again.run().id == run.id


async def test_no_read_holds_up_the_event_loop(origin: str, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = connect_async(f"{origin}/run.tsarc")
    get, loop_thread = WebRequests.get, threading.current_thread()

    def checked_get(self: WebRequests, *arguments: Any) -> Any:
        assert threading.current_thread() is not loop_thread, "the event loop waits for another machine"
        return get(self, *arguments)

    monkeypatch.setattr(WebRequests, "get", checked_get)
    async with client:
        run = await client.run()
        track = next(track for track in await run.tracks() if track.kind == "slice" and track.events)
        events = await run.events(tracks=[track.id])
        assert len(events)
        assert (await run.event(track.id, 0)).name


def test_no_archive(origin: str) -> None:
    with pytest.raises(NoStore, match=f"{origin}/page: there is no store here"):
        tilescope.connect(f"{origin}/page")
    with pytest.raises(BlobMissing, match="the web server has no such object"):
        tilescope.connect(f"{origin}/none.tsarc")


def test_addresses_of_servers(origin: str, behaviour: Behaviour) -> None:
    assert is_server(Address.parse(f"{origin}/tiles"))
    assert not is_server(Address.parse(f"{origin}/page"))
    before = len(behaviour.requests)
    assert is_server(Address.parse(origin))
    assert is_server(Address.parse(f"{origin}/user/me/proxy/8808/"))
    assert not is_server(Address.parse("s3://bucket/run.tsarc"))
    assert len(behaviour.requests) == before, "the address tells"


def test_a_host_that_is_away(unused_tcp_port: int) -> None:
    with tilescope.connect(f"http://127.0.0.1:{unused_tcp_port}/tiles") as client, pytest.raises(Unreachable):
        client.runs()
