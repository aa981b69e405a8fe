"""Pages that are read together: each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from tests.example import Example
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.tiles import page_content
from tilescope.tiler.pages import PageKey
from tilescope.tiler.query import EVERYTHING, QueryReader, finish
from tilescope.tiler.query import reader as reader_module
from tilescope.tiler.store import two_threads
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
        assert finish(reader.page_contents([first, second, second])) == [
            contents[key] for key in (first, second, second)
        ]
        assert reads == Counter([first, second])
        assert finish(reader.page_contents([*keys, *keys])) == [contents[key] for key in (*keys, *keys)]
        assert reads == Counter(keys)
        assert {key: reader.page_content(key) for key in keys} == contents
        assert reads == Counter(keys)


def test_a_page_that_is_missing_is_damage(example: Example) -> None:
    reader = QueryReader(example.store)
    keys = page_keys(reader)
    missing = keys[len(keys) // 2]._replace(index=1 << 40)
    with pytest.raises(DamagedStore, match="is missing"):
        finish(reader.page_contents([*keys, missing]))
