"""What the routes answer for a build while it is being made, and how that changes when it is published."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import Any

import msgpack
import pytest

from tests.server.conftest import Client, Site
from tests.server.fakes import FakeGrowingStore, page_bytes, small_pages
from tilescope.server.runs.run import IndexProgress
from tilescope.server.services import Questions

RUN = "/api/v1/runs/run0"
BUILD = f"{RUN}/builds/b9"
READING = IndexProgress("read", 0.25, 1000, build="b9")
SHOWN = IndexProgress("build", 0.5, 2000, blocks=1, build="b9", revision=1)
PAGE = small_pages()[0]
OF_THE_RUN = ["/tracks", "/names/0", "/overview/0"]
OF_THE_BLOCK = ["/shapes/0", f"/pages/{'/'.join(map(str, PAGE[:4]))}", "/events/0/3"]


@pytest.fixture
async def store(client: Client, site: Site) -> FakeGrowingStore:
    """The store of the run that is being indexed, which has something to show."""
    await client.post(f"{RUN}/index")
    await site.jobs.begun("run0")
    site.jobs.reports["run0"](SHOWN, ())
    assert (await client.get(f"{RUN}/manifest")).status == 200
    (store,) = site.stores.growing
    return store


async def error_code(client: Client, path: str) -> tuple[int, str]:
    answer = await client.get(path)
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.status, (await answer.json())["error"]["code"]


async def run0(client: Client) -> dict[str, Any]:
    runs = (await (await client.get("/api/v1/runs")).json())["runs"]
    return next(run for run in runs if run["id"] == "run0")


async def test_before_the_first_revision_there_is_nothing(client: Client, site: Site) -> None:
    await client.post(f"{RUN}/index")
    await site.jobs.begun("run0")
    site.jobs.reports["run0"](READING, ())
    assert (await run0(client))["build"] is None
    assert await error_code(client, f"{RUN}/manifest") == (409, "not_indexed")
    assert await error_code(client, f"{BUILD}/tracks") == (404, "unknown_build")
    assert not site.stores.growing


async def test_a_run_that_grows_is_listed_with_its_build(client: Client, store: FakeGrowingStore) -> None:
    run = await run0(client)
    assert (run["state"], run["build"], run["progress"]["revision"]) == ("indexing", "b9", 1)
    store.revision = 4
    answer = await client.get(f"{RUN}/manifest")
    manifest = await answer.json()
    assert (manifest["state"], manifest["revision"], manifest["build"]) == ("indexing", 4, "b9")
    assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("path", OF_THE_RUN)
async def test_what_is_of_the_run_is_there_and_not_kept(client: Client, store: FakeGrowingStore, path: str) -> None:
    answer = await client.get(BUILD + path, headers={"If-None-Match": "*"})
    assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
    assert "ETag" not in answer.headers
    assert answer.headers["Content-Encoding"] == "gzip"


@pytest.mark.parametrize("path", OF_THE_BLOCK)
async def test_a_block_is_there_once_it_is_done(client: Client, site: Site, store: FakeGrowingStore, path: str) -> None:
    assert await error_code(client, BUILD + path) == (404, "not_built_yet")
    store.is_done = True
    answer = await client.get(BUILD + path)
    assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
    assert "ETag" not in answer.headers
    while_growing = await answer.read()
    await site.jobs.end("run0", build="b9")
    answer = await client.get(BUILD + path)
    body = await answer.read()
    if path.startswith("/events"):  # flows are stored last
        assert json.loads(while_growing) == {**json.loads(body), "flows": None} != json.loads(body)
    else:
        assert body == while_growing
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["ETag"].startswith('"b9-')


async def test_what_will_never_be_there_is_not_found_in_a_block_that_is_done(
    client: Client, store: FakeGrowingStore
) -> None:
    assert await error_code(client, f"{BUILD}/names/7") == (404, "not_built_yet")
    store.is_done = True
    assert await error_code(client, f"{BUILD}/pages/0/9/9/9") == (404, "not_found")
    assert await error_code(client, f"{BUILD}/events/0/99") == (404, "not_found")
    assert await error_code(client, f"{RUN}/builds/b8/tracks") == (404, "unknown_build")


async def test_events_of_what_is_not_built_are_not_built_either(client: Client, store: FakeGrowingStore) -> None:
    assert await error_code(client, f"{BUILD}/events?tracks=0") == (404, "not_built_yet")


async def test_tools_answer_over_what_is_built_and_say_so(client: Client, store: FakeGrowingStore) -> None:
    """Which events are outliers, that figures leave out, is known last."""
    for is_done in (False, True):
        store.is_done = is_done
        for question in ("stats?tracks=0", "find?text=fusion"):
            answer = await client.get(f"{BUILD}/tools/{question}")
            assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
            assert "ETag" not in answer.headers
            is_complete = is_done and not question.startswith("stats")
            assert json.loads(gzip.decompress(await answer.read()))["complete"] == is_complete


async def test_an_answer_over_a_part_is_not_kept_when_the_build_is_published_meanwhile(
    client: Client, site: Site, store: FakeGrowingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_from_store = Questions.ask

    async def ask(*asked: Any) -> bytes:
        answer = await answer_from_store(*asked)
        await site.jobs.end("run0", build="b9")
        return answer

    monkeypatch.setattr(Questions, "ask", ask)
    answer = await client.get(f"{BUILD}/tools/stats")
    assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
    assert "ETag" not in answer.headers
    assert not json.loads(gzip.decompress(await answer.read()))["complete"]


async def test_the_moment_of_publication_loses_no_reader(client: Client, site: Site, store: FakeGrowingStore) -> None:
    store.is_done = True
    async with client.ws_connect(f"{BUILD}/stream") as socket:

        async def ask(want_id: int) -> bytes:
            await socket.send_bytes(msgpack.packb({"type": "want", "id": want_id, "pages": [list(PAGE)]}))
            page = await socket.receive_bytes(timeout=5)
            await socket.receive_bytes(timeout=5)
            return page

        assert (await ask(1)).endswith(page_bytes(PAGE))
        await site.jobs.end("run0", build="b9")
        assert (await ask(2)).endswith(page_bytes(PAGE))
        run = await run0(client)
        assert (run["state"], run["build"], run["progress"]) == ("ready", "b9", None)
        manifest = await (await client.get(f"{RUN}/manifest")).json()
        assert (manifest["state"], manifest["build"]) == ("ready", "b9")
    assert [opened for opened in site.stores.opened if opened.build == "b9"] == []


async def test_a_page_that_is_not_built_yet_is_missing_in_the_stream(client: Client, store: FakeGrowingStore) -> None:
    async with client.ws_connect(f"{BUILD}/stream") as socket:
        await socket.send_bytes(msgpack.packb({"type": "want", "id": 1, "pages": [list(PAGE)]}))
        assert msgpack.unpackb(await socket.receive_bytes(timeout=5))["type"] == "missing"
        await socket.receive_bytes(timeout=5)
        store.is_done = True
        await socket.send_bytes(msgpack.packb({"type": "want", "id": 2, "pages": [list(PAGE)]}))
        assert (await socket.receive_bytes(timeout=5)).endswith(page_bytes(PAGE))


async def test_nothing_is_left_to_be_seen_of_a_build_that_failed(
    client: Client, site: Site, store: FakeGrowingStore
) -> None:
    await site.jobs.end("run0", error="no room")
    assert await error_code(client, f"{BUILD}/tracks") == (404, "unknown_build")
    assert store.is_closed
    await client.post(f"{RUN}/index")
    await site.jobs.begun("run0")
    site.jobs.reports["run0"](replace(SHOWN, build="b10"), ())
    assert (await client.get(f"{RUN}/builds/b10/tracks")).status == 200


async def test_a_worker_that_takes_the_index_of_another_process_leaves_nothing_open(
    client: Client, site: Site, store: FakeGrowingStore
) -> None:
    await site.jobs.end("run0", build="b10")
    assert store.is_closed
    assert (await run0(client))["build"] == "b10"
