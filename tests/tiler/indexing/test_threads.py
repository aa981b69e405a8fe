"""Number of threads: it changes nothing in a store, and whatever fails in one of them ends all."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from tilescope.tiler import _native
from tilescope.tiler.errors import Cancelled, StoreError
from tilescope.tiler.indexing import BuildProgress, build_store
from tilescope.tiler.indexing.tracks import block_pages, rollups
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.store.lmdb_writer import LmdbWriter
from tilescope.tiler.store.store import Entry
from tilescope.tiler.synth import FORMATS, write_synthetic_trace
from tilescope.tiler.verify import verify_store
from tilescope.tiler.verify.same_entries import compare_stores


@pytest.fixture(scope="module", params=[*[[format] for format in FORMATS], [*FORMATS]], ids=" and ".join)
def files(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> list[Path]:
    """A run of three blocks or more, none of which is light; JSON is of several blocks of text."""
    folder = tmp_path_factory.mktemp("trace")
    return [
        write_synthetic_trace(folder / format, format=format, events=60_000, tracks=70, seed=3).path
        for format in request.param
    ]


def build(files: list[Path], store: Path, threads: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILESCOPE_THREADS", str(threads))
    build_store(files, store)
    return store


def build_threads() -> list[str]:
    """Names of threads of a build that run."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(("build", "read"))]


def test_stores_are_the_same_for_any_number_of_threads(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts: list[int] = []
    find, make = _native.rollup_cuts, _native.rollup_tiles

    def counted(children: list[_native.KeptSlices], root_level: int, parts: int) -> list[int]:
        times = find(children, root_level, parts, terminal_slices=500)
        cuts.append(len(times))
        return times

    monkeypatch.setattr(_native, "rollup_cuts", counted)
    monkeypatch.setattr(_native, "rollup_tiles", partial(make, terminal_slices=500))  # as if there were many events
    monkeypatch.setattr(rollups, "_PART_SLICES", 1000)
    monkeypatch.setattr(block_pages, "_PART_PAGES", 2)
    alone = build(files, tmp_path / "1", 1, monkeypatch)
    assert not cuts
    for threads in (3, 16):
        cuts.clear()
        store = build(files, tmp_path / str(threads), threads, monkeypatch)
        assert max(cuts) > (5 if threads > 3 else 1)
        compare_stores(alone, store)
    verify_store(tmp_path / "16")


@pytest.mark.parametrize("threads", [1, 3, 16])
@pytest.mark.parametrize("whole_entries", [0, 1, 20, 60])
def test_a_write_that_fails_ends_the_build(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int, whole_entries: int
) -> None:
    written: set[bytes] = set()
    put_many = LmdbWriter.put_many

    def failing(self: LmdbWriter, entries: Sequence[Entry]) -> None:
        if len(written) + len(entries) > whole_entries:
            raise StoreError("the disk is gone")
        put_many(self, entries)
        written.update(key for key, _ in entries)

    def check(progress: BuildProgress) -> None:
        missing = [block for block in progress.built if SHAPE.key(block) not in written]
        assert not missing, "a block is said to be there whose entries are missing"

    monkeypatch.setattr(LmdbWriter, "put_many", failing)
    with pytest.raises(StoreError, match="the disk is gone"):
        build_store(files, tmp_path / "store", workers=threads, progress=check)
    assert not (tmp_path / "store").exists()
    assert not build_threads()


@pytest.mark.parametrize("threads", [1, 16])
@pytest.mark.parametrize("reports", [1, 3, 6])
def test_a_build_that_is_cancelled_ends_all_threads(
    files: list[Path], tmp_path: Path, threads: int, reports: int
) -> None:
    steps: list[BuildProgress] = []

    def report(progress: BuildProgress) -> None:
        steps.append(progress)
        if len(steps) >= reports or progress.phase == "publish":
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        build_store(files, tmp_path / "store", workers=threads, progress=report)
    assert not (tmp_path / "store").exists()
    assert not build_threads()
