from __future__ import annotations

import asyncio
import timeit

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from tests.server.conftest import Client, Site
from tests.server.fakes import page_bytes, small_pages
from tests.server.stream.client import receive_all, send
from tests.server.test_serving import open_connections, served
from tilescope.server.metrics import Metrics
from tilescope.server.settings import Settings
from tilescope.tiler.caches import CacheSize

BUILD = "/api/v1/runs/run1/builds/b1"
PAGES = small_pages()[:3]
SIZE = sum(len(page_bytes(key)) for key in PAGES)

Samples = dict[tuple[str, tuple[str, ...]], float]


def parsed(text: str) -> Samples:
    """The values by name and labels' values, in the order of the labels' names."""
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def metrics_of(client: Client) -> Samples:
    answer = await client.get("/metrics")
    assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return parsed(await answer.text())


async def test_requests_are_counted_by_route_and_never_by_what_a_client_wrote(client: Client) -> None:
    for ordinal in (1, 2, 3):
        await client.get(f"{BUILD}/events/0/{ordinal}")
    for path in ("/api/v9/%7Bevil%7D", "/nothing", f"{BUILD}/events/0/99"):
        await client.get(path)
    await client.patch("/")
    await client.get("/api/v1/runs", headers={"Host": "evil.example"})
    counted = await metrics_of(client)
    route = "/api/v1/runs/{run}/builds/{build}/events/{track}/{ordinal}"
    assert counted["tilescope_requests_total", ("GET", route, "200")] == 3
    assert counted["tilescope_requests_total", ("GET", route, "404")] == 1
    assert counted["tilescope_requests_total", ("GET", "none", "404")] == 1
    assert counted["tilescope_requests_total", ("GET", "/{path}", "404")] == 1
    assert counted["tilescope_requests_total", ("other", "none", "405")] == 1
    assert counted["tilescope_requests_total", ("GET", "/api/v1/runs", "403")] == 1
    assert counted["tilescope_request_seconds_count", (route,)] == 4
    assert not any("evil" in label for _, labels in counted for label in labels)


async def test_pages_are_counted_by_transport_and_streams_while_they_are_open(client: Client) -> None:
    async with client.ws_connect(f"{BUILD}/stream") as socket:
        await send(socket, type="want", id=1, pages=[*PAGES, (9, 0, 0, 0)])
        await receive_all(socket)
        counted = await metrics_of(client)
        assert counted["tilescope_streams", ()] == 1
    await client.post(f"{BUILD}/batch", json={"pages": [*PAGES[:1], (9, 0, 0, 0)]})
    stream = "/api/v1/runs/{run}/builds/{build}/stream"
    async with asyncio.timeout(5):
        while ("tilescope_requests_total", ("GET", stream, "101")) not in (counted := await metrics_of(client)):
            await asyncio.sleep(0.01)  # until the server has seen the end of the stream
    assert counted["tilescope_streams", ()] == 0
    assert counted["tilescope_pages_total", ("stream",)] == 3
    assert counted["tilescope_page_bytes_total", ("stream",)] == SIZE
    assert counted["tilescope_pages_total", ("batch",)] == 1
    assert counted["tilescope_page_bytes_total", ("batch",)] == len(page_bytes(PAGES[0]))
    assert counted["tilescope_requests_total", ("GET", stream, "101")] == 1
    assert ("tilescope_request_seconds_count", (stream,)) not in counted


async def test_connections_and_refusals_are_counted(site: Site) -> None:
    async with served(site, Settings(max_connections_per_client=2)) as url, aiohttp.ClientSession() as session:
        async with session.get(f"{url}metrics") as answer:
            await answer.text()
        held = await open_connections(url, 1)
        ((reader, writer),) = await open_connections(url, 1)
        assert b"429" in await reader.read()
        async with session.get(f"{url}metrics") as answer:
            counted = parsed(await answer.text())
        assert counted["tilescope_connections", ()] == 2
        assert counted["tilescope_refused_connections_total", ()] == 1
        for _, other in [*held, (reader, writer)]:
            other.close()


def test_each_application_counts_for_itself() -> None:
    one, other = Metrics(), Metrics()
    one.request("GET", "/", 200, 0.001)
    assert ("tilescope_requests_total", ("GET", "/", "200")) in parsed(one.text().decode())
    assert ("tilescope_requests_total", ("GET", "/", "200")) not in parsed(other.text().decode())


def test_caches_are_shown_with_their_names() -> None:
    metrics = Metrics()
    caches: list[CacheSize] = []
    metrics.show_caches(lambda: caches)
    assert not any(name.startswith("tilescope_cache") for name, _ in parsed(metrics.text().decode()))
    caches += [CacheSize("programs", "Programs", 1_000, 2), CacheSize("tiles", "Tiles", 0, 0)]
    shown = parsed(metrics.text().decode())
    assert {key: value for key, value in shown.items() if key[0].startswith("tilescope_cache")} == {
        ("tilescope_cache_bytes", ("programs",)): 1_000,
        ("tilescope_cache_entries", ("programs",)): 2,
        ("tilescope_cache_bytes", ("tiles",)): 0,
        ("tilescope_cache_entries", ("tiles",)): 0,
    }


def test_counting_a_page_costs_next_to_nothing() -> None:
    meter = Metrics().page_meter("stream")
    assert min(timeit.repeat(lambda: meter.sent(48_000), number=1000, repeat=5)) < 0.05  # 50 µs a page
