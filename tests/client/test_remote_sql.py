"""SQL over HTTP: the rows of the local client, for those who may, and statements that a server refuses or ends."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from tests.client.conftest import ServerFactory, serve
from tests.example import Example
from tests.tiler.sql.test_sql import BEYOND_MEMORY
from tilescope.client import Refused, connect, connect_async
from tilescope.server.app import make_app
from tilescope.server.guard.access import Access
from tilescope.server.guard.sql_rules import SqlRules
from tilescope.server.keys import STATEMENTS
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.services import statements
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.errors import UsageError
from tilescope.tiler.readers import discover
from tilescope.tiler.sql import SqlLimits
from tilescope.tiler.store import open_run_store

pytest.importorskip("duckdb")

TOKEN = "a-token-of-some-length"
ALLOWED = replace(DEFAULTS, access=Access(TOKEN), sql=SqlRules(is_allowed=True))
ENDLESS = "select count(*) from range(10000000000) a, range(1000000) b where a.range * b.range = 7"


async def served(example: Example, folder: Path, factory: ServerFactory, settings: Settings) -> TestServer:
    return await serve(shutil.copytree(example.path, folder / example.path.name), folder, factory, settings)


@pytest.fixture
async def sql_server(example: Example, tmp_path: Path, aiohttp_server: ServerFactory) -> TestServer:
    return await served(example, tmp_path, aiohttp_server, ALLOWED)


@pytest.fixture
async def session(sql_server: TestServer) -> AsyncIterator[ClientSession]:
    async with ClientSession(sql_server.make_url("/"), headers={"Authorization": f"Bearer {TOKEN}"}) as session:
        yield session


async def build_path(session: ClientSession) -> str:
    (run,) = (await (await session.get("/api/v1/runs")).json())["runs"]
    return f"/api/v1/runs/{run['id']}/builds/{run['build']}"


async def run_sql(session: ClientSession, statement: str, **order: Any) -> tuple[int, Any]:
    path = await build_path(session)
    async with session.post(f"{path}/sql", json={"statement": statement, **order}) as answer:
        return answer.status, await answer.json()


async def test_rows_are_those_of_the_local_client(example: Example, sql_server: TestServer) -> None:
    statement = (
        "select name, count(*) as count, sum(duration) as total, avg(duration) as mean, min(start) > 5 as late, "
        "9223372036854775807 as big, null as nothing from slices group by name order by name"
    )
    with connect(example.path) as client:
        local = client.run().sql(statement)
    async with connect_async(str(sql_server.make_url("/")), token=TOKEN) as remote:
        run = await remote.run()
        rows = await run.sql(statement)
        assert rows.columns == local.columns
        assert [list(row.values()) for row in rows] == [list(row.values()) for row in local]
        assert [rows[name].dtype for name in ("count", "mean", "big")] == [
            local[name].dtype for name in ("count", "mean", "big")
        ]
        with pytest.raises(UsageError, match="more rows than 10,000"):
            await run.sql("select range from range(20000)")


async def test_attempts_are_refused_and_the_server_answers_meanwhile(
    session: ClientSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = SqlLimits(memory_bytes=64 << 20, answer_bytes=10_000)
    for statement, reason in {
        f"copy slices to '{tmp_path}/out.csv'": "only statements that select",
        "select * from read_text('/etc/passwd')": "disabled by configuration",
        "select * from request": "SQL: Catalog Error",
        "select 1; drop view slices": "one statement is run",
        BEYOND_MEMORY: "emory",
        ENDLESS: "took longer than 1 s",
    }.items():
        monkeypatch.setattr(statements, "LIMITS", replace(limits, seconds=1.0) if statement == ENDLESS else limits)
        asking = asyncio.create_task(run_sql(session, statement))
        while not asking.done():
            assert (await session.get("/healthz")).status == 200
            await asyncio.wait([asking], timeout=0.2)
        status, body = asking.result()
        assert (status, body["error"]["code"]) == (400, "bad_request"), statement
        assert reason in body["error"]["message"]
        assert "root:" not in body["error"]["message"]
    assert list(tmp_path.rglob("*.csv")) == []
    monkeypatch.setattr(statements, "LIMITS", limits)
    status, body = await run_sql(session, "select range from range(1000000000)", rows=3)
    assert (status, body["rows"], body["cut"]) == (200, [["0"], ["1"], ["2"]], True)
    status, body = await run_sql(session, "select repeat('x', 1000) as x from range(100)")
    assert (status, len(body["rows"]), body["cut"]) == (200, 10, True)


async def test_one_statement_of_a_client_and_whoever_goes_away_ends_it(
    example: Example, tmp_path: Path, unused_tcp_port: int
) -> None:
    """As the server is started: what a client has left is cancelled."""
    store = shutil.copytree(example.path, tmp_path / example.path.name)
    registry = Registry([store], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
    app = make_app(registry, settings=ALLOWED)
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", unused_tcp_port).start()
    running = app[STATEMENTS]
    address = f"http://127.0.0.1:{unused_tcp_port}"
    async with ClientSession(address, headers={"Authorization": f"Bearer {TOKEN}"}) as session:
        first = asyncio.create_task(run_sql(session, ENDLESS))
        while not running.processes:
            await asyncio.sleep(0.01)
        (process,) = running.processes
        status, body = await run_sql(session, "select 1")
        assert (status, body["error"]["code"]) == (429, "too_many")
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        while running.processes:
            await asyncio.sleep(0.01)
        assert process.returncode == -signal.SIGKILL, "nobody waits for it"
        columns = [{"name": "x", "type": "INTEGER"}]
        assert await run_sql(session, "select 1 as x") == (200, {"columns": columns, "rows": [["1"]], "cut": False})
    await runner.cleanup()


async def test_a_process_is_ready_before_its_statement_and_runs_no_second(
    sql_server: TestServer, session: ClientSession
) -> None:
    room = await (await session.get(f"{await build_path(session)}/sql")).json()
    assert (room["allowed"], room["reason"], room["seconds"]) == (True, None, 30)
    assert [table["name"] for table in room["tables"]][:2] == ["slices", "instants"]
    running = sql_server.app[STATEMENTS]
    ready = await running.ready()
    assert (await run_sql(session, "select 1"))[0] == 200
    assert ready.returncode == 0
    later = await running.ready()
    assert (later.pid != ready.pid, later.returncode) == (True, None)
    await running.close()
    assert later.returncode is not None


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (replace(DEFAULTS, access=Access(TOKEN)), "start it with --allow-sql and a token"),
        (replace(ALLOWED, start=Access("s" * 32)), "only the browser that was opened by tilescope view"),
    ],
)
async def test_others_run_none(
    example: Example, tmp_path: Path, aiohttp_server: ServerFactory, settings: Settings, reason: str
) -> None:
    server = await served(example, tmp_path, aiohttp_server, settings)
    async with connect_async(str(server.make_url("/")), token=TOKEN) as client:
        with pytest.raises(Refused, match=reason):
            await (await client.run()).sql("select 1")
    async with ClientSession(server.make_url("/"), headers={"Authorization": f"Bearer {TOKEN}"}) as session:
        room = await (await session.get(f"{await build_path(session)}/sql")).json()
        assert not room["allowed"]
        assert reason in room["reason"]


@pytest.mark.parametrize("headers", [{"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}])
async def test_pages_of_other_sites_run_none(session: ClientSession, headers: dict[str, str]) -> None:
    path = await build_path(session)
    async with session.post(f"{path}/sql", json={"statement": "select 1"}, headers=headers) as answer:
        assert answer.status == 403


async def test_forms_and_orders_without_sense_run_none(session: ClientSession) -> None:
    path = await build_path(session)
    async with session.post(f"{path}/sql", data=b'{"statement": "select 1"}') as answer:
        assert answer.status == 400
    for order in ({"statement": 1}, {"statement": ""}, {"statement": "select 1", "rows": 10_001}, {"more": 1}):
        async with session.post(f"{path}/sql", json=order) as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (400, "bad_request")
