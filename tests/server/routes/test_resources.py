"""The routes of a run and its builds: bodies, caching, errors."""

from __future__ import annotations

import gzip
import json

import pytest
from msgspec import to_builtins

from tests.server.conftest import Client, Site
from tests.server.fakes import FakeStore, page_bytes, publish, small_pages
from tilescope.server.errors import NoRoomToIndex
from tilescope.server.runs.run import IndexProgress
from tilescope.tiler.records.flow_bins import FLOW_TILES
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.overview import OVERVIEW
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.schema import LIMITS
from tilescope.tiler.store.store import need

RUNS = "/api/v1/runs"
BUILD = f"{RUNS}/run1/builds/b1"
IMMUTABLE = "public, max-age=31536000, immutable"


async def error_code(client: Client, path: str, method: str = "GET") -> tuple[int, str]:
    answer = await client.request(method, path)
    error = (await answer.json())["error"]
    assert error["message"]
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.status, error["code"]


async def test_runs_are_listed_newest_first(client: Client, site: Site) -> None:
    answer = await client.get(RUNS)
    assert answer.status == 200
    assert answer.headers["Cache-Control"] == "no-cache"
    assert (await answer.json())["runs"] == [
        {
            "id": "run1",
            "name": "run1",
            "path": "logs/run1.trace",
            "state": "ready",
            "error": None,
            "hosts": ["host0"],
            "files": 1,
            "size_bytes": "4",
            "modified_ns": "1",
            "build": "b1",
            "progress": None,
            "notes": [],
            "events": "28",
            "duration_ps": "982734987234",
            "growing": False,
            "contents": [],
            "steps": "2",
        },
        {
            "id": "run0",
            "name": "run0",
            "path": "logs/run0.trace",
            "state": "new",
            "error": None,
            "hosts": ["host0"],
            "files": 1,
            "size_bytes": "4",
            "modified_ns": "0",
            "build": None,
            "progress": None,
            "notes": [],
            "events": None,
            "duration_ps": None,
            "growing": False,
            "contents": [],
            "steps": None,
        },
    ]


async def test_a_run_is_indexed_on_request(client: Client, site: Site) -> None:
    answer = await client.post(f"{RUNS}/run0/index")
    assert (answer.status, (await answer.json())["state"]) == (202, "queued")
    await site.jobs.begun("run0")
    answer = await client.post(f"{RUNS}/run0/index")
    body = await answer.json()
    assert (answer.status, body["state"]) == (202, "indexing")
    assert body["progress"] == to_builtins(IndexProgress("read", 0.25, 1000).to_schema())
    assert body["build"] is None
    assert await error_code(client, f"{RUNS}/run0/manifest") == (409, "not_indexed")
    await site.jobs.end("run0")
    answer = await client.post(f"{RUNS}/run0/index")
    assert (answer.status, (await answer.json())["state"]) == (200, "ready")
    assert (await client.get(f"{RUNS}/run0/manifest")).status == 200
    assert site.jobs.started == ["run0"]


async def test_a_failed_run_says_why_and_others_are_served(client: Client, site: Site) -> None:
    await client.post(f"{RUNS}/run0/index")
    await site.jobs.end("run0", error="run0.trace: byte 17: the file ends inside an event")
    await client.get(RUNS)  # the files are looked at: they are those that could not be indexed
    answer = await client.get(f"{RUNS}/run0/manifest")
    assert answer.status == 422
    expected = {"code": "bad_trace", "message": "run0.trace: byte 17: the file ends inside an event"}
    assert (await answer.json())["error"] == expected
    runs = {run["id"]: run for run in (await (await client.get(RUNS)).json())["runs"]}
    assert (runs["run0"]["state"], runs["run0"]["error"]) == ("failed", expected["message"])
    assert (await client.get(f"{BUILD}/tracks")).status == 200
    assert (await client.post(f"{RUNS}/run0/index")).status == 202


async def test_the_manifest_names_the_run_and_is_revalidated(client: Client) -> None:
    answer = await client.get(f"{RUNS}/run1/manifest")
    of_run = {
        "run": "run1",
        "name": "run1",
        "state": "ready",
        "limits": to_builtins(LIMITS),
        "missing": [],
        "shifts": [],
    }
    assert await answer.json() == {**of_run, **FakeStore("b1").manifest()}
    assert answer.headers["Cache-Control"] == "no-cache"
    again = await client.get(f"{RUNS}/run1/manifest", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status, await again.read()) == (304, b"")
    assert again.headers["ETag"] == answer.headers["ETag"]


PAGES = [
    (f"/{key.text().replace('-', '/').replace('.', '/')}", page_bytes(key), "application/octet-stream")
    for key in small_pages()
]
STORED = [
    ("/tracks", need(FakeStore(), TRACKS), "application/json"),
    ("/names/0", FakeStore().get(NAMES, 0), "application/json"),
    ("/shapes/0", FakeStore().get(SHAPE, 0), "application/octet-stream"),
    ("/overview/0", FakeStore().get(OVERVIEW, 0), "application/octet-stream"),
    ("/flows/0/3/7", FakeStore().get(FLOW_TILES, 0, 3, 0), "application/octet-stream"),
    *PAGES,
]


@pytest.mark.parametrize(("path", "body", "content_type"), STORED)
async def test_members_are_sent_as_stored(client: Client, path: str, body: bytes, content_type: str) -> None:
    answer = await client.get(BUILD + path, headers={"Accept-Encoding": "gzip"})
    assert answer.status == 200
    assert await answer.read() == body
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Content-Type"] == content_type
    assert answer.headers["Content-Length"] == str(len(body))
    assert answer.headers["Cache-Control"] == IMMUTABLE
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("path", "body", "content_type"), STORED)
@pytest.mark.parametrize("coding", [{}, {"Accept-Encoding": "identity"}, {"Accept-Encoding": "br, gzip;q=0"}])
async def test_a_client_that_takes_no_gzip_gets_what_is_in_members(
    client: Client, path: str, body: bytes, content_type: str, coding: dict[str, str]
) -> None:
    zipped = await client.get(BUILD + path, headers={"Accept-Encoding": "gzip"})
    answer = await client.get(BUILD + path, headers=coding, skip_auto_headers=["Accept-Encoding"])
    plain = gzip.decompress(body)
    assert (answer.status, await answer.read()) == (200, plain)
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Content-Type"] == content_type
    assert answer.headers["Vary"] == "Accept-Encoding"
    tag = answer.headers["ETag"]
    assert tag != zipped.headers["ETag"]
    bare = ["Accept-Encoding"]
    again = await client.get(BUILD + path, headers={**coding, "If-None-Match": tag}, skip_auto_headers=bare)
    assert (again.status, again.headers["ETag"], again.headers["Vary"]) == (304, tag, "Accept-Encoding")
    other = await client.get(BUILD + path, headers={"Accept-Encoding": "gzip", "If-None-Match": tag})
    assert other.status == 200
    part = {**coding, "Range": "bytes=1-3", "If-Range": tag}
    cut = await client.get(BUILD + path, headers=part, skip_auto_headers=bare)
    assert (cut.status, await cut.read()) == (206, plain[1:4])


@pytest.mark.parametrize("path", [path for path, _, _ in STORED] + ["/events/0/3"])
async def test_immutable_resources_have_strong_tags_of_their_own_and_answer_304_and_head(
    client: Client, path: str
) -> None:
    answer = await client.get(BUILD + path)
    etag = answer.headers["ETag"]
    assert etag.startswith('"b1-')
    for held in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        again = await client.get(BUILD + path, headers={"If-None-Match": held})
        assert (again.status, await again.read()) == (304, b"")
        assert again.headers["Cache-Control"] == IMMUTABLE
        assert "Content-Encoding" not in again.headers
    assert (await client.get(BUILD + path, headers={"If-None-Match": '"b0-tracks"'})).status == 200
    head = await client.head(BUILD + path)
    assert (head.status, await head.read()) == (200, b"")
    assert head.headers["ETag"] == etag
    assert head.headers["Content-Length"] == answer.headers["Content-Length"]


@pytest.mark.parametrize("path", [path for path, _, _ in STORED[:4]] + ["/events/0/3"])
async def test_a_download_that_broke_off_can_be_taken_up(client: Client, path: str) -> None:
    whole = await client.get(BUILD + path)
    body, etag = await whole.read(), whole.headers["ETag"]
    assert whole.headers["Accept-Ranges"] == "bytes"
    rest = await client.get(BUILD + path, headers={"Range": "bytes=20-", "If-Range": etag})
    assert (rest.status, await rest.read()) == (206, body[20:])
    assert rest.headers["Content-Range"] == f"bytes 20-{len(body) - 1}/{len(body)}"
    for name in ("ETag", "Cache-Control", "Content-Type"):
        assert rest.headers[name] == whole.headers[name]
    assert rest.headers.get("Content-Encoding") == whole.headers.get("Content-Encoding")
    for stale in ('"b0-tracks"', f"W/{etag}", "Sat, 21 Nov 2026 08:00:00 GMT"):
        answer = await client.get(BUILD + path, headers={"Range": "bytes=20-", "If-Range": stale})
        assert (answer.status, await answer.read()) == (200, body)
    beyond = await client.get(BUILD + path, headers={"Range": f"bytes={len(body)}-"})
    assert (beyond.status, await beyond.read()) == (416, b"")
    assert beyond.headers["Content-Range"] == f"bytes */{len(body)}"
    held = await client.get(BUILD + path, headers={"Range": "bytes=20-", "If-None-Match": etag})
    assert held.status == 304
    head = await client.head(BUILD + path, headers={"Range": "bytes=20-"})
    assert (head.status, head.headers["Content-Length"]) == (200, str(len(body)))


async def test_if_match_is_kept_strictly(client: Client) -> None:
    etag = (await client.get(f"{BUILD}/tracks")).headers["ETag"]
    for tags, status in [(etag, 200), ("*", 200), (f'"x", {etag}', 200), ('"x"', 412), (f"W/{etag}", 412)]:
        answer = await client.get(f"{BUILD}/tracks", headers={"If-Match": tags})
        assert answer.status == status, tags
    assert (await answer.json())["error"]["code"] == "precondition_failed"


async def test_no_two_resources_share_a_tag(client: Client) -> None:
    paths = [path for path, _, _ in STORED] + [f"/events/0/{ordinal}" for ordinal in range(7)]
    tags = [(await client.get(BUILD + path)).headers["ETag"] for path in paths]
    assert len(set(tags)) == len(paths)


async def test_an_event_has_all_its_arguments(client: Client) -> None:
    answer = await client.get(f"{BUILD}/events/0/3")
    assert json.loads(await answer.read()) == {
        "track": 0,
        "ordinal": "3",
        "kind": "slice",
        "name": "copy",
        "category": "cat",
        "start": "8423",
        "duration": "92",
        "row": 0,
        "flags": ["open"],
        "value": None,
        "flows": {
            "in": [{"track": 0, "ordinal": "2", "name": "copy", "start": "8323", "derived": False}],
            "in_count": "1",
            "out": [],
            "out_count": "0",
        },
        "stacks": [],
        "args": [{"name": "flops", "value": 123456789012}, {"name": "shape", "value": [None, "é"]}],
    }
    assert answer.headers["Cache-Control"] == IMMUTABLE


@pytest.mark.parametrize(
    "path",
    [
        f"{RUNS}/nobody/manifest",
        f"{RUNS}/nobody/builds/b1/tracks",
        f"{RUNS}/..%2f..%2fetc%2fpasswd/manifest",
        f"{BUILD}/names/1",
        f"{BUILD}/names/{2**40}",
        f"{BUILD}/names/x",
        f"{BUILD}/names/-1",
        f"{BUILD}/shapes/1",
        f"{BUILD}/shapes/{10**18}",
        f"{BUILD}/pages/9/0/0/0",
        f"{BUILD}/pages/0/99/0/0",
        f"{BUILD}/pages/0/0/{2**60}/0",
        f"{BUILD}/pages/0/0/0/32",
        f"{BUILD}/pages/0/0/0",
        f"{BUILD}/overview/1",
        f"{BUILD}/flows/1/0/0",
        f"{BUILD}/flows/0/4/0",
        f"{BUILD}/events/1/0",
        f"{BUILD}/events/0/7",
        f"{BUILD}/events/0/{2**63}",
        f"{BUILD}/events/0/" + "9" * 40,
        f"{BUILD}/nothing",
        "/api/v2/runs",
        "/etc/passwd",
        "/../pyproject.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
    ],
)
async def test_what_does_not_exist_is_404(client: Client, path: str) -> None:
    assert await error_code(client, path) == (404, "not_found")


async def test_other_builds_are_unknown(client: Client) -> None:
    assert await error_code(client, f"{RUNS}/run1/builds/b0/tracks") == (404, "unknown_build")
    assert await error_code(client, f"{RUNS}/run0/builds/b1/tracks") == (404, "unknown_build")


async def test_other_methods_are_refused(client: Client) -> None:
    assert await error_code(client, f"{BUILD}/tracks", "POST") == (405, "method_not_allowed")
    assert await error_code(client, RUNS, "DELETE") == (405, "method_not_allowed")


async def test_a_damaged_page_is_a_failure_of_the_server_that_is_explained(client: Client) -> None:
    answer = await client.get(f"{BUILD}/pages/0/31/0/0")
    assert answer.status == 500
    assert (await answer.json())["error"] == {"code": "bad_store", "message": "track 0, level 31, tile 0: damaged"}


async def test_an_unexpected_failure_tells_the_client_nothing_of_the_inside(client: Client, site: Site) -> None:
    def fail(record: Record, *numbers: int) -> bytes | None:
        raise RuntimeError("secret")

    await client.get(f"{BUILD}/tracks")
    site.stores.opened[0].get = fail  # type: ignore[method-assign]
    answer = await client.get(f"{BUILD}/names/0")
    assert answer.status == 500
    assert (await answer.json())["error"]["code"] == "internal"
    assert b"secret" not in await answer.read()


async def test_a_new_build_takes_over_and_what_was_open_of_the_old_one_is_still_answered(
    client: Client, site: Site
) -> None:
    first = await (await client.get(f"{RUNS}/run1/manifest")).json()
    publish(site.store("run1"), "b2")
    second = await (await client.get(f"{RUNS}/run1/manifest")).json()
    assert (first["build"], second["build"]) == ("b1", "b2")
    for build in ("b1", "b2"):
        assert (await client.get(f"{RUNS}/run1/builds/{build}/tracks")).status == 200


async def test_health(client: Client) -> None:
    answer = await client.get("/healthz")
    assert (answer.status, (await answer.json())["status"]) == (200, "ok")


async def test_what_was_left_aside_is_noted(client: Client, site: Site) -> None:
    site.add_run("run2")
    site.notes["run2"] = ("host1.pb is left out: it is empty",)
    runs = {run["id"]: run for run in (await (await client.get(RUNS)).json())["runs"]}
    assert runs["run2"]["notes"] == ["host1.pb is left out: it is empty"]


async def test_a_full_disk_is_no_fault_of_the_trace_and_tells_no_path(client: Client, site: Site) -> None:
    await client.post(f"{RUNS}/run0/index")
    await site.jobs.end("run0", error=NoRoomToIndex(f"{site.store('run0')}: the disk is full: 1 MB is free there"))
    await client.get(RUNS)
    answer = await client.get(f"{RUNS}/run0/manifest")
    told = "run0: the disk is full: 1 MB is free there"
    assert (answer.status, (await answer.json())["error"]) == (507, {"code": "disk_full", "message": told})
    (run,) = [run for run in (await (await client.get(RUNS)).json())["runs"] if run["id"] == "run0"]
    assert (run["state"], run["error"]) == ("failed", told)


async def test_no_answer_tells_where_a_file_lies(client: Client, site: Site) -> None:
    await client.post(f"{RUNS}/run0/index")
    await site.jobs.end("run0", error=f"{site.file('run0')}: byte 17: the file ends inside an event")
    for path in (RUNS, f"{RUNS}/run0/manifest", f"{RUNS}/run1/manifest"):
        assert str(site.folder.parent) not in await (await client.get(path)).text()
