"""Common ground of all resources of a build: immutable once it is published, never kept while it grows."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.errors import NotFound
from tilescope.server.http.caching import immutable, unkept, unkept_member
from tilescope.server.keys import REGISTRY
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.pages import record_title
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.store.store import Store


async def store_of(request: web.Request) -> Store:
    """The store of the run and build in the path. Raises `NotFound`, `UnknownBuild`, `StoreError`."""
    return await named_store(request, request.match_info["run"], request.match_info["build"])


async def named_store(request: web.Request, run_id: str, build: str) -> Store:
    """The store of any run and build. Raises `NotFound`, `UnknownBuild`, `StoreError`."""
    registry = request.app[REGISTRY]
    run = await registry.find(run_id)
    return registry.store(run.id, build)


async def stored_member(
    request: web.Request,
    store: Store,
    body: bytes | None,
    name: str,
    content_type: str,
    *,
    gzip: bool = True,
    block: int | None = None,
) -> web.Response:
    """A stored record, under an ETag of build and `name`; as it is now while the build grows. `gzip`: it is a member.

    `block`: to which they belong. Raises `NotFound` when there are none, and `NotBuilt` when there may be some later.
    """
    if body is None:
        if store.is_growing and (block is None or store.get(SHAPE, block) is None):
            raise NotBuilt(f"there is no {record_title(name)} in build {store.build} yet")
        raise NotFound(f"there is no {record_title(name)} in build {store.build}")
    if store.is_growing:
        return await unkept_member(request, body, content_type) if gzip else unkept(body, content_type)
    return await immutable(request, body, f"{store.build}-{name}", content_type, gzip=gzip)
