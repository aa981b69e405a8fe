"""Measures how long a list of runs takes: ten thousand files of PyTorch ranks, and a base folder of 500 trainings.

The files are in a folder and in an archive: the first list reads the beginning of each, the next one what changed.
Trainings are of MindSpore on 8 devices, 80,000 files in all, which are told by their names alone.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from bench.ascend_run.base_folder import write_base_folder
from bench.machine import machine_lines
from bench.start import milliseconds
from bench.table import Target, measured_row, table_lines
from tilescope.tiler.readers import discover

_FIRST = Target(3000, None, milliseconds, at_most=True)
_FIRST_TRAININGS = Target(1000, None, milliseconds, at_most=True)  # the first page needs all: the newest are first
_AGAIN = Target(200, None, milliseconds, at_most=True)
_RANKS = 8
_AGAIN_TIMES = 5


def main(argv: Sequence[str] | None = None) -> int:
    """Prints where it ran, and the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.listing", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000, help="default: 10,000")
    parser.add_argument("--trainings", type=int, default=500, help="in the base folder; default: 500")
    args = parser.parse_args(argv)
    for line in machine_lines("bench.listing", argv):
        print(line)
    rows = []
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as name:
        folder, archive = Path(name) / "ranks", Path(name) / "ranks.zip"
        write_ranks(folder, args.files)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
            for path in sorted(folder.iterdir()):
                zipped.write(path, path.name)
        base = Path(name) / "base"
        base_files = write_base_folder(base, args.trainings, _RANKS)
        for place, work, first in (
            (folder, f"list of {args.files:,} files in a folder", _FIRST),
            (archive, f"list of {args.files:,} files in a zip archive", _FIRST),
            (base, f"list of {args.trainings:,} trainings, {base_files:,} files", _FIRST_TRAININGS),
        ):
            runs, first_ms = listed(place)
            rows.append(measured_row(work, first, first_ms, f"{runs:,} runs"))
            again = sorted(listed(place)[1] for _ in range(_AGAIN_TIMES))
            rows.append(measured_row(f"{work}, again", _AGAIN, again[-1], f"the longest of {_AGAIN_TIMES}"))
    print("\n".join(table_lines(rows)))
    return 0


def listed(place: Path) -> tuple[int, float]:
    """The number of runs, and the milliseconds that the list took."""
    begin = time.perf_counter()
    runs = discover(place)
    return len(runs), (time.perf_counter() - begin) * 1000


def write_ranks(folder: Path, files: int) -> None:
    """Cycles of eight ranks, as `tensorboard_trace_handler` names their files."""
    folder.mkdir()
    for number in range(files):
        cycle, rank = divmod(number, _RANKS)
        start_us = 1_000_000 * cycle
        head = {
            "schemaVersion": 1,
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": _RANKS},
            "baseTimeNanoseconds": 1_767_225_600_000_000_000,
            "traceEvents": [
                {"ph": "X", "pid": 1, "tid": 1, "name": f"step {k}", "cat": "cpu_op", "ts": start_us + 10 * k, "dur": 5}
                for k in range(50)
            ],
        }
        path = folder / f"node0_{rank}.{1_767_225_600_000_000_000 + 1000 * start_us + rank}.pt.trace.json"
        path.write_text(json.dumps(head))


if __name__ == "__main__":
    sys.exit(main())
