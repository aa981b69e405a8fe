"""Counters of a server, for Prometheus. Each application has its own registry: tests run several in one process.

Labels are taken from fixed sets (routes, methods, states), never from what a client wrote.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Final

from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from tilescope import __version__
from tilescope.server.access_log import write_line
from tilescope.tiler.caches import CacheSize

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

# From a page out of memory to statistics of a large run.
_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
CLIENT_GONE: Final = 499  # as nginx has it: nobody was there any more to take the answer
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PageMeter:
    """Counts the pages that one transport sends."""

    def __init__(self, pages: Counter, size_bytes: Counter) -> None:
        self._pages = pages
        self._bytes = size_bytes

    def sent(self, size_bytes: int) -> None:
        """A page goes out."""
        self._pages.inc()
        self._bytes.inc(size_bytes)


class _CacheCollector(Collector):
    """Sizes of caches, which exist once there are some."""

    def __init__(self, caches: Callable[[], Iterable[CacheSize]]) -> None:
        self._caches = caches

    def collect(self) -> Iterator[Metric]:
        """The metrics at this moment."""
        size = GaugeMetricFamily("tilescope_cache_bytes", "Bytes of caches for the next question", labels=("cache",))
        entries = GaugeMetricFamily("tilescope_cache_entries", "Entries of these caches", labels=("cache",))
        for cache in self._caches():
            size.add_metric((cache.name,), cache.size_bytes)
            entries.add_metric((cache.name,), cache.entries)
        yield from (size, entries)


class Metrics:
    """The counters of one application."""

    def __init__(self) -> None:
        self.registry: Final = CollectorRegistry()
        self._requests = Counter(
            "tilescope_requests", "Requests answered", ("method", "route", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "tilescope_request_seconds",
            "From a request to its answer, without the time to send it",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._calls = Counter("tilescope_calls", "gRPC calls ended", ("call", "status"), registry=self.registry)
        self._pages = Counter("tilescope_pages", "Pages sent", ("transport",), registry=self.registry)
        self._bytes = Counter("tilescope_page_bytes", "Bytes of pages sent", ("transport",), registry=self.registry)
        self.streams = Gauge("tilescope_streams", "WebSockets that pages are sent on", registry=self.registry)
        self.watches = Gauge("tilescope_watches", "WebSockets on which runs are followed", registry=self.registry)
        self.connections = Gauge("tilescope_connections", "Connections, idle ones too", registry=self.registry)
        self.refused = Counter(
            "tilescope_refused_connections", "Connections beyond the limits, turned away", registry=self.registry
        )
        self.not_accepted = Counter(
            "tilescope_not_accepted_connections",
            "Connections that could not be accepted, as too many files were open",
            registry=self.registry,
        )
        self.questions = Gauge("tilescope_questions", "Questions, until their answers are sent", registry=self.registry)
        self.refused_questions = Counter(
            "tilescope_refused_questions", "Questions beyond the limits, turned away", registry=self.registry
        )
        self.given_up_questions = Counter(
            "tilescope_given_up_questions",
            "Questions whose process was ended, as they did not yield",
            registry=self.registry,
        )
        self.kept_answers_bytes = Gauge(
            "tilescope_kept_answers_bytes", "Answers of tools that are kept in memory", registry=self.registry
        )
        self.kept_answers_hits = Counter(
            "tilescope_kept_answers_hits",
            "Questions whose answer was there",
            registry=self.registry,
        )
        self.kept_answers_misses = Counter(
            "tilescope_kept_answers_misses", "Questions to tools whose answer had to be made", registry=self.registry
        )
        version = Gauge("tilescope_build_info", "Always 1", ("version",), registry=self.registry)
        version.labels(__version__).set(1)
        ProcessCollector(registry=self.registry)

    def show_caches(self, caches: Callable[[], Iterable[CacheSize]]) -> None:
        """Shows these caches, as they are whenever the counters are asked for."""
        self.registry.register(_CacheCollector(caches))

    def page_meter(self, transport: str) -> PageMeter:
        """For `stream`, `batch` or `grpc`."""
        return PageMeter(self._pages.labels(transport), self._bytes.labels(transport))

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered. Of a WebSocket no time is kept: it lasts as long as it is open."""
        self._requests.labels(method if method in _METHODS else "other", route, str(status)).inc()
        if status != 101:
            self._seconds.labels(route).observe(seconds)

    def call(self, name: str, status: str) -> None:
        """A gRPC call has ended. Of streams no time is kept: they last as long as they are open."""
        self._calls.labels(name, status).inc()

    def text(self) -> bytes:
        """All counters as they are now."""
        return generate_latest(self.registry)


def measure(metrics: Metrics) -> Middleware:
    """The outermost middleware: counts requests and takes their time."""

    @web.middleware
    async def count(request: web.Request, handler: Handler) -> web.StreamResponse:
        started_s = time.perf_counter()
        status = 500
        try:
            answer = await handler(request)
            status = answer.status
        except web.HTTPException as error:
            status = error.status
            raise
        except asyncio.CancelledError:  # the client has gone: for a WebSocket, that is its end
            status = 101 if hdrs.UPGRADE in request.headers else CLIENT_GONE
            write_line(request, status, time.perf_counter() - started_s)  # nobody else does
            raise
        finally:
            metrics.request(request.method, _route(request), status, time.perf_counter() - started_s)
        return answer

    return count


def _route(request: web.Request) -> str:
    resource = request.match_info.route.resource
    return "none" if resource is None else resource.canonical
