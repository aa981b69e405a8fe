"""Pages that are read together: each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.example import Example
from tests.tiler.facts.launches.test_step_work import x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.tiles import page_content
from tilescope.tiler.pages import PageKey
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.container import decode, with_columns
from tilescope.tiler.query import EVERYTHING, QueryReader, finish
from tilescope.tiler.query import reader as reader_module
from tilescope.tiler.store import open_run_store, two_threads
from tilescope.tiler.store.store import Store


@pytest.fixture(autouse=True)
def _small_runs_are_worth_a_thread() -> Iterator[None]:
    with patch.object(reader_module, "WORTH_A_THREAD", 2), patch.object(two_threads, "WORTH_A_THREAD", 2):
        yield


def page_keys(reader: QueryReader) -> list[PageKey]:
    """The pages with events of all tracks."""
    tracks = [track.id for track in reader.tree.tracks if track.kind != "rollup"]
    return list(dict.fromkeys(run.page for track in tracks for run in reader.plan(track, EVERYTHING).leaf_runs))


@pytest.mark.parametrize("processors", [1, 2])
def test_each_page_is_read_once_and_kept(example: Example, processors: int) -> None:
    reads = Counter[PageKey]()

    def counted(store: Store, key: PageKey) -> bytes:
        reads[key] += 1
        return page_content(store, key)

    reader = QueryReader(example.store)
    keys = page_keys(reader)
    contents = {key: page_content(example.store, key) for key in keys}
    assert len(contents) > 3
    with (
        patch.object(reader_module, "page_content", counted),
        patch.object(two_threads, "_processors", lambda: processors),
    ):
        first, second, *_ = keys
        assert reader.page_content(first) == contents[first]
        few = finish(reader.slice_contents([first, second, second]))
        assert few[0] == contents[first]
        assert few[1] == few[2]
        assert reads == Counter([first, second])
        for key, content in zip([*keys, *keys], finish(reader.slice_contents([*keys, *keys])), strict=True):
            assert slice_columns(content) == slice_columns(contents[key])
        assert reads == Counter(keys)
        assert {key: reader.page_content(key) for key in keys} == contents
        assert max(reads.values()) <= 2
        again = reads.copy()
        finish(reader.slice_contents(keys))
        assert reads == again


def slice_columns(content: bytes) -> dict[int, list[float]]:
    """The columns that say when slices run, by id."""
    only = (Col.INDEX, Col.SLOT, Col.N_SLICES, Col.START, Col.DURATION, Col.NAME)
    return {column: values.tolist() for column, values in decode(content, only).columns.items()}


def test_a_page_with_little_of_slices_is_kept_without_the_rest(tmp_path: Path) -> None:
    """Counters whose samples are on the pages of a track of slices."""
    events = [x("work", 1, 1, 10 * k, 5) for k in range(500)]
    events += [
        {"ph": "C", "name": f"counter {k % 8}", "pid": 1, "ts": k, "args": {"v": k * k % 997 / 7}}
        for k in range(40_000)
    ]
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        keys = page_keys(reader)
        wholes = {key: page_content(store, key) for key in keys}
        parts = dict(zip(keys, finish(reader.slice_contents(keys)), strict=True))
        assert 4 * sum(map(len, parts.values())) < sum(map(len, wholes.values()))
        assert {key: slice_columns(part) for key, part in parts.items()} == {
            key: slice_columns(whole) for key, whole in wholes.items()
        }
        assert {key: reader.page_content(key) for key in keys} == wholes


@pytest.mark.parametrize("end", [4, 16, 30, 100, -1])
def test_of_a_page_whose_end_is_missing_nothing_is_taken(example: Example, end: int) -> None:
    whole = page_content(example.store, page_keys(QueryReader(example.store))[0])
    assert with_columns(whole, {Col.START}, len(whole)) is not None
    assert with_columns(whole[:end], {Col.START}, len(whole)) is None


def test_a_page_that_is_missing_is_damage(example: Example) -> None:
    reader = QueryReader(example.store)
    keys = page_keys(reader)
    missing = keys[len(keys) // 2]._replace(index=1 << 40)
    with pytest.raises(DamagedStore, match="is missing"):
        finish(reader.slice_contents([*keys, missing]))
