"""A server's life: from the socket to the signal that ends it."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from aiohttp import web
from yarl import URL

from tilescope.server.guard.access import Access
from tilescope.server.guard.admission import PARAMETER
from tilescope.server.http.doorkeeper import Doorkeeper
from tilescope.server.keys import GUESTS, METRICS, SETTINGS
from tilescope.server.metrics import Metrics
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.errors import UsageError

_log = logging.getLogger(__name__)

DEFAULT_PORT: Final = 8808
BACKLOG: Final = 512  # connections that wait to be accepted: as many viewers may come back at once
HANDSHAKE_TIMEOUT_S: Final = 10.0  # of TLS: who is slower holds a place that nobody counts
DRAIN_TIMEOUT_S: Final = 10.0  # what requests that are being answered have left when the server is told to stop


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
        raise UsageError(f"cannot listen on port {port} of {host}: {os.strerror(error.errno or 0)}") from None


def url_of(listening: socket.socket, settings: Settings = DEFAULTS) -> str:
    """Address at which a browser finds the server."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    scheme = "http" if settings.certificate is None else "https"
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}:{port}{settings.base_path}/"


def with_token(url: str, access: Access, parameter: str = PARAMETER) -> str:
    """The address that lets a browser in."""
    return str(URL(url).update_query({parameter: access.token})) if access.token is not None else url


async def run_until_signalled(
    app: web.Application, listening: socket.socket, on_ready: Callable[[], Awaitable[None]]
) -> None:
    """Serves until SIGINT or SIGTERM, then drains: takes no new connections, tells streams that it goes away, finishes
    what is being answered, and closes everything in order. `on_ready` runs when requests are answered.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(partial(_complain, app[METRICS]))
    for kind in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(kind, stopped.set)
    runner = web.AppRunner(
        app,
        shutdown_timeout=DRAIN_TIMEOUT_S,
        handler_cancellation=True,  # who goes away is not worked for any longer
    )
    try:
        await runner.setup()
        server = await listen(runner, listening)
        try:
            await on_ready()
            await stopped.wait()
        finally:
            server.close()
    finally:
        await runner.cleanup()
        listening.close()
        loop.set_exception_handler(None)


def _complain(metrics: Metrics, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Logs an error of asyncio in one line: it would write a traceback for each connection that it cannot accept."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        metrics.not_accepted.inc()
        _log.error("connections cannot be accepted: as many files are open as may be (ulimit -n)")
    else:
        loop.default_exception_handler(context)


async def listen(runner: web.AppRunner, listening: socket.socket) -> asyncio.Server:
    """Accepts connections, as many as may be, over TLS if there is a certificate."""
    assert runner.server is not None
    settings = runner.app[SETTINGS]
    keeper = Doorkeeper(runner.server, runner.app[GUESTS])
    if settings.certificate is None:
        return await asyncio.get_running_loop().create_server(keeper, sock=listening, backlog=BACKLOG)
    return await asyncio.get_running_loop().create_server(
        keeper,
        sock=listening,
        backlog=BACKLOG,
        ssl=settings.certificate.context(),
        ssl_handshake_timeout=HANDSHAKE_TIMEOUT_S,
    )
