"""Measures questions about a whole trace: search, statistics, flows, gaps, overlap. One process, no kept answers.

python -m bench.answers                      10 million events on 120 tracks
python -m bench.answers --store big.store    a store that is there
python -m bench.answers --rows search        some of the rows
python -m bench.answers --rows big           100 million events on 400 tracks: statistics and totals
python -m bench.answers --rows kernels       10 million kernels of GPUs
python -m bench.answers --rows lanes         10 million launches and kernels of a GPU: derived lanes
python -m bench.answers --rows nested        1.4 million slices, each in a chain of names of its own: call trees
python -m bench.answers --rows stacks        10 million events with call stacks: words in these
python -m bench.answers --rows pod           10 million operations of 40,000 instructions: tools about devices
python -m bench.answers --rows ascend        a training of eight ranks on Ascend, ten million events
python -m bench.answers --rows pytorch       a training with PyTorch of eight ranks, ten million events
python -m bench.answers --rows programs      a module of 50,000 instructions: its graph, and the memory it needs
python -m bench.answers --quick              a small trace, for the test that keeps this alive
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench import (
    argument_answers,
    ascend_answers,
    big_answers,
    device_answers,
    kernel_answers,
    lane_answers,
    memory_answers,
    nested_answers,
    pod_answers,
    program_answers,
    pytorch_answers,
    search_answers,
    stack_answers,
    stats_answers,
    stopping_answers,
)
from bench.answer_work import Subject, Work
from bench.ascend_run import AscendShape, Training, write_ascend
from bench.gpu_run import GpuShape, write_gpus
from bench.kineto_run import KinetoShape, write_job
from bench.launch_run import LaunchShape
from bench.machine import machine_lines
from bench.nested_run import NestedShape
from bench.pod_run import PodShape, write_pod
from bench.stack_run import StackShape
from bench.table import table_lines
from bench.traces import TraceSpec
from tilescope.tiler.count_text import count_text
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers import find_run
from tilescope.tiler.store import open_run_store

# A module for each kind of question: what it measures is in its ROWS.
ROWS: Mapping[str, Sequence[Work]] = {
    "search": search_answers.ROWS,
    "stats": stats_answers.ROWS,
    "arguments": argument_answers.ROWS,
    "devices": device_answers.ROWS,
    "memory": memory_answers.ROWS,
    "stopping": stopping_answers.ROWS,
    "big": big_answers.ROWS,
    "pod": pod_answers.ROWS,
    "programs": program_answers.ROWS,
    "kernels": kernel_answers.ROWS,
    "lanes": lane_answers.ROWS,
    "nested": nested_answers.ROWS,
    "stacks": stack_answers.ROWS,
    "ascend": ascend_answers.ROWS,
    "pytorch": pytorch_answers.ROWS,
}
_RunShape = PodShape | GpuShape | LaunchShape | NestedShape | StackShape | AscendShape | KinetoShape

# Rows that have runs of their own: in full, and quickly.
_OWN_RUNS: Mapping[str, tuple[_RunShape, _RunShape]] = {
    "pod": (pod_answers.SHAPE, pod_answers.QUICK_SHAPE),
    "programs": (program_answers.SHAPE, program_answers.QUICK_SHAPE),
    "kernels": (kernel_answers.SHAPE, kernel_answers.QUICK_SHAPE),
    "lanes": (lane_answers.SHAPE, lane_answers.QUICK_SHAPE),
    "nested": (nested_answers.SHAPE, nested_answers.QUICK_SHAPE),
    "stacks": (stack_answers.SHAPE, stack_answers.QUICK_SHAPE),
    "ascend": (ascend_answers.SHAPE, ascend_answers.QUICK_SHAPE),
    "pytorch": (pytorch_answers.SHAPE, pytorch_answers.QUICK_SHAPE),
}
USUAL: Sequence[str] = [name for name in ROWS if name != "big" and name not in _OWN_RUNS]


def main(argv: Sequence[str] | None = None) -> int:
    """Prints where it ran, and the table."""
    args = _parse(argv)
    for line in machine_lines("bench.answers", argv):
        print(line)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-", dir=args.directory) as folder:
        if args.store is None and len(args.rows) == 1 and args.rows[0] in _OWN_RUNS:
            path = _make_run(Path(folder), _OWN_RUNS[args.rows[0]][args.quick])
        else:
            path = args.store or _make_store(Path(folder), *_size(args))
        store = open_run_store(path)
        try:
            subject = Subject(path, store)
            events = int(store.manifest()["events"]["total"])
            print(f"input     {path.name}: {count_text(events)} events on {len(subject.reader.tree.tracks)} tracks\n")
            works = [work for name in args.rows for work in ROWS[name]]
            rows = [work.measured(subject, quick=args.quick) for work in works]
        finally:
            store.close()
    print("\n".join(table_lines(rows)))
    return 0


def _size(args: argparse.Namespace) -> tuple[int, int]:
    """Events and tracks of the trace that is made."""
    events, tracks = (big_answers.EVENTS, big_answers.TRACKS) if "big" in args.rows else (10_000_000, 120)
    return 50_000 if args.quick else args.events or events, args.tracks or tracks


def _make_store(folder: Path, events: int, tracks: int) -> Path:
    trace = TraceSpec("xspace", events, tracks).write(folder)
    print(f"trace     {trace.facts()}")
    path = folder / "answers.store"
    build_store([trace.path], path)
    trace.remove()
    return path


def _make_run(folder: Path, shape: _RunShape) -> Path:
    if isinstance(shape, PodShape):
        files = write_pod(folder / "pod", shape).files
    elif isinstance(shape, LaunchShape | NestedShape | StackShape):
        files = [shape.write(folder / "trace")]
    elif isinstance(shape, AscendShape):
        write_ascend(folder / "ascend", Training(shape), "pt")
        files = list(find_run(folder / "ascend").files)
    elif isinstance(shape, KinetoShape):
        write_job(folder / "pytorch", shape)
        files = sorted((folder / "pytorch").iterdir())
    else:
        files = [write_gpus(folder / "gpus", shape)]
    path = folder / "run.store"
    build_store(files, path)
    for file in files:
        file.unlink()
    return path


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.answers", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", type=Path, help="a store that is there, instead of a synthetic trace")
    parser.add_argument("--events", type=int, help="default: 10,000,000; of the row `big` 100,000,000")
    parser.add_argument("--tracks", type=int, help="default: 120; of the row `big` 400")
    parser.add_argument(
        "--rows", type=_names, default=list(USUAL), help=f"of {', '.join(ROWS)}; default: {', '.join(USUAL)}"
    )
    parser.add_argument("--quick", action="store_true", help="small; its numbers mean little")
    parser.add_argument("--directory", type=Path, help="where the store is put for a while")
    return parser.parse_args(argv)


def _names(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        raise argparse.ArgumentTypeError(f"there are no rows {unknown[0]!r}: there are {', '.join(ROWS)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
