"""FLOPs of AI Cores: figures of real files to the last digit, and trees of scopes against plain sums."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.table_answers import corpus_tables, rows_of, table_answer, written_tables
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.tools.flops.scopes import ScopeTree

M = 10**6


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
    tree.add_operators(operators, None)
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
def test_any_links_make_a_tree(links: list[tuple[str, str, int]]) -> None:
    """Circles, too. A row has what its link says; what is in a name of several scopes is counted as left out."""
    tree = ScopeTree()
    tree.add_links(links, None)
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for source, target, flops in links:
        sums[source, target] += flops
    shown = [(tree.rows[row.parent].name, row.name, row.flops) for row in tree.rows if row.parent >= 0]
    assert len(shown) == len({row[:2] for row in shown})
    assert all(sums[source, target] == flops for source, target, flops in shown)
    names = {name for source, target, _ in links for name in (source, target)}
    assert len({row.name for row in tree.rows}) + tree.left_out == len(names)


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


def test_other_runs_have_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match="aicore_metrics"):
        table_answer("flops", written_tables(tmp_path, kernel_details_csv="a,b\n1,2\n"))
