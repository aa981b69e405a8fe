"""Common ground of all resources of a build: immutable once it is published, never kept while it grows."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.errors import NotFound
from tilescope.server.http.caching import immutable, unkept
from tilescope.server.keys import REGISTRY
from tilescope.server.runs.store import ServedStore
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.pages import record_title


async def store_of(request: web.Request) -> ServedStore:
    """The store of the run and build in the path. Raises `NotFound`, `UnknownBuild`, `StoreError`."""
    return await named_store(request, request.match_info["run"], request.match_info["build"])


async def named_store(request: web.Request, run_id: str, build: str) -> ServedStore:
    """The store of any run and build. Raises `NotFound`, `UnknownBuild`, `StoreError`."""
    registry = request.app[REGISTRY]
    run = await registry.find(run_id)
    return registry.store(run.id, build)


def stored_member(
    request: web.Request,
    store: ServedStore,
    body: bytes | None,
    name: str,
    content_type: str,
    *,
    gzip: bool = True,
    block: int | None = None,
) -> web.Response:
    """The bytes as they were stored, under an ETag of build and `name`; as they are now while the build grows.

    `block`: to which they belong. Raises `NotFound` when there are none, and `NotBuilt` when there may be some later.
    """
    if body is None:
        if store.is_growing and (block is None or store.shape(block) is None):
            raise NotBuilt(f"there is no {record_title(name)} in build {store.build} yet")
        raise NotFound(f"there is no {record_title(name)} in build {store.build}")
    if store.is_growing:
        return unkept(body, content_type, gzip=gzip)
    return immutable(request, body, f"{store.build}-{name}", content_type, gzip=gzip)
