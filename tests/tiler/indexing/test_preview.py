"""What can be seen of a run while it is indexed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilescope.tiler.indexing import BuildProgress, build_store
from tilescope.tiler.indexing import build as build_module
from tilescope.tiler.indexing.reading import read as read_module
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.overview import OVERVIEW, OverviewEntries
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.store.store import need
from tilescope.tiler.synth import write_synthetic_trace


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_module, "_SNAPSHOT_SECONDS", 0.0)
    monkeypatch.setattr(build_module, "_PREVIEW_EVENTS", 0)


def overview_of(store: RunStore) -> OverviewEntries:
    overview = store.manifest()["overview"]
    pages = []
    for number in range(overview["pages"]):
        page = store.get(OVERVIEW, number)
        assert page is not None
        pages.append(OverviewEntries.decode(decompress(page), overview["level"], number))
    assert store.get(OVERVIEW, overview["pages"]) is None
    return OverviewEntries.join(pages)


Seen = tuple[BuildProgress, dict[str, Any], OverviewEntries, list[str]]


def watched(files: list[Path], store: Path) -> list[Seen]:
    """What a reader sees at each revision: progress, manifest, overview and the names of the tracks."""
    seen: list[Seen] = []

    def look(progress: BuildProgress) -> None:
        if progress.revision and (not seen or seen[-1][0].revision < progress.revision):
            # Of a copy: one process cannot have an environment open twice.
            copy = store.parent / f"seen-{progress.revision}"
            shutil.copytree(store / f"gen-{progress.build}.part", copy / "gen-copy")
            (copy / "CURRENT").write_text("gen-copy\n")
            now = open_run_store(copy)
            tracks = json.loads(decompress(need(now, TRACKS)))["tracks"]
            seen.append((progress, now.manifest(), overview_of(now), [track["name"] for track in tracks]))
            now.close()

    build_store(files, store, progress=look)
    return seen


def test_a_trace_that_is_read_track_by_track_shows_itself_once(tmp_path: Path) -> None:
    trace = write_synthetic_trace(tmp_path / "a.xplane.pb", format="xspace", events=60_000, tracks=30, seed=1)
    ((progress, manifest, rough, names),) = watched([trace.path], tmp_path / "store")
    assert (manifest["state"], manifest["revision"], progress.phase) == ("indexing", 1, "read")
    store = open_run_store(tmp_path / "store")
    final = store.manifest()
    assert (final["state"], final["revision"]) == ("ready", 0)
    same = ("build", "origin_ns", "end", "tick_ps", "tracks", "blocks", "names", "overview", "events")
    assert [manifest[key] for key in same] == [final[key] for key in same]
    assert names == [track["name"] for track in json.loads(decompress(need(store, TRACKS)))["tracks"]]
    exact = overview_of(store)
    store.close()
    # Rough, but in the right places: where something is shown there is something, within two bins.
    assert (rough.name == -1).all()
    for track in np.unique(exact.track):
        at, rough_at = exact.bin[exact.track == track], rough.bin[rough.track == track]
        assert all(np.abs(at - bin).min() <= 2 for bin in rough_at)
        assert all(np.abs(rough_at - bin).min() <= 2 for bin in at)


def test_a_trace_that_is_read_from_end_to_end_grows(tmp_path: Path) -> None:
    trace = write_synthetic_trace(tmp_path / "a.json", format="chrome", events=400_000, tracks=20, seed=1)
    seen = watched([trace.path], tmp_path / "store")
    assert len(seen) > 1
    assert [manifest["revision"] for _, manifest, _, _ in seen] == list(range(1, len(seen) + 1))
    ends = [int(str(manifest["end"])) for _, manifest, _, _ in seen]
    assert ends == sorted(ends)
    counts = [int(manifest["events"]["total"]) for _, manifest, _, _ in seen]
    assert counts == sorted(counts)
    assert counts[0] > 0
    store = open_run_store(tmp_path / "store")
    final = overview_of(store)
    assert set(seen[-1][2].track.tolist()) == set(final.track.tolist())
    store.close()


def test_several_files_are_shown_as_far_as_they_are_read(tmp_path: Path) -> None:
    large = write_synthetic_trace(tmp_path / "a.json", format="chrome", events=300_000, tracks=20, seed=1).path
    small = tmp_path / "b.json"
    small.write_text('[{"ph": "X", "name": "n", "pid": 99, "tid": 1, "ts": 5, "dur": 1}]')
    seen = watched([small, large], tmp_path / "store")
    assert seen[-1][1]["files"] == ["b.json", "a.json"]
