"""A server's life: from the socket to the signal that ends it."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from tilescope.tiler.errors import UsageError

DEFAULT_PORT: Final = 8808
SHUTDOWN_TIMEOUT_S: Final = 2.0  # what requests that are being answered have left


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises `UsageError` when there is no such place to listen."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family)
    except socket.gaierror as error:
        raise UsageError(f"{host}: no such host ({error.strerror})") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            advice = "choose another with --port, or 0 for any free one"
            raise UsageError(f"port {port} of {host} is in use ({advice})") from None
        raise UsageError(f"cannot listen on port {port} of {host}: {error.strerror}") from None


def url_of(listening: socket.socket) -> str:
    """Where a browser finds the server."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


async def run_until_signalled(
    app: web.Application, listening: socket.socket, on_ready: Callable[[], Awaitable[None]]
) -> None:
    """Serves until SIGINT or SIGTERM, then closes everything in order. `on_ready` runs when requests are answered."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for kind in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(kind, stopped.set)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_TIMEOUT_S)
    try:
        await runner.setup()
        await web.SockSite(runner, listening).start()
        await on_ready()
        await stopped.wait()
    finally:
        await runner.cleanup()
        listening.close()
