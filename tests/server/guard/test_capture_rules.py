"""From where may be captured: by the text of an address, before any name is looked up."""

from __future__ import annotations

import pytest

from tilescope.capture import ProfilerAddress
from tilescope.server.errors import BadRequest, Forbidden
from tilescope.server.guard.capture_rules import NOTHING_BUT_LOOPBACK, parse_capture_rules
from tilescope.tiler.errors import UsageError

LOOPBACK = ["localhost:9012", "LOCALHOST.:9012", "127.0.0.1:1", "127.9.9.9:65535", "[::1]:9012", "[0:0::1]:9012"]
ELSEWHERE = [
    "gpu7:9012",
    "10.0.0.7:9012",
    "0.0.0.0:9012",
    "[::]:9012",
    "[::ffff:10.0.0.7]:9012",
    "169.254.169.254:80",
    "127.0.0.1.evil.example:9012",
    "localhost.evil.example:9012",
    "127.1:9012",
    "2130706433:9012",
    "0x7f000001:9012",
    "0177.0.0.1:9012",
]
NONSENSE = ["", "localhost", "localhost:0", "localhost:99999", "unix:/run/x", "a b:1", "http://x:1/y", "x@y:1", "::1:9"]


@pytest.mark.parametrize("text", LOOPBACK)
def test_the_loopback_interface_is_allowed_unless_told_otherwise(text: str) -> None:
    found = NOTHING_BUT_LOOPBACK.find(text)
    assert (found.name, found.is_loopback_only) == (text, True)
    with pytest.raises(Forbidden):
        parse_capture_rules([], ["none"]).find(text)
    with pytest.raises(Forbidden):
        parse_capture_rules([], ["gpu7:9012"]).find(text)


@pytest.mark.parametrize("text", ELSEWHERE)
def test_no_other_machine_is(text: str) -> None:
    with pytest.raises(Forbidden, match="--allow-capture"):
        NOTHING_BUT_LOOPBACK.find(text)


@pytest.mark.parametrize("text", NONSENSE)
def test_what_is_no_address_is_a_bad_request(text: str) -> None:
    with pytest.raises(BadRequest, match="no address"):
        NOTHING_BUT_LOOPBACK.find(text)


def test_what_the_operator_names_is_allowed_and_nothing_beside_it() -> None:
    rules = parse_capture_rules(["trainer=10.0.0.7:9012"], ["GPU7:9012", "[0:0::2]:9012"])
    assert rules.find("trainer").address == ProfilerAddress("10.0.0.7", 9012)
    assert rules.find("gpu7.:9012").address == ProfilerAddress("gpu7", 9012)
    assert rules.find("[::2]:9012").is_loopback_only is False
    for text in ("gpu7:9013", "10.0.0.7:9012", "gpu70:9012", "localhost:9012"):
        with pytest.raises(Forbidden):
            rules.find(text)
    assert rules.display_names() == ["[::2]:9012", "gpu7:9012"]


def test_targets_alone_leave_the_loopback_interface_allowed() -> None:
    rules = parse_capture_rules(["trainer=10.0.0.7:9012"], [])
    assert rules.find("localhost:1").is_loopback_only
    assert rules.display_names() == ["loopback"]
    only = parse_capture_rules(["trainer=10.0.0.7:9012"], ["none"])
    assert (only.display_names(), only.is_anything_allowed) == ([], True)
    assert not parse_capture_rules([], ["none"]).is_anything_allowed


@pytest.mark.parametrize(
    ("targets", "allowed"),
    [
        (["trainer"], []),
        (["=10.0.0.7:9012"], []),
        (["a=x"], []),
        (["a=x:1", "a=y:1"], []),
        ([], ["gpu7"]),
        ([], ["gpu7:9012", "none"]),
        ([], ["loopback", "none"]),
    ],
)
def test_wrong_options_are_wrong_usage(targets: list[str], allowed: list[str]) -> None:
    with pytest.raises(UsageError):
        parse_capture_rules(targets, allowed)
