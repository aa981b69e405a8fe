"""Measures serving: a store of a synthetic trace, `tilescope serve`, and clients on the same machine.

python -m bench.serving                      10 million events, 200 viewers for 60 s
python -m bench.serving --store big.store    a store that is there
python -m bench.serving --quick              a small trace and few viewers, for the test that keeps this alive
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import aiohttp

from bench.machine import machine_lines
from bench.server_process import ServerProcess, serving
from bench.stream_client import StreamClient, Tiers
from bench.viewports import STEP, WIDTH_PX, all_pages, percentile, random_viewports, walk, whole_run
from tilescope.cli.text import count_text, size_text
from tilescope.tiler.build import build_store
from tilescope.tiler.pages import PageKey
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import write_synthetic_trace

SEED = 7
TRACKS = 120
VIEWPORTS = 1000
PACE_S = 0.5  # a viewer that pans moves a quarter of the screen in this time
WALKS = 20  # different ones; viewers share them
PAGES_PER_LIST = 1000
CREDIT_BYTES = 4 * 1024 * 1024


async def main_async(server: ServerProcess, reader: QueryReader, args: argparse.Namespace) -> list[str]:
    """All measurements, one after the other."""
    path = server.url + server.build_path() + "/stream"
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        return [
            *await viewports(session, path, reader, args.viewports),
            *await one_screen(session, path, reader),
            *await one_stream(session, path, reader, args.seconds / 6),
            *await stalled(session, path, reader, server),
            *await panning(session, path, reader, server, args),
        ]


async def viewports(session: aiohttp.ClientSession, path: str, reader: QueryReader, count: int) -> list[str]:
    """Any viewport, resolved by the server, one after the other on one connection."""
    first, visible = [], []
    async with session.ws_connect(path, max_msg_size=0) as socket:
        client = StreamClient(socket)
        await client.grant(CREDIT_BYTES)
        for viewport in itertools.islice(random_viewports(reader, SEED), count):
            view = {"start": viewport.start, "end": viewport.end, "px": WIDTH_PX, "tracks": list(viewport.tracks)}
            answer = await client.view(**view)
            if answer.first_page is not None:
                first.append(answer.first_page)
            visible.append(answer.visible)
    return [
        f"pixels    any viewport, first page: p50 {_ms(first, 0.5)}, p99 {_ms(first, 0.99)} (at most 20 ms)",
        f"          any viewport, all of it: p50 {_ms(visible, 0.5)}, p99 {_ms(visible, 0.99)}",
    ]


async def one_screen(session: aiohttp.ClientSession, path: str, reader: QueryReader) -> list[str]:
    """The bytes of the first screen."""
    viewport = whole_run(reader)
    async with session.ws_connect(path, max_msg_size=0) as socket:
        answer = await StreamClient(socket).want(viewport.tiers(reader))
    return [
        f"bytes     whole run, {len(viewport.tracks)} tracks, {WIDTH_PX} px: {size_text(answer.visible_bytes)} "
        f"(at most 500 kB), {size_text(answer.size_bytes)} with what is around"
    ]


async def one_stream(session: aiohttp.ClientSession, path: str, reader: QueryReader, seconds: float) -> list[str]:
    """Pages as fast as one connection takes them."""
    lists = _lists(reader)
    pages = size_bytes = 0
    async with session.ws_connect(path, max_msg_size=0) as socket:
        client = StreamClient(socket)
        await client.grant(CREDIT_BYTES)
        begin = time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < seconds:
            answer = await client.want({"visible": next(lists)})
            pages += len(answer.pages)
            size_bytes += answer.size_bytes
    return [
        f"stream    one WebSocket: {pages / elapsed:,.0f} pages/s of {size_text(size_bytes // max(1, pages))}, "
        f"{size_bytes / elapsed / 1e6:,.0f} MB/s (at least 5,000 of 48 kB, 240 MB/s)"
    ]


async def stalled(
    session: aiohttp.ClientSession, path: str, reader: QueryReader, server: ServerProcess, clients: int = 20
) -> list[str]:
    """Clients that ask for everything, give credit without end, and read nothing."""
    before = server.private_bytes()
    sockets = [await session.ws_connect(path, max_msg_size=0) for _ in range(clients)]
    for socket in sockets:
        connection = socket._response.connection
        assert connection is not None
        assert isinstance(connection.transport, asyncio.ReadTransport)
        connection.transport.pause_reading()
        client = StreamClient(socket)
        await client.grant(10**12)
        await client.send_want(all_pages(reader)[:4096])
    await asyncio.sleep(2)
    grown = server.private_bytes() - before
    for socket in sockets:
        connection = socket._response.connection
        if connection is not None and connection.transport is not None:
            connection.transport.abort()
    return [f"stalled   a client that reads nothing costs {size_text(max(0, grown) // clients)} (at most its credit)"]


async def panning(
    session: aiohttp.ClientSession, path: str, reader: QueryReader, server: ServerProcess, args: argparse.Namespace
) -> list[str]:
    """Many viewers that move on, each at its own pace, for a while."""
    steps = int(args.seconds / PACE_S) + 1
    starts = itertools.islice(random_viewports(reader, SEED + 1, room=1 + steps * STEP), WALKS)
    walks = [walk(reader, viewport, steps) for viewport in starts]
    opening: list[float] = []
    times: list[float] = []
    errors: list[BaseException] = []
    end = time.perf_counter() + args.seconds
    memory: list[int] = []
    cpu_before = server.cpu_seconds()

    async def watch() -> None:
        while time.perf_counter() < end:
            memory.append(server.private_bytes())
            await asyncio.sleep(args.seconds / 20)

    async def viewer(number: int) -> None:
        try:
            await asyncio.sleep(PACE_S * number / args.viewers)
            async with session.ws_connect(path, max_msg_size=0) as socket:
                await _pan(StreamClient(socket), walks[number % len(walks)], opening, times)
        except Exception as error:
            errors.append(error)

    await asyncio.gather(watch(), *(viewer(number) for number in range(args.viewers)))
    cpu = (server.cpu_seconds() - cpu_before) / args.seconds
    early, late = max(memory[len(memory) // 4 : len(memory) // 2]), max(memory[len(memory) // 2 :])
    return [
        f"panning   {args.viewers} viewers, a quarter of the screen each {PACE_S:g} s, for {args.seconds:g} s: "
        f"{len(times):,} steps, p50 {_ms(times, 0.5)}, p99 {_ms(times, 0.99)} (at most 150 ms), {len(errors)} errors",
        f"          to open the first screen of each, within the first {PACE_S:g} s: p50 {_ms(opening, 0.5)}, "
        f"p99 {_ms(opening, 0.99)}",
        f"          server: {cpu:.2f} cores, {size_text(max(memory))} (at most 500 MB), "
        f"{size_text(early)} in the first half, {size_text(late)} in the second",
        *(f"          {error!r}" for error in errors[:3]),
    ]


async def _pan(client: StreamClient, lists: Sequence[Tiers], opening: list[float], moving: list[float]) -> None:
    for step, tiers in enumerate(lists):
        begin = time.perf_counter()
        answer = await client.want(tiers)
        (moving if step else opening).append(answer.visible)
        await asyncio.sleep(max(0.0, begin + PACE_S - time.perf_counter()))


def _lists(reader: QueryReader) -> itertools.cycle[Sequence[PageKey]]:
    pages = all_pages(reader)
    return itertools.cycle([pages[at : at + PAGES_PER_LIST] for at in range(0, len(pages), PAGES_PER_LIST)])


def _ms(seconds: Sequence[float], part: float) -> str:
    return f"{percentile(seconds, part) * 1000:.1f} ms" if seconds else "none"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the benchmark and prints what it found."""
    args = _parse(argv)
    for line in machine_lines("bench.serving", argv):
        print(line)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-", dir=args.directory) as folder:
        path = args.store or _make_store(Path(folder), args.events)
        store = open_run_store(path)
        try:
            reader = QueryReader(store)
            manifest = store.manifest()
            total, size = int(manifest["events"]["total"]), int(manifest["store_bytes"])
            print(f"store     {count_text(total)} events, {manifest['tracks']} tracks, {size_text(size)}")
            with serving(path) as server:
                for line in asyncio.run(main_async(server, reader, args)):
                    print(line, flush=True)
        finally:
            store.close()
    return 0


def _make_store(folder: Path, events: int) -> Path:
    trace = folder / "bench.xplane.pb"
    write_synthetic_trace(trace, format="xspace", events=events, tracks=TRACKS, seed=SEED)
    build_store([trace], folder / "store")
    trace.unlink()
    return folder / "store"


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.serving", description="Measures serving.")
    parser.add_argument("--store", type=Path, help="a store that is there, instead of a synthetic trace")
    parser.add_argument("--events", type=int, help="default: 10,000,000, or 100,000 with --quick")
    parser.add_argument("--viewers", type=int, help="default: 200, or 10 with --quick")
    parser.add_argument("--seconds", type=float, help="default: 60, or 2 with --quick")
    parser.add_argument("--viewports", type=int, help=f"default: {VIEWPORTS:,}, or 50 with --quick")
    parser.add_argument("--quick", action="store_true", help="small; its numbers mean little")
    parser.add_argument("--directory", type=Path, help="where the store is put for a while")
    args = parser.parse_args(argv)
    defaults = (100_000, 10, 2.0, 50) if args.quick else (10_000_000, 200, 60.0, VIEWPORTS)
    for name, value in zip(("events", "viewers", "seconds", "viewports"), defaults, strict=True):
        if getattr(args, name) is None:
            setattr(args, name, value)
    return args


if __name__ == "__main__":
    sys.exit(main())
