from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.server.conftest import Client, Site
from tilescope.server.app import make_app
from tilescope.server.http.viewer_files import STATIC, ViewerFiles
from tilescope.server.settings import Settings

SCRIPT = b"export const tiles = 1;\n" * 50
PAGE = b'<!doctype html><script type="module" src="./assets/index-B2a8eX_1.js"></script>'


VIEWER = Path(__file__).resolve().parents[3] / "viewer"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_bytes(PAGE)
    (folder / "assets" / "index-B2a8eX_1.js").write_bytes(SCRIPT)
    (folder / "assets" / "logo-0123abcd.png").write_bytes(b"\x89PNG")
    (folder / "favicon.svg").write_bytes(b"<svg/>")
    return folder


@pytest.fixture
async def viewer(built: Path, site: Site, aiohttp_client: Callable[..., Awaitable[Client]]) -> Client:
    return await aiohttp_client(make_app(site.registry(), viewer=ViewerFiles.load(built)), auto_decompress=False)


@pytest.mark.parametrize("path", ["/", "/index.html", "/?run=run1"])
async def test_the_page_is_asked_for_again_each_time_and_runs_no_inline_code(viewer: Client, path: str) -> None:
    answer = await viewer.get(path, headers={"Accept-Encoding": "identity"})
    assert await answer.read() == PAGE
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "script-src 'self';" in answer.headers["Content-Security-Policy"]
    again = await viewer.get(path, headers={"Accept-Encoding": "identity", "If-None-Match": answer.headers["ETag"]})
    assert again.status == 304


async def test_only_the_page_may_be_framed_and_by_those_origins_alone_that_are_named(
    built: Path, site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    files = ViewerFiles.load(built)
    ours = await aiohttp_client(make_app(site.registry(), viewer=files))
    friends = frozenset({"https://wiki.example.org", "http://127.0.0.1:9000"})
    shared = await aiohttp_client(make_app(site.registry(), viewer=files, settings=Settings(allow_frames=friends)))

    async def framed_by(client: Client, path: str) -> str:
        policy = (await client.get(path)).headers["Content-Security-Policy"]
        return next(rule for rule in policy.split("; ") if rule.startswith("frame-ancestors "))

    assert await framed_by(ours, "/") == "frame-ancestors 'self'"
    assert await framed_by(shared, "/") == "frame-ancestors 'self' http://127.0.0.1:9000 https://wiki.example.org"
    for path in ("/favicon.svg", "/api/v1/runs", "/viewer.json", "/nowhere"):
        assert await framed_by(shared, path) == "frame-ancestors 'none'"


@pytest.mark.parametrize("url", ["https://ui.perfetto.dev", "https://perfetto.example.org/ui/", None])
async def test_the_viewer_is_told_where_perfetto_is(
    built: Path, site: Site, aiohttp_client: Callable[..., Awaitable[Client]], url: str | None
) -> None:
    settings = Settings(perfetto_url=url)
    client = await aiohttp_client(make_app(site.registry(), viewer=ViewerFiles.load(built), settings=settings))
    answer = await client.get("/viewer.json")
    assert (await answer.json(), answer.headers["Cache-Control"]) == ({"perfetto_url": url}, "no-store")


async def test_hashed_assets_are_kept_for_ever_and_compressed_where_it_pays(viewer: Client) -> None:
    plain = await viewer.get("/assets/index-B2a8eX_1.js", headers={"Accept-Encoding": "identity"})
    zipped = await viewer.get("/assets/index-B2a8eX_1.js", headers={"Accept-Encoding": "gzip, br"})
    assert await plain.read() == gzip.decompress(await zipped.read()) == SCRIPT
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert plain.headers["ETag"] != zipped.headers["ETag"]
    for answer in (plain, zipped):
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert answer.headers["Vary"] == "Accept-Encoding"
    image = await viewer.get("/assets/logo-0123abcd.png", headers={"Accept-Encoding": "gzip"})
    assert (image.headers["Content-Type"], "Content-Encoding" in image.headers) == ("image/png", False)


async def test_other_files_are_revalidated(viewer: Client) -> None:
    answer = await viewer.get("/favicon.svg")
    assert (answer.headers["Content-Type"], answer.headers["Cache-Control"]) == ("image/svg+xml", "no-cache")


async def test_only_files_that_were_there_at_the_start_are_served(viewer: Client, built: Path) -> None:
    (built / "late.html").write_text("late")
    (built.parent / "secret.txt").write_text("secret")
    steps_out = ("/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt", "//etc/passwd", "/..%2fsecret.txt")
    for path in ("/late.html", "/assets/", *steps_out):
        assert await raw_status(viewer, path) == 404, path
    assert await raw_status(viewer, "/favicon.svg") == 200


async def raw_status(client: Client, path: str) -> int:
    """The status of a request whose path no client library has tidied up."""
    reader, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    status_line = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return int(status_line.split()[1])


async def test_a_person_gets_a_page_with_the_way_out_for_an_address_of_nothing(viewer: Client) -> None:
    answer = await viewer.get("/foo/b%3Cr", headers={"Accept": "text/html,*/*;q=0.8"})
    text = await answer.text()
    assert (answer.status, answer.content_type) == (404, "text/html")
    assert "There is no page <code>/foo/b&lt;r</code>" in text
    assert '<a href="../">All runs of this server</a>' in text
    # A program, and a part of the page that is gone, are told as before.
    for accept in ("*/*", "application/json"):
        answer = await viewer.get("/foo/bar", headers={"Accept": accept})
        assert (answer.status, answer.content_type) == (404, "application/json")


async def test_without_a_built_viewer_the_page_says_how_to_build_it(client: Client) -> None:
    answer = await client.get("/", headers={"Accept-Encoding": "identity"})
    assert answer.status == 200
    assert b"make viewer" in await answer.read()


def test_what_is_served_is_what_the_viewers_build_writes() -> None:
    found = re.search(r'outDir: "(.*)"', (VIEWER / "vite.config.ts").read_text())
    assert found is not None
    assert STATIC.resolve() == (VIEWER / found[1]).resolve()
