"""Many pages of a build in one answer, in the order in which they were asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Final

from aiohttp import hdrs, web

from tilescope.server.http.batch import CONTENT_TYPE, end_frame, error_frame, page_frame, parse_batch
from tilescope.server.http.bodies import read_body
from tilescope.server.keys import METRICS, REGISTRY
from tilescope.server.metrics import PageMeter
from tilescope.server.paths import BUILD
from tilescope.server.routes.failures import report_failure
from tilescope.server.runs.store_reads import fetch_listed_pages
from tilescope.tiler.errors import StoreError
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PageKey
from tilescope.tiler.store.store import Store

SEND_TIMEOUT_S: Final = 60.0  # a client that does not take one page in this time is gone
PAGES_BEFORE_YIELD: Final = 32  # writes to a fast socket do not suspend: let other clients have their turn

_HEADERS: Final = {
    hdrs.CONTENT_TYPE: CONTENT_TYPE,
    hdrs.CACHE_CONTROL: "no-store",
    "X-Accel-Buffering": "no",  # nginx: pass on what comes, so that the first page is not behind the last
}

routes = web.RouteTableDef()


@routes.post(BUILD + "/batch")
async def post_batch(request: web.Request) -> web.StreamResponse:
    """Streams the pages of the list. A slow client costs one page: none is read before the last one is taken."""
    registry = request.app[REGISTRY]
    run = await registry.find(request.match_info["run"])
    keys = parse_batch(await read_body(request))
    meter = request.app[METRICS].page_meter("batch")
    with registry.lease(run.id, request.match_info["build"]) as store:
        answer = web.StreamResponse(headers=_HEADERS)
        await answer.prepare(request)
        try:
            count = 0
            async for frame in _frames(store, keys, meter, partial(report_failure, request)):
                count += 1
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await answer.write(frame)
                if count % PAGES_BEFORE_YIELD == 0:
                    await asyncio.sleep(0)
            await answer.write_eof()
        except ConnectionError:  # the client has gone
            return answer
        except TimeoutError:
            if request.transport is not None:
                request.transport.abort()
    return answer


async def _frames(
    store: Store, keys: Sequence[PageKey], meter: PageMeter, report: Callable[[StoreError], None]
) -> AsyncIterator[bytes]:
    try:
        for number, key in enumerate(keys):
            await fetch_listed_pages(store, keys, number)
            page = stored_page(store, key)
            if page is not None:
                meter.sent(len(page))
            yield page_frame(key, page)
    except StoreError as error:
        report(error)
        yield error_frame(error)
    else:
        yield end_frame()
