"""Answers questions about a build, for every transport alike."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary, proxy

from msgspec import structs

from tilescope.server.errors import TooManyRequests
from tilescope.server.metrics import Metrics
from tilescope.server.runs.registry import Registry
from tilescope.server.services.fair_queue import Asker, Limits
from tilescope.server.services.kept_answers import KeptAnswers
from tilescope.server.services.overtime import Overtime, Overtimes
from tilescope.server.services.requests import EventsQuestion, ViewRequest
from tilescope.server.services.tasks import EncodingTask, EventPart, EventsTask, ExportPiece, ExportTask
from tilescope.server.services.tools import BuildName
from tilescope.server.services.worker import BuildSource, Task
from tilescope.server.services.workers import Asking, Workers
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.export import PIECE_BYTES, ExportQuestion
from tilescope.tiler.query import QueryReader
from tilescope.tiler.resolver import PageWant
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense

EXPORT_PIECE_BYTES: Final = PIECE_BYTES
EVENTS_AT_ONCE: Final = 16_384  # of a stream of events: nothing is held for a client that does not take them


class _Leased(NamedTuple):
    sources: list[BuildSource]
    is_growing: bool  # one of them, when they were leased


class Questions:
    """Open between its making and `close`. Every answer leases the build for as long as it takes."""

    def __init__(self, registry: Registry, settings: Settings = DEFAULTS, metrics: Metrics | None = None) -> None:
        self._registry = registry
        self.work_rules = settings.work_rules
        self._metrics = metrics or Metrics()
        self._workers = Workers(
            Limits(settings.max_questions, settings.max_questions_per_client, settings.max_questions_per_connection),
            cache_bytes=settings.cache_bytes,
        )
        self._metrics.show_caches(lambda: self._workers.caches)
        self._metrics.questions.set_function(lambda: len(self._workers))
        self._kept = KeptAnswers(settings.kept_answers_bytes)
        self._overtimes: Overtimes[tuple[str, ...]] = Overtimes()
        self._metrics.kept_answers_bytes.set_function(lambda: self._kept.size_bytes)
        self._readers: WeakKeyDictionary[Store, QueryReader] = WeakKeyDictionary()

    def start_ahead(self) -> None:
        """Has loaded, soon, what the first question would wait for."""
        self._workers.start_ahead()

    @contextmanager
    def asking(self, asker: Asker) -> Iterator[Asking]:
        """A place for one question, to be kept until its answer is sent. Raises `TooManyRequests`."""
        try:
            with self._workers.asking(asker) as asking:
                yield asking
        except TooManyRequests:
            self._metrics.refused_questions.inc()
            raise

    async def ask(
        self, asking: Asking, run_id: str, build: str, name: str, task: Task, others: Sequence[BuildName] = ()
    ) -> bytes:
        """The answer of a tool, under a `name` that tells what was asked; of the build and others that it names.

        Raises `TilescopeError`s.
        """
        question = (run_id, build, name, self.work_rules.tag)
        async with self._leased(BuildName(run_id, build), *others) as leased:
            kept_answer = self._kept.get(question)
            if kept_answer is not None:
                self._metrics.kept_answers_hits.inc()
                return kept_answer
            self._metrics.kept_answers_misses.inc()
            self._overtimes.check(question)
            try:
                answer: bytes = await asking.answer(task, *leased.sources)
            except Overtime as error:
                self._metrics.given_up_questions.inc()
                self._overtimes.add(question, error)
                raise
        if not leased.is_growing:
            self._kept.keep(question, answer)
        return answer

    async def encoded(self, asking: Asking, run_id: str, build: str, encode: Callable[[], Any]) -> Any:
        """Result of `encode`, which writes what is in memory already; the event loop does not wait for it."""
        return await self._answer(asking, run_id, build, EncodingTask(encode))

    async def events(
        self,
        asking: Asking,
        run_id: str,
        build: str,
        request: EventsQuestion,
        limit: int,
        encode: Callable[[Sequence[EventPart], bool], Any],
    ) -> Any:
        """The first events of a span by (track, ordinal), as `encode` turns them into. Raises `TilescopeError`s."""
        return await self._answer(asking, run_id, build, EventsTask(request, limit, encode))

    async def all_events(
        self, asking: Asking, run_id: str, build: str, request: EventsQuestion
    ) -> AsyncGenerator[EventPart, None]:
        """The events of a span, part by part in the order (track, ordinal). Raises `TilescopeError`s. To be closed."""
        named: set[int] = set()
        has_more = True
        while has_more:
            parts: Sequence[EventPart]
            parts, has_more = await self.events(asking, run_id, build, request, EVENTS_AT_ONCE, _as_they_are)
            for part in parts:
                names = {name: text for name, text in part.names.items() if name not in named}
                named |= names.keys()
                yield EventPart(part.events, names)
            if has_more:
                last = next(part.events for part in reversed(parts) if len(part.events))
                after = f"{last.start[-1]},{last.track},{last.ordinal[-1]}"
                request = structs.replace(request, after=after)

    async def exported(
        self, asking: Asking, run_id: str, build: str, question: ExportQuestion, *, is_zipped: bool
    ) -> AsyncGenerator[bytes, None]:
        """The events of a span as a file, piece by piece, compressed if `is_zipped`. Raises `TilescopeError`s.

        To be closed.
        """
        piece: ExportPiece | None = None
        while piece is None or piece.cursor is not None:
            # What was sent need not travel to the process that goes on.
            after = None if piece is None else replace(piece, data=b"")
            task = ExportTask(question, after, EXPORT_PIECE_BYTES, is_zipped)
            piece = await self._answer(asking, run_id, build, task)
            yield piece.data

    def view(self, store: Store, request: ViewRequest) -> list[PageWant]:
        """The pages that show a view, most urgent first. Takes milliseconds. Raises `TilescopeError`s."""
        view = request.view()
        with must_make_sense(f"build {store.build}"):
            reader = self.reader(store)
            return reader.pages(view, request.shown(reader.tree), request.nearby)

    def reader(self, store: Store) -> QueryReader:
        """A reader of an open store; the same one each time unless the store still changes."""
        if store.is_growing:
            return QueryReader(store, self.work_rules)
        reader = self._readers.get(store)
        if reader is None:
            # It must not hold what it is kept under: a store that nobody has open takes its reader along.
            reader = self._readers[store] = QueryReader(proxy(store), self.work_rules)
        return reader

    async def close(self) -> None:
        """Ends the processes."""
        await self._workers.close()

    async def _answer(self, asking: Asking, run_id: str, build: str, task: Task) -> Any:
        async with self._leased(BuildName(run_id, build)) as leased:
            return await asking.answer(task, *leased.sources)

    @asynccontextmanager
    async def _leased(self, *builds: BuildName) -> AsyncIterator[_Leased]:
        """Builds that stay open for the whole block. Raises `NotFound`, `UnknownBuild`, `StoreError`."""
        runs = [await self._registry.find(name.run) for name in builds]
        with ExitStack() as leases:
            sources = []
            is_growing = False
            for run, name in zip(runs, builds, strict=True):
                store = leases.enter_context(self._registry.lease(run.id, name.build))
                opener = self._registry.opener(is_growing=store.is_growing)
                sources.append(BuildSource(run.store, name.build, opener, self.work_rules, store.is_growing))
                is_growing = is_growing or store.is_growing
            yield _Leased(sources, is_growing)


def _as_they_are(parts: Sequence[EventPart], has_more: bool) -> tuple[Sequence[EventPart], bool]:
    return parts, has_more
