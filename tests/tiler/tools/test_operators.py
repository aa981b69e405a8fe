"""Operators of Ascend devices: figures of real files to the last digit, and made tables against plain sums."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.table_answers import corpus_tables, rows_of, table_answer, written_tables
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.tools import Answer

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


def test_a_type_opens_its_operators(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "msprof_analyze/kernel_details.csv")
    whole = table_answer("operators", store, limit=100)
    answer = table_answer("operators", store, type="ZerosLike", limit=1000)
    runs, total = row_of_type(whole, "ZerosLike", "count", "total")
    rows = rows_of(answer, "operators", "type", "count", "total")
    assert {row[0] for row in rows} == {"ZerosLike"}
    assert (sum(row[1] for row in rows), sum(row[2] for row in rows)) == (runs, total)
    details = rows_of(answer, "operators", "name", "stream", "block_dim", "input_shapes", "input_types", "total")
    assert ("ZerosLike46", "16", "48", '"544404480"', "FLOAT16", microseconds("607.98")) in details
    metrics = rows_of(answer, "metrics", "name", "metric", "value")
    assert ("ZerosLike46", "aiv_vector_fops", 137176320.0) in metrics
    assert ("ZerosLike46", "aiv_vec_int32_ratio", 0.0822) in metrics


def test_ai_cpus_of_a_real_run(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "run_2/aicpu_intermediate_1.csv")
    answer = table_answer("operators", store, contains="INIT")
    count, total, share, insight = row_of_type(answer, "InitData", "count", "total", "core_share", "insight_share")
    assert (count, total) == (1, microseconds("7906"))
    assert (round(share * 100, 2), round(insight * 100, 2)) == (81.56, 89.84)
    assert rows_of(answer, "operators", "name", "dispatch", "run") == [("InitData", 150_000, 220_000)]


def test_ai_cores_of_a_real_run(tmp_path: Path) -> None:
    files = ("profiler/aicore_intermediate_1_type.csv", "profiler/aicore_intermediate_1_detail.csv")
    answer = table_answer("operators", corpus_tables(tmp_path, *files, "profiler/framework_raw_1.csv"))
    assert answer.fact("types").value == 5
    columns = ("total", "count", "mean", "insight_share")
    assert row_of_type(answer, "AtomicAddrClean", *columns) == (7_283, 6, 1_214, 0.0049)
    assert row_of_type(answer, "Cast", *columns) == (53_395, 13, 4_107, 0.0363)
    assert row_of_type(answer, "TransData", *columns) == (121_800, 5, 24_360, 0.0823)
    operators = rows_of(answer, "operators", "name", "type", "mean", "stream", "block_dim", "input_shapes")
    assert len(operators) == 10
    assert ("Default/AtomicAddrClean-op105", "AtomicAddrClean", 987, "0", "1", "10") in operators


def test_long_decimals_of_a_real_run(tmp_path: Path) -> None:
    files = ("run_1/aicore_intermediate_1_type.csv", "run_1/aicore_intermediate_1_detail.csv")
    answer = table_answer("operators", corpus_tables(tmp_path, *files), contains="TransData")
    assert row_of_type(answer, "TransData", "total", "count", "insight_share") == (86_120, 9, 0.0177)
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


@given(ROWS)
def test_types_are_the_sums_of_their_operators(rows: list[tuple[str, str, str, str]]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([["Name", "Type", "Accelerator Core", "Start Time(us)", "Duration(us)"]])
    csv.writer(text).writerows([*row[:3], "1", row[3]] for row in rows)
    with TemporaryDirectory() as folder:
        store = written_tables(Path(folder), kernel_details_csv=text.getvalue())
        answer = table_answer("operators", store, limit=1000)
    types: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    operators: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for name, type_name, core, duration in rows:
        ns = 0 if duration in ("N/A", "", "lots") else microseconds(duration)
        core = "" if core == "N/A" else core
        for sums, key in ((types, (type_name, core)), (operators, (name, core))):
            if sums is operators or type_name:
                sums[key] = [sums[key][0] + 1, sums[key][1] + ns]
    shown = {row[:2]: list(row[2:]) for row in rows_of(answer, "types", "type", "core", "count", "total")}
    assert {key: value for key, value in shown.items() if key[0]} == types
    own: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for name, core, count, total in rows_of(answer, "operators", "name", "core", "count", "total"):
        own[name, core or ""] = [own[name, core or ""][0] + count, own[name, core or ""][1] + (total or 0)]
    assert own == operators
    assert answer.fact("count").value == len(rows)


def test_the_most_detailed_file_counts(tmp_path: Path) -> None:
    store = written_tables(
        tmp_path,
        kernel_details_csv="Name,Type,Accelerator Core,Start Time(us),Duration(us)\na,Add,AI_CORE,1,2.5\n",
        op_statistic_csv="OP Type,Core Type,Count,Total Time(us)\nAdd,AI_CORE,7,9\n",
    )
    assert rows_of(table_answer("operators", store), "types", "type", "count", "total") == [("Add", 1, 2500)]


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
    answer = table_answer("operators", store)
    assert row_of_type(answer, "Mul", "count", "total") == (2**63 + 4, 1000)
    operators = rows_of(answer, "operators", "name", "type", "count", "total", "mean", "stream", "input_shapes")
    assert operators == [("a/Add-op1", "Add", 0, None, None, "2", None), ("b", "b", -1, 0, 0, "2", None)]


def test_two_ranks(tmp_path: Path) -> None:
    header = "serial_number,kernel_type,total_time,dispatch_time,execution_time,run_start,run_end\n"
    files = {f"aicpu_intermediate_{rank}_csv": f"{header}1,Get,{rank}.5,0,0,0,0\n" for rank in (1, 3)}
    store = written_tables(tmp_path, **files)
    answer = table_answer("operators", store)
    assert row_of_type(answer, "Get", "count", "total", "insight_share") == (2, 5_000_000, None)
    assert rows_of(answer, "operators", "rank", "total") == [(3, 3_500_000), (1, 1_500_000)]
    alone = table_answer("operators", store, rank=1)
    assert row_of_type(alone, "Get", "count", "total", "insight_share") == (1, 1_500_000, 1.0)


def test_a_rank_that_is_not_there(tmp_path: Path) -> None:
    answer = table_answer("operators", corpus_tables(tmp_path, "run_2/aicpu_intermediate_1.csv"), rank=0)
    assert [note.text for note in answer.notes] == ["No file is of rank 0: there are 1."]
    assert answer.fact("total").value == 0


def test_other_runs_have_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match="op_time"):
        table_answer("operators", written_tables(tmp_path, flops_0_txt="full_kernel_name, FLOPs, FLOPS utilization\n"))
