"""Addresses that others may have a server open: below its prefixes alone, never in a private network by surprise."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.remote.static_server import Behaviour, static_server
from tilescope.remote.address import Address
from tilescope.remote.allowed_prefixes import AllowedPrefixes
from tilescope.remote.guarded_pool import is_public
from tilescope.remote.opening import open_traces
from tilescope.remote.tokens import VARIABLE
from tilescope.tiler.errors import BlobForbidden, UsageError


@pytest.mark.parametrize(
    ("prefix", "address"),
    [
        ("https://host/traces", "https://host/traces/a.pb"),
        ("https://host/traces/", "https://HOST:443/traces/a/b.pb?sig=1"),
        ("https://host", "https://host/a"),
        ("https://", "https://any.example/a"),
        ("s3://bucket", "s3://bucket/a"),
        ("s3://bucket/logs/", "s3://bucket/logs/run/"),
        ("http://[::1]:80/", "http://[::1]/a"),
    ],
)
def test_what_lies_below(prefix: str, address: str) -> None:
    AllowedPrefixes([prefix]).check(Address.parse(address))


@pytest.mark.parametrize(
    ("prefix", "address"),
    [
        ("https://host/traces", "https://host/traces"),
        ("https://host/traces", "https://host/traces2/a.pb"),
        ("https://host/traces", "https://host/Traces/a.pb"),
        ("https://host/traces", "http://host/traces/a.pb"),
        ("https://host/traces", "https://host:8443/traces/a.pb"),
        ("https://host/traces", "https://host.evil/traces/a.pb"),
        ("https://host/traces", "https://host/traces/../secret"),
        ("https://host/traces", "https://host/traces/%2e%2E/secret"),
        ("https://host/traces", "https://host/traces/..%2fsecret"),
        ("https://host/traces", "https://host/traces/.%5csecret"),
        ("https://host/traces", "https://host//traces/a"),
        ("https://host/logs", "https://host/logs/..;/a"),
        ("s3://bucket/logs", "s3://bucket/logs2/a"),
        ("s3://bucket/logs", "s3://bucket2/logs/a"),
        ("s3://bucket/logs", "s3://bucket/logs/../a"),
        ("https://", "http://host/a"),
    ],
)
def test_what_does_not(prefix: str, address: str) -> None:
    with pytest.raises(BlobForbidden):
        AllowedPrefixes([prefix]).check(Address.parse(address))


@pytest.mark.parametrize("prefix", ["", "host", "ftp://host/", "https://host/?a=1", "https://user@host/", "s3://"])
def test_no_prefixes(prefix: str) -> None:
    with pytest.raises(UsageError):
        AllowedPrefixes([prefix])


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1",
            "127.9.9.9",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
        ),
        *("100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1"),
        *(
            "fec0::1",
            "64:ff9b:1::7f00:1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "240.0.0.1",
        ),
    ],
)
def test_addresses_that_are_not_of_the_internet(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"])
def test_addresses_of_the_internet(address: str) -> None:
    assert is_public(address)


@pytest.fixture
def behaviour() -> Behaviour:
    return Behaviour({"/traces/a.json": b'{"traceEvents": []}', "/secret": b"secret"})


@pytest.fixture
def origin(behaviour: Behaviour) -> Iterator[str]:
    with static_server(behaviour) as origin:
        yield origin


def names(address: str, prefixes: list[str]) -> list[str]:
    place, _ = open_traces(address, prefixes)
    return [entry.name for entry in place.list().entries]


def test_a_host_that_is_named_may_be_this_machine(
    origin: str, behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, f"{origin}=sesame")
    assert names(f"{origin}/traces/a.json", [f"{origin}/traces/"]) == ["a.json"]
    assert all("Authorization" not in headers for _, headers in behaviour.requests), "tokens are for the command line"
    port = origin.rpartition(":")[2]
    assert names(f"http://localhost:{port}/traces/a.json", [f"http://localhost:{port}/"]) == ["a.json"]


def test_a_host_that_is_not_named_may_not(origin: str, behaviour: Behaviour) -> None:
    with pytest.raises(BlobForbidden, match="an address of a private network"):
        names(f"{origin}/traces/a.json", ["http://"])
    assert not behaviour.requests


def test_a_host_that_is_named_may_be_it_below_its_prefix_alone(origin: str, behaviour: Behaviour) -> None:
    dotted = origin.replace("127.0.0.1", "localhost.")
    prefixes = ["http://", f"{origin}/traces/", f"{origin.replace('127.0.0.1', 'localhost')}/traces/"]
    for address in (f"{origin}/secret", f"{dotted}/secret", f"{dotted}/traces/a.json"):
        with pytest.raises(BlobForbidden, match="an address of a private network"):
            names(address, prefixes)
    assert not behaviour.requests
    assert names(f"{origin}/traces/a.json", prefixes) == ["a.json"]


def test_a_name_is_resolved_once(origin: str, behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve, resolved = socket.getaddrinfo, []
    port = int(origin.rpartition(":")[2])

    def getaddrinfo(host: str, *arguments: Any, **options: Any) -> Any:
        if host == "rebinding.example":  # public at first, and then this machine
            resolved.append(host)
            return resolve("127.0.0.1" if len(resolved) > 1 else "192.0.2.1", port, *arguments[1:], **options)
        return resolve(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr("tilescope.remote.guarded_pool.is_public", lambda address: address == "192.0.2.1")
    connected = []

    def create_connection(address: tuple[str, int], *_: Any) -> socket.socket:
        connected.append(address)
        raise OSError("no way there")

    monkeypatch.setattr("tilescope.remote.guarded_pool.create_connection", create_connection)
    monkeypatch.setattr("tilescope.remote.retries.Retries.wait", lambda *_: False)
    with pytest.raises(Exception, match="does not answer"):
        names(f"http://rebinding.example:{port}/traces/a.json", ["http://"])
    assert (resolved, connected) == (["rebinding.example"], [("192.0.2.1", port)])


@pytest.mark.parametrize(
    "target", ["/secret", "http://localhost:{port}/traces/a.json", "http://169.254.169.254/latest/"]
)
def test_redirects_are_checked_alike(origin: str, behaviour: Behaviour, target: str) -> None:
    behaviour.redirects["/traces/b.json"] = target.format(port=origin.rpartition(":")[2])
    with pytest.raises(BlobForbidden, match="does not open this address"):
        names(f"{origin}/traces/b.json", [f"{origin}/traces/"])
    assert [path for path, _ in behaviour.requests] == ["/traces/b.json"]


def test_a_redirect_to_a_private_address(origin: str, behaviour: Behaviour) -> None:
    port = origin.rpartition(":")[2]
    behaviour.redirects["/traces/b.json"] = f"http://localhost:{port}/traces/a.json"
    with pytest.raises(BlobForbidden, match="an address of a private network"):
        names(f"{origin}/traces/b.json", [f"{origin}/traces/", "http://"])
    assert len(behaviour.requests) == 1
