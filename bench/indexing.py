"""Measures indexing: speed, memory and store size for a synthetic trace.

python -m bench.indexing                       10 million events, XSpace
python -m bench.indexing --format chrome       the same as trace-event JSON
python -m bench.indexing --quick               a small trace, for a look and for the test that keeps this alive
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.machine import machine_lines
from bench.measure import Measurement, measure
from tilescope.cli.text import count_text, seconds_text, size_text
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import FORMATS, SynthResult, write_synthetic_trace

EVENTS = 10_000_000
QUICK_EVENTS = 100_000
TRACKS = 120
SEED = 7
SUFFIXES = {"xspace": ".xplane.pb", "chrome": ".trace.json"}

# What this project promises for 10 million events of an XSpace.
FLOOR_EVENTS_PER_SECOND = 1_000_000
FLOOR_PEAK_BYTES = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Result:
    """One trace, indexed."""

    trace: SynthResult
    uncompressed_bytes: int
    indexing: Measurement
    store_bytes: int
    verifying: Measurement | None

    @property
    def events_per_second(self) -> float:
        """Wall time, from the start of the command to the published store."""
        return self.trace.events / self.indexing.seconds


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the benchmark and prints what it found."""
    args = _parse(argv)
    options = " ".join(sys.argv[1:] if argv is None else argv)
    print(f"command   python -m bench.indexing {options}".rstrip())
    for line in machine_lines():
        print(line)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-", dir=args.directory) as folder:
        result = run(Path(folder), args)
    for line in report(result, args):
        print(line)
    return 0


def run(folder: Path, args: argparse.Namespace) -> Result:
    """Generates, indexes and, when asked to, verifies."""
    suffix = SUFFIXES[args.format] + (".gz" if args.gzip else "")
    uncompressed_bytes = 0

    def count(events: int, size_bytes: int) -> None:
        nonlocal uncompressed_bytes
        uncompressed_bytes = size_bytes

    path = folder / f"bench{suffix}"
    trace = write_synthetic_trace(
        path, format=args.format, events=args.events, tracks=args.tracks, seed=SEED, progress=count
    )
    tilescope = [sys.executable, "-m", "tilescope"]
    indexing = measure([*tilescope, "index", path, "-o", folder / "store"])
    verifying = measure([*tilescope, "verify", folder / "store"]) if args.verify else None
    store = open_run_store(folder / "store")
    try:
        store_bytes = int(store.manifest()["store_bytes"])
    finally:
        store.close()
    return Result(trace, uncompressed_bytes, indexing, store_bytes, verifying)


def report(result: Result, args: argparse.Namespace) -> list[str]:
    """The result, one fact per line."""
    trace, indexing = result.trace, result.indexing
    speed = result.events_per_second
    lines = [
        f"input     {args.format}{', gzip' if args.gzip else ''}, {count_text(trace.events)} events "
        f"on {args.tracks} tracks, seed {SEED}, {size_text(trace.size_bytes)}",
        f"indexing  {seconds_text(indexing.seconds)} wall, {seconds_text(indexing.cpu_seconds)} CPU: "
        f"{speed / 1e6:.2f} M events/s, {result.uncompressed_bytes / indexing.seconds / 1e6:.0f} MB/s (uncompressed)",
        f"memory    {size_text(indexing.peak_rss_bytes)} resident at the peak, "
        f"{size_text(indexing.peak_private_bytes)} of it not mapped files",
        f"store     {size_text(result.store_bytes)}, {result.store_bytes / result.uncompressed_bytes:.2f} of the "
        f"uncompressed input, {result.store_bytes / max(1, trace.events):.1f} bytes per event",
    ]
    if result.verifying is not None:
        verifying = result.verifying
        speed_text = f"{trace.events / verifying.seconds / 1e6:.2f} M events/s"
        lines.append(
            f"verify    {seconds_text(verifying.seconds)} wall: {speed_text}, "
            f"{size_text(verifying.peak_rss_bytes)} resident at the peak"
        )
    if args.format == "xspace" and args.events >= EVENTS:
        lines.append(
            f"floor     {speed / FLOOR_EVENTS_PER_SECOND:.1f} × the {FLOOR_EVENTS_PER_SECOND / 1e6:.0f} M events/s, "
            f"{indexing.peak_rss_bytes / FLOOR_PEAK_BYTES:.2f} × the {size_text(FLOOR_PEAK_BYTES)} that are allowed"
        )
    return lines


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.indexing", description="Measures indexing.")
    parser.add_argument("--format", choices=FORMATS, default="xspace")
    parser.add_argument("--gzip", action="store_true", help="compress the trace")
    parser.add_argument("--events", type=int, help=f"default: {EVENTS:,}, or {QUICK_EVENTS:,} with --quick")
    parser.add_argument("--tracks", type=int, default=TRACKS)
    parser.add_argument("--quick", action="store_true", help="a small trace; its numbers mean little")
    parser.add_argument("--verify", action="store_true", help="verify the store, too")
    parser.add_argument("--directory", type=Path, help="where the trace and the store are put for a while")
    args = parser.parse_args(argv)
    if args.events is None:
        args.events = QUICK_EVENTS if args.quick else EVENTS
    return args


if __name__ == "__main__":
    sys.exit(main())
