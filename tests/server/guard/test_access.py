from __future__ import annotations

import hmac
from pathlib import Path

import pytest

from tilescope.server.errors import Unauthorized, WrongToken
from tilescope.server.guard.access import OPEN, Access, choose_access, is_loopback
from tilescope.tiler.errors import UsageError

TOKEN = "0123456789abcdef-token"
RULE = Access(TOKEN)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.10", "::1", "tiles.localhost"])
def test_loopback_hosts(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "10.0.0.1", "example.org", "localhost.example.org", "1.0.0.127.org"])
def test_other_hosts(host: str) -> None:
    assert not is_loopback(host)


def test_a_loopback_address_needs_no_token_and_any_other_gets_one_of_its_own() -> None:
    assert choose_access("127.0.0.1", environ={}) is OPEN
    made_up = [choose_access(host, environ={}) for host in ("0.0.0.0", "::", "10.0.0.7", "profiles.example.org")]
    assert all(rule.is_made_up and not rule.is_open for rule in made_up)
    assert len({rule.token for rule in made_up}) == len(made_up)
    assert all(len(rule.token or "") == 48 for rule in made_up)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_token_that_is_given_is_demanded_everywhere(host: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    assert choose_access(host, TOKEN, environ={}) == RULE
    assert choose_access(host, None, file, environ={}) == RULE
    assert choose_access(host, environ={"TILESCOPE_TOKEN": TOKEN}) == RULE
    assert choose_access(host, TOKEN, environ={"TILESCOPE_TOKEN": "another-token-of-length"}) == RULE


@pytest.mark.parametrize("token", ["", "short", "with a space in the middle", "no-ascii-é-no-ascii-é", "x" * 5000])
def test_weak_tokens_are_refused(token: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(token)
    with pytest.raises(UsageError, match="--token"):
        choose_access("0.0.0.0", token, environ={})
    with pytest.raises(UsageError, match=str(file)):
        choose_access("0.0.0.0", None, file, environ={})


def test_a_file_that_is_not_there_and_two_sources_are_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        choose_access("0.0.0.0", None, tmp_path / "nothing", environ={})
    with pytest.raises(UsageError, match="not both"):
        choose_access("0.0.0.0", TOKEN, tmp_path / "nothing", environ={})


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer  {TOKEN}", f"BEARER {TOKEN}"])
def test_the_token_as_a_bearer_is_admitted(header: str) -> None:
    RULE.check_bearer(header)


WRONG = [
    None,
    "",
    "Bearer",
    "Bearer ",
    TOKEN,
    f"Basic {TOKEN}",
    f"Bearer {TOKEN[:-1]}",
    f"Bearer {TOKEN}x",
    f"Bearer {TOKEN} x",
    "Bearer \udcff",
]


@pytest.mark.parametrize("header", WRONG)
def test_anything_else_is_refused_without_naming_the_token(header: str | None) -> None:
    with pytest.raises(Unauthorized) as refusal:
        RULE.check_bearer(header)
    assert TOKEN not in str(refusal.value)
    is_other_token = header in (
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN} x",
        "Bearer \udcff",
    )
    assert isinstance(refusal.value, WrongToken) is is_other_token
    assert ("the token is wrong" in str(refusal.value)) is is_other_token
    OPEN.check_bearer(header)


def test_a_cookie_is_a_proof_and_not_the_token() -> None:
    assert RULE.admits_cookie(RULE.cookie_value())
    assert not RULE.admits_cookie(TOKEN)
    assert not RULE.admits_token(RULE.cookie_value())
    assert not RULE.admits_cookie(None)
    assert TOKEN not in RULE.cookie_value() + RULE.cookie_name()
    assert Access("another-token-of-length").cookie_name() != RULE.cookie_name()
    assert not Access("another-token-of-length").admits_cookie(RULE.cookie_value())


def test_comparison_takes_the_same_time_whatever_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    compare_digest = hmac.compare_digest

    def compare(a: bytes, b: bytes) -> bool:
        compared.append((a, b))
        return compare_digest(a, b)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    for offered in (TOKEN, TOKEN[:-1], "", None, "x" * 100_000):
        RULE.admits_token(offered)
        RULE.admits_cookie(offered)
    assert {(len(a), len(b)) for a, b in compared} == {(32, 32)}
    assert len(compared) == 10


def test_a_rule_does_not_show_its_token() -> None:
    assert TOKEN not in repr(RULE)
