"""Archives are what docs/archive.md says: a decoder that was written from it reads them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.store.archive.dict_store import DictStore, page_value, random_records
from tests.tiler.store.archive.plain_archive import KEYS, PlainArchive, read_archive
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.answers import ANSWERS
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.record import KEY_NUMBERS
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.schema import ClockShift
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.archive.order import ORDER, level_column
from tilescope.tiler.store.archive.pieces import PIECES, piece_of
from tilescope.tiler.store.archive.writer import write_archive
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.store.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> RunStore:
    folder = tmp_path_factory.mktemp("run")
    build_store([write_trace(folder / "trace.json", busy_events(4))], folder / "store")
    return open_run_store(folder / "store")


def archived(store: Store, **options: object) -> PlainArchive:
    file = io.BytesIO()
    summary = write_archive(store, file, **options)  # type: ignore[arg-type]
    data = file.getvalue()
    archive = read_archive(data)
    head = archive.header
    assert summary.size_bytes == len(data)
    assert summary.records == head["records"] == len(archive.pieces)
    assert summary.directory_bytes == head["root_bytes"] + head["leaves_bytes"]  # type: ignore[operator]
    assert summary.boot_bytes == 128 + sum(
        int(head[name]) for name in ("root_bytes", "boot_directory_bytes", "boot_bytes")
    )
    return archive


def test_the_plain_decoder_knows_all_keys() -> None:
    assert {
        record.letter.decode(): "".join(KEY_NUMBERS[number] for number in record.numbers) for record in PIECES.values()
    } == KEYS


def test_a_run_is_archived_byte_for_byte(store: RunStore) -> None:
    archive = archived(store)
    assert archive.records == dict(store.records())
    assert archive.header["build"] == store.build.encode()


@pytest.mark.parametrize("count", [0, 1, 500, 4095, 4096, 13_000])
def test_any_records_are_archived(count: int) -> None:
    store = DictStore(random_records(count, count))
    archive = archived(store)
    assert archive.records == store.entries
    assert archive.leaves == -(-len(archive.pieces) // 4096)


def test_records_lie_in_the_order_of_a_screen(store: RunStore) -> None:
    archive = archived(store)
    kinds = [piece_of(key) for key in archive.order]
    assert [kind.letter for kind in kinds[:4] if kind] == [b"M", b"T", b"S", b"O"]
    root_level = store.manifest()["root_level"]
    root_page = next(place for place, key in enumerate(archive.order) if key[:1] == b"P")
    assert PAGE.numbers_in(archive.order[root_page])[1] == root_level
    assert kinds.index(next(kind for kind in kinds if kind and kind.letter == b"N")) > root_page
    for record in PIECES.values():
        column = level_column(record)
        if column is not None:
            levels = [record.numbers_in(key)[column] for key in archive.order if piece_of(key) is record]
            assert levels == sorted(levels, reverse=True), record
    ranks = [ORDER.index(kind) for kind in kinds if kind is not None and kind is not PAGE]
    assert ranks == sorted(ranks)
    assert set(ORDER) == set(PIECES.values())


def test_pages_of_a_whole_run_follow_each_other_by_track() -> None:
    keys = [PAGE.key(0, 5, tile, slot) for tile in range(3) for slot in (0, 9)]
    fine = [PAGE.key(0, 4, tile, slot) for tile in range(3) for slot in (0, 9)]
    order = archived(DictStore(dict.fromkeys(keys + fine, page_value(b"")))).order[1:]
    assert [PAGE.numbers_in(key)[2:] for key in order[:6]] == [(tile, slot) for slot in (0, 9) for tile in range(3)]
    assert order[6:] == fine


def test_what_was_rounded_off_lies_behind_what_is_drawn(store: RunStore) -> None:
    archive = archived(store)
    first = next(place for place, key in enumerate(archive.order) if key[:1] == b"p")
    assert all(key[:1] not in b"PNO" for key in archive.order[first:])
    assert any(key[:1] == b"p" for key in archive.order)


def test_the_boot_section_is_the_beginning_of_that_order() -> None:
    small = archived(DictStore(random_records(3, 300)))
    assert small.boot == small.order
    crowded = archived(DictStore(random_records(3, 20_000)))
    coarse_pages = {key for key in crowded.order if key[:1] == b"P" and PAGE.numbers_in(key)[1] >= 7}
    first = [key for key in crowded.order if key[:1] in b"MTSON" or key in coarse_pages]
    assert crowded.boot == crowded.order[: len(crowded.boot)] == first[:4096]
    names = {NAMES.key(page): b"" for page in range(5000)}
    assert len(archived(DictStore(names)).boot) == 4096
    pages = {PAGE.key(block, level, 0, 0): page_value(bytes(100_000)) for block in range(40) for level in (5, 7)}
    large = archived(DictStore(pages))
    assert large.boot == large.order[:6]  # the manifest and 500 kB of pages
    coarse = {key: value for key, value in pages.items() if key < PAGE.key(4, 0, 0, 0)}
    assert len(archived(DictStore(coarse)).boot) == 5  # finer pages may not be in view
    huge = archived(DictStore({b"T": bytes(1_000_000)}))
    assert huge.boot == [b"M"]


def test_left_out_parts_and_answers_are_in_the_manifest() -> None:
    entries = random_records(5, 400)
    store = DictStore({key: value for key, value in entries.items() if key[:1] != b"z"})
    answers = {"overview": b'{"a":1}', "stats": b"{}"}
    archive = archived(store, without=["operations"], answers=answers)
    lacking = {key for key in store.entries if key[:1] in b"XKYZgC"}
    assert lacking
    assert archive.records.keys() == store.entries.keys() - lacking | {ANSWERS.key(0), ANSWERS.key(1)}
    manifest = json.loads(decompress(archive.records[MANIFEST.key()]))
    assert manifest["left_out"] == ["operations"]
    assert manifest["answers"] == ["overview", "stats"]
    (warning,) = manifest["public"]["warnings"]
    assert "made --without operations" in warning
    assert [decompress(archive.records[ANSWERS.key(number)]) for number in range(2)] == list(answers.values())


@pytest.mark.parametrize("without", [[], ["operations"]])
def test_shifts_are_in_the_manifest(without: list[str]) -> None:
    store = DictStore(random_records(5, 400))
    shifts = [ClockShift(host="a", shift="-5", origin="by_hand"), ClockShift(host="b", shift="7", origin="own_axis")]
    archive = archived(store, without=without, shifts=shifts)
    manifest = json.loads(decompress(archive.records[MANIFEST.key()]))
    assert manifest["public"].pop("shifts") == [
        {"host": "a", "shift": "-5", "origin": "by_hand"},
        {"host": "b", "shift": "7", "origin": "own_axis"},
    ]
    plain = json.loads(decompress(archived(store, without=without).records[MANIFEST.key()]))
    assert manifest == plain


def test_the_format_page_states_the_header() -> None:
    page = (Path(__file__).parents[4] / "docs" / "archive.md").read_text()
    rows = "| 0 | 8 bytes | magic |", "| 24 | 24 bytes | build |", "| 104 | u32 | root_crc |", "| 124 | u32 | crc |"
    assert all(row in page for row in rows)
