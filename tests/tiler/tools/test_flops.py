"""FLOPs of AI Cores: figures of real files to the last digit, and trees of scopes against plain sums."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.table_answers import corpus_tables, rows_of, table_answer, texts, written_tables
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import finish
from tilescope.tiler.tools.flops.scopes import ScopeTree

M = 10**6
NO_TABLE = cast(RunTable, None)


def test_the_summary_of_a_real_step(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "profiler/flops_summary_0.json", "profiler/flops_scope_0.json")
    answer = table_answer("flops", store)
    assert answer.fact("flops").value == 8_167_743_000
    assert answer.fact("rate").value == pytest.approx(9868.936e9, rel=1e-12)
    assert answer.fact("of_peak").value == pytest.approx(0.03765, rel=1e-12)
    assert "padding" in answer.notes[0].text


def test_the_ranks_of_a_real_cluster(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, *(f"cluster_propose/flops_summary_{rank}.json" for rank in range(4)))
    answer = table_answer("flops", store)
    flops = [107_146_763_000, 107_145_034_000, 329_608_369_000, 329_612_400_000]
    assert rows_of(answer, "ranks", "rank", "flops") == list(enumerate(flops))
    figures = rows_of(answer, "ranks", "rate", "of_peak")
    expected = [(5385.552, 0.23), (5386.261, 0.229), (4859.39, 0.725), (4897.642, 0.725)]
    for (rate, share), (giga, percent) in zip(figures, expected, strict=True):
        assert (rate, share) == pytest.approx((giga * 1e9, percent / 100), rel=1e-12)
    assert answer.fact("flops").value == sum(flops)
    assert table_answer("flops", store, rank=2).fact("flops").value == flops[2]
    missing = table_answer("flops", store, rank=4)
    assert missing.notes[1].text == "No file is of rank 4: there are 0, 1, 2, 3."
    assert rows_of(missing, "ranks", "rank") == []


def test_the_scopes_of_a_real_step(tmp_path: Path) -> None:
    answer = table_answer("flops", corpus_tables(tmp_path, "profiler/flops_scope_0.json"))
    rows = rows_of(answer, "scopes", "name", "flops", "level", "parent")
    assert len(rows) == 35  # each link, and the row above all
    assert rows[0] == ("Total", 8_167_742_000, 0, -1)
    below = {name: flops for name, flops, _, parent in rows if parent == 0}
    assert below == {"Default": 4_655_465_000, "Gradients": 3_512_277_000}
    convolutions = [(rows[parent][0], flops) for name, flops, _, parent in rows if name == "gradConv2D(Gradients)"]
    assert convolutions == [("conv2-Conv2d(Gradients)", 501_876_000), ("conv1-Conv2d(Gradients)", 1_557_531_000)]
    first = table_answer("flops", corpus_tables(tmp_path, "profiler/flops_scope_0.json"), depth=2)
    assert [row[0] for row in rows_of(first, "scopes", "name")] == ["Total", "Default", "Gradients"]


def test_operators_have_cubes_and_vectors_apart(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "profiler/flops_1.txt", "profiler/flops_0.txt")
    answer = table_answer("flops", store)
    rows = rows_of(answer, "operators", "rank", "flops", "cube_flops", "vector_flops", "of_peak", "cube_of_peak")
    assert rows[:10] == [(1, 666 * M, 333 * M, 333 * M, None, 0.33)] * 10
    assert rows[10:] == [(0, 333 * M, None, None, 0.33, None)] * 4
    assert rows_of(answer, "ranks", "rank", "flops") == [(0, 4 * 333 * M), (1, 10 * 666 * M)]
    matches = table_answer("flops", store, contains="CAST-op1", limit=1)
    assert rows_of(matches, "operators", "name") == [("Default/Cast-op10",)]
    assert matches.table("operators").totals == {"flops": 2 * 666 * M, "cube_flops": 666 * M, "vector_flops": 666 * M}
    assert matches.table("operators").rest == {"flops": 666 * M, "cube_flops": 333 * M, "vector_flops": 333 * M}


def test_scopes_of_operators_where_no_links_are(tmp_path: Path) -> None:
    lines = "full_kernel_name, FLOPs, FLOPS, FLOPS utilization\nA/B/x-op1, 1.5, 2, 3\nA/y-op2, 0.25, 2, 3\nz, N/A, , \n"
    answer = table_answer("flops", written_tables(tmp_path, flops_3_txt=lines))
    rows = rows_of(answer, "scopes", "name", "flops", "parent", "rank")
    assert rows == [("Total", 1_750_000, -1, 3), ("A", 1_750_000, 0, 3), ("B", 1_500_000, 1, 3)]
    assert rows_of(answer, "operators", "name", "flops")[-1] == ("z", None)


PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map("/".join)


@given(st.lists(st.tuples(PATHS, st.integers(-5, 10**12)), max_size=20))
def test_scopes_are_the_sums_of_their_operators(operators: list[tuple[str, int]]) -> None:
    tree = ScopeTree()
    finish(tree.add_operators(operators, NO_TABLE))
    paths: list[str] = []
    for row in tree.rows:
        paths.append("" if row.parent < 0 else f"{paths[row.parent]}{row.name}/")
    expected = {path: sum(flops for name, flops in operators if name.startswith(path)) for path in paths}
    assert {path: row.flops for path, row in zip(paths, tree.rows, strict=True)} == expected
    assert set(paths) == {name[:end] for name, _ in operators for end in _ends(name)} | {""}


def _ends(name: str) -> list[int]:
    return [place + 1 for place, letter in enumerate(name) if letter == "/"]


LINKS = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"), st.integers(0, 99)), max_size=15)


@given(LINKS)
def test_links_make_a_tree(links: list[tuple[str, str, int]]) -> None:
    """Circles, too: a link is shown if its source is, and lies in nothing, or in a single scope."""
    tree = ScopeTree()
    finish(tree.add_links(links, NO_TABLE))
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for source, target, flops in links:
        sums[source, target] += flops
    sources = {name: {source for source, target in sums if target == name} for link in sums for name in link}
    roots = {source for source, _ in sums if not sources[source]}
    expected: set[tuple[str, str]] = set()
    for _ in sums:  # as far as the longest path
        open_scopes = roots | {target for source, target in expected if len(sources[target]) == 1}
        expected = {(source, target) for source, target in sums if source in open_scopes}
    shown = [(tree.rows[row.parent].name, row.name) for row in tree.rows if row.parent >= 0]
    assert sorted(shown) == sorted(expected)
    assert all(sums[tree.rows[row.parent].name, row.name] == row.flops for row in tree.rows if row.parent >= 0)
    tops = {row.name: row.flops for row in tree.rows if row.parent < 0}
    assert tops == {root: sum(flops for (source, _), flops in sums.items() if source == root) for root in roots}
    assert tree.left_out == len(sources.keys() - roots - {target for _, target in expected})


def test_hostile_figures(tmp_path: Path) -> None:
    links = [{"source": "a", "target": "b", "value": 1e300}, {"source": "b", "target": "a"}, {"target": 7}]
    store = written_tables(
        tmp_path,
        flops_summary_0_json='{"FLOPs": 1e30, "FLOPS": "fast", "FLOPS_Utilization": -1}',
        flops_scope_0_json=json.dumps({"data": {"links": links}}),
        flops_0_txt="full_kernel_name, cube_FLOPs, vec_FLOPs\nx, 9e12, 9e12\n\ny\n",
    )
    answer = table_answer("flops", store)
    assert answer.fact("flops").value is None
    assert rows_of(answer, "operators", "name", "cube_flops", "flops")[0] == ("x", 9 * 10**18, None)
    # An amount, a rate, a link, and a sum of two amounts.
    assert re.search(r"4 figures of flops_.* could not be read, or are too large, and count for nothing", texts(answer))


RUNS = "Name,Type,Accelerator Core,Start Time(us),Duration(us),aic_cube_fops,aiv_vector_fops\n"


def test_figures_of_runs_that_are_none_are_counted(tmp_path: Path) -> None:
    """A rate is of runs that have FLOPs and a time, all of them; a sum beyond 64 bits is none."""
    rows = (
        "a,Add,AI_CORE,1,4,70,NaN\na,Add,AI_CORE,2,long,30,N/A\nb,Add,AI_CORE,3,2,10,4\nb,Add,AI_CORE,4,8,N/A,N/A\n"
        "c,Add,AI_CORE,5,1,9223372036854775807,1\nd,Add,AI_CORE,6,1,9223372036854775808,2\n"
    )
    answer = table_answer("flops", written_tables(tmp_path, kernel_details_csv=RUNS + rows))
    assert sorted(rows_of(answer, "operators", "name", "flops", "cube_flops", "vector_flops", "rate")) == [
        ("a", 100, 100, None, None),
        ("b", 14, 10, 4, 7_000_000.0),
        ("c", None, None, 1, None),
        ("d", 2, None, 2, 2_000_000.0),
    ]
    # Of `a` an amount and a time, of `c` the sum, of `d` an amount.
    assert "4 figures of kernel_details.csv could not be read, or are too large" in texts(answer)
    (tmp_path / "whole").mkdir()
    store = written_tables(tmp_path / "whole", kernel_details_csv=f"{RUNS}a,Add,AI_CORE,1,4,7,N/A\n")
    assert "could not be read" not in texts(table_answer("flops", store))


def test_other_runs_have_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match=r"aicore_metrics=0.*aic_cube_fops.*with_flops of torch_npu"):
        table_answer("flops", written_tables(tmp_path, kernel_details_csv="a,b\n1,2\n"))


def test_shares_are_of_the_own_rank(tmp_path: Path) -> None:
    lines = "full_kernel_name, FLOPs, FLOPS, FLOPS utilization\n"
    store = written_tables(
        tmp_path, flops_0_txt=f"{lines}A/x, 1, 2, 3\nB/y, 3, 2, 3\n", flops_1_txt=f"{lines}A/x, 16, 2, 3\n"
    )
    answer = table_answer("flops", store)
    scopes = [row for row in rows_of(answer, "scopes", "rank", "name", "share") if row[1] != "Total"]
    assert scopes == [(0, "A", 0.25), (0, "B", 0.75), (1, "A", 1.0)]
    assert rows_of(answer, "operators", "rank", "share") == [(1, 1.0), (0, 0.75), (0, 0.25)]


def test_later_versions(tmp_path: Path) -> None:
    """Cube and vector apart, a summary without rates, and a file without any figure."""
    header = "full_kernel_name, MFLOPs(10^6 cube), GFLOPS(10^9 cube), MFLOPs(10^6 vector), GFLOPS(10^9 vector)\n"
    store = written_tables(
        tmp_path,
        flops_0_txt=f"{header}A/x, 2, 4, 1, 2\nA/y, N/A, N/A, 0.5, 1\nA/z, N/A, N/A, N/A, N/A\n",
        flops_summary_0_json='{"cube_FLOPs": 2, "vec_FLOPs": 1.5}',
        flops_1_txt=f"{header}A/z, N/A, N/A, N/A, N/A\n",
    )
    answer = table_answer("flops", store)
    assert rows_of(answer, "ranks", "rank", "flops", "rate") == [(0, 3_500_000, None), (1, None, None)]
    assert (answer.fact("flops").value, answer.fact("rate").value) == (3_500_000, None)
    rows = rows_of(answer, "operators", "name", "flops", "rate", "cube_flops", "vector_flops")
    assert rows[:2] == [("A/x", 3 * M, 6e9, 2 * M, M), ("A/y", M // 2, 1e9, None, M // 2)]
    assert rows[2:] == [("A/z", None, None, None, None)] * 2


def test_captures_without_a_rank_are_apart(tmp_path: Path) -> None:
    """Both count, and each is of its capture."""
    header = "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),aic_cube_fops,aiv_vector_fops\n"
    files = []
    for number, capture in enumerate(("PROF_000001_20240102030401111_A", "PROF_000002_20240102030402111_B"), 1):
        folder = tmp_path / capture / "mindstudio_profiler_output"
        folder.mkdir(parents=True)
        files.append(folder / "op_summary_20240102030405.csv")
        files[-1].write_text(
            f"{header}net/x,MatMul,AI_CORE,1,2.5,{number}000,50\nnet/x,MatMul,AI_CORE,5,1.5,1000,N/A\n"
        )
    build_store(files, tmp_path / "run.store")
    answer = table_answer("flops", tmp_path / "run.store")
    captures = [path.parts[-3] for path in files]
    assert rows_of(answer, "ranks", "capture", "span", "flops") == [
        (captures[0], "all runs", 2050),
        (captures[1], "all runs", 3050),
    ]
    assert rows_of(answer, "operators", "capture", "name", "flops", "cube_flops", "vector_flops", "rate") == [
        (captures[1], "net/x", 3050, 3000, 50, pytest.approx(3050 / 4e-6)),
        (captures[0], "net/x", 2050, 2000, 50, pytest.approx(2050 / 4e-6)),
    ]
    assert [row for row in rows_of(answer, "scopes", "capture", "name", "flops") if row[1] == "net"] == [
        (captures[0], "net", 2050),
        (captures[1], "net", 3050),
    ]


def test_what_hardware_counted_in_a_real_run(tmp_path: Path) -> None:
    store = corpus_tables(tmp_path, "msprof_analyze/kernel_details.csv")
    answer = table_answer("flops", store)
    with corpus_path("ascend/msprof_analyze/kernel_details.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    parts = {"cube": ("aic_cube_fops", "aiv_cube_fops"), "vector": ("aic_vector_fops", "aiv_vector_fops")}
    sums = {
        part: sum(int(row[name]) for row in rows for name in names if row.get(name, "N/A") != "N/A")
        for part, names in parts.items()
    }
    assert sums["cube"] > sums["vector"] > 0
    totals = answer.table("operators").totals
    assert totals == {"flops": sum(sums.values()), "cube_flops": sums["cube"], "vector_flops": sums["vector"]}
    assert answer.fact("flops").value == sum(sums.values())


def test_one_source_for_each_rank(tmp_path: Path) -> None:
    store = written_tables(
        tmp_path,
        flops_0_txt="full_kernel_name, FLOPs, FLOPS, FLOPS utilization\nA/x, 1, 2, 3\n",
        kernel_details_csv="Name,Type,Accelerator Core,Start Time(us),Duration(us),aic_cube_fops\n"
        "x,Add,AI_CORE,1,4,70\n",
    )
    assert table_answer("flops", store).fact("flops").value == M
    assert "kernel_details" in table_answer("flops", store).notes[1].text
    assert table_answer("flops", store, source="kernel_details").fact("flops").value == 70


def test_a_summary_without_figures_hides_no_operators(tmp_path: Path) -> None:
    store = written_tables(
        tmp_path,
        flops_summary_0_json='{"FLOPs": "N/A", "FLOPS": "N/A"}',
        flops_0_txt="full_kernel_name, FLOPs, FLOPS, FLOPS utilization\nA/x, 1, 2, 3\n",
    )
    answer = table_answer("flops", store)
    assert rows_of(answer, "ranks", "file", "flops") == [("flops_0.txt", M)]
    assert answer.fact("flops").value == M
