from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from http.cookies import SimpleCookie

import msgpack
import pytest
from aiohttp import WSServerHandshakeError

from tests.server.conftest import Client, Site
from tests.server.raw import raw_answer
from tilescope import __version__
from tilescope.server.app import make_app
from tilescope.server.guard.access import Access
from tilescope.server.settings import Settings

TOKEN = "correct-horse-battery-staple"
ACCESS = Access(TOKEN)
RUNS = "/api/v1/runs"
BUILD = f"{RUNS}/run1/builds/b1"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
COOKIE = {"Cookie": f"{ACCESS.cookie_name()}={ACCESS.cookie_value()}"}
PERSON = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
ROUTES = [
    "/",
    "/index.html",
    "/nothing",
    "/metrics",
    RUNS,
    f"{RUNS}/run1/manifest",
    f"{BUILD}/tracks",
    f"{BUILD}/pages/0/0/0/0",
]


@pytest.fixture
async def locked(site: Site, aiohttp_client: Callable[..., Awaitable[Client]]) -> Client:
    site.add_run("run1", build="b1")
    settings = Settings(host="0.0.0.0", access=ACCESS)
    return await aiohttp_client(make_app(site.registry(), settings=settings), auto_decompress=False)


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong-wrong-wrong-wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Cookie": f"{ACCESS.cookie_name()}={TOKEN}"},
        {"Cookie": f"{ACCESS.cookie_name()}="},
        {"Cookie": f"other={ACCESS.cookie_value()}"},
        {"Authorization": "Bearer wrong", **COOKIE},
        {"Authorization": "bearer", **COOKIE},
    ],
    ids=[
        "nothing",
        "wrong",
        "basic",
        "token as cookie",
        "empty cookie",
        "other cookie",
        "wrong beside a cookie",
        "bare",
    ],
)
async def test_without_the_token_nothing_is_told(locked: Client, path: str, headers: dict[str, str]) -> None:
    answer = await locked.get(path, headers=headers)
    assert answer.status == 401
    assert (await answer.json())["error"]["code"] == "unauthorized"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.headers["Cache-Control"] == "no-store"
    assert TOKEN not in await answer.text()


async def test_what_changes_something_needs_the_token(locked: Client) -> None:
    for method, path in [("POST", f"{RUNS}/run1/index"), ("POST", f"{BUILD}/batch"), ("DELETE", RUNS)]:
        assert (await locked.request(method, path)).status == 401
        assert (await locked.request(method, f"{path}?token={TOKEN}")).status != 303
    assert (await locked.post(f"{RUNS}/run1/index", headers=BEARER)).status == 200


async def test_health_is_told_to_everybody(locked: Client) -> None:
    answer = await locked.get("/healthz")
    assert answer.status == 200
    # The version is for whoever updates a server; the commit would tell a stranger more than that.
    assert await answer.json() == {"status": "ok", "version": __version__}


@pytest.mark.parametrize("headers", [BEARER, COOKIE, {"Authorization": "Basic dXNlcjpwYXNz", **COOKIE}])
@pytest.mark.parametrize("path", ["/", RUNS, f"{BUILD}/tracks"])
async def test_with_the_token_or_the_cookie_everything_is_answered(
    locked: Client, headers: dict[str, str], path: str
) -> None:
    answer = await locked.get(path, headers=headers)
    assert answer.status == 200
    assert "public" not in answer.headers["Cache-Control"]


async def test_immutable_answers_are_kept_by_their_client_alone(locked: Client, client: Client) -> None:
    answer = await locked.get(f"{BUILD}/tracks", headers=BEARER)
    assert answer.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    again = await locked.get(f"{BUILD}/tracks", headers={**BEARER, "If-None-Match": answer.headers["ETag"]})
    assert (again.status, again.headers["Cache-Control"]) == (304, "private, max-age=31536000, immutable")
    open_to_all = await client.get(f"{BUILD}/tracks")
    assert open_to_all.headers["Cache-Control"] == "public, max-age=31536000, immutable"


async def test_the_printed_address_gives_a_cookie_and_leads_on_without_the_token(locked: Client) -> None:
    answer = await locked.get(f"/?run=a%26b&token={TOKEN}", allow_redirects=False)
    assert (answer.status, answer.headers["Location"]) == (303, "./?run=a%26b")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    cookie = SimpleCookie(answer.headers["Set-Cookie"])[ACCESS.cookie_name()]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["secure"]) == (True, "Strict", "/", "")
    assert cookie.value == ACCESS.cookie_value()
    assert TOKEN not in answer.headers["Set-Cookie"]
    followed = await locked.get(f"/?run=x&token={TOKEN}")
    assert (followed.status, followed.url.query_string) == (200, "run=x")


async def test_a_cookie_given_through_tls_in_front_is_for_tls_alone(locked: Client) -> None:
    headers = {"X-Forwarded-Proto": "https"}
    answer = await locked.get(f"/?token={TOKEN}", headers=headers, allow_redirects=False)
    assert "Secure" in answer.headers["Set-Cookie"]


@pytest.mark.parametrize(
    ("target", "location"),
    [
        ("/?token={}", "./"),
        ("/index.html?token={}", "./index.html"),
        ("//evil.example?token={}", "./evil.example"),
        ("//evil.example/?token={}", "./"),
        ("//evil.example/%2e%2e?token={}", "./%2E%2E"),
        ("/%5Cevil.example?token={}", "./%5Cevil.example"),
        ("/https:evil?token={}", "./https:evil"),
        ("/?run=%0d%0aSet-Cookie:a=b&token={}", "./?run=%0D%0ASet-Cookie:a%3Db"),
    ],
)
async def test_the_way_on_never_leads_elsewhere(locked: Client, target: str, location: str) -> None:
    answer = await raw_answer(locked, target.format(TOKEN))
    assert answer.status == 303
    assert answer.headers["Location"].upper() == location.upper()
    assert answer.headers["Location"].startswith("./")


@pytest.mark.parametrize("path", ["/?token=wrong", "/?token=", f"/?token={TOKEN}x", "/?run=a"])
async def test_people_are_asked_for_the_token_and_keep_the_rest_of_the_address(locked: Client, path: str) -> None:
    answer = await locked.get(path + '&more="<b>', headers=PERSON)
    page = await answer.text()
    assert (answer.status, answer.content_type) == (401, "text/html")
    assert 'name="token"' in page
    assert ("This token is wrong" in page) is ("token=" in path)
    assert ("This server requires a token" in page) is ("token=" not in path)
    assert "?token=TOKEN" in page, "where the token is found"
    assert 'name="more" value="&quot;&lt;b&gt;"' in page
    assert "<b>" not in page
    assert "<script" not in page
    policy = answer.headers["Content-Security-Policy"]
    assert "form-action 'self'" in policy
    assert not re.search(r"unsafe|\*|http", policy)


async def test_programs_are_not_shown_a_page(locked: Client) -> None:
    assert (await locked.get(RUNS, headers=PERSON)).content_type == "application/json"


@pytest.mark.parametrize(
    ("query", "headers"), [("", BEARER), ("", COOKIE), (f"?token={TOKEN}", {})], ids=["bearer", "cookie", "address"]
)
async def test_a_stream_is_opened_with_any_form_of_the_token(
    locked: Client, query: str, headers: dict[str, str]
) -> None:
    async with locked.ws_connect(f"{BUILD}/stream{query}", headers=headers) as socket:
        await socket.send_bytes(msgpack.packb({"type": "want", "id": 1, "pages": []}))
        assert msgpack.unpackb(await socket.receive_bytes(timeout=5)) == {"type": "done", "id": 1}


@pytest.mark.parametrize("query", ["", "?token=wrong-wrong-wrong-wrong"])
async def test_a_stream_without_the_token_is_refused_before_the_handshake(locked: Client, query: str) -> None:
    with pytest.raises(WSServerHandshakeError) as refusal:
        await locked.ws_connect(f"{BUILD}/stream{query}")
    assert refusal.value.status == 401


async def test_pages_of_other_sites_cannot_use_the_cookie_for_a_stream(locked: Client) -> None:
    with pytest.raises(WSServerHandshakeError) as refusal:
        await locked.ws_connect(f"{BUILD}/stream", headers={**COOKIE, "Origin": "https://evil.example"})
    assert refusal.value.status == 403


async def test_a_token_is_demanded_on_a_loopback_address_too_when_there_is_one(
    site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    client = await aiohttp_client(make_app(site.registry(), settings=Settings(access=ACCESS)))
    assert (await client.get(RUNS)).status == 401
    assert (await client.get(RUNS, headers=BEARER)).status == 200
    assert (await client.get(RUNS, headers={**BEARER, "Host": "evil.example"})).status == 403
