"""A pod of many hosts: indexed by executors beside one process, and served to many viewers.

python -m bench.pod_indexing                 64 hosts of 1.3 million events: 5 minutes and 3 GB of an idle machine
python -m bench.pod_indexing --rows dask     some rows; processes, dask, viewers
python -m bench.pod_indexing --quick         small

A few traces are written, and linked under as many names as the pod has hosts. All rows of a ratio are of one run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import aiohttp

from bench.machine import load_average, machine_lines
from bench.many_viewers import panning
from bench.measure import Measurement, measure
from bench.server_process import serving
from bench.table import Row, Target, measured_row, skipped_row, table_lines
from bench.viewports import percentile
from tilescope.cli.text import seconds_text
from tilescope.executors import open_executor
from tilescope.tiler.indexing import DEFAULT_MEMORY_BYTES, build_store
from tilescope.tiler.mount import open_run
from tilescope.tiler.query import QueryReader
from tilescope.tiler.shards.axis_file import read_axis
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.synth import write_synthetic_trace

ROWS: Final = ("processes", "dask", "viewers")
_WRITTEN: Final = 4  # traces; all others are links to them
_TRACKS: Final = 64  # of a host
_SMALL_EVENTS: Final = 2000  # of a shard whose indexing is short

BESIDE_THREADS = Target(1.1, 1.0, lambda value: f"{value:.2f}×", at_most=True)
BESIDE_ONE_CORE = Target(0.6, 0.52, lambda value: f"{value:.2f}×", at_most=True)
OVERHEAD = Target(0.5, 0.2, lambda value: f"{value:.3f} s", at_most=True)
PAGES = Target(0.150, 0.050, lambda value: f"{value * 1000:.0f} ms", at_most=True)


def write_hosts(folder: Path, hosts: int, events: int) -> list[Path]:
    """Traces of so many hosts, of which few are different."""
    folder.mkdir()
    files = [folder / f"host{host:03}.xplane.pb" for host in range(hosts)]
    for host, file in enumerate(files):
        if host < _WRITTEN:
            write_synthetic_trace(file, format="xspace", events=events, tracks=_TRACKS, seed=host)
        else:
            os.link(files[host % _WRITTEN], file)
    return files


def beside_one_process(folder: Path, hosts: int, events: int) -> Iterator[Row]:
    """Rows about worker processes on two cores, beside one process on two cores and on one."""
    files = write_hosts(folder / "pod", hosts, events)
    index = [sys.executable, "-m", "tilescope", "index", *map(str, files)]
    executor = ["--executor", "processes", "--jobs", "2"]
    first = min(os.sched_getaffinity(0))
    ways = {
        "processes": [*index, "-o", str(folder / "run"), *executor],
        "threads": [*index, "-o", str(folder / "whole")],
        "one core": ["taskset", "-c", str(first), *index, "-o", str(folder / "whole")],
    }
    taken: dict[str, Measurement] = {}
    for name, command in ways.items():
        taken[name] = measure(command)
        facts = f"{seconds_text(taken[name].seconds)} wall, {seconds_text(taken[name].cpu_seconds)} CPU"
        print(f"{name:<10}{facts}; load {load_average():.1f}", flush=True)
        shutil.rmtree(command[command.index("-o") + 1])
    work = f"{hosts} hosts of {events / 1e6:g} M events, two processes on two cores"
    own = taken["processes"]
    for name, target in (("threads", BESIDE_THREADS), ("one core", BESIDE_ONE_CORE)):
        other = taken[name]
        detail = f"CPU {own.cpu_seconds / other.cpu_seconds:.2f}×, {seconds_text(own.seconds)} wall"
        yield measured_row(f"{work}, against one process: {name}", target, own.seconds / other.seconds, detail)


def dask_overhead(folder: Path, shards: int) -> Row:
    """Row about the time of a shard beyond its indexing, with one worker of Dask on this machine."""
    work = f"a shard beyond its indexing, Dask, {shards} shards, one worker"
    try:
        from distributed import LocalCluster
    except ImportError:
        return skipped_row(work, "distributed is not installed")
    files = write_hosts(folder / "small", shards, _SMALL_EVENTS)
    options = {"dashboard_address": None, "resources": {"INDEX": 1}}
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, **options) as cluster:
        address = cluster.scheduler_address.replace("tcp://", "dask://")
        executor = open_executor(address, 1, DEFAULT_MEMORY_BYTES)
        build_shards(files[:1], folder / "warm", executor, progress=lambda _: None)  # imports
        begin = time.monotonic()
        build_shards(files, folder / "small.run", executor, progress=lambda _: None)
        taken = time.monotonic() - begin
    axis = read_axis(folder / "small.run")
    begin = time.monotonic()
    for number, file in enumerate(files):
        build_store([file], folder / "alone" / str(number), workers=1, axis=axis)
    alone = time.monotonic() - begin
    detail = f"{taken / shards:.3f} s, of which its indexing takes {alone / shards:.3f} s"
    return measured_row(work, OVERHEAD, max(0.0, taken - alone) / shards, detail)


async def _viewers(run: Path, viewers: int, seconds: float) -> Row:
    with closing(open_run(run)) as store, serving(run) as server:
        path = server.url + server.build_path() + "/stream"
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            done = await panning(session, path, QueryReader(store), server, viewers, seconds)
    work = f"{viewers} viewers on a mounted run, all pages of a step, p99"
    if done.errors or not done.moving:
        return skipped_row(work, f"{len(done.errors)} errors, {len(done.moving)} steps")
    detail = f"p50 {PAGES.text(percentile(done.moving, 0.5))}, server {done.server_cores:.2f} cores"
    return measured_row(work, PAGES, percentile(done.moving, 0.99), detail)


def served(folder: Path, hosts: int, events: int, viewers: int, seconds: float) -> Row:
    """The row about viewers of a run of so many hosts."""
    files = write_hosts(folder / "served", hosts, events)
    executor = ["--executor", "processes", "--jobs", "2"]
    measure([sys.executable, "-m", "tilescope", "index", *map(str, files), "-o", str(folder / "served.run"), *executor])
    return asyncio.run(_viewers(folder / "served.run", viewers, seconds))


@contextmanager
def _place(directory: Path | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-", dir=directory) as folder:
        yield Path(folder)


def main(argv: Sequence[str] | None = None) -> int:
    """Prints what was measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.pod_indexing", description="Measures pods of many hosts.")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"some of {','.join(ROWS)}; default: all")
    parser.add_argument("--hosts", type=int, help="default: 64, or 4 with --quick")
    parser.add_argument("--events", type=int, help="of a host; default: 1,300,000, or 2,000 with --quick")
    parser.add_argument("--viewers", type=int, help="default: 50, or 3 with --quick")
    parser.add_argument("--seconds", type=float, help="of the viewers; default: 30, or 2 with --quick")
    parser.add_argument("--quick", action="store_true", help="small; its numbers mean little")
    parser.add_argument("--directory", type=Path, help="where traces and runs are put for a while")
    args = parser.parse_args(argv)
    chosen = args.rows.split(",")
    if unknown := [row for row in chosen if row not in ROWS]:
        parser.error(f"--rows: {unknown[0]!r} is none of {','.join(ROWS)}")
    hosts, events, viewers, seconds = (4, 2000, 3, 2.0) if args.quick else (64, 1_300_000, 50, 30.0)
    hosts, events = args.hosts or hosts, args.events or events
    for line in machine_lines("bench.pod_indexing", argv):
        print(line, flush=True)
    rows: list[Row] = []
    try:
        if "processes" in chosen:
            with _place(args.directory) as folder:
                rows += beside_one_process(folder, hosts, events)
        if "dask" in chosen:
            with _place(args.directory) as folder:
                rows.append(dask_overhead(folder, hosts))
        if "viewers" in chosen:
            with _place(args.directory) as folder:
                of_a_host = max(2000, events // 10)
                rows.append(served(folder, hosts, of_a_host, args.viewers or viewers, args.seconds or seconds))
    except subprocess.CalledProcessError as error:
        print(f"{error}\n{error.output}", file=sys.stderr)
        return 1
    print("\n" + "\n".join(table_lines(rows)))
    return 0


if __name__ == "__main__":  # worker processes import this module, too
    sys.exit(main())
