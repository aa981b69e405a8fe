"""Measures indexing: speed, memory and store size for a synthetic trace.

python -m bench.indexing                       10 million events, XSpace
python -m bench.indexing --format chrome       the same as trace-event JSON
python -m bench.indexing --realistic           with 40,000 names and long expressions, or as PyTorch writes JSON
python -m bench.indexing --quick               a small trace, for a look and for the test that keeps this alive
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.machine import machine_lines
from bench.measure import Measurement, measure
from bench.traces import TRACKS, Trace, TraceSpec
from tilescope.cli.text import seconds_text
from tilescope.tiler.size_text import size_text
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import FORMATS

EVENTS = 10_000_000
QUICK_EVENTS = 100_000


@dataclass(frozen=True, slots=True)
class Indexed:
    """One trace, indexed by `tilescope index` in a process of its own."""

    trace: Trace
    indexing: Measurement
    store_bytes: int
    verifying: Measurement | None

    @property
    def events_per_second(self) -> float:
        """Wall time, from the start of the command to the published store."""
        return self.trace.events / self.indexing.seconds

    @property
    def bytes_per_second(self) -> float:
        """Uncompressed bytes of the trace."""
        return self.trace.uncompressed_bytes / self.indexing.seconds

    @property
    def cpu_seconds_per_event(self) -> float:
        return self.indexing.cpu_seconds / max(1, self.trace.events)

    @property
    def store_ratio(self) -> float:
        """Store to uncompressed trace."""
        return self.store_bytes / self.trace.uncompressed_bytes


def index_trace(trace: Trace, *, verify: bool) -> Indexed:
    """Indexes, verifies when asked to, and removes the store."""
    path = trace.path.with_name("bench.store")
    tilescope = [sys.executable, "-m", "tilescope"]
    indexing = measure([*tilescope, "index", trace.path, "-o", path])
    verifying = measure([*tilescope, "verify", path]) if verify else None
    store = open_run_store(path)
    try:
        store_bytes = int(store.manifest()["store_bytes"])
    finally:
        store.close()
    shutil.rmtree(path)
    return Indexed(trace, indexing, store_bytes, verifying)


def report(result: Indexed) -> list[str]:
    """The result, one fact per line."""
    trace, indexing = result.trace, result.indexing
    lines = [
        f"input     {trace.facts()}",
        f"indexing  {seconds_text(indexing.seconds)} wall, {seconds_text(indexing.cpu_seconds)} CPU: "
        f"{result.events_per_second / 1e6:.2f} M events/s, {result.bytes_per_second / 1e6:.0f} MB/s (uncompressed)",
        f"memory    {size_text(indexing.peak_rss_bytes)} resident at the peak, "
        f"{size_text(indexing.peak_private_bytes)} of it not mapped files",
        f"store     {size_text(result.store_bytes)}, {result.store_ratio:.2f} of the "
        f"uncompressed input, {result.store_bytes / max(1, trace.events):.1f} bytes per event",
    ]
    if result.verifying is not None:
        verifying = result.verifying
        speed_text = f"{trace.events / verifying.seconds / 1e6:.2f} M events/s"
        lines.append(
            f"verify    {seconds_text(verifying.seconds)} wall, {seconds_text(verifying.cpu_seconds)} CPU: "
            f"{speed_text}, {size_text(verifying.peak_rss_bytes)} resident at the peak"
        )
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the benchmark and prints what it found."""
    args = _parse(argv)
    for line in machine_lines("bench.indexing", argv):
        print(line)
    spec = TraceSpec(args.format, args.events, args.tracks, args.gzip, args.realistic)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-", dir=args.directory) as folder:
        result = index_trace(spec.write(Path(folder)), verify=args.verify)
    for line in report(result):
        print(line)
    return 0


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.indexing", description="Measures indexing.")
    parser.add_argument("--format", choices=FORMATS, default="xspace")
    parser.add_argument("--gzip", action="store_true", help="compress the trace")
    parser.add_argument("--realistic", action="store_true", help="as large programs are recorded")
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
