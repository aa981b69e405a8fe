"""Tools over HTTP, of a real store."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.demo import DEMO_TRACE, LACKING
from tests.server.conftest import Client
from tilescope.server.app import make_app
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.services.tools import ARROW
from tilescope.server.settings import Settings
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, answer_json, from_values, tool, tools
from tilescope.tiler.tools import ask as ask_tool


@pytest.fixture(scope="module")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.store"
    build_store([DEMO_TRACE], path)
    return path


class Asker:
    """Asks the tools of the only build of a server."""

    def __init__(self, client: Client, base: str) -> None:
        self.client, self.base = client, base

    async def __call__(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        answer = await self.client.get(f"{self.base}/{path}", headers=headers)
        body = await answer.read()
        packed = answer.headers.get("Content-Encoding") == "gzip"
        return answer.status, dict(answer.headers), gzip.decompress(body) if packed else body


@pytest.fixture
async def ask(demo_store: Path, tmp_path: Path, aiohttp_client: Callable[..., Awaitable[Client]]) -> Asker:
    registry = Registry([demo_store], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
    client = await aiohttp_client(make_app(registry), auto_decompress=False)
    (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
    return Asker(client, f"/api/v1/runs/{run['id']}/builds/{run['build']}")


def of_the_store(path: Path, name: str, **values: Any) -> Any:
    store = open_run_store(path)
    try:
        asked = tool(name)
        answer = finish(ask_tool(asked, Scope(QueryReader(store)), from_values(asked.question, values)))
        return json.loads(answer_json.encode(answer))
    finally:
        store.close()


async def test_answers_are_those_of_the_store(ask: Asker, demo_store: Path) -> None:
    for path, name, values in (
        ("tools/stats", "stats", {}),
        ("tools/stats?limit=3&start=1000&end=9000000", "stats", {"limit": 3, "start": 1000, "end": 9_000_000}),
        ("tools/find?text=dot&limit=7&tracks=3-5", "find", {"text": "dot", "limit": 7, "tracks": [3, 4, 5]}),
    ):
        status, headers, body = await ask(path)
        assert (status, headers["Content-Type"]) == (200, "application/json")
        assert json.loads(body) == of_the_store(demo_store, name, **values)


async def test_one_table_alone_and_as_arrow(ask: Asker, demo_store: Path) -> None:
    import pyarrow

    _, _, body = await ask("tools/find?text=dot&table=tracks")
    (table,) = json.loads(body)["tables"]
    assert table["id"] == "tracks"
    status, headers, body = await ask("tools/stats", Accept=ARROW)
    assert (status, headers["Content-Type"], headers["Vary"]) == (200, ARROW, "Accept, Accept-Encoding")
    arrow = pyarrow.ipc.open_stream(body).read_all()
    (names,) = of_the_store(demo_store, "stats")["tables"]
    busy = next(column["values"] for column in names["columns"] if column["id"] == "busy")
    assert [str(value) for value in arrow["busy"].to_pylist()] == busy


async def test_what_makes_no_sense(ask: Asker) -> None:
    for path, status, words in (
        ("tools/nonsense", 404, f"there is no tool 'nonsense': there are {', '.join(tools())}"),
        ("tools/stats?limit=x", 400, "limit: expected an integer, not 'x'"),
        ("tools/stats?limit=1&limit=2", 400, "limit occurs twice in the query"),
        ("tools/stats?tracks=99999", 400, "track 99999 does not exist"),
        ("tools/find", 400, "missing required field text"),
        ("tools/find?text=x&table=spam", 400, "there is no table 'spam': the answer has events, tracks"),
    ):
        got, _, body = await ask(path)
        assert (got, words in json.loads(body)["error"]["message"]) == (status, True), body
    assert (await ask("tools/find?text=x", Accept=ARROW))[0] == 400  # which of its two tables?


async def test_an_answer_is_made_once_however_its_question_is_spelt(ask: Asker) -> None:
    _, first, body = await ask("tools/stats?limit=1000&start=5")
    _, second, again = await ask("tools/stats?start=5")
    assert (first["Etag"], body) == (second["Etag"], again)
    assert first["Cache-Control"] == "no-cache"
    status, _, empty = await ask("tools/stats?start=5", **{"If-None-Match": first["Etag"]})
    assert (status, empty) == (304, b"")
    assert (await ask("tools/stats?start=6"))[1]["Etag"] != first["Etag"]


async def test_an_updated_tool_answers_anew(ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    _, first, _ = await ask("tools/stats?start=5")
    monkeypatch.setattr("tilescope.server.routes.answers.edition", lambda: "another")
    status, second, body = await ask("tools/stats?start=5", **{"If-None-Match": first["Etag"]})
    assert (status, second["Etag"] != first["Etag"], body != b"") == (200, True, True)


async def test_bins_have_a_short_address_too(ask: Asker) -> None:
    status, headers, body = await ask("bins?track=0&start=1000&end=900000000&px=200")
    assert status == 200
    _, other, again = await ask("tools/bins?px=200&end=900000000&start=1000&track=0")
    assert (other["Etag"], again) == (headers["Etag"], body)
    assert (await ask("bins?track=0&px=201"))[1]["Etag"] != headers["Etag"]
    tables = {table["id"]: table for table in json.loads(body)["tables"]}
    assert list(tables) == ["slices", "bins", "counter_bins", "samples"]
    for path, words in (("bins", "missing required field track"), ("bins?track=0&px=1.5", "px: expected an integer")):
        status, _, body = await ask(path)
        assert (status, words in json.loads(body)["error"]["message"]) == (400, True), body


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("tools/stats", ["start=5", "end=900000", "tracks=0-3", "limit=7"]),
        ("tools/find", ["text=a", "match=contains", "end=900000", "table=events"]),
        ("events", ["start=5", "end=900000", "tracks=0,1", "limit=7"]),
        ("bins", ["track=1", "start=5", "end=900000", "px=70"]),
    ],
)
async def test_the_order_of_parameters_changes_no_etag(ask: Asker, path: str, parameters: list[str]) -> None:
    orders = (parameters, parameters[::-1], parameters[1:] + parameters[:1])
    answers = [await ask(f"{path}?{'&'.join(some)}") for some in orders]
    assert {status for status, _, _ in answers} == {200}
    assert len({(headers["Etag"], body) for _, headers, body in answers}) == 1


async def test_the_list_of_tools(ask: Asker) -> None:
    _, _, body = await ask("tools")
    listed = json.loads(body)["tools"]
    assert [one["id"] for one in listed] == list(tools())
    assert all(one["help"] and one["available"] == (not one["reason"]) for one in listed)
    lacking = [(one["id"], one["reason"]) for one in listed if not one["available"]]
    assert {name for name, _ in lacking} == LACKING


async def kept(ask: Asker) -> dict[str, float]:
    text = await (await ask.client.get("/metrics")).text()
    found = re.findall(r"^tilescope_kept_answers_(\w+) (\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in found if not name.endswith("_created")}


async def test_answers_are_kept_and_that_is_counted(ask: Asker) -> None:
    assert await kept(ask) == {"bytes": 0, "hits_total": 0, "misses_total": 0}
    _, _, body = await ask("tools/stats?limit=2")
    after = await kept(ask)
    assert after == {"bytes": after["bytes"], "hits_total": 0, "misses_total": 1}
    assert after["bytes"] > 1000
    _, _, again = await ask("tools/stats?limit=2")
    assert again == body
    assert await kept(ask) == {**after, "hits_total": 1}
    await ask("tools/stats?limit=3")
    assert (await kept(ask))["misses_total"] == 2


async def test_nothing_is_kept_where_there_is_no_room(
    demo_store: Path, tmp_path: Path, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    registry = Registry([demo_store], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
    client = await aiohttp_client(make_app(registry, settings=Settings(kept_answers_bytes=0)), auto_decompress=False)
    (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
    ask = Asker(client, f"/api/v1/runs/{run['id']}/builds/{run['build']}")
    for _ in range(2):
        assert (await ask("tools/stats?limit=2"))[0] == 200
    assert await kept(ask) == {"bytes": 0, "hits_total": 0, "misses_total": 2}
