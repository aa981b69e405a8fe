"""What is shown of a model's graph: parts by scope, what a TPU can run of them, and what flows between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import model_graphs
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers.tf_graph import node_list
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of


@pytest.fixture
def reader(tmp_path: Path) -> QueryReader:
    path = tmp_path / "model.pb"
    path.write_bytes(model_graphs.graph())
    build_store([path], tmp_path / "store")
    return QueryReader(open_run_store(tmp_path / "store"))


def answer(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("model_graph"), Scope(reader), from_values(tool("model_graph").question, asked)))


def column(of: Answer, table: str, name: str) -> list[Any]:
    return values_of(of.table(table).column(name))


def test_the_outermost_parts(reader: QueryReader) -> None:
    found = answer(reader)
    assert column(found, "nodes", "name") == ["model", "__inference_f_3", "input", "save"]
    assert column(found, "nodes", "valid") == [4, 2, 1, 0]
    assert column(found, "nodes", "invalid") == [1, 0, 0, 0]
    assert column(found, "nodes", "elsewhere") == [0, 0, 0, 1]
    assert column(found, "nodes", "share") == [0.8, 1.0, 1.0, None]
    assert column(found, "nodes", "scope") == ["model", "__inference_f_3", None, "save"]
    edges = zip(*(column(found, "edges", name) for name in ("source_name", "target_name", "count")), strict=True)
    assert set(edges) == {("input", "model", 2), ("model", "save", 1)}
    assert column(found, "not_on_tpu", "name") == ["model/words/lookup"]
    assert found.fact("valid_share").value == 7 / 8
    assert found.fact("elsewhere").value == 1
    assert "estimate" in found.notes[0].text
    placed = dict(zip(column(found, "operations", "op"), column(found, "operations", "placement"), strict=True))
    assert placed["DecodeJpeg"] == "no"
    assert placed["MatMul"] == "yes"
    assert column(found, "nodes", "verdict") == ["in part", "yes", "yes", "not judged"]


def test_what_is_placed_on_a_cpu_by_hand_is_not_judged(reader: QueryReader) -> None:
    """Neither one that a TPU could not run, nor any other."""
    saved = answer(reader, scope="save")
    assert column(saved, "nodes", "device") == ["/device:CPU:0"]
    assert column(saved, "nodes", "verdict") == ["not judged"]
    assert column(saved, "operations", "placement") == ["not judged"]
    assert saved.fact("valid_share").value is None


def test_a_scope_in_another(reader: QueryReader) -> None:
    found = answer(reader, scope="model/dense")
    assert sorted(column(found, "nodes", "name")) == ["MatMul", "Relu", "read", "weights"]
    assert set(column(found, "nodes", "scope")) == {None}
    edges = zip(column(found, "edges", "source_name"), column(found, "edges", "target_name"), strict=True)
    assert set(edges) == {("weights", "read"), ("read", "MatMul"), ("MatMul", "Relu")}
    function = answer(reader, scope="__inference_f_3")
    assert column(function, "edges", "source_name") == ["x"]


def test_operations_have_their_attributes(reader: QueryReader) -> None:
    dense = answer(reader, scope="model/dense")
    texts = dict(zip(column(dense, "nodes", "name"), column(dense, "nodes", "attributes"), strict=True))
    assert texts == {
        "MatMul": model_graphs.ATTRIBUTE_TEXTS["model/dense/MatMul"],
        "Relu": None,
        "read": None,
        "weights": None,
    }
    assert column(answer(reader), "nodes", "attributes") == [None] * 4  # scopes have none
    assert not any("attributes" in note.text for note in dense.notes)


def test_attributes_that_were_left_out_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_list, "MAX_ATTRIBUTE_BYTES", 10)
    path = tmp_path / "model.pb"
    path.write_bytes(model_graphs.graph())
    build_store([path], tmp_path / "store")
    dense = answer(QueryReader(open_run_store(tmp_path / "store")), scope="model/dense")
    assert set(column(dense, "nodes", "attributes")) == {None}
    (note,) = (note.text for note in dense.notes if "attributes" in note.text)
    assert note.startswith("2 operations have no attributes here: ")


def test_a_scope_that_is_not_there(reader: QueryReader) -> None:
    found = answer(reader, scope="nothing")
    assert "no scope 'nothing'" in found.notes[1].text
    assert len(column(found, "nodes", "name")) == 4
    few = answer(reader, limit=2)
    assert len(column(few, "nodes", "name")) == 2
    assert any("2 more parts" in note.text for note in few.notes)
