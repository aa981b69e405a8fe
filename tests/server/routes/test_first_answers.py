"""What the viewer's page brings with it: the very answers that it would ask for."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from base64 import b64decode
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp.test_utils import TestClient

from tests.server.conftest import Client, Site
from tests.server.fakes import FakeStore
from tests.server.test_end_to_end import real_registry
from tilescope.server.app import make_app
from tilescope.server.http.viewer_files import ViewerFile, ViewerFiles
from tilescope.server.routes.first_answers import first_blocks, first_pages
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import Shape
from tilescope.tiler.readers import discover
from tilescope.tiler.schema import Track, TrackTree
from tilescope.tiler.store import open_run_store

PAGE = b"<!doctype html><title>Tilescope</title><body><div id='app'></div></body>"
PAGE_FILE = ViewerFile(PAGE, None, "text/html; charset=utf-8", "page", is_immutable=False)
VIEWER = ViewerFiles({"index.html": PAGE_FILE}, is_built=True)
WRONG = "</script><!--<script>alert('</body>')"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    event = {"ph": "X", "name": WRONG, "ts": 1, "dur": 5, "pid": 1, "tid": 2}
    trace = tmp_path / "hostile.json"
    trace.write_text(json.dumps({"traceEvents": [event]}))
    build_store([trace], tmp_path / "hostile.store")
    return tmp_path / "hostile.store"


async def brought(client: Client, at: str = "/") -> dict[str, Any]:
    """What stands in the page, and nothing else has been changed in it."""
    page = await (await client.get(at, headers={"Accept-Encoding": "identity"})).read()
    found = re.search(rb'<script type="application/json" id="first-answers">([^<]*)</script></body>', page)
    assert found is not None
    assert page.replace(found[0], b"</body>") == PAGE
    answers: dict[str, Any] = json.loads(found[1])
    return answers


async def test_each_answer_is_that_of_its_path_whatever_the_names_of_the_trace(
    store: Path, tmp_path: Path, aiohttp_client: Callable[..., Awaitable[TestClient[Any, Any]]]
) -> None:
    client = await aiohttp_client(make_app(real_registry(store, tmp_path / "cache"), viewer=VIEWER))
    answers = await brought(client)
    after_build = [path.partition("/builds/")[2].partition("/")[2] for path in answers][2:]
    assert after_build[:3] == ["names/0", "tracks", "shapes/0"]
    tree = msgspec.json.decode(json.dumps(answers[list(answers)[3]]), type=TrackTree)
    shape = Shape.decode(b64decode(answers[list(answers)[4]]))
    first = [f"pages/{'/'.join(map(str, key.to_json()))}" for key in first_pages(tree, {0: shape})]
    assert after_build[3:] == first
    assert {int(path.rpartition("/")[2]) for path in first} <= set(shape.slot.tolist())
    assert len(first) > 0
    for path, answer in answers.items():
        body = await (await client.get("/api/v1" + path)).read()
        same = b64decode(answer) if isinstance(answer, str) else json.dumps(answer)
        assert same == (body if isinstance(answer, str) else json.dumps(json.loads(body)))
    assert WRONG in json.dumps(answers)


async def test_the_page_is_known_again_until_its_answers_change(
    store: Path, tmp_path: Path, aiohttp_client: Callable[..., Awaitable[TestClient[Any, Any]]]
) -> None:
    app = make_app(real_registry(store, tmp_path / "cache"), viewer=VIEWER)
    client = await aiohttp_client(app, auto_decompress=False)
    answer = await client.get("/")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert PAGE[:-7] in gzip.decompress(await answer.read())
    etag = answer.headers["ETag"]
    assert (await client.get("/", headers={"If-None-Match": etag})).status == 304
    again = tmp_path / "again.json"
    again.write_text(json.dumps({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 5, "pid": 1, "tid": 2}]}))
    build_store([again], store)
    assert (await client.get("/", headers={"If-None-Match": etag})).status == 200


async def test_of_several_runs_the_one_of_the_address_is_brought(
    store: Path, tmp_path: Path, aiohttp_client: Callable[..., Awaitable[TestClient[Any, Any]]]
) -> None:
    other = tmp_path / "other.store"
    shutil.copytree(store, other)
    stores = OpenStores(open_run_store)
    registry = Registry([store, other], CacheDirectory(tmp_path / "cache"), stores, discover, rescan_interval_s=0)
    client = await aiohttp_client(make_app(registry, viewer=VIEWER))
    runs = (await (await client.get("/api/v1/runs")).json())["runs"]
    assert len(runs) == 2
    for run in runs:
        answers = await brought(client, f"/?run={run['id']}")
        assert answers["/runs"] == {"runs": runs}
        assert all(path.startswith(f"/runs/{run['id']}/") for path in list(answers)[1:])
    assert await (await client.get("/?run=unknown")).read() == PAGE


@pytest.mark.parametrize("builds", [("b1", "b1"), (None,), ()], ids=["two", "not indexed", "none"])
async def test_of_several_runs_or_none_that_is_ready_nothing_is_brought(
    builds: tuple[str | None, ...], site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    for number, build in enumerate(builds):
        site.add_run(f"run{number}", build)
    client = await aiohttp_client(make_app(site.registry(), viewer=VIEWER))
    assert await (await client.get("/")).read() == PAGE


def test_the_blocks_of_the_first_screen_are_those_of_the_first_process_and_of_the_first_sums() -> None:
    def track(number: int, group: int, kind: str = "slice", events: str = "5") -> Track:
        fields = {"id": number, "group": group, "kind": kind, "name": "", "detail": "", "rows": 1, "events": events}
        return Track(**fields, busy="0", first="0", last="1")  # type: ignore[arg-type]

    own = [track(number, number // 50, events="0" if number < 70 else "5") for number in range(400)]
    tree = TrackTree(groups=[], tracks=[*own, *(track(400 + k, k, "rollup") for k in range(8))])
    assert first_blocks(tree) == [70 // 32, 99 // 32, 400 // 32]
    assert first_blocks(TrackTree(groups=[], tracks=[])) == []


@pytest.mark.parametrize("manifest", [{}, {"names": 5}], ids=["nothing", "nonsense"])
async def test_a_store_that_makes_no_sense_has_a_page_all_the_same(
    manifest: dict[str, Any],
    site: Site,
    aiohttp_client: Callable[..., Awaitable[Client]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site.add_run("run0", "b1")
    monkeypatch.setattr(FakeStore, "manifest", lambda _self: manifest)
    client = await aiohttp_client(make_app(site.registry(), viewer=VIEWER))
    answer = await client.get("/")
    assert (answer.status, await answer.read()) == (200, PAGE)
