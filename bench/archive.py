"""Writing of an archive: size beside the store, time and memory.

python -m bench.archive                       10 million events
python -m bench.archive --events 100000000    what the targets are of: 12 GB of disk
python -m bench.archive --store big.store     a store that is there
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.machine import load_average, machine_lines
from bench.measure import measure
from bench.table import Row, Target, measured_row, table_lines
from bench.traces import TraceSpec
from tilescope.cli.text import seconds_text
from tilescope.tiler.indexing import build_store
from tilescope.tiler.size_text import size_text
from tilescope.tiler.store import open_run_store

EVENTS: Final = 10_000_000
_TARGET_EVENTS: Final = 100_000_000  # of which the targets are


def _size(size_bytes: float) -> str:
    return size_text(int(size_bytes))


_SHARE: Final = Target(0.95, 0.9, "{:.3f}×".format, at_most=True)
_SECONDS: Final = Target(40, 15, seconds_text, at_most=True)
_MEMORY: Final = Target(300e6, None, _size, at_most=True)


def _rows(store: Path, archive: Path) -> Iterator[Row]:
    reader = open_run_store(store)
    manifest = reader.manifest()
    reader.close()
    events, store_bytes = int(manifest["events"]["total"]), int(manifest["store_bytes"])
    measured = measure([sys.executable, "-m", "tilescope", "archive", store, "-o", archive])
    size_bytes = archive.stat().st_size
    what = f"archive of {events / 1e6:,.0f} million events"
    detail = f"{size_text(size_bytes)} of {size_text(store_bytes)}"
    yield measured_row(f"{what}: size beside the store", _SHARE, size_bytes / store_bytes, detail)
    scaled = measured.seconds * _TARGET_EVENTS / max(1, events)
    detail = f"CPU {seconds_text(measured.cpu_seconds)}; {seconds_text(scaled)} for 100 million at this rate"
    yield measured_row(f"{what}: time of the command", _SECONDS, measured.seconds, detail)
    yield measured_row(f"{what}: memory without mapped files", _MEMORY, measured.peak_private_bytes)


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the machine and the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.archive", description=__doc__, allow_abbrev=False)
    parser.add_argument("--store", type=Path, help="to archive; default: one of synthetic events")
    parser.add_argument("--events", type=int, default=EVENTS, help="of that store; default: 10 million")
    args = parser.parse_args(argv)
    print("\n".join(machine_lines("bench.archive", argv)), flush=True)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as name:
        store = args.store or Path(name, "bench.store")
        if args.store is None:
            trace = TraceSpec("xspace", args.events).write(Path(name))
            print(f"input     {trace.facts()}")
            build_store([trace.path], store)
            trace.remove()
        rows = list(_rows(store, Path(name, "run.tsarc")))
    print(f"load      {load_average():.1f} at the end\n")
    print("\n".join(table_lines(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
