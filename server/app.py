"""The application: routes, middlewares, and what opens and closes with it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from aiohttp import web

from tilescope.server.failures import answer_failures
from tilescope.server.keys import CONNECTIONS, REGISTRY, VIEWER
from tilescope.server.routes import ALL_ROUTES
from tilescope.server.routes.stream import close_streams
from tilescope.server.runs.registry import Registry
from tilescope.server.security import MAX_REQUEST_BYTES, add_headers, guard
from tilescope.server.viewer_files import ViewerFiles

DEFAULT_HOST = "127.0.0.1"


def make_app(registry: Registry, *, host: str = DEFAULT_HOST, viewer: ViewerFiles | None = None) -> web.Application:
    """An application that serves the runs of a registry, and opens and closes it.

    `host` is the address that the application will be bound to: on a loopback address only loopback names are answered.
    """
    app = web.Application(middlewares=[answer_failures, guard(host)], client_max_size=MAX_REQUEST_BYTES)
    app[REGISTRY] = registry
    app[CONNECTIONS] = set()
    app[VIEWER] = viewer if viewer is not None else ViewerFiles.load()
    for routes in ALL_ROUTES:
        app.add_routes(routes)
    app.on_response_prepare.append(add_headers)
    app.on_shutdown.append(close_streams)
    app.cleanup_ctx.append(_keep_registry_open)
    return app


async def _keep_registry_open(app: web.Application) -> AsyncIterator[None]:
    await app[REGISTRY].start()
    yield
    await app[REGISTRY].close()
