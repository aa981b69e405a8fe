"""No byte of a store can be altered without being noticed."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.tiler.json_traces import write_trace
from tests.tiler.verify.altered_store import AlteredStore, track_of
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import PageKey, compress, decompress
from tilescope.tiler.records.arguments import ARGUMENT_TABLE_PAGES, ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.records.attachments import ATTACHMENT_CHUNKS, ATTACHMENTS
from tilescope.tiler.records.catalogue import RECORDS
from tilescope.tiler.records.flow_bins import FLOW_TILES
from tilescope.tiler.records.flow_ends import FLOW_ENDS
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.page_names import PAGE_NAMES
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import BLOCK_TRACKS, TRACKS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify import verify_store
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.records import RecordCheck, read_trees

pytestmark = pytest.mark.slow


def flipped(data: bytes, at: int, bits: int = 0x55) -> bytes:
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]


def inflates_to_the_same(value: bytes, other: bytes) -> bool:
    """Some bits of a gzip member mean nothing, such as those that fill its last byte; pages have checksums too."""
    try:
        return decompress(value) == decompress(other)
    except DamagedStore:
        return False


def assert_names_tile(store: AlteredStore, key: PageKey) -> None:
    where = rf"track {track_of(key)} \('.*'\), level {key.level}, tile {key.index}: "
    with pytest.raises(DamagedStore, match=where):
        verify_store(store.path)


def test_every_byte_of_a_small_page(tmp_path: Path) -> None:
    events = [{"ph": "X", "name": "step", "pid": 1, "tid": 1, "ts": 10 * k, "dur": 5} for k in range(3)]
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    store = AlteredStore(tmp_path / "store")
    key, page = max(store.pages().items())  # root tiles: of the track, and of its rollup
    for at in range(len(page)):
        with store.replaced({PAGE.key(*key[:4]): flipped(page, at)}):
            assert_names_tile(store, key)
    verify_store(store.path)


def test_random_bytes_of_all_pages(altered: AlteredStore) -> None:
    rng = random.Random(1)
    for key, page in altered.pages().items():
        for _ in range(4):
            with altered.replaced({PAGE.key(*key[:4]): flipped(page, rng.randrange(len(page)), rng.randrange(1, 256))}):
                assert_names_tile(altered, key)


@pytest.mark.parametrize("kind", [b"S", b"N", b"A", b"D", b"T", b"M", b"O"])
def test_random_bytes_of_other_records(altered: AlteredStore, kind: bytes) -> None:
    rng = random.Random(2)
    records = altered.records(kind)
    for key, value in list(records.items())[:: 1 + len(records) // 4]:
        for _ in range(20):
            other = flipped(value, rng.randrange(len(value)))
            if inflates_to_the_same(value, other):
                continue
            with altered.replaced({key: other}), pytest.raises(DamagedStore):
                verify_store(altered.path)


def test_bytes_that_are_cut_off_or_follow(altered: AlteredStore) -> None:
    for key, value in altered.records(b"").items():
        for other in (value[:-1], value + b"\x00", value + value, b""):
            with altered.replaced({key: other}), pytest.raises(DamagedStore):
                verify_store(altered.path)


def test_missing_records(altered: AlteredStore) -> None:
    for key in altered.records(b""):
        with altered.replaced({key: None}), pytest.raises(DamagedStore) as error:
            verify_store(altered.path)
        if key[:1] == b"P":
            page = PageKey(*PAGE.numbers_in(key))
            assert f"level {page.level}, tile {page.index}: its page is missing" in str(error.value)


def test_records_that_nobody_knows(altered: AlteredStore) -> None:
    page = altered.pages().popitem()
    for key in (
        b"X",
        SHAPE.key(9),
        NAMES.key(5),
        ARGUMENT_TABLES.key(4),
        ARGUMENT_TABLE_PAGES.key(0, 0),
        ATTACHMENT_CHUNKS.key(0, 1),
        ATTACHMENT_CHUNKS.key(9, 0),
        ARGUMENTS.key(0, 0),
        ARGUMENTS.key(999, 0),
        PAGE.key(7, *page[0][1:4]),
        PAGE.key(*page[0]._replace(index=page[0].index + 1)[:4]),
        PAGE.key(*page[0][:4])[:-1],
        b"",
    )[:-1]:
        with altered.replaced({key: page[1]}), pytest.raises(DamagedStore, match=re.escape(str(altered.path))):
            verify_store(altered.path)


def test_keys_that_go_on_behind_one_that_is_known(altered: AlteredStore) -> None:
    flow_ends, flow_tile = min(altered.records(FLOW_ENDS.letter)), min(altered.records(FLOW_TILES.letter))
    keys = (MANIFEST.key(), TRACKS.key(), ATTACHMENTS.key(), flow_ends, flow_tile, PAGE_NAMES.key(0, 0))
    for key in (key + b"x" for key in keys):
        with (
            altered.replaced({key: compress(b"{}")}),
            pytest.raises(DamagedStore, match=re.escape(f"a record that should not be there: {key!r}")),
        ):
            verify_store(altered.path)
    with (
        altered.replaced({BLOCK_TRACKS.key(0): compress(b"[]")}),
        pytest.raises(DamagedStore, match="should not be there"),
    ):
        verify_store(altered.path)


def test_each_kind_of_record_has_a_prover(altered: AlteredStore) -> None:
    store = open_run_store(altered.path)
    catalogue = Catalogue.read(store)
    trees = read_trees(store, catalogue)
    check = RecordCheck(store, catalogue, trees, ProofMemory(store.location, 1 << 30))
    assert check.proven == set(RECORDS)
    store.close()
