"""The service: calls with one answer here, streams in the modules beside."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial

from tilescope.server.errors import NotFound
from tilescope.server.metrics import Metrics
from tilescope.server.rpc import events, pages, tools, view, watch
from tilescope.server.rpc.answers import open_answer
from tilescope.server.rpc.failures import Context, answers, streams
from tilescope.server.rpc.messages import event_message, to_message
from tilescope.server.rpc.peers import client_of
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.store_reads import read_from
from tilescope.server.services import Asker, Questions
from tilescope.server.services.attachments import attachment_of
from tilescope.server.services.workers import Asking
from tilescope.tiler.errors import NotBuilt, StoreError
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.pages import decompress, record_title
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.schema import RunList, manifest_of
from tilescope.tiler.store.attachments import content
from tilescope.tiler.store.store import Store, need
from tilescope.v1 import tiles_pb2 as pb


class TilesService:
    """Implements `Tiles` of tiles.proto; the names of methods are those of its calls."""

    def __init__(self, registry: Registry, questions: Questions, metrics: Metrics) -> None:
        self._registry = registry
        self._questions = questions
        self._meter = metrics.page_meter("grpc")

    @answers
    async def ListRuns(self, _request: pb.ListRunsRequest, _context: Context) -> pb.ListRunsResponse:  # noqa: N802
        runs = await self._registry.list_runs()
        return to_message(RunList(runs=[status.to_schema() for status in runs]), pb.ListRunsResponse())

    @answers
    async def Index(self, request: pb.IndexRequest, _context: Context) -> pb.Run:  # noqa: N802
        status = await self._registry.index_again(request.run)
        return to_message(status.to_schema(), pb.Run())

    @answers
    async def Open(self, request: pb.OpenRequest, context: Context) -> bytes:  # noqa: N802
        run = await self._registry.find(request.run)
        try:
            store = self._registry.current_store(run)
            manifest = manifest_of(store.manifest(), run.id, run.name, is_growing=store.is_growing)
            tree = await read_from(store, lambda: need(store, TRACKS))
        except StoreError as error:
            self._registry.report(run.id, error)
            raise
        encode = partial(open_answer, manifest, tree)
        return await self._questions.encoded(self._asking(context), run.id, store.build, encode)  # type: ignore[no-any-return]

    @answers
    async def Names(self, request: pb.NamesRequest, _context: Context) -> pb.NamesResponse:  # noqa: N802
        with await self._lease(request.run, request.build) as store:
            record = await read_from(store, lambda: store.get(NAMES, request.page))
            member = _existing(store, record, f"names-{request.page}")
            names = (pb.Name(name=name, category=category) for name, category in json.loads(decompress(member)))
            return pb.NamesResponse(names=names)

    @answers
    async def Shape(self, request: pb.ShapeRequest, _context: Context) -> pb.ShapeResponse:  # noqa: N802
        with await self._lease(request.run, request.build) as store:
            record = await read_from(store, lambda: store.get(SHAPE, request.block))
            return pb.ShapeResponse(record=_existing(store, record, f"shapes-{request.block}"))

    @answers
    async def ListTools(self, request: pb.ListToolsRequest, context: Context) -> bytes:  # noqa: N802
        return await tools.listed(self._questions, self._asking(context), request)

    @streams
    async def Ask(self, request: pb.AskRequest, context: Context) -> AsyncGenerator[pb.AskResponse, None]:  # noqa: N802
        async for part in tools.answer(self._questions, self._asking(context), request):
            yield part

    @answers
    async def Details(self, request: pb.DetailsRequest, _context: Context) -> pb.Event:  # noqa: N802
        with await self._lease(request.run, request.build) as store:
            details = await read_from(store, lambda: event_details(store, request.track, request.ordinal))
            if details is None:
                event_name = record_title(f"events-{request.track}.{request.ordinal}")
                raise NotFound(f"there is no {event_name} in build {store.build}")
            return event_message(details)

    @streams
    async def Events(self, request: pb.EventsRequest, context: Context) -> AsyncGenerator[pb.EventBatch, None]:  # noqa: N802
        async for batch in events.batches(self._questions, self._asking(context), request):
            yield batch

    @streams
    async def View(self, request: pb.ViewRequest, _context: Context) -> AsyncGenerator[bytes, None]:  # noqa: N802
        with await self._lease(request.run, request.build) as store:
            async for response in view.responses(self._questions, store, request, self._meter):
                yield response

    @streams
    async def Pages(  # noqa: N802
        self, requests: AsyncIterator[pb.PagesRequest], _context: Context
    ) -> AsyncGenerator[bytes, None]:
        start = await pages.first(requests)
        with await self._lease(start.run, start.build) as store:
            async for response in pages.PageSession(store, self._meter).responses(requests):
                yield response

    @answers
    async def ListAttachments(  # noqa: N802
        self, request: pb.ListAttachmentsRequest, _context: Context
    ) -> pb.AttachmentList:
        with await self._lease(request.run, request.build) as store:
            record = await read_from(store, lambda: store.get(ATTACHMENTS))
            member = _existing(store, record, "attachments")
            return to_message(json.loads(decompress(member)), pb.AttachmentList())

    @streams
    async def ReadAttachment(  # noqa: N802
        self, request: pb.ReadAttachmentRequest, _context: Context
    ) -> AsyncGenerator[pb.ReadAttachmentResponse, None]:
        with await self._lease(request.run, request.build) as store:
            entry = await read_from(store, lambda: attachment_of(store, request.attachment))
            end = request.end if request.HasField("end") else None
            pieces = content(store, entry, request.start, end)
            while piece := await read_from(store, lambda: next(pieces, b"")):
                yield pb.ReadAttachmentResponse(data=piece)

    @streams
    async def Watch(self, request: pb.WatchRequest, _context: Context) -> AsyncGenerator[pb.WatchResponse, None]:  # noqa: N802
        async for response in watch.responses(self._registry, request):
            yield response

    def _asking(self, context: Context) -> Asking:
        """A place for a question, until the client has taken the answer. Raises `TooManyRequests`."""
        peer = context.peer()
        place = ExitStack()
        asking = place.enter_context(self._questions.asking(Asker(client_of(peer), peer)))
        context.add_done_callback(lambda _: place.close())
        return asking

    async def _lease(self, run_id: str, build: str) -> AbstractContextManager[Store]:
        run = await self._registry.find(run_id)
        return self._registry.lease(run.id, build)


def _existing(store: Store, record: bytes | None, name: str) -> bytes:
    if record is None:
        if store.is_growing:
            raise NotBuilt(f"there is no {record_title(name)} in build {store.build} yet")
        raise NotFound(f"there is no {record_title(name)} in build {store.build}")
    return record
