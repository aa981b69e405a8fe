"""Behind a reverse proxy: a prefix before all paths, and a real nginx that adds it or takes it off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import msgpack
import pytest

from tests.server.conftest import Client, Site
from tests.server.fakes import page_bytes, small_pages
from tests.server.nginx import PREFIX, STRIPPED, needs_nginx, nginx_before
from tests.server.test_serving import served
from tilescope.server.app import make_app
from tilescope.server.guard.access import Access
from tilescope.server.http.viewer_files import ViewerFiles
from tilescope.server.settings import Settings, parse_base_path
from tilescope.tiler.errors import UsageError

BUILD = "/api/v1/runs/run1/builds/b1"
PAGES = small_pages()
TOKEN = "correct-horse-battery-staple"


@pytest.mark.parametrize(
    ("text", "base"), [("", ""), ("/", ""), ("/a", "/a"), ("a/b/", "/a/b"), ("//a/", "/a"), ("/~me/x.1", "/~me/x.1")]
)
def test_prefixes(text: str, base: str) -> None:
    assert parse_base_path(text) == base


@pytest.mark.parametrize("text", ["/a b", "/a//b", "/{x}", "/../a", "/.", "https://a/b", "/a?b", "/a%2fb", "/ä"])
def test_what_is_no_prefix_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError, match="a prefix is"):
        parse_base_path(text)


@pytest.fixture
async def below(site: Site, aiohttp_client: Callable[..., Awaitable[Client]]) -> Client:
    site.add_run("run1", build="b1")
    settings = Settings(base_path=PREFIX)
    viewer = ViewerFiles.load(site.folder)
    return await aiohttp_client(make_app(site.registry(), settings=settings, viewer=viewer), auto_decompress=False)


@pytest.mark.parametrize(
    "path", ["/", "/index.html", "/healthz", "/api/v1/runs", "/api/v1/openapi.json", f"{BUILD}/tracks"]
)
async def test_everything_is_below_the_prefix_and_nothing_beside_it(below: Client, path: str) -> None:
    assert (await below.get(PREFIX + path)).status == 200
    for elsewhere in (path, f"/tools{path}", f"{PREFIX}x{path}", f"/x{PREFIX}{path}"):
        answer = await below.get(elsewhere)
        assert (answer.status, (await answer.json())["error"]["code"]) == (404, "not_found")


async def test_the_bare_prefix_leads_to_the_viewer(below: Client) -> None:
    answer = await below.get(f"{PREFIX}?run=a%26b", allow_redirects=False)
    assert (answer.status, answer.headers["Location"]) == (308, "./tilescope/?run=a%26b")
    assert (await below.get(PREFIX)).url.path == f"{PREFIX}/"


async def test_the_description_says_where_the_api_is(below: Client, client: Client) -> None:
    for server, url in [(below, PREFIX), (client, "/")]:
        base = "" if url == "/" else url
        document = json.loads(await (await server.get(f"{base}/api/v1/openapi.json")).read())
        assert document["servers"] == [{"url": url}]


async def test_the_page_without_a_viewer_names_no_absolute_path(below: Client) -> None:
    page = await (await below.get(f"{PREFIX}/", headers={"Accept-Encoding": "identity"})).text()
    assert 'href="/' not in page


@asynccontextmanager
async def proxied(site: Site, folder: Path, settings: Settings) -> AsyncIterator[tuple[str, aiohttp.ClientSession]]:
    """The URL of the viewer through nginx, and a client that keeps cookies."""
    takes_off = settings.base_path == ""
    async with served(site, settings) as url:
        port = int(url.split(":")[2].split("/")[0])
        with nginx_before(port, folder / "nginx", takes_prefix_off=takes_off) as proxy:
            jar = aiohttp.CookieJar(unsafe=True)
            async with aiohttp.ClientSession(cookie_jar=jar, auto_decompress=False) as session:
                yield proxy + (STRIPPED if takes_off else PREFIX), session


@needs_nginx
@pytest.mark.parametrize("base_path", [PREFIX, ""], ids=["prefix kept", "prefix taken off"])
async def test_http_batches_and_the_stream_through_nginx(site: Site, tmp_path: Path, base_path: str) -> None:
    async with proxied(site, tmp_path, Settings(base_path=base_path)) as (url, session):
        async with session.get(url) as answer:
            assert (answer.status, answer.url.path) == (200, f"{url[url.index('/', 8) :]}/")
        page = f"{url}{BUILD}/pages/{'/'.join(map(str, PAGES[3][:4]))}"
        async with session.get(page) as answer:
            assert await answer.read() == page_bytes(PAGES[3])
            assert answer.headers["Content-Encoding"] == "gzip"
            etag = answer.headers["ETag"]
        async with session.get(page, headers={"If-None-Match": etag}) as answer:
            assert (answer.status, answer.headers["X-Cache"]) == (304, "HIT")
        async with session.get(page, headers={"Range": "bytes=5-9"}) as answer:
            assert (answer.status, await answer.read()) == (206, page_bytes(PAGES[3])[5:10])
        async with session.get(f"{url}/api/v1/runs") as answer, session.get(f"{url}/api/v1/runs") as again:
            assert "HIT" not in (answer.headers["X-Cache"], again.headers["X-Cache"])
        async with session.post(f"{url}{BUILD}/batch", json={"pages": PAGES}) as answer:
            assert len(await answer.read()) == 24 * (len(PAGES) + 1) + sum(len(page_bytes(key)) for key in PAGES)
        origin = "/".join(url.split("/")[:3])
        async with session.ws_connect(f"{url}{BUILD}/stream", origin=origin) as socket:
            await socket.send_bytes(msgpack.packb({"type": "want", "id": 1, "pages": PAGES}))
            for key in PAGES:
                assert (await socket.receive_bytes(timeout=5)).endswith(page_bytes(key))
            assert msgpack.unpackb(await socket.receive_bytes(timeout=5)) == {"type": "done", "id": 1}
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(f"{url}{BUILD}/stream", origin="https://evil.example")


@needs_nginx
@pytest.mark.parametrize("base_path", [PREFIX, ""], ids=["prefix kept", "prefix taken off"])
async def test_logging_in_through_nginx(site: Site, tmp_path: Path, base_path: str) -> None:
    async with proxied(site, tmp_path, Settings(base_path=base_path, access=Access(TOKEN))) as (url, session):
        async with session.get(f"{url}/api/v1/runs") as answer:
            assert answer.status == 401
        async with session.get(f"{url}/?run=run1&token={TOKEN}") as answer:
            assert (answer.status, answer.url.query_string) == (200, "run=run1")
        for _ in range(2):
            async with session.get(f"{url}{BUILD}/tracks") as answer:
                assert (answer.status, answer.headers["X-Cache"]) == (200, "MISS")
        async with session.ws_connect(f"{url}{BUILD}/stream") as socket:
            assert not socket.closed
        session.cookie_jar.clear()
        async with session.get(f"{url}{BUILD}/tracks") as answer:
            assert answer.status == 401


@needs_nginx
async def test_only_names_that_were_allowed_come_through(site: Site, tmp_path: Path) -> None:
    allowed = frozenset({"profiles.example.org"})
    async with proxied(site, tmp_path, Settings(base_path=PREFIX, allow_hosts=allowed)) as (url, session):
        for host, status in [("profiles.example.org", 200), ("evil.example", 403)]:
            async with session.get(f"{url}/api/v1/runs", headers={"Host": host}) as answer:
                assert answer.status == status


@needs_nginx
async def test_a_batch_is_passed_on_while_it_is_made(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    sleep = asyncio.sleep

    async def wait_at_the_gate(seconds: float) -> None:
        await (sleep(seconds) if gate.is_set() else gate.wait())

    async with proxied(site, tmp_path, Settings(base_path=PREFIX)) as (url, session):
        monkeypatch.setattr("tilescope.server.routes.batch.PAGES_BEFORE_YIELD", 4)
        monkeypatch.setattr("tilescope.server.routes.batch.asyncio.sleep", wait_at_the_gate)
        async with session.post(f"{url}{BUILD}/batch", json={"pages": PAGES}) as answer:
            first = await asyncio.wait_for(answer.content.readexactly(24), 5)
            assert first[0] == 0
            gate.set()
            await answer.read()
