from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import Client, Site
from tests.server.raw import raw_answer
from tilescope.server.access_log import JsonAccessLogger, access_log, logger
from tilescope.server.app import make_app
from tilescope.server.guard.access import Access
from tilescope.server.settings import Settings
from tilescope.tiler.errors import UsageError

TOKEN = "correct-horse-battery-staple"


@pytest.fixture
async def logged(site: Site, aiohttp_server: Callable[..., Awaitable[Any]], aiohttp_client: Any) -> Client:
    site.add_run("run1", build="b1")
    app = make_app(site.registry(), settings=Settings(access=Access(TOKEN)))
    server = await aiohttp_server(app, access_log_class=JsonAccessLogger, access_log=logger)
    client: Client = await aiohttp_client(server, auto_decompress=False)
    return client


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


async def test_each_request_is_one_line_with_what_was_sent(logged: Client, tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    with access_log(file):
        headers = {"Authorization": f"Bearer {TOKEN}", "User-Agent": 'a "b"\tc'}
        body = await (await logged.get("/api/v1/runs?x=1", headers=headers)).read()
        await logged.get("/healthz")
    first, second = lines(file)
    assert abs(datetime.fromisoformat(first.pop("time")) - datetime.now(UTC)) < timedelta(minutes=1)
    assert 0 <= first.pop("ms") < 10_000
    assert len(body) < first.pop("bytes") < len(body) + 1000  # with the head
    assert first == {
        "client": "127.0.0.1",
        "method": "GET",
        "path": "/api/v1/runs",
        "status": 200,
        "agent": 'a "b"\tc',
    }
    assert (second["path"], second["status"]) == ("/healthz", 200)


@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "cut off"])
async def test_a_stream_is_one_line_with_all_that_was_sent(logged: Client, tmp_path: Path, is_closed: bool) -> None:
    file = tmp_path / "access.log"
    with access_log(file):
        headers = {"Authorization": f"Bearer {TOKEN}"}
        socket = await logged.ws_connect("/api/v1/runs/run1/watch", headers=headers)
        message = await socket.receive_str()
        if is_closed:
            await socket.close()
        else:
            assert socket._response.connection is not None
            socket._response.connection.close()
        async with asyncio.timeout(5):
            while '"status":101' not in file.read_text():
                await asyncio.sleep(0.01)  # until the server has seen the end of the stream
    (line,) = lines(file)
    assert len(message) < line["bytes"] < len(message) + 1000  # with the head


async def test_no_token_is_ever_written(logged: Client, tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    with access_log(file):
        await logged.get(f"/?token={TOKEN}")
        await logged.get("/api/v1/runs", headers={"Authorization": f"Bearer {TOKEN}"})
        async with logged.ws_connect(f"/api/v1/runs/run1/builds/b1/stream?token={TOKEN}"):
            pass
        await raw_answer(logged, f"http://localhost/?token={TOKEN}")
        async with asyncio.timeout(5):
            while '"status":101' not in file.read_text():
                await asyncio.sleep(0.01)  # until the server has seen the end of the stream
    text = file.read_text()
    assert TOKEN not in text
    assert Access(TOKEN).cookie_value() not in text


async def test_what_a_client_writes_cannot_make_lines(logged: Client, tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    with access_log(file):
        await raw_answer(logged, "/%0a%7B%22status%22:200%7D%0d%0a" + "x" * 5000)
        await raw_answer(logged, b"/\xff\xfe")
        await raw_answer(logged, "no target at all")
    assert [line["status"] for line in lines(file)] == [401, 400, 400]
    assert len(lines(file)[0]["path"]) <= 1000


def test_a_file_that_was_moved_away_is_opened_anew(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    with access_log(file):
        logger.info("{}")
        file.rename(tmp_path / "access.log.1")
        logger.info("{}")
    logger.info("{}")
    assert (lines(file), lines(tmp_path / "access.log.1")) == ([{}], [{}])


def test_a_file_that_is_made_is_for_its_owner_alone(tmp_path: Path) -> None:
    with access_log(tmp_path / "log"):
        assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600
        (tmp_path / "log").chmod(0o640)  # somebody wants it so
    with access_log(tmp_path / "log"):
        assert (tmp_path / "log").stat().st_mode & 0o777 == 0o640


def test_without_a_file_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    with access_log(None):
        logger.info("{}")
    assert capsys.readouterr().err == ""
    with access_log(Path("-")):
        logger.info("{}")
    assert capsys.readouterr().err == "{}\n"


def test_a_file_that_cannot_be_written_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write the access log"), access_log(tmp_path / "no" / "file"):
        pass
