"""A name leads to one address, which is the one that is connected to."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from typing import Any

import pytest

from tilescope.capture import CaptureCause, CaptureFailed, ProfilerAddress
from tilescope.server.captures import names
from tilescope.server.captures.names import look_up
from tilescope.server.guard.capture_rules import AllowedHost


def answer(monkeypatch: pytest.MonkeyPatch, *numbers: str) -> None:
    async def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        if not numbers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        kinds = ((socket.AF_INET6 if ":" in number else socket.AF_INET, number) for number in numbers)
        return [(family, socket.SOCK_STREAM, 6, "", (number, port)) for family, number in kinds]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)


def host(name: str, *, is_loopback_only: bool = False) -> AllowedHost:
    return AllowedHost(f"{name}:9012", ProfilerAddress(name, 9012), is_loopback_only)


async def test_the_address_is_in_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await look_up(host("127.0.0.1")) == ProfilerAddress("127.0.0.1", 9012)
    answer(monkeypatch, "fe80::7", "10.0.0.7")
    found = await look_up(host("gpu7"))
    assert (found, found.name) == (ProfilerAddress("10.0.0.7", 9012), "gpu7")
    target = AllowedHost("trainer 0", ProfilerAddress("gpu7", 9012), is_target=True)
    assert (await look_up(target)).name == "trainer 0"  # files are not called by numbers


async def test_a_loopback_name_leads_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, "10.0.0.7", "::1")
    assert await look_up(host("localhost", is_loopback_only=True)) == ProfilerAddress("::1", 9012)
    answer(monkeypatch, "10.0.0.7", "169.254.169.254")
    with pytest.raises(CaptureFailed, match="does not lead to this machine") as raised:
        await look_up(host("job.localhost", is_loopback_only=True))
    assert raised.value.failure.cause is CaptureCause.UNKNOWN_HOST


async def test_a_name_without_an_address_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch)
    with pytest.raises(CaptureFailed, match="Name or service not known"):
        await look_up(host("nowhere"))
    with pytest.raises(CaptureFailed):
        await look_up(host("a" * 70 + ".example"))


async def test_a_slow_name_server_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: Any, **__: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", never)
    monkeypatch.setattr(names, "LOOKUP_TIMEOUT_S", 0.01)
    with pytest.raises(CaptureFailed, match="was not found within"):
        await look_up(host("gpu7"))


def test_a_server_starts_without_what_speaks_with_jobs() -> None:
    late = ("h2", "tilescope.profiler", "tilescope.capture.capturing")
    script = f"import sys, tilescope.server.app; print([name for name in {late} if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert told.strip() == "[]"
