"""Tables beside the events that are not what was stored, and lists that are not of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.memory_tables import Allocation, write_memory
from tests.side_table_runs import write_tables
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.cells import Cells
from tilescope.tiler.records.column_blocks import decode_blocks, encode_block
from tilescope.tiler.records.tables import TABLE_COLUMNS, TABLES
from tilescope.tiler.verify import verify_store

SAMPLES = [[1, 0], [1, 0], 1, 1]
OTHER = {
    "memory_record": ["allocation", "NPU:0", SAMPLES, None, None],
    "operator_memory": ["fill", ["NPU:0", "PTA"], [1, 0], [1, 0], True, SAMPLES, SAMPLES],
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> AlteredStore:
    folder = tmp_path_factory.mktemp("tables")
    build_store(write_tables(folder, 40), folder / "store")
    return AlteredStore(folder / "store")


def listed(stored: AlteredStore) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(decompress(stored.records(TABLES.letter)[TABLES.key()]))
    return entries


def refused(stored: AlteredStore, records: dict[bytes, bytes | None], match: str) -> None:
    with stored.replaced(records), pytest.raises(DamagedStore, match=match):
        verify_store(stored.path)


def test_all_tables_are_proven(stored: AlteredStore) -> None:
    report = verify_store(stored.path)
    assert (report.tables, report.table_cells) == (2, 40 * 7 + 2 * 4)


def test_columns_that_were_written_anew(stored: AlteredStore) -> None:
    key = TABLE_COLUMNS.key(1, 0, 0)
    others = decode_blocks([stored.records(TABLE_COLUMNS.letter)[key]])[:3]
    for texts, match in (
        (["0.26", "0.125"], "its CRC-32 is"),
        (["0.25", "0.250"], "of other kinds than the list says"),
        (["0.25", "N/A"], "of other kinds than the list says"),
        (["0.25", "0.1250"], "of other kinds than the list says"),
        (["0.25"], "table 1, chunk 0, block 0 has 1 rows"),
    ):
        refused(stored, {key: encode_block([*others, Cells.from_texts(texts)])}, match)
    refused(stored, {key: encode_block(others)}, "table 1, chunk 0, block 0 has 3 columns")
    refused(stored, {key: compress(b"\3\0\0\0abc")}, "a column of a table is damaged")
    refused(stored, {key: compress(b"\xff\xff\0\0abc")}, "a block of columns of a table is damaged: it is cut short")
    refused(stored, {key: None}, "table 1, chunk 0, block 0 is missing")
    refused(stored, {TABLE_COLUMNS.key(0, 0, 0): None}, "table 0, chunk 0, block 0 is missing")
    refused(
        stored, {TABLE_COLUMNS.key(1, 0, 1): encode_block([Cells.from_texts([])])}, "a record that should not be there"
    )


@pytest.mark.parametrize(
    ("field", "value", "match"),
    [
        ("crc32", 1, "its CRC-32 is"),
        ("size_bytes", 1, "its CRC-32 is"),
        ("id", 4, "out of order"),
        ("file", 7, "a file that is not there"),
        ("file", -1, "the list of tables is damaged"),
        ("name", 7, "the list of tables is damaged"),
        ("chunk_rows", [41], "has 40 rows"),
        ("chunk_rows", [40, 0], "table 0, chunk 1, block 0 is missing"),
        ("block_starts", [], "blocks out of order"),
        ("block_starts", [1], "blocks out of order"),
        ("block_starts", [0, 7], "blocks out of order"),
        ("block_starts", [0, 2, 2], "blocks out of order"),
        ("block_starts", [0, 2], "table 0, chunk 0, block 0 has 7 columns"),
        ("chunk_rows", [], "it has no cells, and the list says more"),
    ],
)  # fmt: skip
def test_lists_that_say_something_else(stored: AlteredStore, field: str, value: object, match: str) -> None:
    entries = listed(stored)
    entries[0][field] = value
    refused(stored, {TABLES.key(): compress(json.dumps(entries).encode())}, match)


def test_lists_that_are_none(stored: AlteredStore) -> None:
    refused(stored, {TABLES.key(): None}, "the list of tables is missing")
    refused(
        stored, {TABLES.key(): compress(json.dumps(listed(stored)[:1]).encode())}, "a record that should not be there"
    )
    for damaged in (b"{}", b"null", b"[1]", b"[" * 9999):
        refused(stored, {TABLES.key(): compress(damaged)}, "the list of tables is damaged")


@pytest.mark.parametrize("family", ["memory_record", "operator_memory"])
def test_extents_are_those_of_the_rows(tmp_path: Path, family: str) -> None:
    folder = write_memory(tmp_path / "run", [Allocation(f"op{k}", 1024 * k, 10 * k, 10 * k + 15) for k in range(1, 9)])
    build_store(sorted(folder.iterdir()), tmp_path / "store")
    stored = AlteredStore(tmp_path / "store")
    assert verify_store(stored.path).tables == 2
    (number,) = (place for place, entry in enumerate(listed(stored)) if entry["family"] == family)
    for extents, match in (
        ([None], f"table {number} .*: the rows of chunk 0 reach"),
        ([[]], f"table {number} .*: the rows of chunk 0 reach"),
        ([], "extents of other chunks"),
        ([None, None], "extents of other chunks"),
        ([[["fill"]]], "the list of tables is damaged"),
        ([[["allocation", "NPU:0", None, None, None]]], "extents of other chunks"),
        ([[["allocation", "NPU:0", None, [[1 << 62, 0], [1, 0], 1, 1], None]]], "the list of tables is damaged"),
        ([[["allocation", "NPU:0", None, [[1, 1000], [1, 0], 1, 1], None]]], "the list of tables is damaged"),
        ([[["allocation", "NPU:0", None, [[1, 0], [1, 0], 1 << 70, 1], None]]], "the list of tables is damaged"),
        ([[OTHER[family]]], "extents of other chunks"),
    ):
        entries = listed(stored)
        entries[number]["extents"] = extents
        refused(stored, {TABLES.key(): compress(json.dumps(entries).encode())}, match)


def test_two_builds_store_the_same_tables(tmp_path: Path, stored: AlteredStore) -> None:
    build_store(write_tables(tmp_path, 40), tmp_path / "store")
    again = AlteredStore(tmp_path / "store")
    assert again.records(TABLE_COLUMNS.letter) == stored.records(TABLE_COLUMNS.letter)


@pytest.mark.parametrize("field", ["size_bytes", "crc32", "numbers", "texts", "most_digits", "most_magnitude"])
def test_lists_that_say_more_of_a_table_without_rows(tmp_path: Path, field: str) -> None:
    paths = write_tables(tmp_path, 40)
    paths[1].write_text(paths[1].read_text().partition("\n")[0] + "\n")
    build_store(paths, tmp_path / "store")
    emptied = AlteredStore(tmp_path / "store")
    assert verify_store(emptied.path).tables == 2
    entries = listed(emptied)
    (empty,) = (entry for entry in entries if not sum(entry["chunk_rows"]))
    (empty if field in empty else empty["columns"][-1])[field] = 7
    refused(emptied, {TABLES.key(): compress(json.dumps(entries).encode())}, "it has no cells, and the list says more")
