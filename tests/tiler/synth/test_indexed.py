"""Synthetic traces through the whole pipeline: the store has, track by track, what the generator counted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.store import need
from tilescope.tiler.synth import write_synthetic_trace

pytestmark = pytest.mark.slow

# The one series of the line of this name: its samples have the track that is named after them.
_COUNTER = {"_counters_": "HBM bandwidth utilisation (%)"}

# The plane of hosts, as it is shown.
_PROCESS = {"/host:CPU": "Host threads"}

Row = tuple[str, str, str, int, int]  # process, kind, name, events, busy in ps


def stored(store: Path) -> set[Row]:
    """What the track tree of the store says; rollups left out."""
    run = open_run_store(store)
    try:
        tree, tick_ps = json.loads(decompress(need(run, TRACKS))), run.manifest()["tick_ps"]
    finally:
        run.close()
    processes = {group["id"]: group["name"] for group in tree["groups"]}
    return {
        (processes[t["group"]], t["kind"], t["name"], int(t["events"]), int(t.get("busy", 0)) * tick_ps)
        for t in tree["tracks"]
        if t["kind"] != "rollup"
    }


def rows_of_json(track: dict[str, Any]) -> set[Row]:
    """One thread of a JSON trace becomes up to four tracks."""
    process, busy_ps = track["process"], track["busy_ps"]
    name = re.sub(r"^thread \d+ \((.*)\)$", r"\1", track["name"])  # as PyTorch writes it
    rows = {
        (process, "slice", name, track["slices"], busy_ps),
        (process, "instant", f"{name} · instants", track["instants"], 0),
        (process, "counter", "HBM bandwidth · percent", track["counter_samples"], 0),
        (process, "async", "async", track["async_slices"], busy_ps),
    }
    return {row for row in rows if row[3]}


@pytest.mark.parametrize("tracks", [1, 4, 17])
@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("realistic", [False, True])
def test_xspace(tmp_path: Path, tracks: int, suffix: str, realistic: bool) -> None:
    trace = write_synthetic_trace(
        tmp_path / f"a.pb{suffix}", format="xspace", events=30_000, tracks=tracks, seed=tracks, realistic=realistic
    )
    totals = json.loads(trace.totals_path.read_text())["tracks"]
    build_store([trace.path], tmp_path / "store")
    found = {(process, name): (events, busy) for process, _, name, events, busy in stored(tmp_path / "store")}
    wanted = {
        (_PROCESS.get(t["process"], t["process"]), _COUNTER.get(t["name"], t["name"])): (t["events"], t["busy_ps"])
        for t in totals
    }
    assert found == wanted


@pytest.mark.parametrize("tracks", [1, 4, 17])
@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("realistic", [False, True])
def test_trace_event_json(tmp_path: Path, tracks: int, suffix: str, realistic: bool) -> None:
    trace = write_synthetic_trace(
        tmp_path / f"a.json{suffix}", format="chrome", events=30_000, tracks=tracks, seed=tracks, realistic=realistic
    )
    totals = json.loads(trace.totals_path.read_text())["tracks"]
    build_store([trace.path], tmp_path / "store")
    assert stored(tmp_path / "store") == set().union(*map(rows_of_json, totals))
