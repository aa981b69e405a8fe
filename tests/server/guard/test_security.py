from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable
from hashlib import sha256
from urllib.parse import urlsplit

import pytest
from yarl import URL

from tests.server.conftest import Client, Site
from tilescope.server.app import make_app
from tilescope.server.settings import Settings, parse_host
from tilescope.tiler.errors import UsageError

RUNS = "/api/v1/runs"
STREAM = f"{RUNS}/run1/builds/b1/stream"
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket"}


OURS = ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "LOCALHOST:80", "localhost."]
FOREIGN = ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "", "[::1", "10.0.0.7"]


@pytest.mark.parametrize("host", OURS)
async def test_loopback_names_are_answered(client: Client, host: str) -> None:
    assert (await client.get(RUNS, headers={"Host": host})).status == 200


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("path", [RUNS, "/", "/healthz", "/nothing"])
async def test_a_rebound_name_gets_nothing(client: Client, host: str, path: str) -> None:
    answer = await client.get(path, headers={"Host": host})
    assert answer.status == 403
    assert (await answer.json())["error"]["code"] == "forbidden"


@pytest.mark.parametrize(
    ("host", "option"), [("gpu7.example:8808", "--allow-host gpu7.example"), ("<b>", "--allow-host NAME")]
)
async def test_a_foreign_name_is_told_how_to_be_allowed(client: Client, host: str, option: str) -> None:
    """People on a page, programs in JSON."""
    answer = await client.get(RUNS, headers={"Host": host, "Accept": "text/html"})
    assert option in (await answer.json())["error"]["message"]
    for path in ("/", "/?run=a"):
        answer = await client.get(path, headers={"Host": host, "Accept": "text/html"})
        page = await answer.text()
        assert (answer.status, answer.content_type) == (403, "text/html")
        assert answer.headers["Cache-Control"] == "no-store"
        assert f"<code>{option}</code>" in page
        assert "<b>" not in page
        address = f"http://localhost:8808{path}"
        assert (f'<a href="{address}">{address}</a>' in page) is (":8808" in host)


@pytest.mark.parametrize("path", ['/?run="<b>', "/?run=a&token=b", "/%2f%2fevil.example/", "/%0d%0a"])
async def test_the_way_to_localhost_leads_there_alone(client: Client, path: str) -> None:
    headers = {"Host": "gpu7.example:8808", "Accept": "text/html"}
    page = await (await client.get(URL(path, encoded=True), headers=headers)).text()
    (address,) = re.findall(r'<a href="([^"]*)">', page)
    assert urlsplit(html.unescape(address)).netloc == "localhost:8808"
    assert "<b>" not in page


async def test_a_page_for_people_runs_nothing_and_has_its_own_style(client: Client) -> None:
    answer = await client.get("/", headers={"Host": "gpu7.example:8808", "Accept": "text/html"})
    (style,) = re.findall(r"<style>(.*?)</style>", await answer.text(), re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = answer.headers["Content-Security-Policy"]
    assert f"style-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert not re.search(r"unsafe|\*|http|script", policy)


async def test_a_server_that_is_bound_to_the_network_answers_to_any_name(
    site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    client = await aiohttp_client(make_app(site.registry(), settings=Settings(host="0.0.0.0")))
    assert (await client.get(RUNS, headers={"Host": "profiles.example.org"})).status == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "http://[", ""])
async def test_pages_of_other_sites_change_nothing_and_get_no_stream(client: Client, origin: str) -> None:
    headers = {"Host": "localhost:8080", "Origin": origin}
    assert (await client.post(f"{RUNS}/run0/index", headers=headers)).status == 403
    assert (await client.get(STREAM, headers={**headers, **UPGRADE})).status == 403


async def test_our_own_pages_may(client: Client) -> None:
    headers = {"Host": "localhost:8080", "Origin": "http://localhost:8080"}
    assert (await client.post(f"{RUNS}/run0/index", headers=headers)).status == 202
    async with client.ws_connect(STREAM, headers=headers) as socket:
        assert not socket.closed


@pytest.mark.parametrize("path", ["/", RUNS, "/nothing", f"{RUNS}/run1/builds/b1/tracks", "/healthz"])
async def test_every_answer_has_the_security_headers(client: Client, path: str) -> None:
    headers = (await client.get(path)).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert not re.search(r"unsafe|\*|http", policy)


async def test_a_name_that_was_allowed_is_answered_on_a_loopback_address(
    site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    settings = Settings(allow_hosts=frozenset({"profiles.example.org"}))
    client = await aiohttp_client(make_app(site.registry(), settings=settings))
    for host, status in [("profiles.example.org", 200), ("Profiles.Example.org:443", 200), ("localhost", 200)]:
        assert (await client.get(RUNS, headers={"Host": host})).status == status
    for host in ("x.profiles.example.org", "example.org", "evil.example"):
        assert (await client.get(RUNS, headers={"Host": host})).status == 403


@pytest.mark.parametrize("text", ["", "*", "a b", "https://a.example", "a.example:80", "-a", "a/b"])
def test_what_is_no_host_name_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError, match="a host name"):
        parse_host(text)
