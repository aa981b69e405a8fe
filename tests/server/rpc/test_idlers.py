"""Connections to gRPC that say nothing, while there are many."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.server.rpc import test_gate
from tests.server.rpc.test_gate import GREETING, Served, channel, opened
from tilescope.server.rpc import idlers as module
from tilescope.server.rpc.idlers import Idlers
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.v1 import tiles_pb2 as pb

served = test_gate.served


@pytest.fixture
def settings() -> Settings:
    return DEFAULTS


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few are many here."""
    monkeypatch.setattr(module, "MANY_FILES", 0)


class Port:
    """A port that takes connections, and the clients that made them."""

    def __init__(self, places: ExitStack) -> None:
        self._places = places
        self.listening = places.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.number: int = self.listening.getsockname()[1]

    def connect(self, address: str = "127.0.0.1") -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.number), source_address=(address, 0))
        self._places.enter_context(client)
        self._places.enter_context(self.listening.accept()[0])
        client.settimeout(0.05)
        return client


@pytest.fixture
def port() -> Iterator[Port]:
    with ExitStack() as places:
        yield Port(places)


def is_open(client: socket.socket) -> bool:
    try:
        return client.recv(1) != b""
    except TimeoutError:
        return True


def test_a_connection_without_a_call_has_its_time(port: Port) -> None:
    caller, idler = port.connect(), port.connect()
    idlers = Idlers(port.number, {caller.getsockname()}, 10)
    assert idlers.sweep(100.0) == 0
    late = port.connect()
    assert idlers.sweep(109.0) == 0
    assert idlers.sweep(110.0) == 1
    assert [is_open(client) for client in (caller, idler, late)] == [True, False, True]


def test_a_client_has_only_so_many_and_others_are_not_disturbed(port: Port) -> None:
    caller = port.connect()
    greedy = [port.connect("127.0.0.2") for _ in range(5)]
    other = port.connect("127.0.0.3")
    idlers = Idlers(port.number, {caller.getsockname()}, 2)
    assert idlers.sweep(0.0) == 3
    assert [is_open(client) for client in (caller, *greedy, other)].count(False) == 3
    assert is_open(caller)
    assert is_open(other)


def test_who_has_gone_is_forgotten(port: Port) -> None:
    caller = port.connect()
    callers = {caller.getsockname(), ("192.0.2.1", 4711)}
    Idlers(port.number, callers, 2).sweep(0.0)
    assert callers == {caller.getsockname()}


def test_connections_of_other_ports_are_nobodys_business(port: Port) -> None:
    client = port.connect()
    idlers = Idlers(1, set(), 0)
    assert idlers.sweep(0.0) == 0
    assert is_open(client)


def test_where_few_files_are_open_nobody_is_sent_away(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY_FILES", 10_000)
    client = port.connect()
    assert Idlers(port.number, set(), 0).sweep(0.0) == 0
    assert is_open(client)


async def test_idle_connections_of_a_server_are_ended_and_calls_go_on(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 0.05)
    monkeypatch.setattr(module, "FIRST_CALL_S", 0.3)
    async with served.held() as call, channel(served.grpc_port) as tiles:
        await tiles.ListRuns(pb.ListRunsRequest())
        idle = [(await opened(served.grpc_port))[0] for _ in range(20)]
        for _, writer in idle:
            writer.write(GREETING)
        async with asyncio.timeout(20):
            for reader, writer in idle:
                while await reader.read(1000):
                    pass
                writer.close()
        await call.write(pb.PagesRequest(want=pb.Want(id=2)))
        assert (await call.read()).done.id == 2
        await tiles.ListRuns(pb.ListRunsRequest())
