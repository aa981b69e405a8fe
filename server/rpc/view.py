"""A view for clients that resolve nothing themselves: its pages, most urgent first."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from tilescope.server.metrics import PageMeter
from tilescope.server.rpc.messages import bytes_field
from tilescope.server.runs.store_reads import fetch_listed_pages, read_from
from tilescope.server.services import Questions, ViewRequest
from tilescope.server.stream.views import TIER_OF, pages_of_view
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.store.store import Store
from tilescope.v1 import tiles_pb2 as pb


async def responses(
    questions: Questions, store: Store, request: pb.ViewRequest, meter: PageMeter
) -> AsyncGenerator[bytes, None]:
    """A `ViewResponse` for each page. None is read from the store before the client took those before it."""
    tracks, nearby = list(request.tracks) or None, list(request.nearby)
    view = ViewRequest(request.start, request.end, request.px, tracks, nearby, request.residuals)
    wants = await read_from(store, lambda: pages_of_view(questions, store, view))
    keys = [want.key for want in wants]
    for number, (one_pass, key) in enumerate(wants):
        await fetch_listed_pages(store, keys, number)
        page = stored_page(store, key)
        if page is not None:
            meter.sent(len(page))
            head = pb.ViewResponse(tier=TIER_OF[one_pass], key=pb.PageKey(**key._asdict())).SerializeToString()
            yield b"".join((head, *bytes_field(pb.ViewResponse.DATA_FIELD_NUMBER, page)))
