"""Allowed names of hosts and origins: by themselves, and all below one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.server.conftest import Client, Site
from tilescope.cli import main
from tilescope.server.app import make_app
from tilescope.server.guard.allowed_names import is_allowed
from tilescope.server.settings import VSCODE, Settings, parse_frame, parse_host, parse_origin
from tilescope.tiler.errors import UsageError

ALLOWED = frozenset(
    {"one.example.org", "*.example.com", "https://*.example.net", "https://*.example.net:8443", "*.co.uk"}
)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("one.example.org", True),
        ("two.example.org", False),
        ("a.example.com", True),
        ("a.b.example.com", True),
        ("example.com", False),
        (".example.com", False),
        ("a..example.com", False),
        ("aexample.com", False),
        ("a.example.com.evil.org", False),
        ("*.example.com", True),  # nobody has that name
        ("https://a.example.net", True),
        ("https://a.example.net:8443", True),
        ("https://a.example.net:8444", False),
        ("http://a.example.net", False),
        ("https://example.net", False),
        ("https://a.example.com", False),
        ("shop.co.uk", True),
        ("", False),
        ("com", False),
        ("null", False),
    ],
)
def test_a_name_is_allowed_by_itself_or_below_another(name: str, allowed: bool) -> None:
    assert is_allowed(name, ALLOWED) is allowed


@pytest.mark.parametrize("text", ["*.example.org", "*.a.b.example.org"])
def test_patterns(text: str) -> None:
    assert parse_host(text.upper()) == text
    for parse in (parse_frame, lambda origin: parse_origin(origin, may_be_pattern=True)):
        assert parse(f"https://{text}:8443") == f"https://{text}:8443"
    with pytest.raises(UsageError):
        parse_origin(f"https://{text}")
    assert parse_frame(VSCODE) == VSCODE


@pytest.mark.parametrize(
    "text", ["*", "*.", "*.org", "*.*.example.org", "a.*.example.org", "*example.org", "*..org", "*.0.0.1", "*.a.b/c"]
)
def test_other_stars_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="a host name has"):
        parse_host(text)
    with pytest.raises(UsageError, match="an origin is"):
        parse_frame(f"https://{text}")


async def test_hosts_and_pages_below_a_name_are_answered(
    site: Site, aiohttp_client: Callable[..., Awaitable[Client]]
) -> None:
    settings = Settings(allow_hosts=frozenset({"*.example.org"}), allow_origins=frozenset({"https://*.example.org"}))
    client = await aiohttp_client(make_app(site.registry(), settings=settings))
    for host, status in (("hub.example.org", 200), ("example.org", 403), ("hub.example.org.evil.com", 403)):
        assert (await client.get("/api/v1/runs", headers={"Host": host})).status == status
    for origin in ("https://wiki.example.org", "https://wiki.evil.org"):
        answer = await client.get("/api/v1/runs", headers={"Origin": origin})
        is_ours = origin.endswith("example.org")
        assert answer.headers.get("Access-Control-Allow-Origin") == (origin if is_ours else None)


def test_a_pattern_of_origins_wants_a_token(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", ".", "--allow-origin", "https://*.example.org", "--port", "0"]) == 2
    assert "--allow-origin https://*.example.org wants a token (--token-file)" in capsys.readouterr().err
