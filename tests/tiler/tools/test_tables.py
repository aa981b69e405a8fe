"""The tool `tables`: the list, and rows as the files have them, sorted and filtered as plain Python does it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.ascend_run import AscendShape, Training, write_ascend, write_profiler
from tests.side_table_runs import HEADER, kernel_rows, write_tables
from tests.tiler.readers.ascend.conftest import index
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.tables import run_tables
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers import side_tables
from tilescope.tiler.readers.ascend import csv_table
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, tool
from tilescope.tiler.tools.answer import Answer, values_of
from tilescope.tiler.tools.tables import TablesQuestion

ROWS = kernel_rows(300)


@pytest.fixture(scope="module", params=[1 << 16, 7])
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryReader]:
    """A run whose tables are in one chunk, and one with seven rows a chunk."""
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_table, "MAX_ROWS", request.param)
        patch.setattr(side_tables, "MAX_ROWS", request.param)
        build_store(write_tables(folder), folder / "store")
    store = open_run_store(folder / "store")
    yield QueryReader(store)
    store.close()


def answer(reader: QueryReader, **question: Any) -> Answer:
    return finish(ask(tool("tables"), Scope(reader), TablesQuestion(**question)))


def column(reader: QueryReader, name: str, **question: Any) -> list[Any]:
    rows = answer(reader, name="kernel_details.csv", **question).table("rows")
    return values_of(rows.column(f"cell.{name}"))


def test_the_list_names_all_tables(reader: QueryReader) -> None:
    table = answer(reader).table("tables")
    assert values_of(table.column("name")) == ["kernel_details.csv", "l2_cache.csv"]
    assert values_of(table.column("family")) == ["kernel_details", "l2_cache"]
    assert values_of(table.column("rows")) == [300, 2]
    assert values_of(table.column("columns")) == [len(HEADER), 4]


def test_cells_are_numbers_where_that_is_exact(reader: QueryReader) -> None:
    rows = answer(reader, number=0).table("rows")
    kinds = ["text", "text", "text", "text", "number", "count", "text"]
    assert [c.kind for c in rows.columns] == ["event", *kinds]
    assert column(reader, "Start Time(us)") == [row[3].strip() for row in ROWS]
    assert column(reader, "Duration(us)") == [float(row[4]) for row in ROWS]
    assert column(reader, "Block Dim") == [int(row[5]) for row in ROWS]
    assert column(reader, "aiv_ratio") == [None if row[6] == "N/A" else row[6] for row in ROWS]


def test_times_are_exact_integers_for_tools(reader: QueryReader) -> None:
    (table,) = run_tables(reader, "kernel_details")
    starts = finish(table.column("Start Time(us)"))
    assert starts.scaled(3).tolist() == [int(Decimal(row[3].strip()) * 1000) for row in ROWS]
    with pytest.raises(ValueError, match="more than 2 digits"):
        starts.scaled(2)
    with pytest.raises(OverflowError):
        starts.scaled(9)
    ratios = finish(table.column("aiv_ratio")).doubles().tolist()
    assert ratios == pytest.approx(
        [float("nan") if row[6] == "N/A" else float(row[6]) for row in ROWS], rel=0, nan_ok=True
    )
    parts = [part.texts() for (part,) in table.chunks(["Name"])]
    assert [text for part in parts for text in part] == [row[0] for row in ROWS]


@pytest.mark.parametrize("descending", [False, True])
def test_rows_are_sorted_as_their_cells_say(reader: QueryReader, descending: bool) -> None:
    sign = -1 if descending else 1
    by_duration = sorted(ROWS, key=lambda row: sign * Decimal(row[4]))
    assert column(reader, "Start Time(us)", sort="Duration(us)", descending=descending) == [
        r[3].strip() for r in by_duration
    ]
    by_type = sorted(ROWS, key=lambda row: row[1], reverse=descending)
    if not descending:
        assert column(reader, "Start Time(us)", sort="Type") == [row[3].strip() for row in by_type]
    assert column(reader, "Type", sort="Type", descending=descending) == [row[1] for row in by_type]
    ratios = column(reader, "aiv_ratio", sort="aiv_ratio", descending=descending)
    missing = sum(row[6] == "N/A" for row in ROWS)
    assert ratios[-missing:] == [None] * missing
    numbers = [Decimal(text) for text in ratios[:-missing] if text != "1e-05"]
    assert numbers == sorted(numbers, reverse=descending)


def test_rows_with_a_text_page_by_page(reader: QueryReader) -> None:
    expected = [row[3].strip() for row in ROWS if "add_3" in row[0].lower()]
    assert column(reader, "Start Time(us)", contains="ADD_3") == expected
    assert column(reader, "Start Time(us)", contains="ADD_3", within="Type") == []
    pages: list[Any] = []
    after: str | None = "0"
    while after is not None:
        part = answer(reader, number=0, contains="add_3", limit=11, after=int(after))
        pages += values_of(part.table("rows").column("cell.Start Time(us)"))
        after = part.table("rows").more
    assert pages == expected


def test_questions_that_name_what_is_not_there(reader: QueryReader) -> None:
    for question, words in (
        ({"number": 2}, "there is no table 2: the run has 2"),
        ({"name": "x.csv"}, "no single table is called 'x.csv': see the list"),
        ({"number": 0, "sort": "x"}, "sort: table 'kernel_details.csv' has no column 'x': it has Name, Type"),
        ({"number": 0, "columns": "Name,y"}, "columns: table 'kernel_details.csv' has no column 'y'"),
        ({"number": 0, "within": "z", "contains": "a"}, "within: table"),
    ):
        (note,) = answer(reader, **question).notes
        assert note.severity == "warning"
        assert re.search(words, note.text, re.IGNORECASE)


def test_columns_are_kept_under_the_common_cap(reader: QueryReader) -> None:
    (table,) = run_tables(reader, "kernel_details")
    assert finish(table.column("Type")) is finish(run_tables(reader)[0].column("Type"))


def test_a_run_without_tables_says_why(tmp_path: Path) -> None:
    build_store(write_tables(tmp_path)[:1], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    assert "no file of the run is a table" in tool("tables").availability(Scope(QueryReader(store)))
    store.close()


def test_numbers_of_any_size_are_sorted_exactly(tmp_path: Path) -> None:
    numbers = [
        "9223372036854775807",
        "-9223372036854775808",
        "0.1",
        "0.0000000000000000000001",
        "9223372036854775806",
        "-3",
    ]
    path = tmp_path / "kernel_details.csv"
    path.write_text("\n".join([",".join(HEADER), *(f"a,b,c,1,{number},1,1" for number in numbers), ""]))
    build_store([path], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    for descending in (False, True):
        cells = column(QueryReader(store), "Duration(us)", sort="Duration(us)", descending=descending)
        assert cells == sorted(numbers, key=Decimal, reverse=descending)
    store.close()


def test_integers_of_64_bits_are_exact_and_sorted(tmp_path: Path) -> None:
    numbers = [5, -(1 << 63), (1 << 63) - 1, -(1 << 63), 0, -(1 << 63) + 1, -1]
    path = tmp_path / "kernel_details.csv"
    path.write_text("\n".join([",".join(HEADER), *(f"a,b,c,1,1,{number},1" for number in numbers), ""]))
    build_store([path], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    assert column(QueryReader(store), "Block Dim") == numbers
    for descending in (False, True):
        cells = column(QueryReader(store), "Block Dim", sort="Block Dim", descending=descending)
        assert cells == sorted(numbers, reverse=descending)
    store.close()


def test_any_names_of_a_header_are_columns_that_can_be_named(tmp_path: Path) -> None:
    long = "x" * 300
    header = ["p\tq", "p\rq", "p\x85q", "p q", long, long, f"{long[:248]}~2", "", "", "z\x7f"]
    quoted = ",".join(f'"{name}"' for name in header)
    path = tmp_path / "profiler" / "framework_raw_0.csv"
    path.parent.mkdir()
    path.write_text(f"{quoted}\n{','.join(map(str, range(len(header))))}\n", newline="")
    build_store([path], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    reader = QueryReader(store)
    (table,) = run_tables(reader)
    rows = answer(reader, number=0).table("rows")
    assert [values_of(column) for column in rows.columns] == [[place] for place in range(len(header))]
    for place, name in enumerate(table.columns):
        if name:
            question = msgspec.convert({"number": 0, "columns": name, "sort": name}, TablesQuestion)
            (only,) = finish(ask(tool("tables"), Scope(reader), question)).table("rows").columns
            assert (only.id, values_of(only)) == (f"cell.{name}", [place])
    store.close()


@pytest.mark.parametrize(("greatest", "kind"), [("99999999999999.5", "number"), ("-100000000000000.5", "text")])
def test_a_column_is_of_one_kind_on_all_pages(tmp_path: Path, greatest: str, kind: str) -> None:
    numbers = ["1.5", "2.5", greatest, "3.5"]
    path = tmp_path / "kernel_details.csv"
    path.write_text("\n".join([",".join(HEADER), *(f"a,b,c,1,{number},1,1" for number in numbers), ""]))
    build_store([path], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    for first in range(len(numbers)):
        part = answer(QueryReader(store), number=0, limit=1, after=first)
        cells = part.table("rows").column("cell.Duration(us)")
        assert (cells.kind, [str(cell) for cell in values_of(cells)]) == (kind, [numbers[first]])
    store.close()


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryReader]:
    """Two ranks of PyTorch."""
    folder = tmp_path_factory.mktemp("training")
    write_ascend(folder, Training(AscendShape(ranks=2, stages=1, steps=2)), "pt")
    store = open_run_store(index(folder, tmp_path_factory.mktemp("store") / "store"))
    yield QueryReader(store)
    store.close()


def test_a_row_of_kernels_leads_to_its_event_and_back(training: QueryReader) -> None:
    for table in run_tables(training, "kernel_details"):
        rows = answer(training, number=table.entry.id, sort="Duration(us)", descending=True, limit=7).table("rows")
        cells = {column.title: values_of(column) for column in rows.columns}
        for row, event in enumerate(cells["Event"]):
            track, ordinal = map(int, str(event).split("."))
            about = answer(training, track=track, ordinal=ordinal).table("event")
            number, names, values = (values_of(about.column(name)) for name in ("number", "column", "value"))
            assert set(number) == {table.entry.id}
            assert names == table.columns
            assert values[names.index("Start Time(us)")] == cells["Start Time(us)"][row]
            assert values[names.index("Name")] == cells["Name"][row]


def test_counts_of_rows_and_events_that_have_none_of_the_other(training: QueryReader) -> None:
    for table in run_tables(training, "kernel_details"):
        part = answer(training, number=table.entry.id, limit=0)
        facts = {fact.id: fact.value for fact in part.facts}
        assert (facts["joined"], facts["without_event"]) == (len(table), 0)
        assert facts["events"] == len(table) + int(facts["events_without_row"] or 0)
    other = answer(training, number=run_tables(training, "l2_cache")[0].entry.id)
    assert [fact.id for fact in other.facts] == ["name", "family", "rows", "chosen"]


def test_an_event_without_rows_and_one_that_is_not_there(training: QueryReader) -> None:
    host = next(track.id for track in training.tree.tracks if track.name.startswith("Thread"))
    assert len(answer(training, track=host, ordinal=0).table("event")) == 0
    for question, words in (
        ({"track": host}, "both track and ordinal"),
        ({"track": host, "ordinal": 9**9}, "no event"),
    ):
        with pytest.raises(UsageError, match=words):
            answer(training, **question)


def test_the_strategy_of_an_operator_stands_in_the_details_of_its_events(tmp_path: Path) -> None:
    write_profiler(tmp_path / "profiler", Training(AscendShape(ranks=2, stages=1, steps=2)))
    store = open_run_store(index(tmp_path / "profiler", tmp_path / "store"))
    reader = QueryReader(store)
    joined = 0
    for track in reader.tree.tracks:
        device = reader.tree.groups[track.group].name.removeprefix("Device ")
        for ordinal in range(track.events or 0 if device.isdecimal() and track.kind == "slice" else 0):
            details = event_details(store, track.id, ordinal)
            assert details is not None
            args = {arg["name"]: arg["value"] for arg in details["args"]}
            about = answer(reader, track=track.id, ordinal=ordinal).table("event")
            cells = dict(zip(values_of(about.column("column")), values_of(about.column("value")), strict=True))
            if "fullname" in args:
                joined += 1
                assert set(values_of(about.column("name"))) == {f"parallel_strategy_{device}.json/graph.node"}
                assert cells["fullName"] == args["fullname"]
                strategy = json.loads(str(cells["attribute.gen_strategy.strVal"]))
                assert len(strategy) == sum(name.startswith("input_") for name in args)
    assert joined > 50
    store.close()
