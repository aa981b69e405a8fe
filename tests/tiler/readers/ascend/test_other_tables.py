"""Tables of text with blanks, and of JSON: rows, columns and numbers as the files have them."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.readers.ascend.test_csv_table import rows_of
from tilescope.tiler.columns import SideTable
from tilescope.tiler.errors import TooLarge, TraceError
from tilescope.tiler.readers import open_trace, side_tables
from tilescope.tiler.readers.ascend import json_tables as json_tables_module
from tilescope.tiler.readers.ascend import text_table
from tilescope.tiler.readers.ascend.json_tables import json_tables
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.side_tables import MAX_NAME
from tilescope.tiler.readers.source import ByteSource

Rows = list[dict[str, str | None]]


def tables(path: Path) -> dict[str, Rows]:
    """Rows by column, of each table of a file by its family."""
    tables_read, _ = read(path)
    return {
        table.family: [dict(zip((c.name for c in table.columns), row, strict=True)) for row in rows_of(table)]
        for table in tables_read
    }


def read(path: Path) -> tuple[list[SideTable], list[str]]:
    reader = open_trace(path)
    try:
        for _ in reader.chunks():
            pass
        return reader.summary().tables, reader.summary().warnings
    finally:
        reader.close()


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_figures_of_the_data_queue(corpus: Path) -> None:
    assert tables(corpus / "run_2" / "device_queue_profiling_1.txt")["device_queue_profiling"][2:] == [
        {"kind": "0", "subtype_or_capacity": "0", "batch": "1", "value_or_size": "0", "time_stamp": "10"},
        {"kind": "1", "subtype_or_capacity": "64", "batch": "1", "value_or_size": "0", "time_stamp": "10"},
    ]
    waits = tables(corpus / "run_2" / "minddata_aicpu_1.txt")["minddata_aicpu"]
    assert [row["queue_size"] for row in waits] == ["3", "2", "1"]


def test_rows_whose_names_have_blanks_and_files_of_two_tables(corpus: Path) -> None:
    tasks = tables(corpus / "run_2" / "output_format_data_hwts_1.txt")["output_format_data_hwts"]
    assert tasks[0] == {
        "Type": "Start of task", "cnt": "0", "Core_ID": "0", "Block_ID": "0", "Task_ID": "517_2",
        "Cycle_counter": "15490184485134", "Stream_ID": "517",
    }  # fmt: skip
    parts = tables(corpus / "run_1" / "output_op_compute_time_detail_1.txt")
    assert list(parts) == ["output_op_compute_time_detail", "output_op_compute_time_detail.detail"]
    first, detail = parts.values()
    assert first[0]["compute_time(ms, per-step)"] == "44.6078"
    assert detail[0]["op_name"] == "UnsortedSegmentSum-op199"
    assert tables(corpus / "run_1" / "min_cycle_counter_1.txt") == {"min_cycle_counter": [{"counter": "43806841592.0"}]}


def test_flops_have_both_headers(corpus: Path) -> None:
    for name, rows in (("run_1/flops_1.txt", 199), ("profiler/flops_0.txt", 4), ("profiler/flops_1.txt", 10)):
        assert {family: len(part) for family, part in tables(corpus / name).items()} == {"flops": rows}


def test_operations_of_the_pipeline(corpus: Path) -> None:
    parts = tables(corpus / "run_2" / "pipeline_profiling_1.json")
    operations = parts["pipeline_profiling.op_info"]
    assert operations[0]["op_type"] == "ImageFolderOp"
    assert operations[0]["metrics.output_queue.size"] == "[0,0]"
    assert operations[0]["metrics.output_queue.throughput"] == "[0.0,2.5845222880636986e-08]"


def test_samples_of_the_processor(corpus: Path) -> None:
    parts = tables(corpus / "run_2" / "minddata_cpu_utilization_1.json")
    assert parts["minddata_cpu_utilization"] == [{"sampling_interval": "100", "cpu_processor_num": "100"}]
    samples = parts["minddata_cpu_utilization.samples"]
    assert [row["device_info.idle_utilization"] for row in samples] == ["10", "10", "10"]
    assert [row["time_stamp"] for row in samples] == ["10", "20", "30"]


def test_operators_of_dynamic_shapes(corpus: Path) -> None:
    parts = tables(corpus / "profiler" / "dynamic_shape_info_0.json")
    adds = [row for row in parts["dynamic_shape_info.operator"] if "Add" in (row["op_type"] or "")]
    assert adds[0] == {
        "key": "1", "step": "1", "op_side": "gpu", "op_type": "Add", "op_name": "Add-op6", "dur": "75.616",
        "shape_info": '["[32, 1]","[32, 1]"]',
    }  # fmt: skip
    assert parts["dynamic_shape_info.kernel"][0]["dur"] == "3.904"
    assert parts["dynamic_shape_info.operator_type"][0] == {
        "key": "1", "name": "InitDataSetQueue", "0": "633.088", "1": "1", "2": "633.088",
    }  # fmt: skip


def test_flops_of_model_and_scopes(corpus: Path) -> None:
    summary = tables(corpus / "profiler" / "flops_summary_0.json")["flops_summary"]
    assert summary == [{"FLOPs": "8167.743", "FLOPS": "9868.936", "FLOPS_Utilization": "3.765"}]
    scopes = tables(corpus / "profiler" / "flops_scope_0.json")
    assert (len(scopes["flops_scope.data.nodes"]), len(scopes["flops_scope.data.links"])) == (33, 34)


def test_communication_of_a_cluster(corpus: Path) -> None:
    parts = tables(corpus / "msprof_analyze" / "cluster_communication.json")
    time = parts["cluster_communication.times"][0]
    assert time["operator"] == "hcom_broadcast__501_0@6297232067196334501"
    assert (time["group"], time["step"], time["rank"]) == ("(0, 1)", "step", "0")
    assert time["Elapse Time(ms)"] == "121.73694384375"
    assert time["Start Timestamp(us)"] == "1695054582608213.0"
    bandwidths = parts["cluster_communication.bandwidths"]
    hccs = next(row for row in bandwidths if row["transport"] == "HCCS" and row["operator"] == time["operator"])
    assert (hccs["Transit Size(MB)"], hccs["Transit Time(ms)"]) == ("0.06393599999999998", "0.02366978125")


def test_links_of_a_communication_matrix(tmp_path: Path) -> None:
    link = {"Transport Type": "HCCS", "Transit Size(MB)": 1.5, "Transit Time(ms)": 0.25, "Bandwidth(GB/s)": 6.0}
    content = {"step3": {"collective": {"allreduce-top1@1": {"0-1": link, "1-0": link}}}}
    path = write(tmp_path, "communication_matrix.json", json.dumps(content))
    rows = tables(path)["communication_matrix.links"]
    assert [(row["step"], row["kind"], row["operator"], row["link"]) for row in rows] == [
        ("step3", "collective", "allreduce-top1@1", "0-1"),
        ("step3", "collective", "allreduce-top1@1", "1-0"),
    ]
    assert rows[0]["Transit Size(MB)"] == "1.5"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(value=st.dictionaries(st.text(max_size=5), JSON, max_size=5))
def test_any_json_becomes_tables(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    path = write(tmp_path_factory.mktemp("json"), "pipeline_profiling_0.json", json.dumps(value))
    for part in read(path)[0]:
        assert len(rows_of(part)) == sum(part.chunk_rows)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b'{"FLOPs": 1,}', r"is not JSON: .* \(line 1, column 13\)"),
        (b'{"FLOPs": 1', r"is not JSON: .* \(line 1, column"),
        (b'{"a":' * 100_000, "nested too deep"),
        (b'{"a": "\xff"}', "is not UTF-8"),
        (b'{"a": 1} x', "is not JSON: Extra data"),
    ],
)
def test_json_that_cannot_be_read_says_where(tmp_path: Path, content: bytes, what: str) -> None:
    with pytest.raises(TraceError, match=what):
        read(write(tmp_path, "flops_summary_0.json", content))


@given(content=st.binary(max_size=200))
def test_any_bytes_are_a_table_of_text_or_an_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("text")
    for name in ("output_op_compute_time_1.txt", "device_queue_profiling_1.txt", "min_cycle_counter_0.txt"):
        try:
            tables_read, _ = read(write(folder, name, content))
        except TraceError:
            continue
        for part in tables_read:
            assert len(rows_of(part)) == sum(part.chunk_rows)


def test_damage_of_text_is_counted_with_its_place(tmp_path: Path) -> None:
    text = b"op_name compute_time(ms) stream_id\na 1 2\nb 1\n\xff 1 2\nTotal Time(ms): 9.5\n"
    tables_read, notes = read(write(tmp_path, "output_op_compute_time_1.txt", text))
    assert rows_of(tables_read[0]) == [["a", "1", "2"], ["b", "1", None], ["\ufffd", "1", "2"]]
    assert notes == [
        "1 row has too few cells (line 3, column 2)",
        "1 line is not UTF-8 (line 4, column 1)",
        "1 sum is no row (line 5, column 1)",
    ]


def test_short_rows_are_taken_early_and_left_out_beyond_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_table, "_CELLS", 40)
    monkeypatch.setattr(text_table, "_MOST_ABSENT", 90)
    header = " ".join(f"c{place}" for place in range(10))
    full = " ".join("5" * 10)
    text = f"{header}\n" + "a\n" * 15 + f"{full}\n"
    tables_read, notes = read(write(tmp_path, "output_op_compute_time_1.txt", text))
    assert rows_of(tables_read[0]) == [["a", *[None] * 9]] * 10 + [["5"] * 10]
    assert tables_read[0].chunk_rows == [4, 4, 3]
    assert notes == [
        "15 rows have too few cells (first line 2, column 1)",
        "5 of these rows are left out (first line 12, column 1)",
    ]


@pytest.mark.parametrize(
    ("pattern", "count"), [("=", 1_000_000), ("a( ", 300_000), ("(", 1_000_000), ("a(", 500_000), ("=a= ", 200_000)]
)
def test_lines_of_any_characters_take_time_in_proportion(tmp_path: Path, pattern: str, count: int) -> None:
    lines = f"name size\n{pattern * count}x\n"
    start = time.process_time()
    read(write(tmp_path, "output_op_compute_time_1.txt", lines))
    assert time.process_time() - start < 10  # quadratic, it takes many minutes


def test_sums_and_cells_with_units(tmp_path: Path) -> None:
    text = "op time(ms, per step) cnt\na b 1 2\nTotal (all) time(ms):  9.5\n(ms): 9.5\na): 9.5 1\na(b):  7 8\n"
    tables_read, notes = read(write(tmp_path, "output_op_compute_time_1.txt", text))
    assert [column.name for column in tables_read[0].columns] == ["op", "time(ms, per step)", "cnt"]
    assert rows_of(tables_read[0]) == [
        ["a b", "1", "2"],
        ["(ms):", "9.5", None],
        ["a):", "9.5", "1"],
        ["a(b):", "7", "8"],
    ]
    assert "1 sum is no row (line 3, column 1)" in notes


def test_names_that_are_joined_are_cut_with_a_count(tmp_path: Path) -> None:
    inner = {str(place): place for place in range(2000)}
    for content in ([{"k" * 8000: inner}], {"k" * 8000: {"l" * 8000: inner}, "rows": [{"k" * 8000: inner}]}):
        tables_read, notes = read(write(tmp_path, "pipeline_profiling_0.json", json.dumps(content)))
        names = [column.name for table in tables_read for column in table.columns]
        assert max(map(len, names)) <= MAX_NAME
        assert any(note.startswith("names of members that are cut to 256 characters") for note in notes)
        cells = sum(len(table.columns) for table in tables_read)
        lost = sum(
            int(note.rpartition(" ")[2].replace(",", "")) for note in notes if "another has the same name" in note
        )
        assert cells + lost == 2000 * (2 if isinstance(content, dict) else 1)


def test_small_objects_are_refused_before_their_rows_take_the_memory(tmp_path: Path) -> None:
    content = b"[" + b'{"a":1},' * 600_000 + b"{}]"
    path = write(tmp_path, "pipeline_profiling_0.json", content)
    source = ByteSource.open(path)
    with source, pytest.raises(TooLarge, match="of memory when it is read"):
        json_tables(source, None, Room(400_000_000))


def test_lists_of_attributes_are_columns_where_nothing_is_lost(tmp_path: Path) -> None:
    twice = [{"name": "a", "value": 1}, {"name": "a", "value": 2}]
    named = [{"name": "a", "value": {"strVal": "x"}}, {"name": "b", "value": [3]}]
    rows = [{"op": "n", "with": named}, {"op": "t", "with": twice}]
    path = write(tmp_path, "parallel_strategy_0.json", json.dumps({"graph": {"node": rows}}))
    nodes = tables(path)["parallel_strategy.graph.node"]
    assert [{key: cell for key, cell in row.items() if cell is not None} for row in nodes] == [
        {"op": "n", "with.a.strVal": "x", "with.b": "[3]"},
        {"op": "t", "with": json.dumps(twice, separators=(",", ":"))},
    ]


DEEP = json.loads('{"a":' * 150 + "1" + "}" * 150)
TIMES = {"Communication Time Info": {"Elapse Time(ms)": 1}, "Communication Bandwidth Info": {"HCCS": {"x": 1}}}


@pytest.mark.parametrize(
    ("content", "notes"),
    [
        ([{"a": 1}, 2, "b"], ["entries of a list of rows left out, since they are no objects: 2"]),
        ([{"a.b": 1, "a": {"b": 2}}], ["members left out, since another has the same name: 1"]),
        ({"a.b": 1, "a": {"b": 2}}, ["members left out, since another has the same name: 1"]),
        ({"a.b": [1], "a": {"b": 2}}, ["members left out, since another has the same name: 1"]),
        ({"steps": {"1": [{"key": 5}]}}, ["members left out, since another has the same name: 1"]),
        (DEEP, ["objects left out, since they lie in more than 100 others: 1"]),
        (
            {"step1": {"collective": {"op": {**TIMES, "x": 1}, "y": 2}}, "z": 3},
            ["members left out, since they lie beside those of communication: 3"],
        ),
        (
            {"step1": {"collective": {"op": {**TIMES, "Communication Bandwidth Info": {"HCCS": 1}}}}},
            ["members left out, since they lie beside those of communication: 1"],
        ),
        (
            {"step1": {"collective": {"op": {"more": TIMES}}}},
            ["keys of objects left out, since no column is for them: 1"],
        ),
        ({"steps": {"1": [{"a": 1}]}, "b": {"c": 2}}, []),
    ],
)
def test_what_json_loses_is_counted(tmp_path: Path, content: Any, notes: list[str]) -> None:
    _, noted = read(write(tmp_path, "communication_matrix.json", json.dumps(content)))
    assert noted == [*notes]


def test_columns_beyond_the_most_are_left_out_with_a_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (json_tables_module, text_table):
        monkeypatch.setattr(module, "MAX_COLUMNS", 3)
    for name, content in (
        ("pipeline_profiling_0.json", '[{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}]'),
        ("output_op_compute_time_1.txt", "a b c d e\n1 2 3 4 5\n"),
    ):
        (table,), (note,) = read(write(tmp_path, name, content))
        assert rows_of(table) == [["1", "2", "3"]]
        assert re.match(r"2 columns beyond the first|columns left out, since .*: 2$", note)


def test_long_lines_of_text_are_cut_with_a_count(tmp_path: Path) -> None:
    text = "name\n" + "a" * (5 << 20) + "\nb\n"
    _, notes = read(write(tmp_path, "output_op_compute_time_1.txt", text))
    (note,) = notes
    assert "too long, and cut" in note
    assert "line 2, column" in note


def test_the_tables_of_a_file_lie_in_one_spill_that_goes_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side_tables, "_IN_MEMORY_BYTES", 1)
    content = {f"t{number}": [{"a": number}] for number in range(50)}
    before = open_files()
    tables_read, _ = read(write(tmp_path, "pipeline_profiling_0.json", json.dumps(content)))
    assert open_files() == before + 1
    assert [rows_of(table) for table in reversed(tables_read)] == [[[str(number)]] for number in reversed(range(50))]
    del tables_read
    assert open_files() == before


def open_files() -> int:
    """Descriptors of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())
