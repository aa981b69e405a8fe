"""Marks are kept where the server may write, in the ticks of whoever asks; nobody overwrites what he has not seen."""

from __future__ import annotations

import errno
import io
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import Client, Site
from tilescope.server.app import make_app
from tilescope.server.errors import BadRequest
from tilescope.server.runs.lasting_tracks import LastingTracks
from tilescope.server.runs.marks import BuildPlaces, MarkFiles
from tilescope.server.settings import Settings
from tilescope.tiler.pages import compress
from tilescope.tiler.schema import Mark, MarkList

MARKS = "/api/v1/runs/run1/builds/b1/marks"
REGION: dict[str, Any] = {"id": "a", "kind": "region", "start": "100", "end": "250", "name": "warm-up"}
REGION |= {"tracks": [0], "colour": 3}
NOTE: dict[str, Any] = {"id": "b", "kind": "note", "start": "-7", "end": None, "name": "täglich\nhier"}
NOTE |= {"tracks": [], "colour": 0}


@pytest.fixture
async def client(site: Site, aiohttp_client: Callable[..., Awaitable[Client]]) -> Client:
    site.add_run("run1", build="b1")
    return await aiohttp_client(make_app(site.registry(), settings=Settings(allow_notes=True)))


async def put(client: Client, etag: str, *marks: dict[str, Any], **headers: str) -> Any:
    body = io.BytesIO(json.dumps({"marks": marks}).encode())
    return await client.put(MARKS, data=body, headers={"If-Match": etag, **headers})


async def test_what_was_put_is_there_again(client: Client, site: Site) -> None:
    nothing = await client.get(MARKS)
    assert await nothing.json() == {"marks": [], "writable": True}
    answer = await put(client, nothing.headers["ETag"], REGION, NOTE)
    assert answer.status == 200
    again = await client.get(MARKS)
    assert await again.json() == await answer.json() == {"marks": [REGION, NOTE], "writable": True}
    assert again.headers["ETag"] == answer.headers["ETag"] != nothing.headers["ETag"]
    known = await client.get(MARKS, headers={"If-None-Match": again.headers["ETag"]})
    assert known.status == 304
    assert [path.name for path in (site.cache.root / "run1").glob("*marks*")] == ["marks.json"]


async def test_who_comes_second_is_refused(client: Client) -> None:
    etag = (await client.get(MARKS)).headers["ETag"]
    assert (await put(client, etag, REGION)).status == 200
    late = await put(client, etag, NOTE)
    assert (late.status, (await late.json())["error"]["code"]) == (412, "precondition_failed")
    for tag in ("*", 'W/"x"', '"x", "y"'):
        assert (await put(client, tag, NOTE)).status == 412
    unsaid = await client.put(MARKS, json={"marks": []})
    assert (unsaid.status, (await unsaid.json())["error"]["code"]) == (428, "precondition_required")
    assert (await (await client.get(MARKS)).json())["marks"] == [REGION]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        '{"marks": 5}',
        json.dumps({"marks": [REGION, REGION]}),
        json.dumps({"marks": [{**REGION, "start": 5}]}),
        json.dumps({"marks": [{**REGION, "start": "9" * 30}]}),
        json.dumps({"marks": [{**REGION, "start": "1.5"}]}),
        json.dumps({"marks": [{**REGION, "script": "x"}]}),
        json.dumps({"marks": [{**REGION, "name": "x" * 2001}]}),
        json.dumps({"marks": [], "more": 1}),
    ],
)
async def test_what_makes_no_sense_is_refused(client: Client, body: str) -> None:
    etag = (await client.get(MARKS)).headers["ETag"]
    answer = await client.put(MARKS, data=body, headers={"If-Match": etag})
    assert (answer.status, (await answer.json())["error"]["code"]) == (400, "bad_request")


async def test_a_megabyte_at_most(client: Client) -> None:
    etag = (await client.get(MARKS)).headers["ETag"]
    many = [{**NOTE, "id": str(k), "name": "x" * 1000} for k in range(900)]
    assert (await put(client, etag, *many)).status == 200
    etag = (await client.get(MARKS)).headers["ETag"]
    more = await put(client, etag, *many, *({**mark, "id": f"x{mark['id']}"} for mark in many))
    assert (more.status, (await more.json())["error"]["code"]) == (413, "too_large")


async def test_strangers_write_nothing(
    client: Client, site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    etag = (await client.get(MARKS)).headers["ETag"]
    stranger = await put(client, etag, NOTE, Origin="https://elsewhere.example")
    assert (stranger.status, (await stranger.json())["error"]["code"]) == (403, "forbidden")
    reader = await aiohttp_client(make_app(site.registry()))
    told = await reader.get(MARKS)
    assert await told.json() == {"marks": [], "writable": False}
    refused = await put(reader, told.headers["ETag"], NOTE)
    assert refused.status == 403
    assert "--allow-notes" in (await refused.json())["error"]["message"]


async def test_a_damaged_file_is_said_and_kept(client: Client, site: Site) -> None:
    etag = (await client.get(MARKS)).headers["ETag"]
    await put(client, etag, REGION)
    file = site.cache.root / "run1" / "marks.json"
    file.write_text('{"version":1,"marks":[{"id":')
    answer = await client.get(MARKS)
    assert (answer.status, (await answer.json())["error"]["code"]) == (500, "bad_store")
    assert (await put(client, etag, NOTE)).status == 412
    assert file.read_text().endswith('"id":')


def _huge(file: Path) -> None:
    file.write_text('{"version":2,"marks":[]}' + " " * 20_000_000)


def _is_no_time(file: Path) -> None:
    file.write_text('{"version":2,"marks":[{"id":"a","kind":"mark","start":"soon"}]}')


def _is_no_text(file: Path) -> None:
    file.write_text('{"version":2,"marks":[{"id":"a","kind":"mark","start":["1"],"tracks":{}}]}')


DAMAGES: dict[str, Callable[[Path], object]] = {
    "a huge one": _huge,
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "a link to itself": lambda file: file.symlink_to(file),
    "no time": _is_no_time,
    "no text": _is_no_text,
    "no depth": lambda file: file.write_text("[" * 100_000),
    "no UTF-8": lambda file: file.write_bytes(b'{"version":2,"marks":[{"id":"\xff"}]}'),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_what_is_no_file_of_marks_is_refused_by_name(client: Client, site: Site, damage: str) -> None:
    etag = (await client.get(MARKS)).headers["ETag"]
    folder = site.cache.root / "run1"
    folder.mkdir(exist_ok=True)
    DAMAGES[damage](folder / "marks.json")
    for answer in (await client.get(MARKS), await put(client, etag, NOTE)):
        error = (await answer.json())["error"]
        assert (answer.status, error["code"]) in ((500, "bad_store"), (412, "precondition_failed"))
        assert answer.status == 412 or "marks.json" in error["message"]
    assert (await client.get("/api/v1/runs/run1/builds/b1/tracks")).status == 200


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errno.ENOSPC, 507, "disk_full"),
        (errno.EDQUOT, 507, "disk_full"),
        (errno.EROFS, 403, "forbidden"),
        (errno.EACCES, 403, "forbidden"),
        (errno.EIO, 500, "bad_store"),
    ],
)
@pytest.mark.parametrize("call", ["tempfile.mkstemp", "os.fsync", "os.open"])
async def test_what_cannot_be_written_is_said_and_nothing_lost(
    client: Client, site: Site, monkeypatch: pytest.MonkeyPatch, call: str, error: int, status: int, code: str
) -> None:
    etag = (await client.get(MARKS)).headers["ETag"]
    etag = (await put(client, etag, REGION)).headers["ETag"]

    def fail(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    with monkeypatch.context() as patch:
        module = "tilescope.server.runs.marks" if call == "os.open" else "tilescope.server.runs.small_file"
        patch.setattr(f"{module}.{call}", fail)
        refused = await put(client, etag, NOTE)
    assert (refused.status, (await refused.json())["error"]["code"]) == (status, code)
    assert (await (await client.get(MARKS)).json())["marks"] == [REGION]
    assert [path.name for path in (site.cache.root / "run1").glob("*marks*")] == ["marks.json"]
    assert (await put(client, etag, NOTE)).status == 200


def tree(*names: str) -> LastingTracks:
    """Tracks of these names, all in one group."""
    group = {"id": 0, "parent": None, "kind": "process", "name": "p", "detail": "", "rollup": None}
    track = {"group": 0, "kind": "slice", "detail": "", "rows": 1, "events": "1"}
    tracks = [{**track, "id": k, "name": name} for k, name in enumerate(names)]
    return LastingTracks(lambda: compress(json.dumps({"groups": [group], "tracks": tracks}).encode()))


def test_other_ticks_are_the_same_times(tmp_path: Path) -> None:
    files = MarkFiles(tmp_path)
    fine, coarse = BuildPlaces(1, 1_000, tree()), BuildPlaces(1000, 900, tree())
    etag = files.read("run", fine).etag
    files.write("run", MarkList(marks=[Mark(id="a", kind="mark", start="1999", end="5000")]), fine, etag)
    (mark,) = files.read("run", coarse).marks
    assert (mark.start, mark.end) == ("101", "105")  # 1000 ns + 1.999 ns, of which whole ticks count
    (mark,) = files.read("run", fine).marks
    assert (mark.start, mark.end) == ("1999", "5000")


def test_other_numbers_are_the_same_tracks(tmp_path: Path) -> None:
    files = MarkFiles(tmp_path)
    one = BuildPlaces(1, 0, tree("main", "io", "io", "gone"))
    etag = files.read("run", one).etag
    marks = MarkList(marks=[Mark(id="a", kind="note", start="5", name="x", tracks=[0, 2, 3])])
    files.write("run", marks, one, etag)
    # Another host has come before them; the second of the two that are called the same stays the second.
    more = BuildPlaces(1, 0, tree("other", "io", "main", "io"))
    now = files.read("run", more)
    assert list(now.marks[0].tracks) == [2, 3]
    # What this build does not have stays with the mark, whatever is written here.
    files.write("run", MarkList(marks=[Mark(id="a", kind="note", start="5", name="y", tracks=[2])]), more, now.etag)
    (mark,) = files.read("run", one).marks
    assert (mark.name, list(mark.tracks)) == ("y", [0, 3])
    unknown = MarkList(marks=[Mark(id="b", kind="mark", start="5", tracks=[9])])
    with pytest.raises(BadRequest, match="does not have"):
        files.write("run", unknown, one, files.read("run", one).etag)


def test_what_was_kept_with_numbers_of_tracks_is_read(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    old = {"id": "a", "kind": "region", "start": "100", "end": "250", "name": "w", "tracks": [1, 7], "colour": 3}
    (tmp_path / "run" / "marks.json").write_text(json.dumps({"version": 1, "marks": [old]}))
    (mark,) = MarkFiles(tmp_path).read("run", BuildPlaces(1, 0, tree("main", "io"))).marks
    assert (mark.start, mark.end, mark.name, list(mark.tracks), mark.colour) == ("100", "250", "w", [1], 3)
