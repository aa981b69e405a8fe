"""The slow link passes everything on, later."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from bench.slow_link import HOST, slow_link

ROUND_TRIP_S = 0.15
BITS_PER_S = 10e6


@pytest.fixture
def echo_port() -> Iterator[int]:
    """A server that says everything again, to one connection after the other."""
    with socket.create_server((HOST, 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    while chunk := connection.recv(65536):
                        connection.sendall(chunk)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def send_all(connection: socket.socket, message: bytes) -> None:
    connection.sendall(message)
    connection.shutdown(socket.SHUT_WR)


def ask(port: int, message: bytes) -> tuple[bytes, float]:
    """What comes back, and after how long."""
    begin = time.monotonic()
    with socket.create_connection((HOST, port)) as connection:
        sender = threading.Thread(target=send_all, args=(connection, message))
        sender.start()
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
        sender.join()
    return answer, time.monotonic() - begin


def test_a_short_message_takes_a_round_trip(echo_port: int) -> None:
    with slow_link(echo_port, ROUND_TRIP_S, BITS_PER_S) as port:
        answer, seconds = ask(port, b"hello")
    assert answer == b"hello"
    assert seconds >= ROUND_TRIP_S


def test_a_long_message_comes_whole_and_takes_its_bits(echo_port: int) -> None:
    message = bytes(range(256)) * 1600  # 3.3 Mbit
    with slow_link(echo_port, ROUND_TRIP_S, BITS_PER_S) as port:
        answer, seconds = ask(port, message)
    assert answer == message
    assert seconds >= ROUND_TRIP_S + 8 * len(message) / BITS_PER_S


def test_a_server_that_is_not_there_ends_the_connection() -> None:
    with socket.create_server((HOST, 0)) as unused:
        port_of_nobody = unused.getsockname()[1]
    with slow_link(port_of_nobody, ROUND_TRIP_S, BITS_PER_S) as port:
        assert ask_nobody(port) == b""


def ask_nobody(port: int) -> bytes:
    with socket.create_connection((HOST, port)) as connection:
        return connection.recv(1)
