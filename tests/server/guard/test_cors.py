from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.server.conftest import Client, Site
from tilescope.server.app import make_app
from tilescope.server.settings import Settings, parse_origin
from tilescope.tiler.errors import UsageError

RUNS = "/api/v1/runs"
FRIEND = "https://notebooks.example.org"
STRANGERS = ["https://evil.example", "null", FRIEND + ".evil.example", "http://notebooks.example.org", FRIEND + ":8443"]
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}


@pytest.fixture
async def shared(site: Site, aiohttp_client: Callable[..., Awaitable[Client]]) -> Client:
    site.add_run("run1", build="b1")
    settings = Settings(allow_origins=frozenset({FRIEND}))
    return await aiohttp_client(make_app(site.registry(), settings=settings), auto_decompress=False)


@pytest.mark.parametrize("path", [RUNS, f"{RUNS}/run1/builds/b1/tracks", f"{RUNS}/nobody/manifest"])
async def test_pages_on_the_list_may_read_all_answers_and_others_none(shared: Client, path: str) -> None:
    answer = await shared.get(path, headers={"Origin": FRIEND})
    assert answer.headers["Access-Control-Allow-Origin"] == FRIEND
    assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer.headers
    for origin in STRANGERS:
        answer = await shared.get(path, headers={"Origin": origin})
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert "Origin" in answer.headers.getall("Vary")
    assert "Origin" in (await shared.get(path)).headers.getall("Vary")


async def test_not_modified_may_be_read_as_well(shared: Client) -> None:
    path = f"{RUNS}/run1/builds/b1/tracks"
    etag = (await shared.get(path)).headers["ETag"]
    answer = await shared.get(path, headers={"Origin": FRIEND, "If-None-Match": etag})
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (304, FRIEND)


async def test_preflights_of_pages_on_the_list_are_answered(shared: Client) -> None:
    answer = await shared.options(f"{RUNS}/run1/builds/b1/batch", headers={"Origin": FRIEND, **PREFLIGHT})
    assert (answer.status, await answer.read()) == (204, b"")
    assert answer.headers["Access-Control-Allow-Origin"] == FRIEND
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Private-Network" not in answer.headers
    private = {"Origin": FRIEND, **PREFLIGHT, "Access-Control-Request-Private-Network": "true"}
    assert (await shared.options(RUNS, headers=private)).headers["Access-Control-Allow-Private-Network"] == "true"


@pytest.mark.parametrize("origin", STRANGERS)
async def test_others_get_no_preflight_change_nothing_and_get_no_stream(shared: Client, origin: str) -> None:
    answer = await shared.options(RUNS, headers={"Origin": origin, **PREFLIGHT})
    assert answer.status == 405
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert (await shared.post(f"{RUNS}/run1/index", headers={"Origin": origin})).status == 403


async def test_pages_on_the_list_may_ask_for_batches_and_streams(shared: Client) -> None:
    batch = await shared.post(f"{RUNS}/run1/builds/b1/batch", data=b'{"pages": []}', headers={"Origin": FRIEND})
    assert batch.status == 200
    async with shared.ws_connect(f"{RUNS}/run1/builds/b1/stream", headers={"Origin": FRIEND}) as socket:
        assert not socket.closed


async def test_without_a_list_nothing_is_shared(client: Client) -> None:
    answer = await client.get(RUNS, headers={"Origin": FRIEND})
    assert not [name for name in answer.headers if name.startswith("Access-Control")]
    assert "Vary" not in answer.headers
    assert (await client.options(RUNS, headers={"Origin": FRIEND, **PREFLIGHT})).status == 405


@pytest.mark.parametrize("text", ["https://a.example", "http://localhost:8888", "HTTPS://A.example", "http://[::1]:80"])
def test_origins(text: str) -> None:
    assert parse_origin(text) == text.lower()


@pytest.mark.parametrize(
    "text",
    ["", "*", "null", "a.example", "https://a.example/", "https://*.example", "ftp://a", "https://a b", "https://"],
)
def test_what_is_no_origin_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError, match="an origin is"):
        parse_origin(text)
