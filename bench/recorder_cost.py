"""Measures what one kind of records costs while a run is indexed: indexed with it and without, by turns.

python -m bench.recorder_cost                             texts that events have themselves, 10 million events, 5 pairs
python -m bench.recorder_cost --realistic                 of a trace as large programs leave them
python -m bench.recorder_cost --recorder OutlierRecorder  another kind
python -m bench.recorder_cost --quick                     small, for the test that keeps this alive
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from unittest.mock import patch

from bench.machine import machine_lines
from bench.measure import measure
from bench.table import Row, Target, measured_row, table_lines
from bench.traces import Trace, TraceSpec
from tilescope.tiler.indexing import build_store, recorders
from tilescope.tiler.store import open_run_store


def _times(ratio: float) -> str:
    return f"{ratio:.3f}×"


COST = Target(1.05, None, _times, at_most=True)


def index_without(recorder: str, trace: Path, path: Path) -> None:
    """Indexes a trace without the records of one recorder; with all where it is `none`."""
    kept = tuple(kind for kind in recorders.RECORDERS if kind.__name__ != recorder)
    with patch.object(recorders, "RECORDERS", kept):
        build_store([trace], path)


def costs(trace: Trace, recorder: str, pairs: int) -> Iterator[tuple[float, float, float]]:
    """With it over without it, pair by pair: processor time, wall time, bytes of the store; each is first by turns."""
    for pair in range(pairs):
        measured = {}
        for left_out in ("none", recorder) if pair % 2 == 0 else (recorder, "none"):
            path = trace.path.with_name("cost.store")
            command: list[str | Path] = [
                sys.executable,
                "-m",
                "bench.recorder_cost",
                "--index",
                trace.path,
                path,
                "--recorder",
                left_out,
            ]
            taken = measure(command)
            store = open_run_store(path)
            measured[left_out] = (taken.cpu_seconds, taken.seconds, float(store.manifest()["store_bytes"]))
            store.close()
            shutil.rmtree(path)
        cpu, wall, size = (a / b for a, b in zip(measured["none"], measured[recorder], strict=True))
        yield cpu, wall, size


def rows(trace: Trace, recorder: str, pairs: int) -> list[Row]:
    """Medians of all pairs against the limit, with the least and the most."""
    names = ("processor time", "wall time", "size of the store")
    columns = zip(*costs(trace, recorder, pairs), strict=True)
    return [
        measured_row(
            f"{name} with {recorder}, without it 1×",
            COST,
            median(ratios),
            f"{_times(min(ratios))} to {_times(max(ratios))}, {pairs} pairs",
        )
        for name, ratios in zip(names, columns, strict=True)
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the machine, the input and the table."""
    args = _parse(argv)
    if args.index is not None:
        index_without(args.recorder, *args.index)
        return 0
    print("\n".join(machine_lines("bench.recorder_cost", argv)), flush=True)
    spec = TraceSpec("xspace", args.events, realistic=args.realistic)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-", dir=args.directory) as folder:
        trace = spec.write(Path(folder))
        print(f"input     {trace.facts()}\n", flush=True)
        print("\n".join(table_lines(rows(trace, args.recorder, args.pairs))))
    return 0


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.recorder_cost", description=(__doc__ or "").splitlines()[0])
    names = ["none", *(recorder.__name__ for recorder in recorders.RECORDERS)]
    parser.add_argument("--recorder", choices=names, default="OwnTextRecorder", help="default: OwnTextRecorder")
    parser.add_argument("--events", type=int, help="default: 10,000,000, or 50,000 with --quick")
    parser.add_argument("--realistic", action="store_true", help="as large programs are recorded")
    parser.add_argument("--pairs", type=int, help="default: 5, or 1 with --quick")
    parser.add_argument("--quick", action="store_true", help="small; its numbers mean little")
    parser.add_argument("--directory", type=Path, help="where the trace and the stores are put for a while")
    parser.add_argument(
        "--index", nargs=2, type=Path, metavar=("TRACE", "STORE"), help="only indexes, without the recorder"
    )
    args = parser.parse_args(argv)
    args.events = args.events or (50_000 if args.quick else 10_000_000)
    args.pairs = args.pairs or (1 if args.quick else 5)
    return args


if __name__ == "__main__":
    raise SystemExit(main())
