"""The memory of a program that is saved as JSON is that of the same program in a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.hlo_protos import hlo_plane, small_program, write_space
from tests.xprof_golden import golden
from tilescope.tiler.facts.hlo import buffer_assignment, hlo_module, programs_of
from tilescope.tiler.facts.hlo.buffers import Allocation, HeapEventKind, LogicalBuffer
from tilescope.tiler.facts.hlo.module import Instruction
from tilescope.tiler.facts.hlo.shapes import ValueShape
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

MEMORY = tool("memory_viewer")


def reader_of(paths: list[Path], folder: Path) -> QueryReader:
    build_store(paths, folder / "store")
    return QueryReader(open_run_store(folder / "store"))


def memory(reader: QueryReader, **values: object) -> Answer:
    assert MEMORY.availability(Scope(reader)) == ""
    return finish(ask(MEMORY, Scope(reader), from_values(MEMORY.question, {**values})))


def columns_of(answer: Answer, table: str) -> dict[str, list[Any]]:
    return {column.id: list(values_of(column)) for column in answer.table(table).columns}


# -- a program as the old profiler wrote it ----------------------------------------------------------------------------


def shape_json(shape: ValueShape) -> dict[str, Any]:
    layout = shape.layout
    lines = (
        None
        if layout is None
        else {
            "minorToMajor": [str(place) for place in layout.minor_to_major],
            "tiles": [{"dimensions": [str(size) for size in tile]} for tile in layout.tiles],
            "elementSizeInBits": str(layout.element_bits),
            "memorySpace": str(layout.memory_space),
            "tailPaddingAlignmentInElements": str(layout.tail_padding),
        }
    )
    return {
        "elementType": shape.element.upper(),
        "dimensions": [str(size) for size in shape.dimensions],
        "tupleShapes": [shape_json(part) for part in shape.parts],
        "layout": lines,
    }


def instruction_json(instruction: Instruction) -> dict[str, Any]:
    metadata = {"opType": instruction.op_type, "opName": instruction.op_name}
    return {
        "id": str(instruction.id),
        "name": instruction.name,
        "opcode": instruction.opcode,
        "shape": shape_json(instruction.shape),
        "metadata": metadata,
        "fusionKind": instruction.fusion_kind,
    }


def buffer_json(buffer: LogicalBuffer, name: str) -> dict[str, Any]:
    place = {"instructionName": name, "shapeIndex": [str(index) for index in buffer.shape_index]}
    return {"id": str(buffer.id), "size": str(buffer.size), "color": str(buffer.color), "definedAt": place}


def allocation_json(allocation: Allocation) -> dict[str, Any]:
    return {
        "index": str(allocation.index),
        "size": str(allocation.size),
        "color": str(allocation.color),
        "isThreadLocal": allocation.is_thread_local,
        "isEntryComputationParameter": allocation.is_parameter,
        "maybeLiveOut": allocation.is_live_out,
        "isTuple": allocation.is_tuple,
        "isConstant": allocation.is_constant,
        "assigned": [
            {"logicalBufferId": str(part.buffer), "offset": str(part.offset), "size": str(part.size)}
            for part in allocation.assigned
        ],
    }


def page_of(reader: QueryReader, label: str) -> dict[str, Any]:
    program = next(program for program in programs_of(reader) if program.label == label)
    module, assignment = finish(hlo_module(reader, program)), finish(buffer_assignment(reader, program))
    names = {
        instruction.id: instruction.name
        for computation in module.computations.values()
        for instruction in computation.instructions.values()
    }
    return {
        "hloModule": {
            "name": label,
            "computations": [
                {"instructions": [instruction_json(instruction) for instruction in computation.instructions.values()]}
                for computation in module.computations.values()
            ],
        },
        "bufferAssignment": {
            "logicalBuffers": [
                buffer_json(buffer, buffer.instruction_name or names.get(buffer.instruction_id, ""))
                for buffer in assignment.buffers.values()
            ],
            "bufferAllocations": [allocation_json(allocation) for allocation in assignment.allocations],
            "heapSimulatorTraces": [
                {
                    "events": [
                        {
                            "kind": HeapEventKind(event.kind).name,
                            "bufferId": str(event.buffer),
                            "instructionName": event.instruction,
                            "shareWithCanonicalId": str(event.shares_with),
                        }
                        for event in trace.events
                    ]
                }
                for trace in assignment.traces
            ],
        },
    }


@pytest.mark.parametrize("run", ["tpu_v6e_4core", "jax_cpu_10steps"])
def test_a_page_has_the_memory_of_the_same_program_in_a_trace(run: str, tmp_path: Path) -> None:
    reader = reader_of([corpus_path(f"xplane/{run}.xplane.pb")], tmp_path)
    labels = [program.label for program in programs_of(reader)]
    assert len(labels) >= 4
    for place, label in enumerate(labels):
        folder = tmp_path / str(place)
        folder.mkdir()
        (folder / "page.json").write_text(json.dumps(page_of(reader, label)))
        saved = reader_of([folder / "page.json"], folder)
        for values in ({"limit": 100_000}, {"limit": 5, "buffers": "all", "order": "program"}, {"space": 1}):
            theirs, ours = memory(reader, program=label, **values), memory(saved, **values)
            assert ours.facts == theirs.facts
            assert columns_of(ours, "allocations") == columns_of(theirs, "allocations")
            rows, expected = columns_of(ours, "buffers"), columns_of(theirs, "buffers")
            # The old profiler wrote no stack frames, and there are no events to search for.
            del rows["source"], expected["source"], expected["query"]
            assert rows == expected
            assert len(ours.series) == len(theirs.series)
            for chart, other in zip(ours.series, theirs.series, strict=True):
                assert [list(values_of(y)) for y in chart.ys] == [list(values_of(y)) for y in other.ys]


def test_an_old_page_has_its_peak_and_its_buffers(tmp_path: Path) -> None:
    answer = memory(reader_of([corpus_path("imports/memory_viewer.json")], tmp_path))
    assert answer.fact("program").value == "Good Module"
    assert answer.fact("peak").value == 3 << 20
    assert answer.fact("peak_unpadded").value == 4 + 4 * 32 * 16 * 16 * 32
    assert answer.fact("total").note == "without 3,145,728 bytes that are local to threads"
    rows = columns_of(answer, "buffers")
    assert rows["name"] == ["bar", "foo"]
    assert rows["size"] == [2 << 20, 1 << 20]
    assert rows["purpose"] == ["thread-local"] * 2
    assert rows["framework"] == ["sequential/conv2d/Relu", None]
    assert rows["shape"][0] == "f32[32,16,16,32]{3,0,2,1}"
    (curve,) = answer.series
    assert list(values_of(curve.ys[0])) == [0, 1 << 20, 3 << 20, 1 << 20, 0]
    assert "saved file" in answer.notes[0].text


def test_sizes_that_cannot_be_are_counted(tmp_path: Path) -> None:
    buffers = [{"id": "1", "size": "512"}, {"id": "2", "size": "-5"}, {"size": "9"}, {"id": "3", "size": str(1 << 60)}]
    events = [{"bufferId": number} for number in ("1", "2", "3", "4")]
    assignment = {
        "logicalBuffers": buffers,
        "bufferAllocations": [{"size": "512", "assigned": [{"logicalBufferId": "1"}]}, {"size": "x"}],
        "heapSimulatorTraces": [{"events": events}],
    }
    (tmp_path / "page.json").write_text(json.dumps({"bufferAssignment": assignment}))
    answer = memory(reader_of([tmp_path / "page.json"], tmp_path))
    assert answer.fact("peak").value == 512
    assert any(note.text.startswith("4 buffers and allocations with an impossible id or size") for note in answer.notes)


def test_programs_of_a_trace_come_before_a_page(tmp_path: Path) -> None:
    trace = write_space(tmp_path / "a.xplane.pb", hlo_plane({"jit_small(7)": small_program()}))
    answer = memory(reader_of([trace, corpus_path("imports/memory_viewer.json")], tmp_path))
    assert answer.fact("program").value == "jit_small(7)"


# -- a page as XProf 2.x writes it -------------------------------------------------------------------------------------

# What these take without padding, and which of their memory is of constants, XProf counts otherwise or does not say.
COUNTED_OTHERWISE = {"peak_unpadded", "padding", "constants"}
SMALL = 16 << 10  # XProf has smaller buffers as one


def saved_by_xprof(page: dict[str, Any], folder: Path) -> QueryReader:
    folder.mkdir(parents=True)
    (folder / "page.json").write_text(json.dumps(page))
    return reader_of([folder / "page.json"], folder)


@pytest.mark.parametrize("run", ["tpu_v6e_4core", "jax_cpu_10steps", "gpu_mi300x8_conv"])
def test_a_page_of_xprof_has_the_memory_of_the_same_program_in_a_trace(run: str, tmp_path: Path) -> None:
    reader = reader_of([corpus_path(f"xplane/{run}.xplane.pb")], tmp_path)
    for place, (label, page) in enumerate(golden(f"{run}/memory_viewer").items()):
        saved = saved_by_xprof(page, tmp_path / str(place))
        theirs, ours = memory(reader, program=label, limit=100_000), memory(saved, limit=100_000)
        assert ours.fact("program").value == page["moduleName"] == label.partition("(")[0]
        for fact in theirs.facts[1:]:
            if fact.id not in COUNTED_OTHERWISE:
                assert (ours.fact(fact.id).value, ours.fact(fact.id).kind) == (fact.value, fact.kind), fact.id
        assert ours.fact("peak").note == theirs.fact("peak").note
        rows, expected = columns_of(ours, "buffers"), columns_of(theirs, "buffers")
        large = [row for row, size in enumerate(expected["size"]) if size >= SMALL]
        for column in rows.keys() - {"source", "last", "unpadded", "extra", "expansion"}:
            assert dict(zip(rows["buffer"], rows[column], strict=True)) == {
                expected["buffer"][row]: expected[column][row] for row in large
            }, column
        # Parts of a page that the product does not show, and sums that it does.
        totals, sums = ours.table("buffers").totals or {}, theirs.table("buffers").totals or {}
        assert totals["size"] == sums["size"] == ours.fact("peak").value
        assert [list(values_of(chart.ys[0])) for chart in ours.series] == [
            list(values_of(chart.ys[0])) for chart in theirs.series
        ]
        every = columns_of(memory(saved, buffers="all", limit=100_000), "buffers")
        assert {int(buffer) for buffer in page.get("logicalBufferSpans", {})} <= set(every["buffer"])


def test_what_a_page_of_xprof_says_about_padding(tmp_path: Path) -> None:
    page = {
        "heapSizes": [1, 3, 1],
        "unpaddedHeapSizes": [1, 1.5, 1],
        "maxHeap": [
            {"logicalBufferId": 7, "logicalBufferSizeMib": 2, "unpaddedShapeMib": 0.5, "groupName": "Temporary"},
            {
                "logicalBufferSizeMib": 0.75,
                "groupName": "Parameter",
                "sourceInfo": {"fileName": "a.py", "lineNumber": 3},
            },
            {"logicalBufferId": -1, "logicalBufferSizeMib": 0.25, "label": "small (<16384 bytes)"},
        ],
        "logicalBufferSpans": {"7": {"limit": 2}, "9": {"start": 1, "limit": 2}},
        "moduleName": "jit_a",
        "peakHeapMib": 3,
        "peakUnpaddedHeapMib": 1.5,
        "totalBufferAllocationMib": 4,
        "indefiniteBufferAllocationMib": 1,
    }
    reader = saved_by_xprof(page, tmp_path / "page")
    answer = memory(reader, limit=1)
    assert answer.fact("padding").value == 3 << 19
    assert answer.fact("fragmentation").value == 1 / 3
    assert answer.fact("constants").value is None
    rows = columns_of(answer, "buffers")
    assert (rows["buffer"], rows["first"], rows["last"]) == ([7], [1], [2])
    assert answer.table("buffers").rest == {"size": 1 << 20, "unpadded": 1 << 20, "extra": 0}
    assert [note.text for note in answer.notes][1:] == [
        "262,144 bytes at the peak are of small buffers, which the file has as one."
    ]
    every = memory(reader, buffers="all", space=1)
    assert columns_of(every, "buffers")["source"] == [None, "a.py:3"]
    assert {note.text for note in every.notes} >= {
        "1 buffer of the curve without a size in the file: not listed.",
        "The file has one memory space, and does not say which: it is shown.",
    }


def test_sizes_of_xprof_that_cannot_be_are_counted(tmp_path: Path) -> None:
    page = {
        "maxHeap": [
            {"logicalBufferId": 1, "logicalBufferSizeMib": size} for size in (-1, 1e300, "x", None, float("nan"))
        ],
        "heapSizes": [1, "Infinity"],
        "unpaddedHeapSizes": [1, 1],
        "peakHeapSizePosition": 1 << 40,
        "bufferBlocks": [{"logicalBufferId": "b", "size": 5}],
        "indefiniteLifetimes": [{"sizeMib": -1}, 5, {"id": 3}],
        "peakHeapMib": 1e18,
    }
    answer = memory(saved_by_xprof(page, tmp_path / "page"))
    assert (answer.fact("peak").value, answer.fact("peak_point").value, answer.series) == (0, None, [])
    assert columns_of(answer, "allocations")["allocation"] == [3]
    words = "9 buffers, allocations and curves with an impossible number or size"
    assert any(note.text.startswith(words) for note in answer.notes)
