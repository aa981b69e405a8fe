"""Records of page names that are whole but wrong, that are missing, or that should not be there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.tracks import page_names
from tilescope.tiler.lookup.tiles import block_shape, page_content
from tilescope.tiler.pages import SliceFlag, TileFlag, compress, decode_columns, decompress
from tilescope.tiler.records.page_names import PAGE_NAMES, PageNames
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify import verify_store


@pytest.fixture
def altered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AlteredStore:
    monkeypatch.setattr(page_names, "_SLICES_AT_ONCE", 700)
    build_store([write_trace(tmp_path / "trace.json", busy_events(1, threads=2, calls=900))], tmp_path / "store")
    return AlteredStore(tmp_path / "store")


def assert_noticed(store: AlteredStore, records: dict[bytes, bytes | None], message: str) -> None:
    with store.replaced(records), pytest.raises(DamagedStore, match=message):
        verify_store(store.path)


def changed(found: PageNames, name: list[int], page: list[int]) -> bytes:
    order = np.lexsort((page, name))
    return compress(PageNames(np.array(name, np.int64)[order], np.array(page, np.int64)[order]).encode(0))


def test_every_name_is_listed_for_every_page_that_it_starts_on(altered: AlteredStore) -> None:
    store = open_run_store(altered.path)
    listed: dict[int, set[int]] = {}
    for _, record in store.scan(PAGE_NAMES, 0):
        found = PageNames.decode(decompress(record), 0)
        for name, page in zip(found.name.tolist(), found.page.tolist(), strict=True):
            assert name not in listed.setdefault(page, set())
            listed[page].add(name)
    shape = block_shape(store, 0)
    for number, (key, _) in enumerate(shape.pages()):
        page = decode_columns(page_content(store, key))
        of_leaf = np.repeat(page.flags & TileFlag.LEAF, np.diff(page.slice_ends)) != 0
        starts = of_leaf & ((page.slices.flags & SliceFlag.REACHES_IN) == 0)
        assert listed.get(number, set()) == set(page.slices.name[starts].tolist())
    assert len(listed) > 2
    assert verify_store(altered.path).page_names == sum(map(len, listed.values()))
    store.close()


def test_wrong_lists(altered: AlteredStore) -> None:
    records = altered.records(b"L")
    assert len(records) > 1
    for key, record in records.items():
        found = PageNames.decode(decompress(record), 0)
        name, page = found.name.tolist(), found.page.tolist()
        for names, pages in (
            (name[1:], page[1:]),  # one is missing
            ([*name, 10**6], [*page, page[-1]]),  # one is nowhere
            ([*name, name[0]], [*page, page[0]]),  # one is there twice
            ([name[0] + 10**6, *name[1:]], page),
        ):
            assert_noticed(altered, {key: changed(found, names, pages)}, "the names on its page are not those")
        assert_noticed(altered, {key: None}, "the names on its page are not those")
        assert_noticed(altered, {key: changed(found, name, [10**6] * len(page))}, "a page that block 0 does not have")
        assert_noticed(altered, {key: compress(found.encode(1))}, "the names on the pages of block 0 are damaged")
    assert_noticed(altered, dict.fromkeys(records), "the names on the pages of block 0 are missing")
    assert_noticed(altered, {PAGE_NAMES.key(1, 0): record}, "a record that should not be there")
