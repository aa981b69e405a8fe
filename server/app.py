"""The application: routes, middlewares, and what opens and closes with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

from aiohttp import web

from tilescope.server.captures.captures import Captures
from tilescope.server.captures.monitors import Sampler
from tilescope.server.captures.running import Capturer
from tilescope.server.guard.admission import admit, keep_private
from tilescope.server.guard.cors import mark_shared, share_with
from tilescope.server.guard.guests import Guests
from tilescope.server.guard.security import MAX_REQUEST_BYTES, add_headers, guard
from tilescope.server.guard.start_secret import take_secret
from tilescope.server.http.sockets import close_all
from tilescope.server.http.viewer_files import ViewerFiles
from tilescope.server.keys import (
    ADDRESSES,
    CAPTURE_WATCHES,
    CAPTURES,
    CONNECTIONS,
    GUESTS,
    MARKS,
    METRICS,
    MONITORS,
    QUESTIONS,
    REGISTRY,
    SETTINGS,
    STATEMENTS,
    UPLOADS,
    VIEWER,
    WATCHES,
)
from tilescope.server.metrics import Metrics, measure
from tilescope.server.routes import routes_below
from tilescope.server.routes.failures import answer_failures
from tilescope.server.runs.marks import MarkFiles
from tilescope.server.runs.opened_addresses import OpenedAddresses
from tilescope.server.runs.registry import Registry
from tilescope.server.services import Questions
from tilescope.server.services.statements import Statements
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.server.uploads.shelf import Shelf
from tilescope.server.uploads.uploads import Uploads
from tilescope.tiler.readers import formats
from tilescope.tiler.tools import left_out

_log = logging.getLogger(__name__)


def make_app(
    registry: Registry,
    *,
    settings: Settings = DEFAULTS,
    viewer: ViewerFiles | None = None,
    capturer: Capturer | None = None,
    sampler: Sampler | None = None,
    shelf: Shelf | None = None,
    addresses: OpenedAddresses | None = None,
) -> web.Application:
    """An application that serves the runs of a registry, and opens and closes it.

    `capturer` and `sampler` speak with running jobs: ours, unless given. `shelf`: where uploads
    are kept; `addresses`: those that are opened. The registry knows both, too.
    """
    origins = settings.allow_origins
    metrics = Metrics()
    app = web.Application(
        middlewares=[
            measure(metrics),
            answer_failures,
            guard(settings),
            share_with(origins),
            admit(settings.access, settings.base_path),
            take_secret(settings.start, settings.base_path),
        ],
        client_max_size=MAX_REQUEST_BYTES,
    )
    app[REGISTRY] = registry
    app[MARKS] = MarkFiles(registry.cache_root)
    app[QUESTIONS] = Questions(registry, settings, metrics)
    app[STATEMENTS] = Statements(registry)
    app[SETTINGS] = settings
    app[METRICS] = metrics
    app[GUESTS] = Guests(settings, metrics)
    app[CAPTURES] = Captures(settings.captures, registry, capturer, sampler)
    app[UPLOADS] = Uploads(settings, registry, shelf)
    if addresses is not None:
        app[ADDRESSES] = addresses
    app[CAPTURE_WATCHES] = set()
    app[MONITORS] = set()
    app[CONNECTIONS] = set()
    app[WATCHES] = set()
    metrics.streams.set_function(lambda: len(app[CONNECTIONS]))
    metrics.watches.set_function(lambda: len(app[WATCHES]))
    app[VIEWER] = viewer if viewer is not None else ViewerFiles.load()
    app.add_routes(routes_below(settings.base_path))
    app.on_response_prepare.append(add_headers)
    app.on_response_prepare.append(mark_shared(origins))
    app.on_response_prepare.append(keep_private(settings.access))
    app.on_shutdown.append(_close_sockets)
    app.cleanup_ctx.append(_keep_registry_open)
    return app


async def _close_sockets(app: web.Application) -> None:
    await app[CAPTURES].close()
    await close_all([*app[CONNECTIONS], *app[WATCHES], *app[CAPTURE_WATCHES], *app[MONITORS]])


async def _keep_registry_open(app: web.Application) -> AsyncIterator[None]:
    for line in (*left_out(), *formats.left_out()):
        _log.warning("%s", line)
    await app[REGISTRY].start()
    await asyncio.to_thread(app[CAPTURES].clear_up)
    app[QUESTIONS].start_ahead()
    await app[UPLOADS].start()
    yield
    await app[UPLOADS].close()
    await app[STATEMENTS].close()
    await app[QUESTIONS].close()
    await app[REGISTRY].close()
