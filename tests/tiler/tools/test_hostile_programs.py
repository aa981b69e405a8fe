"""Programs that are made to harm: tools about programs say in a line why one is left out, and answer for the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bench.pod_run.wire import Cells, messages, numbers
from tests.hlo_protos import buffers, computation, hlo_plane, hlo_proto, instruction, shape
from tests.tpu_trace import Instruction, Run, plane
from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.hlo import parsing
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, answer_json, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

F32 = shape("f32", 4)
HUGE = (1 << 63) - 1
COUNT = 120_000


def many() -> bytes:
    """A program of very many instructions, with a buffer for each."""
    ids = np.arange(1, COUNT + 1)
    instructions = messages(2, numbers(35, ids), COUNT).joined()
    located = messages(3, numbers(4, ids), COUNT)
    logical = messages(1, numbers(1, ids).then(numbers(2, ids), located), COUNT).joined()
    events = messages(1, numbers(2, ids).then(Cells.constant(COUNT, b"")), COUNT).joined()
    plan = pb.BufferAssignment(heap_simulator_traces=[events]).SerializeToString()
    of = computation(1, "main", instruction(COUNT + 1, "op.1", "add", F32), root=COUNT + 1)
    return hlo_proto("jit_many", of + instructions, entry=1, buffer_assignment=logical + plan)


def one(name: str = "op.1", **more: Any) -> bytes:
    return instruction(1, name, "fusion", F32, **more)


PROGRAMS = {
    "jit_self(1)": hlo_proto("jit_self", computation(1, "main", one(operand_ids=[1]))),
    "jit_ring(2)": hlo_proto(
        "jit_ring",
        computation(2, "a", instruction(2, "a", "call", F32, called_computation_ids=[1])),
        computation(1, "main", one(called_computation_ids=[2])),
    ),
    "jit_shape(3)": hlo_proto(
        "jit_shape",
        computation(1, "main", instruction(1, "op.1", "add", shape("f32", HUGE))),
        buffer_assignment=buffers({1: (1, 16)}, [(0, 1, "op.1", 0)]),
    ),
    "jit_sizes(4)": hlo_proto(
        "jit_sizes", computation(1, "main", one()), buffer_assignment=buffers({1: (1, HUGE)}, [])
    ),
    "jit_many(5)": many(),
}
# What a tool does without: cycles of operands are nothing to the memory viewer and, outside of fusions, to an op
# profile; nor are sizes of buffers to that and the graph.
HARMLESS = {("memory_viewer", "1"), ("memory_viewer", "2"), ("graph", "4"), ("op_profile", "1"), ("op_profile", "4")}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> QueryReader:
    folder = tmp_path_factory.mktemp("hostile")
    cores = [Instruction("op.1", {"program_id": key, "symbol_id": key}) for key in range(1, 6)]
    core = plane("/device:TPU:0", cores, {"XLA Ops": [Run(key, 20 * key, 10) for key in range(5)]})
    (folder / "a.xplane.pb").write_bytes(hlo_plane(PROGRAMS) + core)
    build_store([folder / "a.xplane.pb"], folder / "store")
    return QueryReader(open_run_store(folder / "store"))


def answer(reader: QueryReader, which: str, **asked: Any) -> Answer:
    return finish(ask(tool(which), Scope(reader), from_values(tool(which).question, asked)))


@pytest.mark.parametrize("label", PROGRAMS)
@pytest.mark.parametrize("which", ["graph", "memory_viewer", "op_profile"])
def test_hostile_programs(reader: QueryReader, which: str, label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A million instructions in the time of a hundred thousand.
    limit = parsing.MAX_MODEL_BYTES // 10
    monkeypatch.setattr("tilescope.tiler.facts.hlo.parsing.Taken.__init__.__defaults__", (limit,))
    number = label[-2]
    found = answer(reader, which, **({} if which == "op_profile" else {"program": number}))
    assert answer_json.encode(found)
    words = [note.text for note in found.notes if f"The HLO proto of {label} was left out: " in note.text]
    assert len(words) == ((which, number) not in HARMLESS)
    assert all("\n" not in text for text in words)
    if which == "op_profile":  # with names and times alone
        assert values_of(found.table("operations").column("name")).count("op.1") == 5
