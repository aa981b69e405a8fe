"""No path of a request ever leads to a file: whatever is written into it, and however."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.server.conftest import Client, Site
from tests.server.raw import raw_answer
from tests.tiler.readers.layouts.rank_traces import put, rank_trace
from tilescope.server.app import make_app
from tilescope.server.guard.roots import within
from tilescope.server.http.viewer_files import ViewerFiles
from tilescope.server.runs.cache import CacheDirectory
from tilescope.tiler.errors import TooMany
from tilescope.tiler.readers import discover, disk_folders

SECRET = b"secret-secret"
STEPS = [
    "../",
    "..%2f",
    "%2e%2e/",
    "%2e%2e%2f",
    "%252e%252e%252f",
    "..\\",
    "..%5c",
    "..%c0%af",
    "%c0%ae%c0%ae/",
    "..;/",
    ".%00./",
    "..%00/",
    "\u2025/",
    "..%ef%bc%8f",
]
STARTS = ["/", "/assets/", "/api/v1/runs/", "/api/v1/runs/run1/builds/", "/api/v1/runs/run1/builds/b1/", "//", "/./"]


@pytest.fixture
async def exposed(site: Site, aiohttp_client: Callable[..., Awaitable[Client]]) -> Client:
    """A server beside whose folders secrets lie, at every height."""
    static = site.folder / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html>")
    for folder in (static, *static.parents[:2]):
        (folder / "secret.txt").write_bytes(SECRET) if folder != static else None
    (site.folder.parent / "cache").mkdir(exist_ok=True)
    (site.folder.parent / "cache" / "secret.txt").write_bytes(SECRET)
    site.add_run("run1", build="b1")
    return await aiohttp_client(make_app(site.registry(), viewer=ViewerFiles.load(static)), auto_decompress=False)


async def assert_refused(client: Client, target: str | bytes) -> None:
    for method in ("GET", "HEAD"):
        answer = await raw_answer(client, target, method)
        assert 400 <= answer.status < 500, (target, answer.status)
        assert SECRET not in answer.body


@pytest.mark.parametrize("start", STARTS)
async def test_steps_out_lead_nowhere(exposed: Client, start: str) -> None:
    for step, times in itertools.product(STEPS, (1, 2, 3, 6)):
        for name in ("secret.txt", "etc/passwd", "secret.txt%00", "secret.txt%00.html"):
            await assert_refused(exposed, start + step * times + name)


@pytest.mark.parametrize(
    "target",
    [
        "/%2fetc%2fpasswd",
        "//etc/passwd",
        "/file:///etc/passwd",
        "/api/v1/runs/%2fetc%2fpasswd/manifest",
        "/api/v1/runs/..%2fcache/manifest",
        "/api/v1/runs/run1%00/manifest",
        "/api/v1/runs/run1/../run1%00/manifest",
        "/api/v1/runs/run1/builds/%2e%2e/tracks",
        "/api/v1/runs/run1/builds/b1%00/tracks",
        "/api/v1/runs/run1/builds/b1/pages/0/0/0/..%2f0",
        "/api/v1/runs/run1/builds/b1/names/0%00",
        "/api/v1/runs/run1/builds/b1/names/٣",
        b"/\xff\xfe/secret.txt",
        "/" + "a" * 100_000,
    ],
    ids=lambda target: repr(target)[:40],
)
async def test_whole_paths_encoded_forms_and_nul(exposed: Client, target: str | bytes) -> None:
    await assert_refused(exposed, target)


async def test_a_nul_byte_in_a_target_is_no_request(exposed: Client) -> None:
    assert (await raw_answer(exposed, b"/secret.txt\x00.html")).status == 400


async def test_links_that_lead_out_of_the_viewers_folder_were_read_at_the_start_or_not_at_all(
    exposed: Client, site: Site
) -> None:
    (site.folder / "static" / "late.html").symlink_to(site.folder.parent / "secret.txt")
    await assert_refused(exposed, "/late.html")


def trace(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"traceEvents": [{"ph": "X", "ts": 1, "dur": 2, "name": "a", "pid": 1, "tid": 1}]}')
    return file


def test_a_link_out_of_the_served_folders_is_left_out_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    served, other = tmp_path / "logs", tmp_path / "other"
    inside = trace(served / "inside.trace.json")
    outside = trace(other / "outside.trace.json")
    (served / "link-in.trace.json").symlink_to(inside)
    (served / "link-out.trace.json").symlink_to(outside)
    (served / "twice.trace.json").symlink_to(served / "link-out.trace.json")
    (served / "broken.trace.json").symlink_to(tmp_path / "nothing")
    (served / "folder").symlink_to(other)
    find = within([served], discover)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert {run.path.name for run in find(served)} == {"inside.trace.json", "link-in.trace.json"}
    assert sorted(record.getMessage().split(" is left out")[0] for record in caplog.records) == [
        str(served / "folder"),
        str(served / "link-out.trace.json"),
        str(served / "twice.trace.json"),
    ]
    assert all(f"name {other} as well to serve it" in record.getMessage() for record in caplog.records)
    both = within([served, other], discover)
    assert {run.path.name for run in both(served)} >= {"link-out.trace.json", "inside.trace.json"}


@pytest.mark.parametrize("in_log_directory", [False, True])
def test_a_link_out_takes_no_other_file_of_its_run_away(tmp_path: Path, in_log_directory: bool) -> None:
    folder = tmp_path / "logs" / "plugins" / "profile" / "run" if in_log_directory else tmp_path / "logs"
    names = (
        ["h0.xplane.pb", "h1.xplane.pb", "h2.xplane.pb"] if in_log_directory else [f"rank{n}.json" for n in (0, 1, 2)]
    )
    for rank, name in enumerate(names[:2]):
        put(folder / name, b"\n\x06\x12\x04abcd" if in_log_directory else rank_trace(rank, 3))
    outside = put(tmp_path / "other" / "trace", b"\n\x06\x12\x04abcd" if in_log_directory else rank_trace(2, 3))
    (folder / names[2]).symlink_to(outside)
    find = within([tmp_path / "logs"], discover)
    for _ in range(2):
        (run,) = find(tmp_path / "logs")
        assert [file.name for file in run.files] == names[:2]
        assert f"{names[2]} is left out: it leads out of what is served" in run.notes
    (folder / names[2]).unlink()
    put(folder / names[2], outside.read_bytes())
    (run,) = find(tmp_path / "logs")
    assert len(run.files) == 3


def test_a_folder_of_too_many_files_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(disk_folders, "MAX_FILES", 1)
    for number in range(2):
        put(tmp_path / f"{number}.json", b"{}")
    find = within([tmp_path], discover)
    for _ in range(2):
        with pytest.raises(TooMany):
            find(tmp_path)
    (record,) = caplog.records
    assert "1 more are left out" in record.getMessage()


def test_what_is_named_on_the_command_line_may_be_a_link(tmp_path: Path) -> None:
    trace(tmp_path / "real" / "a.trace.json")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "b.trace.json").symlink_to(tmp_path / "real" / "a.trace.json")
    for root in (tmp_path / "link", tmp_path / "b.trace.json"):
        assert len(within([root], discover)(root)) == 1


async def test_runs_behind_links_cannot_be_asked_for(
    tmp_path: Path, site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    from tilescope.server.runs.open_stores import OpenStores
    from tilescope.server.runs.registry import Registry
    from tilescope.tiler.store import open_run_store

    served = tmp_path / "served"
    served.mkdir()
    outside = trace(tmp_path / "elsewhere" / "outside.trace.json")
    (served / "link.trace.json").symlink_to(outside)
    find = within([served], discover)
    (hidden,) = discover(served)
    registry = Registry([served], CacheDirectory(tmp_path / "c"), OpenStores(open_run_store), find)
    client = await aiohttp_client(make_app(registry))
    async with asyncio.timeout(5):
        assert (await (await client.get("/api/v1/runs")).json())["runs"] == []
        assert (await client.post(f"/api/v1/runs/{hidden.id}/index")).status == 404
