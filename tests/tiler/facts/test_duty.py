"""How long cores are on duty in any windows, held against each tick."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.facts.duty import duty_times
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows, everywhere

CATEGORIES = ("loop fusion", "infeed", "host send", "convolution", "while")
SHAPES = ("apart", "nested", "overlapping")


def core(rng: random.Random, shape: str, size: int) -> tuple[bytes, list[Run]]:
    """A core of two programs that share the name `op.0`; what is off duty runs apart unless it is overlapping."""
    instructions = [
        Instruction(f"op.{k // 2}", {"hlo_category": of, "symbol_id": k + 1}) for k, of in enumerate(CATEGORIES)
    ]
    runs, at = [], 0
    for _ in range(size):
        which, length = rng.randrange(5), rng.randrange(0, 60)
        if shape == "nested" and which == 4:
            length += 20
            runs += [Run(0, at + 3, 5), Run(3, at + 9, rng.randrange(0, 9))]
        runs.append(Run(which, at, length))
        at += rng.randrange(1, 40) if shape == "overlapping" else length + rng.randrange(1, 40)
    return plane("/device:TPU:0", instructions, {"XLA Ops": runs}), runs


def reader_of(folder: Path, seed: int, shape: str, size: int) -> tuple[QueryReader, list[Run]]:
    found, runs = core(random.Random(seed), shape, size)
    build_store([write_trace(folder / "t.xplane.pb", [found])], folder / "store")
    return QueryReader(open_run_store(folder / "store")), runs


def on_duty(runs: list[Run], windows: Windows) -> int:
    """In how many picoseconds of windows any operation runs that is no infeed and no exchange with the host."""
    ticks = {tick for run in runs if run.instruction not in (1, 2) for tick in range(run.start, run.end)}
    spans = list(zip(windows.starts.tolist(), windows.stops.tolist(), strict=True))
    return sum(start <= tick < stop for tick in ticks for start, stop in spans)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_any_windows(tmp_path: Path, shape: str, seed: int) -> None:
    reader, runs = reader_of(tmp_path, seed, shape, 300)
    assert reader.store.manifest()["tick_ps"] == 1
    rng, last = random.Random(seed), max(run.end for run in runs)
    asked = [Windows.single(0, last + 1), Windows.single(0, last // 2), Windows.from_spans([], [])]
    for _ in range(12):
        borders = sorted(rng.sample(range(last), 2 * rng.randrange(1, 4)))
        asked.append(Windows.from_spans(borders[::2], borders[1::2]))
    for windows in asked:
        busy, span = finish(duty_times(reader, tpu_cores(reader), everywhere(windows)))
        assert busy == on_duty(runs, windows)
        assert span == windows.clipped(min(run.start for run in runs), last).ticks
