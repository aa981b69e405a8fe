"""The memory of programs: the figures of xprof, of the truth, and of the plain rules."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.hlo_protos import buffers, computation, hlo_plane, hlo_proto, instruction, shape, small_program, write_space
from tests.xprof_golden import golden
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.facts.hlo import buffer_assignment, hlo_module, programs_of
from tilescope.tiler.facts.hlo.working_space import WorkingSpace, working_space
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

FILES = ("gpu_mi300x8_conv", "jax_cpu_10steps", "tpu_v6e_4core", "pod")
MIB = 1 << 20
SMALL = 16 << 10  # xprof lists smaller buffers as one


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    found = {}
    for name in FILES:
        path = tmp_path_factory.mktemp("programs") / "store"
        file = corpus_path("pod" if name == "pod" else f"xplane/{name}.xplane.pb")
        build_store(sorted(file.rglob("*.xplane.pb")) or [file], path)
        found[name] = QueryReader(open_run_store(path))
    return found


def answer(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("memory_viewer"), Scope(reader), from_values(tool("memory_viewer").question, asked)))


def rows(of: Answer, table: str) -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def space_of(reader: QueryReader, label: str, space: int) -> WorkingSpace:
    program = next(one for one in programs_of(reader) if one.label == label)
    module, assignment = finish(hlo_module(reader, program)), finish(buffer_assignment(reader, program))
    return finish(working_space(module, assignment, space))


def cases() -> list[tuple[str, str, int, str]]:
    """File, program, memory space, and what xprof says of it."""
    found = []
    for name in FILES[:3]:
        found += [(name, label, 0, f"{name}/memory_viewer") for label in golden(f"{name}/memory_viewer")]
    for label in ("jit_train_step(6840123409045700335)", "jit_init_state(1303510617147048055)"):
        for space in (0, 1):
            found.append(("pod", label, space, f"pod/all/memory_viewer_{label.partition('(')[0]}_space{space}"))
    return found


def test_all_programs_as_xprof_has_them(readers: dict[str, QueryReader]) -> None:
    assert len(cases()) == 4 + 8 + 14 + 4
    for name, label, number, file in cases():
        theirs = golden(file) if name == "pod" else golden(file)[label]
        space = space_of(readers[name], label, number)
        ours = answer(readers[name], program=label, space=number, limit=100_000)
        facts = {fact.id: fact.value for fact in ours.facts}
        allocated = (ours.table("allocations").totals or {})["size"]
        assert isinstance(allocated, int)
        assert facts["total"] == allocated - space.thread_local
        note = f"without {space.thread_local:,} bytes that are local to threads" if space.thread_local else ""
        assert ours.fact("total").note == note
        for fact, key in (
            ("peak", "peakHeapMib"),
            ("parameters", "entryComputationParametersMib"),
            ("outputs", "maybeLiveOutMib"),
            ("not_reusable", "nonReusableMib"),
            ("total", "totalBufferAllocationMib"),
        ):
            assert facts[fact] / MIB == theirs.get(key, 0), (label, key)  # type: ignore[operator]
        assert space.indefinite / MIB == theirs.get("indefiniteBufferAllocationMib", 0)
        assert max(space.position, 0) == theirs.get("peakHeapSizePosition", 0)
        assert [of / MIB for of in space.heap] == theirs.get("heapSizes", [])
        assert [*space.events, *([""] if space.heap else [])] == theirs.get("hloInstructionNames", [])
        at_peak = {
            row["buffer"]: (row["size"] / MIB, row["purpose"], row["shape"])
            for row in rows(ours, "buffers")
            if row["size"] >= SMALL
        }
        assert at_peak == {
            one["logicalBufferId"]: (one["logicalBufferSizeMib"], one["groupName"].lower(), one["shapeString"])
            for one in theirs.get("maxHeap", [])
            if one.get("logicalBufferId", -1) >= 0
        }
        # A buffer's memory is in use as long as another one shares it. xprof ends its lifeline when it is freed itself.
        spans = {line.buffer.id: (line.first, line.last) for line in space.lifelines}
        for buffer, span in theirs.get("logicalBufferSpans", {}).items():
            first, last = int(span.get("start", 0)), int(span["limit"])
            assert spans[int(buffer)][0] == first
            assert spans[int(buffer)][1] == last or (name == "jax_cpu_10steps" and spans[int(buffer)][1] > last)
        # Without padding: xprof counts that of parameters, constants and results, and takes tuples for their pointers.
        if name in FILES[:2]:
            assert [of / MIB for of in space.unpadded] == theirs.get("unpaddedHeapSizes", [])
            assert space.peak_unpadded / MIB == theirs.get("peakUnpaddedHeapMib", 0)
        else:
            assert space.peak_unpadded / MIB <= theirs.get("peakUnpaddedHeapMib", 0)


def test_lifelines_add_up_to_the_curve(readers: dict[str, QueryReader]) -> None:
    for name, label, number, _ in cases():
        space = space_of(readers[name], label, number)
        values = [line for line in space.lifelines if line.purpose == "temporary"]
        for point, heap in enumerate(space.heap):
            there = sum(line.buffer.size for line in values if line.first < point <= line.last)
            assert there + space.indefinite == heap, (label, point)
        at_peak = sum(line.buffer.size for line in values if line.is_at_peak)
        assert not space.heap or at_peak + space.indefinite == space.peak


def test_the_program_of_a_pod_as_it_was_made(readers: dict[str, QueryReader]) -> None:
    truth = json.loads(gzip.decompress(corpus_path("pod/truth.json.gz").read_bytes()))["memory_viewer"]
    ours = answer(readers["pod"], buffers="all", limit=1000)
    facts = {fact.id: fact.value for fact in ours.facts}
    assert facts["program"] == "jit_train_step(6840123409045700335)"  # the largest
    assert facts["peak"] == truth["peak_total"]
    assert facts["parameters"] == truth["entry_params"]
    assert facts["total"] == truth["total_allocation"]
    assert facts["temporary"] == truth["temp_allocation"]
    lost = (truth["total_allocation"] - truth["peak_total"]) / truth["temp_allocation"]
    assert facts["fragmentation"] == pytest.approx(lost)
    made = {one["id"]: one for one in truth["buffers"] if one["color"] == 0}
    told = {row["buffer"]: row for row in rows(ours, "buffers")}
    assert {buffer: (row["size"], row["unpadded"]) for buffer, row in told.items()} == {
        buffer: (one["size"], one["unpadded"]) for buffer, one in made.items() if buffer in told
    }
    assert set(made) - set(told) == {7}  # it is local to threads
    assert {buffer for buffer, row in told.items() if row["at_peak"] and row["purpose"] == "temporary"} == set(
        truth["peak_live"]
    )
    assert facts["padding"] == sum(row["extra"] for row in told.values() if row["at_peak"])
    assert told[8]["name"] == "infeed.1{0,0}"
    assert told[1]["expansion"] == 100352 / 18816
    assert facts["peak_unpadded"] == truth["peak_total"] - facts["padding"]
    heap = values_of(ours.series[0].ys[0])
    assert heap[int(str(facts["peak_point"]))] == truth["peak_total"]
    sizes = [size + truth["indefinite"] for *_, size in truth["timeline"]]
    assert heap == [truth["indefinite"], *sizes]


def test_orders_rests_and_choices(readers: dict[str, QueryReader]) -> None:
    reader = readers["jax_cpu_10steps"]
    by_size = rows(answer(reader, program="jit_train_step", buffers="all", limit=1000), "buffers")
    by_program = rows(answer(reader, program="26", buffers="all", order="program", limit=1000), "buffers")
    assert sorted(map(str, by_size)) == sorted(map(str, by_program))
    assert [row["size"] for row in by_size] == sorted((row["size"] for row in by_size), reverse=True)
    assert [row["first"] for row in by_program] == sorted(row["first"] for row in by_program)
    starts = [(row["first"], -row["last"]) for row in by_program]
    assert starts == sorted(starts)  # at the left those that stay longest
    few = answer(reader, program="jit_train_step(26)", limit=2)
    few_by_program = answer(reader, program="jit_train_step(26)", limit=2, order="program")
    largest = rows(few, "buffers")
    assert largest == sorted(rows(few_by_program, "buffers"), key=lambda row: -row["size"])
    assert min(row["size"] for row in largest) >= by_size[2]["size"]
    assert few_by_program.table("buffers").rest == few.table("buffers").rest
    table = few.table("buffers")
    assert table.totals is not None
    assert table.rest is not None
    assert table.totals["size"] == table.rest["size"] + sum(row["size"] for row in rows(few, "buffers"))
    assert answer(reader, program="none").notes[0].text == "There is no program 'none'."
    assert "uses no memory of space 7" in answer(reader, space=7).notes[0].text
    assert {row["program"] for row in rows(answer(readers["pod"], host="tpu-pod-w-1"), "programs")} == {
        "jit_train_step(6840123409045700335)",
        "jit_init_state(1303510617147048055)",
    }


def test_hostile_plans_have_an_answer(tmp_path: Path) -> None:
    """Whatever the compiler's plan says: frees of what is not there, circles, buffers and instructions that are not."""
    rng = random.Random(4)
    protos = {"jit_f(1)": small_program(), "jit_damaged(2)": small_program()[:-9]}
    for key in range(3, 40):
        sizes = (0, 1, 4096, 1 << 40)
        made = {buffer: (rng.randrange(5), rng.choice(sizes)) for buffer in range(rng.randrange(9))}
        events = [(rng.randrange(4), rng.randrange(-1, 10), "x", rng.randrange(10)) for _ in range(rng.randrange(40))]
        one = instruction(1, "x", "parameter", shape("f32", 1 << 20, 1 << 20))
        plan = buffers(made, events, rng.sample(range(9), 3))
        protos[f"jit_f({key})"] = hlo_proto("jit_f", computation(1, "main", one, root=1), buffer_assignment=plan)
    build_store([write_space(tmp_path / "a.xplane.pb", hlo_plane(protos))], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    for label in protos:
        found = answer(reader, program=label, buffers="all")
        if label == "jit_damaged(2)" or not found.facts:
            assert "was left out" in found.notes[0].text
            assert [table.id for table in found.tables] == ["programs"]
            continue
        facts = {fact.id: fact.value for fact in found.facts}
        if found.series and facts["peak_point"] != 0:
            assert facts["peak"] == max(map(int, map(str, values_of(found.series[0].ys[0]))))
        for column in ("size", "unpadded"):
            assert all(0 <= row[column] <= row["size"] for row in rows(found, "buffers"))
    small = answer(reader, program="1", buffers="all", order="program")
    columns = ("name", "category", "first", "last", "at_peak")
    assert [tuple(row[column] for column in columns) for row in rows(small, "buffers")] == [
        ("x", "parameter", 0, 3, True),
        ("y", "non-fusion elementwise", 1, 2, True),
        ("z", "non-fusion elementwise", 2, 3, True),
    ]
    assert values_of(small.series[0].ys[0]) == [4096, 8192, 12288, 8192]
    assert values_of(small.series[0].ys[1]) == [252, 504, 756, 504]


def test_long_programs_are_drawn_with_fewer_points(tmp_path: Path) -> None:
    count = 5000
    parts = [instruction(k + 1, f"op.{k}", "parameter", shape("f32", 4)) for k in range(count)]
    events = [event for k in range(count) for event in ((0, k + 1, f"op.{k}", 0), (1, k + 1, f"op.{k}", 0))]
    plan = buffers({k + 1: (k + 1, 17 + k * 7919 % count) for k in range(count)}, events)
    proto = hlo_proto("jit_f", computation(1, "main", *parts, root=1), buffer_assignment=plan)
    build_store([write_space(tmp_path / "a.xplane.pb", hlo_plane({"jit_f(1)": proto}))], tmp_path / "store")
    found = answer(QueryReader(open_run_store(tmp_path / "store")))
    drawn = values_of(found.series[0].ys[0])
    assert len(drawn) <= 2002
    assert (max(drawn), min(drawn)) == (17 + count - 1, 0)  # type: ignore[type-var]
    assert found.fact("peak").value == 17 + count - 1


def test_a_trace_without_programs(tmp_path: Path) -> None:
    build_store([corpus_path("xplane/gpu_v100x8_bert.xplane.pb")], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    with pytest.raises(NotAvailable, match="no programs"):
        answer(reader)
