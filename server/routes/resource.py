"""What all immutable resources of a build have in common."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.caching import immutable
from tilescope.server.errors import NotFound
from tilescope.server.keys import REGISTRY
from tilescope.server.runs.store import RunStore


async def store_of(request: web.Request) -> RunStore:
    """The store of the run and build in the path. Raises `NotFound`, `UnknownBuild`, `StoreError`."""
    registry = request.app[REGISTRY]
    run = await registry.find(request.match_info["run"])
    return registry.store(run.id, request.match_info["build"])


def stored_member(
    request: web.Request, store: RunStore, body: bytes | None, name: str, content_type: str, *, gzip: bool = True
) -> web.Response:
    """The bytes as they were stored, under an ETag of build and `name`. Raises `NotFound` when there are none."""
    if body is None:
        raise NotFound(f"there is no {name} in build {store.build}")
    return immutable(request, body, f"{store.build}-{name}", content_type, gzip=gzip)
