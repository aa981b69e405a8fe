"""The graph of programs: counts of real ones, what is named and opened, and programs that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.hlo_protos import computation, hlo_plane, hlo_proto, instruction, shape, write_space
from tilescope.tiler.facts.hlo import programs
from tilescope.tiler.facts.hlo.module import HloModule
from tilescope.tiler.facts.hlo.programs import Program
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, answer_json, ask, from_values, graph, tool
from tilescope.tiler.tools.answer import values_of


def reader_of(trace: Path, folder: Path) -> QueryReader:
    build_store([trace], folder / "store")
    return QueryReader(open_run_store(folder / "store"))


def answer(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("graph"), Scope(reader), from_values(tool("graph").question, asked)))


def column(of: Answer, table: str, name: str) -> list[Any]:
    return values_of(of.table(table).column(name))


# Instructions and operands, as an independent decoder counted them.
COUNTED = {
    ("tpu_v6e_4core", "jit_f"): (31, 27),
    ("tpu_v6e_4core", "9646411105960254074"): (6, 4),
    ("gpu_mi300x8_conv", "jit__normal(9)"): (311, 434),
    ("jax_cpu_10steps", "jit_train_step"): (218, 216),
}


@pytest.mark.parametrize(("file", "program"), COUNTED)
def test_programs_of_real_traces(tmp_path: Path, file: str, program: str) -> None:
    reader = reader_of(corpus_path(f"xplane/{file}.xplane.pb"), tmp_path)
    found = answer(reader, program=program, distance=10, limit=1000)
    assert (found.fact("instructions").value, found.fact("edges").value) == COUNTED[file, program]
    names = column(found, "nodes", "name")
    for source, target in zip(column(found, "edges", "source"), column(found, "edges", "target"), strict=True):
        assert names[source]
        assert names[target]
    assert not found.notes


def test_a_program_is_parsed_once_where_its_graph_displaces_it(
    reader: QueryReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    read = programs.hlo_module

    def counting(reader: QueryReader, program: Program) -> Interruptible[HloModule]:
        parsed.append(program.label)
        return (yield from read(reader, program))

    monkeypatch.setattr(graph, "hlo_module", counting)
    first = answer(reader, program="jit_f")
    programs._PROGRAMS.clear()
    assert answer(reader, program="jit_f") == first
    assert len(parsed) == 1


@pytest.fixture
def reader(tmp_path: Path) -> QueryReader:
    of = shape("f32", 4)
    fused = computation(1, "fused", instruction(1, "x", "parameter", of), instruction(2, "y", "negate", of, 1), root=2)
    fusion = instruction(4, "fusion.1", "fusion", of, 3, fusion_kind="kLoop", called_computation_ids=[1])
    main = computation(2, "main", instruction(3, "p", "parameter", of), fusion, root=4)
    protos = {"jit_f(18446744073709551615)": hlo_proto("jit_f", fused, main), "broken(3)": b"\x0a\xff"}
    return reader_of(write_space(tmp_path / "t.xplane.pb", hlo_plane(protos)), tmp_path)


def test_a_fusion_closed_and_open(reader: QueryReader) -> None:
    closed = answer(reader)
    assert column(closed, "nodes", "name") == ["fusion.1", "p"]
    assert column(closed, "nodes", "inside") == [2, None]
    assert column(closed, "nodes", "opcode") == ["fusion (kLoop)", "parameter"]
    opened = answer(reader, open="fusion.1")
    assert column(opened, "nodes", "name") == ["fusion.1", "y", "x", "p"]
    assert column(opened, "nodes", "frame") == [-1, 0, 0, -1]
    assert column(opened, "nodes", "is_open") == [True, False, False, False]
    edges = zip(column(opened, "edges", "source_name"), column(opened, "edges", "target_name"), strict=True)
    assert set(edges) == {("p", "x"), ("x", "y")}
    inside = answer(reader, instruction="y", distance=1)
    assert column(inside, "nodes", "name") == ["fusion.1", "y", "x"]


def test_what_is_not_there_is_said(reader: QueryReader) -> None:
    (note,) = answer(reader, program="jit_g").notes
    assert "no program 'jit_g'" in note.text
    lacking = answer(reader, instruction="fus")
    assert "no instruction 'fus'" in lacking.notes[0].text
    assert column(lacking, "found", "name") == ["fusion.1"]
    (note,) = answer(reader, open="fusion.2").notes
    assert "'fusion.2'" in note.text
    broken = answer(reader, program="broken")
    assert "The HLO proto of broken(3) was left out" in broken.notes[0].text
    assert column(broken, "programs", "id") == ["18446744073709551615", "3"]


def test_it_is_found_by_name_operation_and_path(reader: QueryReader) -> None:
    assert column(answer(reader, find="NEG"), "found", "name") == ["y"]
    assert column(answer(reader, find="nothing"), "found", "name") == []


def test_long_names_do_not_come_again_in_every_row(tmp_path: Path) -> None:
    of = shape("f32", 4)
    users = [instruction(k, f"op.{k}", "negate", of, 1) for k in range(2, 202)]
    program = hlo_proto("jit_f", computation(1, "main", instruction(1, "a" * 100_000, "parameter", of), *users, root=2))
    found = answer(reader_of(write_space(tmp_path / "t.xplane.pb", hlo_plane({"jit_f(7)": program})), tmp_path))
    assert len(column(found, "edges", "source_name")) == 199
    assert len(answer_json.encode(found)) < 1_000_000
