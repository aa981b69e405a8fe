"""Measures serving under load: the whole table of what must be reached, `tilescope serve` and clients on one machine.

python -m bench.load                      10 million events, 200 viewers for 60 s
python -m bench.load --store big.store    a store that is there
python -m bench.load --record             keeps the rows in record.json, from which the README has its figures
python -m bench.load --quick              a small trace and few viewers, for the test that keeps this alive
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import aiohttp

from bench.greedy_clients import addresses, greedy_clients
from bench.machine import load_average, machine_facts, machine_lines
from bench.many_viewers import panning
from bench.one_call import grpc_throughput
from bench.one_stream import STALLED_CLIENTS, Throughput, stalled_bytes, throughput
from bench.one_viewer import Times, by_list, by_view, first_screen
from bench.page_viewers import page_times
from bench.questions import seconds_of, stats_of_spans
from bench.record import record_rows, why_not_recorded
from bench.server_process import ServerProcess, serving
from bench.table import Row, Target, compared_row, measured_row, skipped_row, table_lines
from bench.traces import TraceSpec
from bench.viewports import WIDTH_PX, percentile, random_viewports, whole_run
from tilescope.cli.text import seconds_text
from tilescope.server.stream.wants import START_CREDIT_BYTES
from tilescope.tiler.count_text import count_text
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.size_text import size_text
from tilescope.tiler.store import open_run_store

VIEWPORTS = 1000
WARM_UP_S = 2.0
STREAM_PART = 1 / 6  # of --seconds
SOAK_PART = 1 / 2  # of --seconds, for each of two
PAGE_VIEWERS = 5


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _size(size_bytes: float) -> str:
    return size_text(round(size_bytes))


FIRST_PIXELS = Target(0.020, None, _ms, at_most=True)
FIRST_SCREEN = Target(500e3, None, _size, at_most=True)
STATS = Target(3, None, _ms, at_most=True)  # before there were tools: see README.md
PAGES = Target(5000, None, lambda value: f"{value:,.0f} pages/s")
BESIDE_GREED = Target(0.050, None, _ms, at_most=True)
PANNING = Target(0.150, None, _ms, at_most=True)
ERRORS = Target(0, None, lambda value: f"{value:.0f}", at_most=True)
MEMORY = Target(500e6, None, _size, at_most=True)
GROWTH = Target(10e6, None, _size, at_most=True)  # what a process that does not grow may still wander
STALLED = Target(START_CREDIT_BYTES, None, _size, at_most=True)


async def measure_all(server: ServerProcess, reader: QueryReader, args: argparse.Namespace) -> list[Row]:
    """All measurements, one after the other, on a server of its own."""
    path = server.url + server.build_path() + "/stream"
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        viewports = list(itertools.islice(random_viewports(reader, seed=7), args.viewports))
        return [
            _first_pixels("list of pages", await by_list(session, path, reader, viewports)),
            _first_pixels("resolved by the server", await by_view(session, path, viewports)),
            await _first_screen(session, path, reader),
            await _stats(session, reader, server, max(1, args.viewports // 10)),
            *await _throughput(session, path, reader, server, args.seconds * STREAM_PART),
            await _stalled(session, path, reader, server),
            *await _panning(session, path, reader, server, args),
            *await _beside_greed(session, reader, server, args, own=True),
            *await _beside_greed(session, reader, server, args, own=False),
        ]


def _first_pixels(how: str, times: Times) -> Row:
    first, complete = times.first_page, times.complete
    detail = (
        f"p50 {_ms(percentile(first, 0.5))}; complete: p50 {_ms(percentile(complete, 0.5))}, "
        f"p99 {_ms(percentile(complete, 0.99))}"
    )
    work = f"first page of any viewport, {how}, p99 of {len(first):,}"
    return measured_row(work, FIRST_PIXELS, percentile(first, 0.99), detail)


async def _first_screen(session: aiohttp.ClientSession, path: str, reader: QueryReader) -> Row:
    answer = await first_screen(session, path, reader)
    work = f"bytes of the whole run, {len(whole_run(reader).tracks)} tracks, {WIDTH_PX:,} px"
    detail = f"{len(answer.pages)} pages, {size_text(answer.size_bytes)} with what is around"
    return measured_row(work, FIRST_SCREEN, answer.visible_bytes, detail)


async def _stats(session: aiohttp.ClientSession, reader: QueryReader, server: ServerProcess, count: int) -> Row:
    seconds = await seconds_of(session, server.url + server.build_path(), stats_of_spans(reader, count))
    work = f"statistics of any span × {len(reader.tree.leaves(None)):,} tracks, p99 of {len(seconds):,}"
    detail = f"p50 {_ms(percentile(seconds, 0.5))}, longest {_ms(max(seconds))}"
    return measured_row(work, STATS, percentile(seconds, 0.99), detail)


async def _throughput(
    session: aiohttp.ClientSession, path: str, reader: QueryReader, server: ServerProcess, seconds: float
) -> list[Row]:
    stream = await throughput(session, path, reader, server, seconds)
    call = await grpc_throughput(reader, server, seconds)
    page_text = f"pages of {size_text(stream.size_bytes // max(1, stream.pages))}"
    ratio = f"{call.pages_per_second / stream.pages_per_second:.2f} of the WebSocket's"
    return [
        measured_row(f"one WebSocket, {page_text}", PAGES, stream.pages_per_second, _cost(stream)),
        compared_row(f"one gRPC call, {page_text}", f"{PAGES.text(call.pages_per_second)} ({ratio}; {_cost(call)})"),
    ]


def _cost(done: Throughput) -> str:
    return (
        f"{done.size_bytes / done.seconds / 1e6:,.0f} MB/s; server {done.server_cores:.2f} cores, "
        f"client {done.client_cores:.2f}"
    )


async def _stalled(session: aiohttp.ClientSession, path: str, reader: QueryReader, server: ServerProcess) -> Row:
    grown = await stalled_bytes(session, path, reader, server)
    return measured_row("memory for a client that reads nothing", STALLED, grown, f"mean of {STALLED_CLIENTS}")


async def _panning(
    session: aiohttp.ClientSession, path: str, reader: QueryReader, server: ServerProcess, args: argparse.Namespace
) -> list[Row]:
    done = await panning(session, path, reader, server, args.viewers, args.seconds)
    for error in done.errors[:3]:
        print(f"error     {error!r}")
    work = f"{args.viewers} viewers panning for {args.seconds:g} s"
    opening = f"{_ms(percentile(done.opening, 0.5))} and {_ms(percentile(done.opening, 0.99))}"
    print(f"panning   first screens of viewers that come: p50 and p99 {opening}")
    print(
        f"          {done.steps:,} steps, {len(done.moving):,} of them ask for pages; {size_text(done.size_bytes)} in "
        f"{seconds_text(done.seconds)}; server {done.server_cores:.2f} cores, client {done.client_cores:.2f}",
        flush=True,
    )
    halves = f"{size_text(done.memory[0])} before, {size_text(done.memory[-1])} at the end"
    return [
        _steps(f"{work}, all pages of a step, p99", done.moving, PANNING),
        measured_row(f"{work}, errors", ERRORS, len(done.errors)),
        measured_row(f"{work}, memory of the server", MEMORY, max(done.memory), halves),
        measured_row(f"{work}, growth in the second half", GROWTH, max(0, done.memory_growth())),
    ]


async def _beside_greed(
    session: aiohttp.ClientSession, reader: QueryReader, server: ServerProcess, args: argparse.Namespace, *, own: bool
) -> list[Row]:
    client_addresses = addresses(args.greedy, own=own)
    async with greedy_clients(server.url, server.build_path(), client_addresses) as ends:
        await asyncio.sleep(WARM_UP_S)  # until the processes that answer are there
        path = server.url + server.build_path() + "/stream"
        done = await panning(session, path, reader, server, args.viewers, args.seconds * SOAK_PART)
        url = server.url + server.build_path()
        pages = await page_times(url, args.store, PAGE_VIEWERS, args.seconds * SOAK_PART)
    where = "on addresses of their own" if own else "on the same address"
    work = f"{args.viewers} viewers, {args.greedy} greedy clients {where}"
    print(
        f"greedy    {where}: {ends['200']:,} answers, {ends['429']:,} refused; server {done.server_cores:.2f} cores "
        f"(without its questions), client {done.client_cores:.2f}",
        flush=True,
    )
    failed = len(done.errors) + ends.total() - ends["200"] - ends["429"]
    return [
        _steps(f"{work}, all pages of a step, p99", done.moving, BESIDE_GREED),
        _steps(
            f"{PAGE_VIEWERS} viewers, page after page, {args.greedy} greedy clients {where}, p99", pages, BESIDE_GREED
        ),
        measured_row(f"{work}, errors", ERRORS, failed),
        measured_row(f"{work}, memory of all processes", MEMORY, max(done.memory)),
        measured_row(f"{work}, growth in the second half", GROWTH, max(0, done.memory_growth())),
    ]


def _steps(work: str, times: Sequence[float], target: Target) -> Row:
    if not times:  # a run as small as that is on the first screen
        return skipped_row(work, "no step asks for pages")
    return measured_row(work, target, percentile(times, 0.99), f"p50 {_ms(percentile(times, 0.5))}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the benchmark and prints what it found. Missed targets are marked."""
    args = _parse(argv)
    facts = machine_facts("bench.load", argv)
    for line in machine_lines("bench.load", argv):
        print(line, flush=True)
    reason = why_not_recorded(quick=args.quick) if args.record else None
    if reason is not None:
        print(f"nothing can be recorded: {reason}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-", dir=args.directory) as folder:
        args.store = args.store or _make_store(Path(folder), args.events)
        store = open_run_store(args.store)
        try:
            manifest = store.manifest()
            events, size = count_text(int(manifest["events"]["total"])), size_text(int(manifest["store_bytes"]))
            print(
                f"store     {events} events, {manifest['tracks']} tracks, {size}; load {load_average():.1f}", flush=True
            )
            with serving(args.store) as server:
                rows = asyncio.run(measure_all(server, QueryReader(store), args))
        finally:
            store.close()
    print()
    for line in table_lines(rows):
        print(line)
    if args.record:
        record_rows(facts, rows)
    return 0


def _make_store(folder: Path, events: int) -> Path:
    trace = TraceSpec("xspace", events).write(folder)
    build_store([trace.path], folder / "store")
    trace.remove()
    return folder / "store"


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description="Measures serving under load.")
    parser.add_argument("--store", type=Path, help="a store that is there, instead of a synthetic trace")
    parser.add_argument("--events", type=int, help="default: 10,000,000, or 100,000 with --quick")
    parser.add_argument("--viewers", type=int, help="default: 200, or 10 with --quick")
    parser.add_argument("--greedy", type=int, help="clients that ask without end; default: 40, or 8 with --quick")
    parser.add_argument("--seconds", type=float, help="default: 60, or 2 with --quick")
    parser.add_argument("--viewports", type=int, help=f"default: {VIEWPORTS:,}, or 50 with --quick")
    parser.add_argument(
        "--record", action="store_true", help="keep the rows in bench/record.json; needs an idle machine"
    )
    parser.add_argument("--quick", action="store_true", help="small; its numbers mean little")
    parser.add_argument("--directory", type=Path, help="where the store is put for a while")
    args = parser.parse_args(argv)
    defaults = (100_000, 10, 8, 2.0, 50) if args.quick else (10_000_000, 200, 40, 60.0, VIEWPORTS)
    for name, value in zip(("events", "viewers", "greedy", "seconds", "viewports"), defaults, strict=True):
        if getattr(args, name) is None:
            setattr(args, name, value)
    return args


if __name__ == "__main__":
    sys.exit(main())
