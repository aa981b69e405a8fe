from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.server.fakes import discover_files, publish
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.sources import find_runs
from tilescope.tiler.errors import UnknownFormat
from tilescope.tiler.readers import DiscoveredRun, discover
from tilescope.tiler.readers.fingerprint import stamps_digest


@pytest.fixture
def cache(tmp_path: Path) -> CacheDirectory:
    return CacheDirectory(tmp_path / "cache")


def test_traces_and_stores_are_found_newest_first(tmp_path: Path, cache: CacheDirectory) -> None:
    for name in ("run5", "run30"):
        (tmp_path / f"{name}.trace").write_text(name)
    store = tmp_path / "A store!"
    publish(store)
    os.utime(store / "CURRENT", ns=(20, 20))
    runs = find_runs([tmp_path, store], cache, discover_files)
    assert [run.name for run in runs] == ["run30", "A store!", "run5"]
    assert runs[0].store == cache.store_of("run30", stamps_digest(runs[0].files))
    assert (runs[1].store, runs[1].files, runs[1].id[:8]) == (store, (), "A-store-")


def test_files_of_runs_without_an_index_are_not_looked_at_again(tmp_path: Path, cache: CacheDirectory) -> None:
    file = tmp_path / "a.trace"  # there is none: a look would fail
    run = DiscoveredRun("a-1", "a.trace", file, (file,), ("a",), 1, 1, stamps_digest="0123456789abcdef")
    (listed,) = find_runs([tmp_path], cache, lambda _: [run])
    assert (listed.store, listed.sources) == (cache.root / "a-1" / "0123456789abcdef", None)


def test_trainings_have_contents_in_words(tmp_path: Path, cache: CacheDirectory) -> None:
    for name in ("step_trace_raw_0_detail_time.csv", "flops_0.txt"):
        (tmp_path / "a" / "profiler").mkdir(parents=True, exist_ok=True)
        (tmp_path / "a" / "profiler" / name).write_text("{}")
    (tmp_path / "b.json").write_text(json.dumps({"traceEvents": []}))
    runs = {run.name: run.contents for run in find_runs([tmp_path], cache, discover)}
    assert runs == {"a/profiler": ("step trace", "FLOPs"), "b.json": ()}


def test_the_order_that_discovery_gives_is_kept(tmp_path: Path, cache: CacheDirectory) -> None:
    for name in ("run1", "run2", "run3"):
        (tmp_path / f"{name}.trace").touch()
    runs = find_runs([tmp_path], cache, lambda path: discover_files(path)[::-1])
    assert [run.name for run in runs] == ["run1", "run2", "run3"]


def test_a_run_that_is_found_twice_is_listed_once(tmp_path: Path, cache: CacheDirectory) -> None:
    (tmp_path / "run1.trace").touch()
    assert len(find_runs([tmp_path, tmp_path], cache, discover_files)) == 1


def test_stores_of_one_name_have_ids_of_their_own(tmp_path: Path, cache: CacheDirectory) -> None:
    stores = [tmp_path / parent / "store" for parent in "ab"]
    for store in stores:
        publish(store)
    assert len({run.id for run in find_runs(stores, cache, discover_files)}) == 2


def test_what_cannot_be_read_does_not_hide_the_rest(tmp_path: Path, cache: CacheDirectory) -> None:
    (tmp_path / "run1.trace").touch()

    def discover(path: Path) -> list[object]:
        if path.name == "gone":
            raise FileNotFoundError(path)
        if path.name == "bad":
            raise UnknownFormat(path, "not a trace")
        runs = discover_files(path)
        (tmp_path / "run1.trace").unlink()  # between discovery and the look at its size
        (tmp_path / "run2.trace").touch()
        return [*runs, *discover_files(path)]

    runs = find_runs([tmp_path / "gone", tmp_path / "bad", tmp_path], cache, discover)  # type: ignore[arg-type]
    assert [run.name for run in runs] == ["run2"]


def test_runs_of_which_nothing_has_changed_are_taken_from_the_list_before(
    tmp_path: Path, cache: CacheDirectory
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.json").write_text('{"traceEvents":[{"ph":"X","ts":1,"dur":2}]}')
    first = {run.id: run for run in find_runs([tmp_path], cache, discover)}
    again = {run.id: run for run in find_runs([tmp_path], cache, discover, earlier=first)}
    assert all(again[run_id] is run for run_id, run in first.items())
    (tmp_path / "a.json").write_text('{"traceEvents":[{"ph":"X","ts":1,"dur":25}]}')
    (changed,) = [run for run in find_runs([tmp_path], cache, discover, earlier=again) if run.name == "a.json"]
    (before,) = [run for run in first.values() if run.name == "a.json"]
    assert changed.store != before.store
    publish(changed.store)  # and one that has an index by now is looked at
    later = {run.name: run for run in find_runs([tmp_path], cache, discover, earlier={changed.id: changed})}
    assert later["a.json"].sources is not None
