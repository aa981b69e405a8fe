"""WorkProfile of a real build: a trace that is indexed like any other, and agrees with its summary."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from tests.tpu_trace import random_core, write_trace
from tilescope.tiler import _native
from tilescope.tiler.indexing import build_store
from tilescope.tiler.profile.native_calls import recorded_build
from tilescope.tiler.profile.spans import WorkProfile
from tilescope.tiler.profile.summary import ProfileSummary
from tilescope.tiler.profile.timeline import spans_by_thread, thread_pieces
from tilescope.tiler.profile.trace_file import write_profile
from tilescope.tiler.store.run_store import open_run_store
from tilescope.tiler.verify import verify_store


def recorded(tmp_path: Path) -> WorkProfile:
    trace = tmp_path / "tpu.xplane.pb"
    write_trace(trace, [random_core(random.Random(1), 0)])
    profile = WorkProfile()
    with recorded_build(profile):
        build_store([trace], tmp_path / "store", workers=2)
    return profile


def test_a_profile_is_a_trace(tmp_path: Path) -> None:
    profile = recorded(tmp_path)
    with (tmp_path / "profile.json").open("wb") as file:
        write_profile(profile, file)
    build_store([tmp_path / "profile.json"], tmp_path / "profile.store")
    verify_store(tmp_path / "profile.store")
    store = open_run_store(tmp_path / "profile.store")
    manifest = store.manifest()
    store.close()
    assert int(manifest["events"]["slices"]) == len(profile.spans)
    assert int(manifest["events"]["counter_samples"]) > 0


def test_the_summary_agrees_with_the_spans(tmp_path: Path) -> None:
    profile = recorded(tmp_path)
    summary = ProfileSummary.from_profile(profile)
    names = {span.name for span in profile.spans if span.kind == "stage"}
    assert {"main thread", "reading", "survey", "tracks", "ends of blocks", "writing"} <= names
    assert {stage.name for stage in summary.stages} == names
    pieces = [piece for spans in spans_by_thread(profile).values() for piece in thread_pieces(spans)]
    working_ns = sum(piece.end_ns - piece.begin_ns for piece in pieces if piece.state != "waiting")
    assert 0 < summary.running_ns <= working_ns
    outermost_cpu = Counter[int]()
    for thread, spans in spans_by_thread(profile).items():
        end_ns = 0
        for span in spans:
            if span.kind == "stage" and span.begin_ns >= end_ns:
                outermost_cpu[thread] += span.cpu_ns
                end_ns = span.end_ns
    assert summary.cpu_ns == outermost_cpu.total()
    assert summary.idle_ns <= summary.serial_ns <= summary.wall_ns


def test_native_calls_are_recorded_only_within_the_block(tmp_path: Path) -> None:
    before = _native.slice_tiles, _native.Tiles.join
    profile = recorded(tmp_path)
    assert (_native.slice_tiles, _native.Tiles.join) == before
    kinds = {span.kind for span in profile.spans}
    assert kinds == {"stage", "call", "unlocked", "wait"}
    assert any(span.name == "slice_tiles" for span in profile.spans)
    assert profile.dropped == 0
