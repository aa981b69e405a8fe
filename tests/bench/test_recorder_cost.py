"""The benchmark of one kind of records runs: small, so that it cannot rot."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.recorder_cost import index_without, main
from tilescope.tiler.records.own_texts import OWN_TEXTS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import write_synthetic_trace


@pytest.mark.deep
def test_a_quick_run(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick"]) == 0
    table = [line for line in capfd.readouterr().out.splitlines() if line.startswith("|")]
    assert len(table) == 2 + 3
    assert all("×" in line for line in table[2:])


@pytest.mark.parametrize(("recorder", "has_texts"), [("none", True), ("OwnTextRecorder", False)])
def test_only_the_records_of_that_kind_are_left_out(tmp_path: Path, recorder: str, has_texts: bool) -> None:
    trace = tmp_path / "a.xplane.pb"
    write_synthetic_trace(trace, format="xspace", events=2000, tracks=4, seed=1)
    index_without(recorder, trace, tmp_path / "a.store")
    store = open_run_store(tmp_path / "a.store")
    assert any(True for _ in store.scan(OWN_TEXTS)) is has_texts
    store.close()
