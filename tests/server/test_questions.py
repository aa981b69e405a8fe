"""Questions over HTTP, to a real store."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.demo import DEMO_TRACE
from tests.server.conftest import Client
from tilescope.server.app import make_app
from tilescope.server.openapi import describe_api
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.services import questions
from tilescope.server.services.workers import Workers
from tilescope.tiler.export import ExportQuestion, GzipStream, pieces
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import QueryReader
from tilescope.tiler.readers import discover
from tilescope.tiler.store import RunStore, open_run_store

COMPONENTS = describe_api()["components"]


@pytest.fixture(scope="module")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.store"
    build_store([DEMO_TRACE], path)
    return path


class Asker:
    """Asks about the only build of a server."""

    def __init__(self, client: Client, base: str, store: RunStore) -> None:
        self.client, self.base, self.store = client, base, store
        self.reader = QueryReader(store)

    async def __call__(self, question: str, schema: str) -> Any:
        answer = await self.client.get(f"{self.base}/{question}")
        body = await answer.read()
        assert answer.status == 200, body
        assert answer.headers["Cache-Control"] == "no-cache"
        value = json.loads(gzip.decompress(body))
        Draft202012Validator({"$ref": f"#/components/schemas/{schema}", "components": COMPONENTS}).validate(value)
        return value


@pytest.fixture
async def ask(demo_store: Path, tmp_path: Path, aiohttp_client: Callable[..., Awaitable[Client]]) -> Any:
    served = shutil.copytree(demo_store, tmp_path / "served.store")  # LMDB opens no file twice in a process
    registry = Registry([served], CacheDirectory(tmp_path / "cache"), OpenStores(open_run_store), discover)
    client = await aiohttp_client(make_app(registry), auto_decompress=False)
    (run,) = (await (await client.get("/api/v1/runs")).json())["runs"]
    store = open_run_store(demo_store)
    yield Asker(client, f"/api/v1/runs/{run['id']}/builds/{run['build']}", store)
    store.close()


async def test_all_events_page_by_page_are_those_of_the_tracks(ask: Asker) -> None:
    columns: dict[str, list[Any]] = {}
    names: dict[str, Any] = {}
    after = ""
    while True:
        page = await ask(f"events?limit=1000{after}", "Events")
        for name, column in page["columns"].items():
            columns.setdefault(name, []).extend(column)
        assert set(page["names"]) == {str(name) for name in page["columns"]["name_id"]}
        names |= page["names"]
        if page["after"] is None:
            break
        assert len(page["columns"]["track"]) == 1000
        after = f"&after={page['after']}"
    of_tracks = [(t.id, t.events) for t in ask.reader.tree.tracks if t.kind != "rollup"]
    places = list(zip(columns["track"], columns["ordinal"], strict=True))
    assert places == [(track, str(k)) for track, events in of_tracks for k in range(events)]
    for k in range(0, len(places), 501):
        event = event_details(ask.store, places[k][0], int(places[k][1]))
        assert event is not None
        assert names[str(columns["name_id"][k])] == [event["name"], event["category"]]
        assert (columns["start"][k], columns["duration"][k]) == (event["start"], event["duration"])


@pytest.mark.parametrize(
    "question",
    [
        "tools/find",
        "tools/find?text=",
        "tools/find?text=a&match=regex",
        "tools/find?text=a&limit=100001",
        "tools/find?text=a&after=1,2",
        "tools/find?text=a&text=b",
        "tools/find?text=" + "a" * 257,
        "tools/stats?limit=-1",
        "tools/stats?limit=999999999999999",
        "tools/stats?start=1e3",
        "tools/stats?start=9&end=8",
        "tools/stats?tracks=1,x",
        "tools/stats?tracks=5-1",
        "tools/stats?tracks=0-4294967295",
        "tools/stats?tracks=" + ",".join(["1"] * 1001),
        "tools/find?text=a&table=none",
        "tools/stats?tracks=999999",
        "tools/stats?stat=1",
        "events?limit=50001",
        "events?start=²",
    ],
)
async def test_what_makes_no_sense_is_refused(ask: Asker, question: str) -> None:
    answer = await ask.client.get(f"{ask.base}/{question}")
    assert answer.status == 400
    body = await answer.json()
    assert body["error"]["code"] == "bad_request"
    assert body["error"]["message"]


async def test_an_answer_that_the_client_has_is_not_sent_again(ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await ask.client.get(f"{ask.base}/tools/stats?limit=3")
    again = await ask.client.get(f"{ask.base}/tools/stats?limit=3", headers={"If-None-Match": first.headers["ETag"]})
    other = await ask.client.get(f"{ask.base}/tools/stats?limit=4", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, other.status) == (304, 200)
    for question in ("tools/stats?limit=3", "tools/find?text=op", "events"):
        answer = await ask.client.get(f"{ask.base}/{question}")
        with monkeypatch.context() as idle:
            idle.setattr(Workers, "answer", None)  # nothing is computed for it
            held = {"If-None-Match": answer.headers["ETag"]}
            assert (await ask.client.get(f"{ask.base}/{question}", headers=held)).status == 304
    unknown = await ask.client.get(f"{ask.base.rsplit('/', 1)[0]}/b0/tools/stats")
    assert (unknown.status, (await unknown.json())["error"]["code"]) == (404, "unknown_build")


async def test_an_exported_file_is_what_the_store_writes(ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Piece by piece, from processes that know nothing of the pieces before."""
    monkeypatch.setattr(questions, "EXPORT_PIECE_BYTES", 20_000)
    pieces_sent: list[int] = []
    answered = Workers.answer

    async def counted(*args: Any) -> Any:
        pieces_sent.append(1)
        return await answered(*args)

    monkeypatch.setattr(Workers, "answer", counted)
    answer = await ask.client.get(f"{ask.base}/export?start=1000")
    assert answer.status == 200
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="served')
    body = gzip.decompress(await answer.read())
    assert body == b"".join(pieces(ask.reader, ExportQuestion(start=1000)))
    assert len(pieces_sent) > 3
    head = await ask.client.head(f"{ask.base}/export")
    assert (head.status, await head.read()) == (200, b"")
    wrong = await ask.client.get(f"{ask.base}/export?tracks=99999")
    assert (wrong.status, (await wrong.json())["error"]["code"]) == (400, "bad_request")


def test_compressed_pieces_are_one_member() -> None:
    stream, rng = GzipStream(), random.Random(4)
    texts = [rng.randbytes(rng.randrange(3000)) + b"text " * rng.randrange(900) for _ in range(20)]
    packed = b"".join(stream.piece(text, last=k == 19) for k, text in enumerate(texts))
    member = zlib.decompressobj(wbits=31)
    assert member.decompress(packed) == b"".join(texts)
    assert (member.eof, member.unused_data) == (True, b"")
