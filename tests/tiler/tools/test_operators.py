"""Operators of Ascend devices: figures of real files to the last digit, and made tables against plain sums."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.table_answers import corpus_tables, rows_of, table_answer, written_tables
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool

# Runs of tables alone have ticks of 1 ns.


def microseconds(text: str) -> int:
    return int(Fraction(text) * 1000)


def row_of_type(answer: Answer, name: str, *columns: str) -> tuple[Any, ...]:
    (row,) = [row[1:] for row in rows_of(answer, "types", "type", *columns) if row[0] == name]
    return row


def test_kernel_details_of_a_real_run(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "msprof_analyze/kernel_details.csv")
    answer = table_answer("operators", store)
    assert [answer.fact(name).value for name in ("types", "count", "total")] == [43, 591, microseconds("396807.04")]
    cores = {core: row for core, *row in rows_of(answer, "cores", "core", "count", "total")}
    assert cores["HCCL"] == [19, microseconds("346398.74")]
    assert cores["AI_VECTOR_CORE"] == [520, microseconds("33091.80")]
    assert cores["AI_CORE"] == [13, microseconds("14252.72")]
    assert len(answer.table("types")) == len(answer.table("operators")) == 20
    assert len({name for (name,) in rows_of(table_answer("operators", store, limit=100), "types", "type")}) == 43


@pytest.mark.parametrize(
    ("folder", "timeline", "notes"),
    [
        ("run_2", (), []),
        (
            "run_1",
            ("timeline_display_1.json",),
            [
                "67 of 69 operators in the first rows of tables have no event in the timeline: the tables may be of "
                "another training than it."
            ],
        ),
    ],
)
def test_tables_of_another_training_than_the_timeline(
    tmp_path: Path, folder: str, timeline: Sequence[str], notes: Sequence[str]
) -> None:
    """MindInsight's own test files are of two networks: one in the tables, the other in the timeline."""
    files = [*corpus_path(f"ascend/{folder}").iterdir(), *(corpus_path(f"ascend/{name}") for name in timeline)]
    build_store(sorted(files), tmp_path / "run.store")
    answer = table_answer("operators", tmp_path / "run.store")
    assert [note.text for note in answer.notes if "in the timeline" in note.text] == notes
    for values in ({"limit": 1}, {"contains": "Conv"}, {"rank": 1}):  # of the run, whatever is listed
        part = table_answer("operators", tmp_path / "run.store", **values)
        assert [note.text for note in part.notes if "in the timeline" in note.text] == notes
    overview = table_answer("overview", tmp_path / "run.store")
    texts = [note.text for note in overview.notes if "in the timeline" in note.text]
    assert texts == [f"Types of operators: {text}" for text in notes]


def test_overview_of_tables_alone_says_where_they_are(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "msprof_analyze/kernel_details.csv")
    with pytest.raises(NotAvailable, match="tables without a timeline: see Tables"):
        table_answer("overview", store)


def test_types_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "run_1/aicore_intermediate_1_type.csv", "run_1/aicore_intermediate_1_detail.csv")
    texts = [note.text for note in table_answer("operators", store).notes]
    assert "4 more types are not listed: a greater limit lists them." in texts
    assert not any("more types" in note.text for note in table_answer("operators", store, limit=24).notes)


def test_the_time_is_told_to_be_of_all_types_only_without_a_filter(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "msprof_analyze/kernel_details.csv")
    notes = [
        table_answer("operators", store, **values).fact("total").note
        for values in (
            {},
            {"limit": 3},
            {"core": "AI_CORE"},
            {"type": "MatMulV2"},
            {"without": "Add"},
            {"contains": "a"},
        )
    ]
    assert notes == ["of all types"] * 2 + ["of those chosen here"] * 4


def test_a_type_opens_its_operators(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "msprof_analyze/kernel_details.csv")
    whole = table_answer("operators", store, limit=100)
    answer = table_answer("operators", store, type="ZerosLike", limit=1000)
    runs, total = row_of_type(whole, "ZerosLike", "count", "total")
    rows = rows_of(answer, "operators", "type", "count", "total")
    assert {row[0] for row in rows} == {"ZerosLike"}
    assert (sum(row[1] for row in rows), sum(row[2] for row in rows)) == (runs, total)
    details = rows_of(answer, "operators", "name", "stream", "block_dim", "input_shapes", "input_types", "total")
    assert ("ZerosLike46", "16", "48", "544404480", "FLOAT16", microseconds("607.98")) in details
    metrics = rows_of(answer, "metrics", "name", "metric", "value")
    assert ("ZerosLike46", "aiv_vector_fops", 137176320.0) in metrics
    assert ("ZerosLike46", "aiv_vec_int32_ratio", 0.0822) in metrics


def test_ai_cpus_of_a_real_run(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "run_2/aicpu_intermediate_1.csv")
    answer = table_answer("operators", store, contains="INIT")
    count, total, share, insight = row_of_type(answer, "InitData", "count", "total", "core_share", "insight_share")
    assert (count, total) == (1, microseconds("7906"))
    assert (round(share * 100, 2), round(insight * 100, 2)) == (81.56, 89.84)
    assert rows_of(answer, "operators", "name", "count", "total") == [("InitData", 1, 7_906_000)]
    whole = table_answer("operators", store)
    parts = {kind: figures for kind, *figures in rows_of(whole, "dispatch", "type", "count", "dispatch", "run")}
    assert parts["InitData"] == [1, 150_000, 220_000]
    assert parts["GetNext"] == [2, 132_000 + 73_000, 440_000]


def test_ai_cores_of_a_real_run(tmp_path: Path) -> None:
    files = ("profiler/aicore_intermediate_1_type.csv", "profiler/aicore_intermediate_1_detail.csv")
    answer = table_answer("operators", corpus_tables(tmp_path, *files, "profiler/framework_raw_1.csv"))
    assert answer.fact("types").value == 5
    columns = ("total", "count", "mean")
    assert row_of_type(answer, "AtomicAddrClean", *columns) == (7_283, 6, 1_214)
    assert row_of_type(answer, "Cast", *columns) == (53_395, 13, 4_107)
    assert row_of_type(answer, "TransData", *columns) == (121_800, 5, 24_360)
    # The file was cut: its own percents, which MindSpore Insight shows, are of rows that it lacks.
    assert row_of_type(answer, "TransData", "core_share", "insight_share") == (121_800 / 1_331_134, 8.23 / 100)
    operators = rows_of(answer, "operators", "name", "type", "mean", "stream", "block_dim", "input_shapes")
    assert len(operators) == 10
    assert ("Default/AtomicAddrClean-op105", "AtomicAddrClean", 987, "0", "1", "10") in operators


def test_long_decimals_of_a_real_run(tmp_path: Path) -> None:
    files = ("run_1/aicore_intermediate_1_type.csv", "run_1/aicore_intermediate_1_detail.csv")
    answer = table_answer("operators", corpus_tables(tmp_path, *files), contains="TransData")
    assert row_of_type(answer, "TransData", "total", "count", "insight_share") == (86_120, 9, 1.77 / 100)
    assert ("Default/TransData-op114", 3, 16_093) in rows_of(answer, "operators", "name", "count", "mean")


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["Add", "Cast", ""]),
        st.sampled_from(["AI_CORE", "AI_CPU", "N/A"]),
        st.decimals(0, 10**6, places=3).map(str) | st.sampled_from(["N/A", "", "1e-1", "lots"]),
    ),
    min_size=1,
    max_size=20,
)


def figure(duration: str) -> int | None:
    return None if duration in ("N/A", "", "lots") else microseconds(duration)


def total_of(figures: Sequence[int | None]) -> int | None:
    numbers = [value for value in figures if value is not None]
    return sum(numbers) if numbers else None


def mean_of(figures: Sequence[int | None]) -> int | None:
    """The mean of the runs that have a time."""
    numbers = [value for value in figures if value is not None]
    return (2 * sum(numbers) + len(numbers)) // (2 * len(numbers)) if numbers else None


@given(ROWS, st.none() | st.sampled_from(["a", "ADD", "b", "as"]))
def test_types_are_the_sums_of_their_operators(rows: list[tuple[str, str, str, str]], contains: str | None) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([["Name", "Type", "Accelerator Core", "Start Time(us)", "Duration(us)"]])
    csv.writer(text).writerows([*row[:3], "1", row[3]] for row in rows)
    with TemporaryDirectory() as folder:
        store = written_tables(Path(folder), kernel_details_csv=text.getvalue())
        answer = table_answer("operators", store, limit=1000, contains=contains)
    types: dict[tuple[str, str | None], list[int | None]] = defaultdict(list)
    operators: dict[tuple[str, str, str | None], list[int | None]] = defaultdict(list)
    chosen = [row for row in rows if contains is None or any(contains.lower() in text.lower() for text in row[:2])]
    for name, type_name, core, duration in chosen:
        kind, place = type_name or name, None if core == "N/A" else core
        types[kind, place].append(figure(duration))
        operators[name, kind, place].append(figure(duration))
    columns = ("count", "total", "mean")
    by_type = {row[:2]: row[2:] for row in rows_of(answer, "types", "type", "core", *columns)}
    assert by_type == {key: (len(v), total_of(v), mean_of(v)) for key, v in types.items()}
    by_name = {row[:3]: row[3:] for row in rows_of(answer, "operators", "name", "type", "core", *columns)}
    assert by_name == {key: (len(v), total_of(v), mean_of(v)) for key, v in operators.items()}
    assert answer.fact("count").value == len(chosen)
    whole = total_of([figure(row[3]) for row in rows])
    shares = {row[:2]: row[2] for row in rows_of(answer, "types", "type", "core", "share")}
    parts = {key: total_of(v) for key, v in types.items()}
    assert shares == {key: part / whole if part is not None and whole else None for key, part in parts.items()}


def test_the_most_detailed_file_counts(tmp_path: Path) -> None:
    store = written_tables(
        tmp_path,
        kernel_details_csv="Name,Type,Accelerator Core,Start Time(us),Duration(us)\na,Add,AI_CORE,1,2.5\n",
        op_statistic_csv="OP Type,Core Type,Count,Total Time(us)\nAdd,AI_CORE,7,9\n",
    )
    answer = table_answer("operators", store)
    assert rows_of(answer, "types", "type", "count", "total") == [("Add", 1, 2500)]
    assert answer.notes[0].text == (
        "Times are of kernel_details, the most exact files of the same work; for others, name a source: op_statistic."
    )
    other = table_answer("operators", store, source="op_statistic")
    assert rows_of(other, "types", "type", "count", "total") == [("Add", 7, 9000)]


def test_a_statistic_alone(tmp_path: Path) -> None:
    text = "OP Type,Core Type,Count,Total Time(us)\nAdd,AI_CORE,7,9.5\nMul,AI_CPU,2,0.5\n"
    answer = table_answer("operators", written_tables(tmp_path, op_statistic_csv=text), core="AI_CPU")
    assert rows_of(answer, "types", "type", "count", "total", "mean") == [("Mul", 2, 500, 250)]
    assert answer.fact("operators").value == 0


def test_hostile_cells(tmp_path: Path) -> None:
    deep = "[" * 100_000
    store = written_tables(
        tmp_path,
        op_statistic_csv="OP Type,Core Type,Count,Total Time(us)\nAdd,,-3,-9\n"
        "Mul,X,9223372036854775807,9e30\nMul,X,5,1\n",
        aicore_intermediate_0_detail_csv="full_op_name,execution_time,execution_frequency\na/Add-op1,nan,0\nb,1e-9,-1\n",
        framework_raw_0_csv=f'task_id,stream_id,block_dim,full_op_name,op_info\n1,2,3,b,"{deep}"\n1,2,3,a/Add-op1,7\n',
    )
    statistic = table_answer("operators", store, source="op_statistic")
    assert row_of_type(statistic, "Mul", "count", "total", "mean") == (2**63 + 4, 1000, 200)
    assert row_of_type(statistic, "Add", "count", "total", "mean") == (-3, -9000, None)
    answer = table_answer("operators", store)
    operators = rows_of(answer, "operators", "name", "type", "count", "total", "mean", "stream", "input_shapes")
    assert operators == [("a/Add-op1", "Add", 0, None, None, "2", None), ("b", "b", -1, 0, None, "2", None)]


def test_two_ranks(tmp_path: Path) -> None:
    header = "serial_number,kernel_type,total_time,dispatch_time,execution_time,run_start,run_end\n"
    files = {f"aicpu_intermediate_{rank}_csv": f"{header}1,Get,{rank}.5,0,0,0,0\n" for rank in (1, 3)}
    store = written_tables(tmp_path, **files)
    answer = table_answer("operators", store)
    assert row_of_type(answer, "Get", "count", "total", "insight_share") == (2, 5_000_000, None)
    assert rows_of(answer, "operators", "rank", "total") == [(3, 3_500_000), (1, 1_500_000)]
    alone = table_answer("operators", store, rank=1)
    assert row_of_type(alone, "Get", "count", "total", "insight_share") == (1, 1_500_000, 1.0)


def test_the_longest_types_of_ai_cpus_are_listed(tmp_path: Path) -> None:
    header = "serial_number,kernel_type,total_time,dispatch_time,execution_time,run_start,run_end\n"
    rows = ["1,a,1,0,0,0,0\n2,b,2,1,1,0,0\n3,a,2.5,0,1,0,0\n4,c,N/A,0,0,0,0\n", "1,a,3,0,0,0,0\n2,d,9,4,5,0,0\n"]
    files = {f"aicpu_intermediate_{rank}_csv": header + own for rank, own in enumerate(rows)}
    store = written_tables(tmp_path, **files)
    ms = 1_000_000
    expected = [
        ("d", 1, 9 * ms, 4 * ms, 1),
        ("a", 2, 7 * ms // 2, 0, 0),
        ("a", 1, 3 * ms, 0, 1),
        ("b", 1, 2 * ms, ms, 0),
    ]
    for limit in range(6):
        answer = table_answer("operators", store, limit=limit)
        dispatch = rows_of(answer, "dispatch", "type", "count", "total", "dispatch", "rank")
        assert dispatch == [*expected, ("c", 1, None, 0, 0)][:limit]
    for chosen in ({"type": "A"}, {"without": "b,C,d"}, {"contains": "A", "core": "AI_CPU"}):
        answer = table_answer("operators", store, **chosen)
        assert rows_of(answer, "dispatch", "type", "rank") == [("a", 0), ("a", 1)]
    others = table_answer("operators", store, core="AI_CORE")
    assert "dispatch" not in [table.id for table in others.tables]


def test_a_rank_that_is_not_there(tmp_path: Path) -> None:
    answer = table_answer("operators", corpus_tables(tmp_path, "run_2/aicpu_intermediate_1.csv"), rank=0)
    assert [note.text for note in answer.notes] == ["No file is of rank 0: there are 1."]
    assert answer.fact("total").value == 0


def test_other_runs_have_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match="op_time"):
        table_answer("operators", written_tables(tmp_path, flops_0_txt="full_kernel_name, FLOPs, FLOPS utilization\n"))


SUMMARY = "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\n"
TYPES = "kernel_type,total_time,execution_frequency,percent\n"


def test_captures_without_a_rank_are_apart(tmp_path: Path) -> None:
    """Each has its own most exact file; what one has twice is counted once."""
    files = []
    for capture in ("PROF_000001_20240102030401111_A", "PROF_000002_20240102030402111_B"):
        folder = tmp_path / capture / "mindstudio_profiler_output"
        folder.mkdir(parents=True)
        files.append(folder / "op_statistic_20240102030405.csv")
        files[-1].write_text("OP Type,Core Type,Count,Total Time(us)\nAdd,AI_CORE,2,7\n")
    files.append(files[0].with_name("op_summary_20240102030405.csv"))
    files[-1].write_text(f"{SUMMARY}x,Add,AI_CORE,1,4\nx,Add,AI_CORE,1,4\n")
    build_store(files, tmp_path / "run.store")
    answer = table_answer("operators", tmp_path / "run.store")
    assert rows_of(answer, "types", "type", "count", "total") == [("Add", 4, 15_000)]
    assert rows_of(answer, "operators", "name", "capture", "total") == [("x", files[0].parts[-3], 8000)]
    statistic = table_answer("operators", tmp_path / "run.store", source="op_statistic")
    assert rows_of(statistic, "types", "type", "count", "total") == [("Add", 4, 14_000)]


def test_files_of_one_capture_count_once(tmp_path: Path) -> None:
    store = written_tables(
        tmp_path,
        kernel_details_csv="Name,Type,Accelerator Core,Start Time(us),Duration(us)\nx,Add,AI_CORE,1,4\n",
        op_summary_1_csv=f"{SUMMARY}x,Add,AI_CORE,1,5\n",
        aicore_intermediate_0_type_csv=f"{TYPES}Add,0.006,1,100\n",
    )
    totals = {"kernel_details": 4000, "op_summary": 5000, "mindspore": 6000}
    for source, total in totals.items():
        assert table_answer("operators", store, source=source).fact("total").value == total
    assert table_answer("operators", store).fact("total").value == 4000
    ranked = table_answer("operators", store, rank=0)
    assert ranked.fact("total").value == 6000  # the others say no rank


def test_tables_of_later_versions(tmp_path: Path) -> None:
    """Operators say their cores, types are of all of them with fractions, and AI CPUs are not counted twice."""
    sides = {"Input_0": {"format": "ND", "data_type": "FLOAT", "shape": "2,3"}, "OUTPUT_0": {"shape": "6"}}
    files = {
        "aicore_intermediate_0_detail_csv": "full_op_name,task_duration,execution_frequency,task_type\n"
        "net/Mul-op1,0.002,3,AI_VECTOR_CORE\nnet/Next-op2,0.5,2,AI_CPU\n",
        "aicore_intermediate_0_type_csv": "op_type,total_time,execution_frequency,percent\n"
        "Mul,0.006,3,0.0060\nGetNext,1,2,0.9940\n",
        "aicpu_intermediate_0_csv": "serial_number,op_type,total_time,dispatch_time,execution_time,run_start,run_end\n"
        "1,GetNext,0.7,0.2,0.5,1,2\n2,GetNext,0.8,0.3,0.5,3,4\n",
        "framework_raw_0_csv": "task_id,stream_id,block_dim,full_op_name,op_name,op_type,subgraph,op_info,model_id,"
        f"kernel_type\n1,2,3,net/Mul-op1,Mul-op1,Mul,net,{quoted(sides)},1,AI_VECTOR_CORE\n"
        "1,2,3,net/Next-op2,Next-op2,GetNext,net,{},1,AI_CPU\n",
    }
    expected = [("GetNext", "AI_CPU", 2, 1_000_000), ("Mul", "AI_VECTOR_CORE", 3, 6000)]
    (tmp_path / "all").mkdir()
    answer = table_answer("operators", written_tables(tmp_path / "all", **files))
    assert rows_of(answer, "types", "type", "core", "count", "total") == expected
    assert rows_of(answer, "dispatch", "type", "count", "dispatch", "run") == [("GetNext", 2, 500_000, 1_000_000)]
    shapes = rows_of(answer, "operators", "name", "input_shapes", "input_types", "output_shapes")
    assert shapes[1] == ("net/Mul-op1", "2,3", "FLOAT", "6")
    del files["aicore_intermediate_0_detail_csv"]
    (tmp_path / "types").mkdir()
    types = table_answer("operators", written_tables(tmp_path / "types", **files))
    assert {row[0]: row[1:] for row in rows_of(types, "types", "type", "count", "total")} == {
        "GetNext": (2, 1_000_000),
        "Mul": (3, 6000),
    }


def quoted(value: object) -> str:
    return '"' + json.dumps(value).replace('"', '""') + '"'


def test_shares_that_files_have_are_those_of_mindspore_insight(tmp_path: Path) -> None:
    """Percents, fractions of a later version, cells that are none; without any, shares of the time of all types."""
    for number, (cells, expected) in enumerate([
        (("60.5", "39.5"), [("Mul", 0.605), ("Add", 0.395)]),
        (("0.605", "0.395"), [("Mul", 0.605), ("Add", 0.395)]),
        (("60.5", "N/A"), [("Mul", 0.605), ("Add", None)]),
        (("N/A", ""), [("Mul", 0.75), ("Add", 0.25)]),
    ]):  # fmt: skip
        folder = tmp_path / str(number)
        folder.mkdir()
        text = f"{TYPES}Mul,3,1,{cells[0]}\nAdd,1,1,{cells[1]}\n"
        answer = table_answer("operators", written_tables(folder, aicore_intermediate_0_type_csv=text))
        assert rows_of(answer, "types", "type", "insight_share") == expected


def test_host_cpus_beside_devices(tmp_path: Path) -> None:
    header = "op_side,op_type,op_name,full_op_name,op_occurrences,op_total_time(ms),op_avg_time(ms),total_proportion"
    store = written_tables(
        tmp_path,
        cpu_op_detail_info_0_csv=f"{header},subgraph,pid\nHost,Concat,Concat-op1,net/Concat-op1,4,2.5,0.625,1,Default,7\n",
        aicore_intermediate_0_type_csv=f"{TYPES}Add,1.5,1,100\n",
    )
    answer = table_answer("operators", store)
    assert rows_of(answer, "cores", "core", "count", "total") == [
        ("HOST_CPU", 4, 2_500_000),
        ("AI_CORE", 1, 1_500_000),
    ]
    assert rows_of(answer, "operators", "name", "core", "mean") == [("net/Concat-op1", "HOST_CPU", 625_000)]
    assert table_answer("operators", store, core="host_cpu").fact("total").value == 2_500_000


def test_a_name_chooses_operators_of_a_type(tmp_path: Path) -> None:
    store = written_tables(
        tmp_path,
        aicore_intermediate_0_type_csv=f"{TYPES}Add,0.010,3,50\nMul,0.010,1,50\n",
        aicore_intermediate_0_detail_csv="full_op_name,execution_time,execution_frequency\n"
        "net/a/Add-op1,0.003,2\nnet/b/Add-op2,0.004,1\nnet/a/Mul-op3,0.010,1\n",
    )
    by_name = table_answer("operators", store, contains="NET/A")
    assert rows_of(by_name, "types", "type", "count", "total") == [("Mul", 1, 10_000), ("Add", 2, 6000)]
    assert rows_of(table_answer("operators", store, contains="add"), "types", "type", "total") == [("Add", 10_000)]
    assert rows_of(table_answer("operators", store, type="mul, cast"), "types", "type") == [("Mul",)]
    assert rows_of(table_answer("operators", store, without="MUL"), "operators", "type") == [("Add",), ("Add",)]
    listed = table_answer("operators", store, name="net/a/add-OP1,NET/a/Mul-op3")
    assert rows_of(listed, "types", "type", "count", "total") == [("Mul", 1, 10_000), ("Add", 2, 6000)]
    assert rows_of(listed, "operators", "name") == [("net/a/Mul-op3",), ("net/a/Add-op1",)]
    others = table_answer("operators", store, without_name="net/a/mul-op3", without="cast")
    assert rows_of(others, "types", "type", "count", "total") == [("Add", 3, 10_000)]
    assert others.fact("total").note == "of those chosen here"
    assert len(table_answer("operators", store, name="add").table("types")) == 0


def test_cells_that_are_not_recorded(tmp_path: Path) -> None:
    store = written_tables(
        tmp_path,
        aicore_intermediate_0_type_csv=f"{TYPES}Add,N/A,N/A,N/A\nMul,1,N/A,N/A\n",
    )
    answer = table_answer("operators", store)
    rows = rows_of(answer, "types", "type", "count", "total", "mean", "share")
    assert rows == [("Mul", None, 1_000_000, None, 1.0), ("Add", None, None, None, None)]
    assert answer.fact("count").value is None


def test_numbers_of_devices_are_not_counted_by_hardware(tmp_path: Path) -> None:
    header = "Device_id,Model ID,Infer ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)"
    text = f"{header},Block_Dim,aic_total_cycles\n0,1,2,3,x,Add,AI_CORE,1,4,5,6\n"
    answer = table_answer("operators", written_tables(tmp_path, op_summary_1_csv=text))
    assert rows_of(answer, "metrics", "metric", "value") == [("aic_total_cycles", 6.0)]


def test_types_of_the_same_time_are_in_the_order_of_their_texts(tmp_path: Path) -> None:
    """Also where only the first are listed; a core without a name is none."""
    rows = "".join(f"{name},{core},1,{time}\n" for name, core, time in [("b", "X", 5), ("c", "X", 5), ("a", "", 5)])
    text = f"OP Type,Core Type,Count,Total Time(us)\n{rows}d,X,1,7\ne,X,1,N/A\nf,X,1,-1\n"
    store = written_tables(tmp_path, op_statistic_csv=text)
    for limit in range(7):
        types = rows_of(table_answer("operators", store, limit=limit), "types", "type", "total")
        expected = [("d", 7000), ("a", 5000), ("b", 5000), ("c", 5000), ("e", None), ("f", -1000)]
        assert types == expected[:limit]
    answer = table_answer("operators", store)
    assert rows_of(answer, "cores", "core", "types", "total") == [("X", 5, 16_000), (None, 1, 5000)]
    assert [answer.fact(name).value for name in ("types", "count", "total")] == [6, 6, 21_000]


def test_cores_are_bounded_those_with_most_time_first(tmp_path: Path) -> None:
    rows = "".join(f"t,core {number},1,{number}\n" for number in range(1, 151))
    store = written_tables(tmp_path, op_statistic_csv=f"OP Type,Core Type,Count,Total Time(us)\n{rows}")
    answer = table_answer("operators", store)
    cores = rows_of(answer, "cores", "core", "total")
    assert cores == [(f"core {number}", number * 1000) for number in range(150, 50, -1)]
    assert [note.text for note in answer.notes if "cores" in note.text] == [
        "50 more cores are not listed: the 100 with most time are."
    ]


def test_answers_of_different_types_yield(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("tilescope.tiler.tools.operators.type_sums"), "_AT_ONCE", 10)
    rows = "".join(f"t{number},X,1,5\n" for number in range(200))
    store = written_tables(tmp_path, op_statistic_csv=f"OP Type,Core Type,Count,Total Time(us)\n{rows}")
    registered = tool("operators")
    with closing(open_run_store(store)) as run_store:
        yields = sum(1 for _ in ask(registered, Scope(QueryReader(run_store)), from_values(registered.question, {})))
    assert yields >= 20
