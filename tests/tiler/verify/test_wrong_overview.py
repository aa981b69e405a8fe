"""An overview that is whole but wrong, that is missing, or that should not be there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.overview import OVERVIEW, OverviewEntries
from tilescope.tiler.verify import verify_store


@pytest.fixture
def altered(tmp_path: Path) -> AlteredStore:
    build_store([write_trace(tmp_path / "trace.json", busy_events(1, threads=2, calls=600))], tmp_path / "store")
    return AlteredStore(tmp_path / "store")


def assert_noticed(store: AlteredStore, records: dict[bytes, bytes | None], message: str) -> None:
    with store.replaced(records), pytest.raises(DamagedStore, match=message):
        verify_store(store.path)


def page_of(store: AlteredStore, key: bytes) -> tuple[OverviewEntries, int]:
    data = decompress(store.records(b"O")[key])
    return OverviewEntries.decode(data, data[5], int.from_bytes(key[1:], "big")), data[5]


@pytest.mark.parametrize("column", OverviewEntries.__struct_fields__)
@pytest.mark.parametrize("by", [1, -1])
def test_one_value_that_is_one_off(altered: AlteredStore, column: str, by: int) -> None:
    for key in list(altered.records(b"O"))[::5]:
        page, level = page_of(altered, key)
        number = int.from_bytes(key[1:], "big")
        for place in (0, len(page) // 2, len(page) - 1):
            values = getattr(page, column).copy()
            values[place] += by
            changed = structs.replace(page, **{column: values}).encode(level, number)
            assert_noticed(altered, {key: compress(changed)}, "in the overview|the overview: ")


def test_entries_that_are_missing_or_there_twice(altered: AlteredStore) -> None:
    for key in list(altered.records(b"O"))[::5]:
        page, level = page_of(altered, key)
        for which in (slice(1, None), slice(0, -1), np.sort(np.append(np.arange(len(page)), 0))):
            cut = OverviewEntries(*(getattr(page, column)[which] for column in OverviewEntries.__struct_fields__))
            changed = cut.encode(level, int.from_bytes(key[1:], "big"))
            assert_noticed(altered, {key: compress(changed)}, "in the overview|not in order")


def test_pages_that_are_missing_damaged_or_too_many(altered: AlteredStore) -> None:
    records = altered.records(b"O")
    key = next(iter(records))
    assert_noticed(altered, {key: None}, "page 0 is missing")
    last = max(records)
    assert_noticed(altered, {last: None}, f"page {len(records) - 1} is missing")
    assert_noticed(
        altered, {key: records[key][:-9] + bytes([records[key][-9] ^ 1]) + records[key][-8:]}, "damaged|is not"
    )
    assert_noticed(altered, {OVERVIEW.key(len(records)): records[key]}, "should not be there")
    assert_noticed(altered, {key: records[last]}, "is not page 0")
