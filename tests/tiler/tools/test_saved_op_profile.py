"""The op profile of a run that has only a saved page says what the file has, in the columns that it has of traces."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

OP_PROFILE = tool("op_profile")
GOLDEN = ("tpu_v6e_4core", "pod/all")


def reader_of(path: Path, folder: Path) -> QueryReader:
    build_store([path], folder / "store")
    return QueryReader(open_run_store(folder / "store"))


def profile(reader: QueryReader, **values: object) -> Answer:
    assert OP_PROFILE.availability(Scope(reader)) == ""
    return finish(ask(OP_PROFILE, Scope(reader), from_values(OP_PROFILE.question, {**values})))


def rows_of(answer: Answer) -> dict[tuple[str, ...], dict[str, Any]]:
    """Rows by their names from the top down."""
    table = answer.table("operations")
    columns: dict[str, list[Any]] = {column.id: list(values_of(column)) for column in table.columns}
    paths: list[tuple[str, ...]] = []
    for name, parent in zip(columns["name"], columns["parent"], strict=True):
        paths.append((*(() if parent < 0 else paths[parent]), name))
    assert len(set(paths)) == len(paths)
    return {path: {key: values[row] for key, values in columns.items()} for row, path in enumerate(paths)}


def nodes_of(node: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for child in node["children"]:
        yield (*above, child["name"]), child
        yield from nodes_of(child, (*above, child["name"]))


def golden(run: str, folder: Path) -> tuple[Path, Any]:
    content = gzip.decompress(corpus_path(f"golden/xprof_2.24.2/{run}/op_profile.json.gz").read_bytes())
    path = folder / "op_profile.json"
    path.write_bytes(content)
    return path, json.loads(content)


def test_the_example_of_the_document(tmp_path: Path) -> None:
    """A batch of 16, padded to 128, and 3 features, padded to 8: 5 % of the matrix unit are used."""
    sizes = ("batch", 16, 128), ("feature", 3, 8), ("spatial", 112, 1), ("spatial", 112, 1)
    dimensions = [{"semantics": name, "size": size, "alignment": alignment} for name, size, alignment in sizes]
    metrics = {"time": 1.0, "flops": 0.01}
    xla = {"category": "convolution", "expression": "%convolution.399", "layout": {"dimensions": dimensions}}
    convolution = {"name": "%convolution.399", "metrics": metrics, "xla": xla, "children": []}
    category = {"name": "convolution", "metrics": metrics, "category": {}, "children": [convolution]}
    page = {"byCategory": {"name": "by_category", "metrics": metrics, "children": [category]}}
    path = tmp_path / "op_profile.json"
    path.write_text(json.dumps(page))
    row = rows_of(profile(reader_of(path, tmp_path)))["convolution", "%convolution.399"]
    assert row["matrix_used"] == 16 / 128 * 3 / 8
    assert f"{row['matrix_used']:.0%}" == "5%"
    assert row["matrix_padding"] == "batch 16 padded to 128 × feature 3 padded to 8 (of the result alone)"
    assert row["layout"] == "batch 16 padded to 128, feature 3 padded to 8, spatial 112, spatial 112"


def test_an_old_page_by_category_is_shown_whatever_is_asked_for(tmp_path: Path) -> None:
    reader = reader_of(corpus_path("imports/op_profile.json"), tmp_path)
    answer = profile(reader)
    assert any("no operations by program: these are by category" in note.text for note in answer.notes)
    rows = rows_of(answer)
    assert next(iter(rows)) == ("Good ops",)
    convolution = rows["Good ops", "%convolution"]
    assert convolution["share"] == 0.2
    assert convolution["flops_used"] == pytest.approx(0.9)
    assert convolution["wasted"] == pytest.approx(0.02)
    assert convolution["layout"] == "feature 200 padded to 256, batch 8, spatial 256"
    assert convolution["padding"] == pytest.approx(1 - 200 / 256)
    assert convolution["matrix_used"] == 200 / 256
    assert convolution["matrix_padding"] == "feature 200 padded to 256 (of the result alone)"
    assert rows["Overhead", "%infeed"]["matrix_used"] is None
    assert convolution["provenance"] == "Convolution2D"
    assert convolution["self"] is None
    assert rows["Good ops", "%fusion", "%dot.1"]["share"] is None
    assert rows["Overhead", "%infeed"]["wasted"] == 0.4
    assert answer.fact("flops_utilisation").value == 0.4
    assert answer.fact("span").value is None
    assert "no times" in answer.fact("span").note
    assert not any("by program" in note.text for note in profile(reader, by="category").notes)


@pytest.mark.parametrize("run", GOLDEN)
@pytest.mark.parametrize(("with_idle", "key"), [(True, "byProgram"), (False, "byProgramExcludeIdle")])
def test_every_operation_of_a_page_has_the_figures_of_the_file(
    run: str, with_idle: bool, key: str, tmp_path: Path
) -> None:
    path, content = golden(run, tmp_path)
    reader = reader_of(path, tmp_path)
    tick_ps = int(reader.store.manifest()["tick_ps"])
    answer = profile(reader, with_idle=with_idle, limit=1000)
    root = content[key]
    whole_ps = root["metrics"]["rawTime"]
    expected = {("idle",) if names == ("IDLE",) else names: node["metrics"] for names, node in nodes_of(root)}
    rows = rows_of(answer)
    assert rows.keys() == expected.keys()
    for names, metrics in expected.items():
        row = rows[names]
        assert row["self"] == round(metrics["rawTime"] / tick_ps)
        assert row["share"] == metrics["rawTime"] / whole_ps
        if names == ("idle",):
            assert row["wasted"] is row["flops_used"] is None
            continue
        assert row["count"] == (metrics["occurrences"] or None)
        assert row["flops"] == metrics["rawFlops"]
        assert row["bytes"] == round(metrics["rawBytesAccessedArray"][0])
        assert row["hbm_used"] == metrics["bandwidthUtils"][0]
        # The peak follows from the whole: used shares go with the rate of each operation.
        whole = root["metrics"]
        peak = whole["rawFlops"] / whole["normalizedTimePs"] / whole["flops"]
        if metrics["normalizedTimePs"]:
            assert row["flops_used"] == pytest.approx(metrics["rawFlops"] / metrics["normalizedTimePs"] / peak)
    all_time = content["byProgram"]
    (idle_ps,) = (node["metrics"]["rawTime"] for names, node in nodes_of(all_time) if names == ("IDLE",))
    assert answer.fact("span").value == round(all_time["metrics"]["rawTime"] / tick_ps)
    assert answer.fact("busy").value == round((all_time["metrics"]["rawTime"] - idle_ps) / tick_ps)
    assert answer.fact("idle_share").value == idle_ps / all_time["metrics"]["rawTime"]


def test_without_idle_time_shares_are_of_the_rest(tmp_path: Path) -> None:
    path, content = golden("pod/all", tmp_path)
    whole = rows_of(profile(reader_of(path, tmp_path), with_idle=False))
    del content["byProgramExcludeIdle"]
    path.write_text(json.dumps(content))
    (tmp_path / "cut").mkdir()
    cut = rows_of(profile(reader_of(path, tmp_path / "cut"), with_idle=False))
    assert cut.keys() == whole.keys()
    for path_of_row, row in whole.items():
        assert cut[path_of_row]["share"] == pytest.approx(row["share"])


@pytest.mark.parametrize(("values", "listed"), [({"limit": 2}, 2), ({"cover": 70}, 2), ({"cover": 61}, 2), ({}, 5)])
def test_what_is_not_listed_is_one_row(values: dict[str, int], listed: int, tmp_path: Path) -> None:
    shares = [0.1, 0.4, 0.05, 0.3, 0.15]
    nodes = [
        {"name": f"op{place}", "metrics": {"time": share, "flops": share / 2}} for place, share in enumerate(shares)
    ]
    path = tmp_path / "page.json"
    path.write_text(json.dumps({"byCategory": {"name": "all", "metrics": {"time": 1}, "children": nodes}}))
    rows = rows_of(profile(reader_of(path, tmp_path), by="category", **values))
    names = ["op1", "op3", "op4", "op0", "op2"][:listed]
    more = 5 - listed
    assert [name for (name,) in rows] == [*names, *([f"{more} more"] if more else [])]
    if more:
        rest = rows[f"{more} more",]
        assert rest["share"] == pytest.approx(0.3)
        assert rest["flops_used"] == pytest.approx(0.5)


def test_a_use_above_the_peak_is_not_cut(tmp_path: Path) -> None:
    node = {"name": "op", "metrics": {"time": 0.5, "flops": 0.6}}
    path = tmp_path / "page.json"
    path.write_text(json.dumps({"byCategory": {"name": "all", "metrics": {"time": 1}, "children": [node]}}))
    row = rows_of(profile(reader_of(path, tmp_path), by="category"))["op",]
    assert row["flops_used"] == pytest.approx(1.2)
    assert row["wasted"] == 0


def test_a_span_is_said_to_be_of_no_effect(tmp_path: Path) -> None:
    reader = reader_of(corpus_path("imports/op_profile.json"), tmp_path)
    assert any("has no timeline" in note.text for note in profile(reader, start=0, end=5).notes)
    assert not any("has no timeline" in note.text for note in profile(reader).notes)


def test_operations_of_a_trace_come_before_those_of_a_page(tmp_path: Path) -> None:
    core = plane("/device:TPU:0", [Instruction("7")], {"XLA Ops": [Run(0, 0, 9)]})
    trace = write_trace(tmp_path / "a.xplane.pb", [core])
    build_store([trace, corpus_path("imports/op_profile.json")], tmp_path / "store")
    answer = profile(QueryReader(open_run_store(tmp_path / "store")))
    assert answer.fact("cores").value == 1
