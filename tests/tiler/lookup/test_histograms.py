"""Histograms of any span of a track, against plain Python over its events."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import corpus_path
from tests.tiler.histogram_reference import Timed, histogram, on_top, rows_of
from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.lookup.stored_histogram import histogram_of
from tests.tiler.store.reads import refuse_reads
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.tracks import histograms
from tilescope.tiler.lookup.tiles import block_shape, decoded_page
from tilescope.tiler.pages import SliceFlag, decompress
from tilescope.tiler.records.histogram import BUSY_LIMIT, HISTOGRAM, sum_by_name
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store import two_threads
from tilescope.tiler.store.run_store import RunStore, open_run_store
from tilescope.tiler.store.store import need
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow

CORPUS = [
    pytest.param("xplane/tpu_v6e_4core.xplane.pb", marks=pytest.mark.deep),
    "xplane/jax_cpu_pytracer_400steps.xplane.pb",
    "kineto/ns_resolution.pt.trace.json.gz",
    "chrome/fuchsia_trace.json.gz",
    "chrome/async_begin_end.json",
    "chrome/edge/invalid-x-nesting.json",
]
FEW_EVENTS = CORPUS[-2:]


def events_of(store: RunStore, track: int) -> list[Timed]:
    """A track's events in canonical order, from its leaves."""
    shape = block_shape(store, track // 32)
    events = []
    for leaf in shape.leaves(track % 32):
        wanted = (shape.index[leaf], shape.slot[leaf])
        tile = next(t for t in decoded_page(store, shape.page_of(int(leaf))).tiles() if (t.index, t.slot) == wanted)
        starting = (tile.slices.flags & SliceFlag.REACHES_IN) == 0
        columns = (tile.slices.start, tile.slices.duration, tile.slices.name)
        events += [Timed(*row) for row in zip(*(column[starting].tolist() for column in columns), strict=True)]
    return events


def spans(rng: random.Random, events: list[Timed], end: int) -> Iterator[tuple[int, int]]:
    """The whole, less than nothing, the borders of events and tiles, and anything."""
    yield from ((0, end), (0, end + 1), (-5, 1 << 62), (end, end + 1), (7, 7), (9, 3))
    edges = sorted({0, end, *(rng.choice(events)[0] for _ in range(4)), *(rng.choice(events).end for _ in range(4))})
    yield from pairwise(edges)
    for level in range(6, 20, 3):
        width = 4**level
        first = rng.randrange(end + 1) // width * width
        yield first, first + width
        yield first, first + 3 * width + 1
    for _ in range(6):
        first = rng.randrange(end + 1)
        yield first, rng.randrange(first, end + 2)


def check_store(path: Path) -> int:
    """Compares spans of all tracks; returns how many histograms are stored."""
    rng = random.Random(1)
    store = open_run_store(path)
    end = int(store.manifest()["end"])
    for number, track in enumerate(store.internals()["tracks"]):
        if track["kind"] in ("counter", "rollup"):
            continue
        events = events_of(store, number)
        assert len(events) == track["events"]
        if not events:
            continue
        tops = list(on_top(events))
        for start, stop in spans(rng, events, end):
            found = histogram_of(store, number, start, stop)
            assert rows_of(found) == histogram(events, tops, max(start, 0), stop), (number, start, stop)
    stored = sum(key[:1] in (b"H", b"J", b"U") for key, _ in store.records())
    store.close()
    return stored


@pytest.fixture
def path(tmp_path: Path, small_histograms: int) -> Path:
    build_store([write_trace(tmp_path / "trace.json", busy_events(3))], tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def store(path: Path) -> Iterator[RunStore]:
    store = open_run_store(path)
    yield store
    store.close()


@pytest.mark.usefixtures("small_histograms")
@pytest.mark.parametrize("name", CORPUS)
def test_real_traces(name: str, tmp_path: Path) -> None:
    build_store([corpus_path(name)], tmp_path / "store")
    stored = check_store(tmp_path / "store")
    assert verify_store(tmp_path / "store").histograms == stored
    assert stored > 0 or name in FEW_EVENTS


def test_calls_instants_and_long_slices(path: Path) -> None:
    assert check_store(path) > 40


def test_slices_that_overlap_partly(tmp_path: Path, small_histograms: int) -> None:
    rng = random.Random(2)
    times = [(rng.randrange(300_000), 4 ** rng.randrange(4)) for _ in range(10_000)]
    events = [{"ph": "X", "name": f"n{t % 9}", "pid": 1, "tid": 1, "ts": t, "dur": length} for t, length in times]
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    assert check_store(tmp_path / "store") > 3
    assert verify_store(tmp_path / "store").histograms > 3


def test_names_that_are_summed_up_are_told_apart_again(
    tmp_path: Path, small_histograms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (histograms, "tilescope.tiler.verify.histograms"):
        where = f"{module}.HISTOGRAM_ROWS" if isinstance(module, str) else f"{module.__name__}.HISTOGRAM_ROWS"
        monkeypatch.setattr(where, 4)
    build_store([write_trace(tmp_path / "trace.json", busy_events(3))], tmp_path / "store")
    assert check_store(tmp_path / "store") > 40
    assert verify_store(tmp_path / "store").histogram_rows > 40


def test_stored_histograms_spare_the_leaves(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_reads(monkeypatch, store, PAGE)
    found = histogram_of(store, 1, 0, 1 << 62)
    assert found.count.sum() == store.internals()["tracks"][1]["events"]


def test_leaves_are_summed_up_record_by_record(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(two_threads, "_AT_ONCE", 1)
    check_store(path)


def test_a_rollup_is_the_sum_of_its_tracks(store: RunStore) -> None:
    rollup, entry = next((k, t) for k, t in enumerate(store.internals()["tracks"]) if t["kind"] == "rollup")
    children = entry["children"]
    for start, stop in ((0, 1 << 62), (1_000_000, 30_000_001)):
        found = histogram_of(store, rollup, start, stop)
        parts = [histogram_of(store, child, start, stop) for child in children]
        assert rows_of(found) == rows_of(sum_by_name(parts))


@pytest.mark.usefixtures("small_histograms")
def test_sums_beyond_64_bits(tmp_path: Path) -> None:
    length = 1 << 50  # microseconds
    events = [{"ph": "X", "name": f"n{k % 3}", "pid": 1, "tid": 1, "ts": k, "dur": length} for k in range(100)]
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    busy = int(store.internals()["tracks"][0]["busy"])
    assert busy >= BUSY_LIMIT
    store.close()
    assert check_store(tmp_path / "store") == 0
    assert verify_store(tmp_path / "store").histograms == 0


@pytest.mark.parametrize("value", [None, b"\x00" * 40])
def test_records_that_are_missing_or_damaged(path: Path, value: bytes | None) -> None:
    altered = AlteredStore(path)
    found = sorted(altered.records(b"H"), key=lambda key: -HISTOGRAM.numbers_in(key)[1])
    track, level, index = HISTOGRAM.numbers_in(found[0])
    with altered.replaced({found[0]: value}):
        store = open_run_store(path)
        with pytest.raises(DamagedStore, match=f"track {track}, level {level}, tile {index}: its histogram"):
            histogram_of(store, track, 0, 1 << 62)
        store.close()


def test_counts_as_in_the_trace(store: RunStore) -> None:
    """Not from the leaves: from the file."""
    written = [e for e in busy_events(3) if e["ph"] == "X" and e["tid"] == 2]
    tree = json.loads(_decompress(need(store, TRACKS)))["tracks"]
    track = next(t["id"] for t in tree if t["kind"] == "slice" and t["name"].endswith("2"))
    found = histogram_of(store, track, 0, 1 << 62)
    names = [name for name, _ in json.loads(_decompress(store.get(NAMES, 0)))]
    by_name = {names[row.name]: row for row in rows_of(found)}
    for name in {e["name"] for e in written}:
        lengths = [e["dur"] for e in written if e["name"] == name]
        assert by_name[name].count == len(lengths)
        assert by_name[name].busy == 1000 * sum(lengths)
        assert by_name[name].longest == 1000 * max(lengths)
    inner = sum(e["dur"] for e in written if e["name"] in ("inner", "under it"))
    assert np.sum(found.self_busy) == 1000 * (sum(e["dur"] for e in written) - inner)


def _decompress(record: bytes | None) -> bytes:
    assert record is not None
    return decompress(record)
