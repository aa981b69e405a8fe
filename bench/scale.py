"""Measures indexing at scale: the whole table of what must be reached, in one run, with xprof beside us.

python -m bench.scale --xprof PYTHON       everything; about 20 minutes and 10 GB of disk
python -m bench.scale --rows xspace,json   10 million events as XSpace and as JSON
python -m bench.scale --rows big --verify  100 million events (3.5 GB), and proofs of that store and the usual one
python -m bench.scale --quick              small, for the test that keeps this alive

PYTHON is an interpreter that has xprof (`make bench` makes one). Traces are written one at a time, just before they are
read, so that they are in the page cache, and removed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.indexing import Indexed, index_trace, report
from bench.machine import load_average, machine_lines
from bench.table import Row, Target, measured_row, skipped_row, table_lines
from bench.traces import TraceSpec
from bench.xprof_peer import convert, why_not
from tilescope.cli.text import seconds_text
from tilescope.tiler.size_text import size_text

ROWS = ("xspace", "xprof", "json", "gzip", "big", "track")
BIG_TRACKS = 400
XPROF_FOLDER = "plugins/profile/run"  # where xprof looks for traces below a log directory


SPEED = Target(2e6, 5e6, lambda value: f"{value / 1e6:.2f} M events/s")
AGAINST_XPROF = Target(20, 50, lambda value: f"{value:.0f}×")
JSON_SPEED = Target(200e6, 400e6, lambda value: f"{value / 1e6:.0f} MB/s")
GZIP_SPEED = Target(150e6, 300e6, lambda value: f"{value / 1e6:.0f} MB/s")
MEMORY = Target(2e9, 1e9, lambda value: size_text(round(value)), at_most=True)
STORE_RATIO = Target(0.7, 0.45, lambda value: f"{value:.2f}", at_most=True)
VERIFY = Target(12, None, seconds_text, at_most=True)  # of the usual number of events
VERIFY_BIG = Target(150, None, seconds_text, at_most=True)
VERIFY_MEMORY = Target(1e9, None, lambda value: size_text(round(value)), at_most=True)
COST = Target(1.3, 1.1, lambda value: f"{value:.2f}×", at_most=True)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Events of each trace, and tracks of one that has many."""

    usual: int
    big: int
    track: int
    many_tracks: int


FULL = Sizes(10_000_000, 100_000_000, 50_000_000, 4096)
QUICK = Sizes(20_000, 100_000, 50_000, 200)


class Scale:
    """One run. Each method measures one trace, prints what that took, and gives its lines of the table."""

    def __init__(self, folder: Path, args: argparse.Namespace) -> None:
        self._folder = folder
        self._rows: frozenset[str] = args.rows
        self._sizes = QUICK if args.quick else FULL
        self._verify: bool = args.verify
        self._xprof: Path | None = args.xprof

    def run(self) -> Iterator[Row]:
        """All rows that were asked for; with the big trace and xprof the usual XSpace, which they are held against."""
        if self._rows & {"xspace", "xprof", "big"}:
            yield from self._xspace()
        if "json" in self._rows:
            yield from self._json(gzip=False)
        if "gzip" in self._rows:
            yield from self._json(gzip=True)
        if "big" in self._rows:
            yield from self._big()
        if "track" in self._rows:
            yield from self._track()

    def _xspace(self) -> Iterator[Row]:
        work = f"XSpace, {_millions(self._sizes.usual)}"
        trace = TraceSpec("xspace", self._sizes.usual).write(self._folder / XPROF_FOLDER)
        self._usual = indexed = _announced("xspace", index_trace(trace, verify=self._verify))
        yield measured_row(f"{work}, index to published store", SPEED, indexed.events_per_second, _wall(indexed))
        yield _memory_row(work, indexed)
        yield measured_row(f"{work}, store / input", STORE_RATIO, indexed.store_ratio, size_text(indexed.store_bytes))
        yield from _verify_rows(work, indexed, VERIFY)
        if "xprof" in self._rows:
            yield self._against_xprof(f"{work}, wall time of xprof / ours", indexed)
        trace.remove()

    def _against_xprof(self, work: str, ours: Indexed) -> Row:
        reason = why_not(self._xprof)
        if self._xprof is None or reason is not None:
            print(f"xprof     skipped: {reason}", flush=True)
            return skipped_row(work, str(reason))
        peer = convert(self._xprof, ours.trace.path)
        print(f"xprof     {peer.facts()}", flush=True)
        detail = f"xprof: {seconds_text(peer.seconds)}, {size_text(peer.peak_rss_bytes)}"
        return measured_row(work, AGAINST_XPROF, peer.seconds / ours.indexing.seconds, detail)

    def _json(self, *, gzip: bool) -> Iterator[Row]:
        work = f"trace-event JSON{', gzip' if gzip else ''}, {_millions(self._sizes.usual)}"
        trace = TraceSpec("chrome", self._sizes.usual, gzip=gzip).write(self._folder)
        indexed = _announced("gzip" if gzip else "json", index_trace(trace, verify=False))
        trace.remove()
        target = GZIP_SPEED if gzip else JSON_SPEED
        yield measured_row(f"{work}, uncompressed bytes", target, indexed.bytes_per_second, _wall(indexed))
        yield _memory_row(work, indexed)

    def _big(self) -> Iterator[Row]:
        work = f"XSpace, {_millions(self._sizes.big)}"
        trace = TraceSpec("xspace", self._sizes.big, BIG_TRACKS).write(self._folder)
        indexed = _announced("big", index_trace(trace, verify=self._verify))
        trace.remove()
        ratio = indexed.cpu_seconds_per_event / self._usual.cpu_seconds_per_event
        detail = (
            f"{indexed.cpu_seconds_per_event * 1e6:.2f} µs against {self._usual.cpu_seconds_per_event * 1e6:.2f} µs"
        )
        yield measured_row(f"{work}, CPU per event against {_millions(self._sizes.usual)}", COST, ratio, detail)
        yield _memory_row(work, indexed)
        yield from _verify_rows(work, indexed, VERIFY_BIG)

    def _track(self) -> Iterator[Row]:
        trace = TraceSpec("xspace", self._sizes.track, 1).write(self._folder)
        indexed = _announced("track", index_trace(trace, verify=False))
        trace.remove()
        yield _memory_row(f"XSpace, one track of {_millions(self._sizes.track)}", indexed)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the benchmark and prints what it found. Missed targets are marked; a failure is what fails."""
    args = _parse(argv)
    for line in machine_lines("bench.scale", argv):
        print(line, flush=True)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-", dir=args.directory) as folder:
        try:
            rows = list(Scale(Path(folder), args).run())
        except subprocess.CalledProcessError as error:
            print(f"{error}\n{error.output}", file=sys.stderr)
            return 1
    print()
    if args.quick:
        print("quick: what starts a process and ends it is most of these numbers\n")
    for line in table_lines(rows):
        print(line)
    return 0


def _announced(name: str, indexed: Indexed) -> Indexed:
    print(f"\n{name:<10}load {load_average():.1f} at the end, this work included")
    for line in report(indexed):
        print(line, flush=True)
    return indexed


def _memory_row(work: str, indexed: Indexed) -> Row:
    detail = f"{size_text(indexed.indexing.peak_private_bytes)} without mapped files, {_wall(indexed)}"
    return measured_row(f"{work}, peak memory", MEMORY, indexed.indexing.peak_rss_bytes, detail)


def _verify_rows(work: str, indexed: Indexed, target: Target) -> Iterator[Row]:
    """A store that is not clean has ended the benchmark."""
    if indexed.verifying is not None:
        verifying = indexed.verifying
        detail = f"clean, {seconds_text(verifying.cpu_seconds)} CPU"
        yield measured_row(f"{work}, verify", target, verifying.seconds, detail)
        detail = f"{size_text(verifying.peak_private_bytes)} without mapped files"
        yield measured_row(f"{work}, verify, peak memory", VERIFY_MEMORY, verifying.peak_rss_bytes, detail)


def _wall(indexed: Indexed) -> str:
    return f"{seconds_text(indexed.indexing.seconds)} wall"


def _millions(events: int) -> str:
    return f"{events / 1e6:g} M events"


def _row_names(text: str) -> frozenset[str]:
    names = frozenset(text.split(","))
    if not names <= set(ROWS):
        raise argparse.ArgumentTypeError(f"rows are {', '.join(ROWS)}")
    return names


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description="Measures indexing at scale.")
    parser.add_argument(
        "--rows", type=_row_names, default=frozenset(ROWS), help=f"some of {','.join(ROWS)}; default: all"
    )
    parser.add_argument("--xprof", type=Path, metavar="PYTHON", help="an interpreter that has xprof")
    parser.add_argument("--verify", action="store_true", help="verify the stores of the rows `xspace` and `big`, too")
    parser.add_argument("--quick", action="store_true", help="small traces; the numbers mean little")
    parser.add_argument("--directory", type=Path, help="where traces and stores are put for a while")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
