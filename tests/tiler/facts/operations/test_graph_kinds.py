"""Kernels of graphs in tables of operations: a run as if no kernel were in a graph, in any windows."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.gpu_trace import Kernel, gpu_plane
from tests.hlo_protos import computation, hlo_plane, hlo_proto, instruction, schedule, shape, write_space
from tests.tiler.store.reads import answer_with
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.operations import OpTable, gpu_devices, gpu_op_table, graph_kinds
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.records.device import graph_maker, operation_maker
from tilescope.tiler.records.device.graph_executions import GRAPH_EXECUTIONS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows, everywhere

GRAPH = "command_buffer_1"
F = shape("f32", 100)

# Names of kernels and the instructions that run them, in the order of the program: the graph and two beside it.
PROGRAM = [
    ("add_1", "add.1"),
    ("multiply_2", "multiply.2"),
    ("~Memset", "dot.3"),
    ("gemm", "dot.3"),
    ("add_1", "add.4"),
    ("negate_5", "negate.5"),
]
BESIDE = ("tanh_6", "tanh.6")


def proto() -> bytes:
    """The program, whose instructions are written in another order than they run in."""
    parts = [
        instruction(1, "p", "parameter", F),
        instruction(2, "negate.5", "negate", F, 1),
        instruction(3, "add.4", "add", F, 1, 1),
        instruction(4, "dot.3", "custom-call", F, 1, 1, custom_call_target="__cublas$gemm"),
        instruction(5, "multiply.2", "multiply", F, 1, 1),
        instruction(6, "add.1", "add", F, 1, 1),
        instruction(7, "tanh.6", "tanh", F, 1, op_name="jit(f)/tanh"),
    ]
    return hlo_proto("jit_f", computation(1, "main", *parts), schedule=schedule({1: [1, 6, 5, 4, 3, 2, 7]}))


def run(executions: Sequence[Sequence[tuple[str, str]]], *, in_graph: bool) -> list[Kernel]:
    """Kernels that follow each other, those of an execution with one launch; behind each runs another one."""
    kernels: list[Kernel] = []
    place = 0
    for number, execution in enumerate(executions):
        for name, op in [*execution, BESIDE]:
            is_beside = (name, op) == BESIDE
            length = 1000 * (3 + len(kernels) % 5)
            launch = (None, None) if is_beside else (number, 7)
            shown = op if is_beside or not in_graph else GRAPH
            kernels.append(Kernel(name.strip("~"), place, length, shown, 9, "jit_f", *launch))
            place += length + 1000 * (len(kernels) % 3)
    return kernels


def reader_of(folder: Path, kernels: Sequence[Kernel], program: bytes | None) -> QueryReader:
    folder.mkdir()
    planes = [gpu_plane(0, {"Stream #1(Compute)": kernels})]
    if program is not None:
        planes.append(hlo_plane({"jit_f(9)": program}))
    build_store([write_space(folder / "t.xplane.pb", *planes)], folder / "store")
    return QueryReader(open_run_store(folder / "store"))


def table(reader: QueryReader, start: int, stop: int) -> OpTable:
    return finish(gpu_op_table(reader, gpu_devices(reader), everywhere(Windows.one(start, stop))))


def figures(entries: OpTable) -> dict[tuple[str, str], tuple[int, ...]]:
    return {
        (row.metadata.program, row.metadata.name): (row.count, row.total, row.flops, row.bytes)
        for row in entries.operations
    }


def whole(times: int) -> list[list[tuple[str, str]]]:
    return [list(PROGRAM) for _ in range(times)]


def cut() -> list[list[tuple[str, str]]]:
    """Executions of which the capture has the end, all, and the beginning."""
    return [PROGRAM[4:], *whole(3), PROGRAM[:5]]


@pytest.mark.parametrize("executions", [whole(4), cut()], ids=["whole", "cut"])
@pytest.mark.parametrize("size", [3, 16384])
def test_figures_are_those_of_a_run_without_graphs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executions: list[list[tuple[str, str]]], size: int
) -> None:
    graphs = reader_of(tmp_path / "graphs", run(executions, in_graph=True), proto())
    plain = reader_of(tmp_path / "plain", run(executions, in_graph=False), proto())
    rng = random.Random(size)
    for _ in range(60):
        start, stop = sorted(rng.sample(range(graphs.end + 2), 2))
        entries, expected = table(graphs, start, stop), table(plain, start, stop)
        assert figures(entries) == figures(expected), (start, stop)
        assert (entries.span, entries.overlap, entries.busy) == (expected.span, expected.overlap, expected.busy)


def test_sums_with_and_without_attribution_are_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(7)
    names = [*PROGRAM, ("x", ""), ("gemm", ""), ("add_1", "")]
    executions = [[rng.choice(names) for _ in range(rng.randrange(1, 9))] for _ in range(9)] + whole(3)
    reader = reader_of(tmp_path / "run", run(executions, in_graph=True), proto())
    left = 0
    for _ in range(40):
        start, stop = sorted(rng.sample(range(reader.end + 2), 2))
        entries = table(reader, start, stop)
        left += sum(row.total for row in entries.operations if row.metadata.name == GRAPH)
        assert sum(entries.graph_times.values()) == sum(
            row.total for row in entries.operations if row.metadata.name != BESIDE[1]
        )
        middle = (start + stop) // 2
        halves = [figures(table(reader, a, b)) for a, b in ((start, middle), (middle, stop))]
        added = {
            key: tuple(map(sum, zip(*(half[key] for half in halves if key in half), strict=True)))
            for key in halves[0] | halves[1]
        }
        assert added == figures(entries)
        with pytest.MonkeyPatch.context() as patched:
            alone = QueryReader(reader.store)
            answer_with(patched, alone.store, lambda _track: None, GRAPH_EXECUTIONS)
            without = table(alone, start, stop)
        assert (entries.busy, entries.span, entries.overlap) == (without.busy, without.span, without.overlap)
        rest = {row.metadata.name: row.total for row in without.operations}
        assert set(rest) <= {GRAPH, BESIDE[1]}
        assert rest.get(GRAPH, 0) == sum(entries.graph_times.values())
    assert left


def test_what_is_left_to_a_graph_is_one_occurrence_of_it_in_each_execution(tmp_path: Path) -> None:
    strange = [("x", ""), *PROGRAM[:2], ("y", ""), ("y", ""), *PROGRAM[2:4], ("z", "")]
    reader = reader_of(tmp_path / "run", run([strange] * 5, in_graph=True), proto())
    rows = {row.metadata.name: row.count for row in table(reader, 0, reader.end + 1).operations}
    assert rows[GRAPH] == 5
    cuts = [figures(table(reader, a, b)) for a, b in ((0, reader.end // 2), (reader.end // 2, reader.end + 1))]
    assert sum(entries["9", GRAPH][0] for entries in cuts if ("9", GRAPH) in entries) == 5


def test_a_graph_of_no_program_stays_as_it_is(tmp_path: Path) -> None:
    reader = reader_of(tmp_path / "run", run(whole(3), in_graph=True), None)
    entries = table(reader, 0, reader.end + 1)
    assert {row.metadata.name: row.count for row in entries.operations} == {GRAPH: 3, BESIDE[1]: 3}
    assert list(entries.graph_times) == ["left"]
    damaged = reader_of(tmp_path / "damaged", run(whole(3), in_graph=True), b"\xff")
    assert list(table(damaged, 0, damaged.end + 1).graph_times) == ["left"]


def test_executions_that_are_not_kept_stay_with_their_graph_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_maker, "MAX_EXECUTIONS", 2)
    reader = reader_of(tmp_path / "run", run(whole(5), in_graph=True), proto())
    entries = table(reader, 0, reader.end + 1)
    rows = {row.metadata.name: row.count for row in entries.operations}
    assert (rows["add.1"], rows["dot.3"]) == (2, 2)
    assert rows[GRAPH] >= 3
    assert any("more executions of graphs" in note for note in entries.notes)


def test_executions_of_too_many_kernels_stay_with_their_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_kinds, "MAX_KERNELS", len(PROGRAM) - 1)
    reader = reader_of(tmp_path / "run", run(whole(3), in_graph=True), proto())
    entries = table(reader, 0, reader.end + 1)
    assert list(entries.graph_times) == ["left"]
    assert any("they stay with the graph" in note for note in entries.notes)


def test_a_graph_that_a_call_runs_has_all_instructions_of_its_computation(tmp_path: Path) -> None:
    called = computation(
        2,
        "command_buffer",
        instruction(1, "p", "parameter", F),
        instruction(2, "dot.2", "custom-call", F, 1, 1, custom_call_target="__cublas$gemm"),
        instruction(3, "add.1", "add", F, 1, 1),
    )
    main = computation(
        1,
        "main",
        instruction(4, "q", "parameter", F),
        instruction(5, "call.1", "call", F, 4, called_computation_ids=[2]),
    )
    program = hlo_proto("jit_f", called, main, schedule=schedule({2: [1, 3, 2], 1: [4, 5]}))
    names = ["add_1", "gemm", "add_1", "gemm"]
    kernels = [
        Kernel(name, 10_000 * place, 3000, "call.1", 9, "jit_f", place // 2, 7) for place, name in enumerate(names)
    ]
    reader = reader_of(tmp_path / "run", kernels, program)
    rows = {row.metadata.name: row.count for row in table(reader, 0, reader.end + 1).operations}
    assert rows == {"add.1": 2, "dot.2": 2}


def test_the_end_of_a_graph_that_a_call_runs(tmp_path: Path) -> None:
    """The capture begins within an execution: of as many kernels as instructions the first may be of a later one."""
    called = computation(
        2,
        "command_buffer",
        instruction(1, "p", "parameter", F),
        instruction(2, "dot.1", "custom-call", F, 1, 1, custom_call_target="__cublas$gemm"),
        instruction(3, "dot.2", "custom-call", F, 1, 1, custom_call_target="__cublas$gemm"),
        instruction(4, "add.3", "add", F, 1, 1),
    )
    main = computation(
        1,
        "main",
        instruction(5, "q", "parameter", F),
        instruction(6, "call.1", "call", F, 5, called_computation_ids=[2]),
    )
    program = hlo_proto("jit_f", called, main, schedule=schedule({2: [1, 2, 3, 4], 1: [5, 6]}))
    cases = {"cut": (["gemm", "reduce", "add_3"], {"call.1": 1, "add.3": 1})}
    cases["twice"] = (cases["cut"][0] * 2, {"dot.1": 2, "dot.2": 2, "add.3": 2})
    for case, (names, expected) in cases.items():
        kernels = [
            Kernel(name, 10_000 * place, 3000, "call.1", 9, "jit_f", place // 3, 7) for place, name in enumerate(names)
        ]
        reader = reader_of(tmp_path / case, kernels, program)
        rows = {row.metadata.name: row.count for row in table(reader, 0, reader.end + 1).operations}
        assert rows == expected, case


def test_an_instruction_that_bears_the_name_of_the_graph_is_no_graph(tmp_path: Path) -> None:
    kernels = [dataclasses.replace(kernel, op="tanh.6") for kernel in run([[("add_1", "")] * 3] * 2, in_graph=True)]
    reader = reader_of(tmp_path / "run", kernels, proto())
    entries = table(reader, 0, reader.end + 1)
    plain = [dataclasses.replace(kernel, correlation=None, graph=None) for kernel in kernels]
    expected = reader_of(tmp_path / "plain", plain, proto())
    assert figures(entries) == figures(table(expected, 0, expected.end + 1))
    assert [(row.metadata.name, row.count) for row in entries.operations] == [("tanh.6", 6)]
    assert entries.graph_times == {}


def test_a_kernel_of_a_loop_that_has_the_name_of_an_instruction_outside_of_it(tmp_path: Path) -> None:
    body = computation(
        2,
        "body",
        instruction(1, "p", "parameter", F),
        instruction(2, "add.9", "add", F, 1, 1),
        instruction(3, "negate.8", "negate", F, 2),
    )
    main = computation(
        1,
        "main",
        instruction(4, "q", "parameter", F),
        instruction(5, "add.1", "add", F, 4, 4),
        instruction(6, "while.1", "while", F, 5, called_computation_ids=[2]),
    )
    program = hlo_proto("jit_f", body, main, schedule=schedule({2: [1, 2, 3], 1: [4, 5, 6]}))
    reader = reader_of(tmp_path / "run", run([[("add_1", ""), ("negate_8", "")]] * 2, in_graph=True), program)
    rows = {row.metadata.name: row.count for row in table(reader, 0, reader.end + 1).operations}
    assert rows == {GRAPH: 2, "tanh.6": 2}


def test_a_graph_on_several_streams_has_no_order(tmp_path: Path) -> None:
    """Between two kernels of a stream lie instructions whose kernels another stream has."""
    parts = [
        instruction(1, "p", "parameter", F),
        instruction(2, "add.1", "add", F, 1, 1),
        instruction(3, "dot.2", "custom-call", F, 1, 1, custom_call_target="__cublas$gemm"),
        instruction(4, "dot.3", "custom-call", F, 1, 1, custom_call_target="__cublas$gemm"),
        instruction(5, "negate.4", "negate", F, 1),
    ]
    program = hlo_proto("jit_f", computation(1, "main", *parts), schedule=schedule({1: [1, 2, 3, 4, 5]}))

    def kernels(*names: str) -> list[Kernel]:
        return [Kernel(name, 10_000 * place, 3000, GRAPH, 9, "jit_f", 1, 7) for place, name in enumerate(names)]

    streams = {
        "Stream #1(Compute)": kernels("add_1", "gemm", "reduce", "negate_4"),
        "Stream #2(Compute)": kernels("gemm"),
    }
    counts = []
    for name, entries in (("both", streams), ("one", dict(list(streams.items())[:1]))):
        (tmp_path / name).mkdir()
        trace = write_space(tmp_path / name / "t.xplane.pb", gpu_plane(0, entries), hlo_plane({"jit_f(9)": program}))
        build_store([trace], tmp_path / name / "store")
        reader = QueryReader(open_run_store(tmp_path / name / "store"))
        counts.append({row.metadata.name: row.count for row in table(reader, 0, reader.end + 1).operations})
    assert counts[0] == {"add.1": 1, "negate.4": 1, GRAPH: 2}
    assert counts[1] == {"add.1": 1, "negate.4": 1, "dot.2": 1, "dot.3": 1}


def test_kernels_stay_with_their_graph_until_the_programs_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_built(_reader: QueryReader) -> None:
        raise NotBuilt("attachments")

    reader = reader_of(tmp_path / "run", run(whole(3), in_graph=True), proto())
    with monkeypatch.context() as patched:
        patched.setattr(graph_kinds, "programs_of", not_built)
        assert list(table(reader, 0, reader.end + 1).graph_times) == ["left"]
    assert set(table(reader, 0, reader.end + 1).graph_times) == {"name", "order"}


def test_kinds_beyond_the_limits_stay_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kinds of operations that are too many for a track say no instruction; kinds of instructions are limited too."""
    reader = reader_of(tmp_path / "run", run(whole(3), in_graph=True), proto())
    with monkeypatch.context() as patched:
        patched.setattr(graph_kinds, "MAX_FURTHER", 2)
        entries = table(reader, 0, reader.end + 1)
        assert {row.metadata.name: row.count for row in entries.operations} == {
            "add.1": 3,
            "multiply.2": 3,
            GRAPH: 3,
            "tanh.6": 3,
        }
        assert any("those beyond stay" in note for note in entries.notes)
    monkeypatch.setattr(operation_maker, "MAX_KINDS", 2)
    cut = reader_of(tmp_path / "cut", run(whole(3), in_graph=True), proto())
    names = {row.metadata.name for row in table(cut, 0, cut.end + 1).operations}
    assert GRAPH in names
    assert "add.1" not in names


def test_the_graph_of_a_real_capture(tmp_path: Path) -> None:
    build_store([corpus_path("xplane/h100_jax_train.xplane.pb")], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    entries = table(reader, 0, reader.end + 1)
    rows = {row.metadata.name: row for row in entries.operations if row.metadata.program == "9279"}
    assert GRAPH not in rows
    assert {name: row.count for name, row in rows.items()} == dict.fromkeys(rows, 6)
    assert sum(row.total for row in rows.values()) == 7_798_237_000  # ps: as before kernels were attributed
    assert entries.graph_times.get("left", 0) == 0
    # Of four layers two products forwards and four backwards, but for the gradient of the first one's input.
    products = [row for row in rows.values() if row.flops == 6 * 2 * 8192 * 512 * 2048]
    assert len(products) == 23
