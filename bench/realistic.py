"""Measures indexing of realistic traces against what it must reach, several times each, with medians.

python -m bench.realistic --xprof PYTHON     everything; about half an hour and 12 GB of disk on an idle machine
python -m bench.realistic --rows json,gzip   some rows: xspace, xprof, json, gzip, big, shapes
python -m bench.realistic --cores 1,2,4,8,16  the XSpace on so many cores each, and where the serial part is
python -m bench.realistic --record           keeps the rows in record.json, from which the README has its figures
python -m bench.realistic --quick            small, for the test that keeps this alive

`make bench-realistic` installs xprof and runs all of it. Traces are those of `tilescope synth --realistic`. What the
machine can do is printed first: copying, deflating, and decoding without anything else.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from bench.core_rows import core_rows, parse_cores
from bench.indexing import Indexed, index_trace, report
from bench.machine import load_average, machine_facts, machine_lines
from bench.measure import measure
from bench.record import record_rows, why_not_recorded
from bench.scale import BIG_TRACKS, FULL, QUICK, XPROF_FOLDER
from bench.table import Row, Target, compared_row, measured_row, skipped_row, table_lines
from bench.traces import Trace, TraceSpec
from bench.xprof_peer import convert, why_not
from bench.yardsticks import measure_yardsticks
from tilescope.cli.text import seconds_text
from tilescope.tiler.size_text import size_text

ROWS = ("xspace", "xprof", "json", "gzip", "big", "shapes")
RUNS = 3
YARDSTICK_EVENTS = 1_000_000
QUICK_YARDSTICK_EVENTS = 20_000


def _size(value: float) -> str:
    return size_text(round(value))


def _micros(value: float) -> str:
    return f"{value * 1e6:.2f} µs"


EVENTS = Target(5e6, 8e6, lambda value: f"{value / 1e6:.2f} M events/s")
AGAINST_XPROF = Target(40, 60, lambda value: f"{value:.0f}×")
CPU = Target(0.35e-6, 0.25e-6, _micros, at_most=True)
STORE_RATIO = Target(0.42, 0.36, lambda value: f"{value:.2f}", at_most=True)
FIRST_PICTURE = Target(1.0, 0.5, lambda value: f"{value:.2f} s", at_most=True)
MEMORY = Target(1e9, 0.7e9, _size, at_most=True)
COST = Target(1.1, 1.0, lambda value: f"{value:.2f}×", at_most=True)
JSON = Target(350e6, 500e6, lambda value: f"{value / 1e6:.0f} MB/s")
GZIP = Target(300e6, 400e6, lambda value: f"{value / 1e6:.0f} MB/s")


class Realistic:
    """One run of the benchmark. Each method measures one trace and gives its lines of the table."""

    def __init__(self, folder: Path, args: argparse.Namespace) -> None:
        self._folder = folder
        self._rows: frozenset[str] = args.rows
        self._runs: int = args.runs
        self._sizes = QUICK if args.quick else FULL
        self._xprof: Path | None = args.xprof
        self._usual: list[Indexed] = []

    def run(self) -> Iterator[Row]:
        """All rows that were asked for; with xprof and the big trace the usual XSpace, which they are held against."""
        if self._rows & {"xspace", "xprof", "big"}:
            yield from self._xspace()
        for gzip, target in ((False, JSON), (True, GZIP)):
            if ("gzip" if gzip else "json") in self._rows:
                yield from self._json(gzip, target)
        if "big" in self._rows:
            yield from self._big()
        if "shapes" in self._rows:
            yield from self._shapes()

    def _xspace(self) -> Iterator[Row]:
        events = self._sizes.usual
        work = f"XSpace, {events / 1e6:g} M events"
        trace = TraceSpec("xspace", events, realistic=True).write(self._folder / XPROF_FOLDER)
        runs = self._usual = self._index(trace, "xspace")
        yield _row(work, EVENTS, runs, lambda run: run.events_per_second)
        yield _wall_time(work, runs)
        yield _row(f"{work}, processor time per event", CPU, runs, lambda run: run.cpu_seconds_per_event)
        yield _row(f"{work}, peak memory", MEMORY, runs, lambda run: run.indexing.peak_rss_bytes)
        yield _row(f"{work}, store / input", STORE_RATIO, runs, lambda run: run.store_ratio)
        pictures = [self._first_picture(trace) for _ in range(self._runs)]
        yield _medians(f"{work}, first picture while indexing", FIRST_PICTURE, pictures)
        if "xprof" in self._rows:
            yield self._against_xprof(f"{work}, wall time of xprof / ours", trace, runs)
        trace.remove()

    def _first_picture(self, trace: Trace) -> float:
        store = trace.path.with_name("picture.store")
        done = measure([sys.executable, "-m", "bench.first_picture", trace.path, store, repr(time.time())])
        shutil.rmtree(store, ignore_errors=True)
        return float(done.output.split()[-1])

    def _against_xprof(self, work: str, trace: Trace, ours: Sequence[Indexed]) -> Row:
        reason = why_not(self._xprof)
        if self._xprof is None or reason is not None:
            print(f"xprof     skipped: {reason}", flush=True)
            return skipped_row(work, str(reason))
        peers = [convert(self._xprof, trace.path) for _ in range(self._runs)]
        for peer in peers:
            print(f"xprof     {peer.facts()}", flush=True)
        wall = median(peer.seconds for peer in peers)
        ratio = wall / median(run.indexing.seconds for run in ours)
        return measured_row(work, AGAINST_XPROF, ratio, f"xprof {peers[0].version}: {seconds_text(wall)}")

    def _json(self, gzip: bool, target: Target) -> Iterator[Row]:
        work = f"trace-event JSON{', gzip' if gzip else ''}, {self._sizes.usual / 1e6:g} M events"
        trace = TraceSpec("chrome", self._sizes.usual, gzip=gzip, realistic=True).write(self._folder)
        runs = self._index(trace, "gzip" if gzip else "json")
        trace.remove()
        yield _row(f"{work}, uncompressed bytes", target, runs, lambda run: run.bytes_per_second)
        yield _row(f"{work}, peak memory", MEMORY, runs, lambda run: run.indexing.peak_rss_bytes)

    def _big(self) -> Iterator[Row]:
        events = self._sizes.big
        work = f"XSpace, {events / 1e6:g} M events"
        trace = TraceSpec("xspace", events, BIG_TRACKS, realistic=True).write(self._folder)
        runs = self._index(trace, "big")
        trace.remove()
        usual = median(run.cpu_seconds_per_event for run in self._usual)
        name = f"{work}, CPU per event against {self._sizes.usual / 1e6:g} M"
        yield _row(name, COST, runs, lambda run: run.cpu_seconds_per_event / usual)
        yield _wall_time(work, runs)
        yield _row(f"{work}, peak memory", MEMORY, runs, lambda run: run.indexing.peak_rss_bytes)

    def _shapes(self) -> Iterator[Row]:
        """The memory of traces with one track, and with thousands in hundreds of processes."""
        for kind, format_name in (("xspace", "XSpace"), ("chrome", "trace-event JSON")):
            for tracks in (1, self._sizes.many_tracks):
                trace = TraceSpec(kind, self._sizes.usual, tracks, realistic=True).write(self._folder)
                runs = self._index(trace, "shapes")
                trace.remove()
                shape = "1 track" if tracks == 1 else f"{tracks:,} tracks"
                work = f"{format_name}, {self._sizes.usual / 1e6:g} M events on {shape}, peak memory"
                yield _row(work, MEMORY, runs, lambda run: run.indexing.peak_rss_bytes)

    def _index(self, trace: Trace, name: str) -> list[Indexed]:
        runs = []
        for number in range(self._runs):
            runs.append(index_trace(trace, verify=False))
            which = f"run {number + 1} of {self._runs}"
            print(f"\n{name:<10}{which}, load {load_average():.1f} at the end, this work included")
            for line in report(runs[-1]):
                print(line, flush=True)
        return runs


def _row(work: str, target: Target, runs: Sequence[Indexed], figure: Callable[[Indexed], float]) -> Row:
    return _medians(work, target, [figure(run) for run in runs])


def _wall_time(work: str, runs: Sequence[Indexed]) -> Row:
    seconds = [run.indexing.seconds for run in runs]
    spread = f"median of {len(seconds)}: {seconds_text(min(seconds))} to {seconds_text(max(seconds))}"
    return compared_row(f"{work}, wall time", f"{seconds_text(median(seconds))} ({spread})")


def _medians(work: str, target: Target, figures: Sequence[float]) -> Row:
    spread = f"median of {len(figures)}: {target.text(min(figures))} to {target.text(max(figures))}"
    return measured_row(work, target, median(figures), spread)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the benchmark and prints what it found. Missed targets are marked; a failure is what fails."""
    args = _parse(argv)
    facts = machine_facts("bench.realistic", argv)
    for line in machine_lines("bench.realistic", argv):
        print(line, flush=True)
    reason = why_not_recorded(quick=args.quick) if args.record else None
    if reason is not None:
        print(f"nothing can be recorded: {reason}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-", dir=args.directory) as folder:
        events = QUICK_YARDSTICK_EVENTS if args.quick else YARDSTICK_EVENTS
        print(f"machine   {measure_yardsticks(Path(folder), events).line()}", flush=True)
        try:
            rows = list(Realistic(Path(folder), args).run())
            if args.cores:
                events = (QUICK if args.quick else FULL).usual
                rows += core_rows(Path(folder), args.cores, events, args.runs)
        except subprocess.CalledProcessError as error:
            print(f"{error}\n{error.output}", file=sys.stderr)
            return 1
        print(f"machine   {measure_yardsticks(Path(folder), events).line()} (at the end)")
    print()
    if args.quick:
        print("quick: what starts a process and ends it is most of these numbers\n")
    for line in table_lines(rows):
        print(line)
    if args.record:
        record_rows(facts, rows)
    return 0


def _row_names(text: str) -> frozenset[str]:
    names = frozenset(text.split(","))
    if not names <= set(ROWS):
        raise argparse.ArgumentTypeError(f"rows are {', '.join(ROWS)}")
    return names


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.realistic", description="Measures indexing of large programs."
    )
    parser.add_argument("--rows", type=_row_names, help=f"some of {','.join(ROWS)}; default: all")
    parser.add_argument(
        "--cores",
        type=parse_cores,
        metavar="N,N…",
        help="index on so many cores each; no rows but those named",
    )
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each trace; default: {RUNS}")
    parser.add_argument("--xprof", type=Path, metavar="PYTHON", help="an interpreter that has xprof")
    parser.add_argument(
        "--record", action="store_true", help="keep the rows in bench/record.json; needs an idle machine"
    )
    parser.add_argument("--quick", action="store_true", help="small traces; the numbers mean little")
    parser.add_argument("--directory", type=Path, help="where traces and stores are put for a while")
    args = parser.parse_args(argv)
    if args.rows is None:
        args.rows = frozenset() if args.cores else frozenset(ROWS)
    return args


if __name__ == "__main__":
    sys.exit(main())
