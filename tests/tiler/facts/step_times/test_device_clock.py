"""Time in which no operation of a core runs, by the clock of the timeline."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.facts import busy
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.facts.step_times.device_clock import idle_ticks
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store


def test_empty_windows_take_nothing_from_those_that_they_lie_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(busy, "_EVENTS_AT_ONCE", 20)  # many pieces
    runs = [Run(0, 10_000 * k, 4000, (10_000 * k, 4000)) for k in range(3000)]
    core = plane("/device:TPU:0", [Instruction("fusion")], {"XLA Ops": runs})
    build_store([write_trace(tmp_path / "run.xplane.pb", [core])], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        (tpu,) = tpu_cores(reader)
        starts = np.array([0, 5, 5, 20_000, 25_000])
        stops = np.array([20_000, 5, 5, 25_000, 30_000])
        idle = finish(idle_ticks(reader, tpu, starts, stops))
        assert idle.tolist() == [12_000, 0, 0, 3000, 3000]
