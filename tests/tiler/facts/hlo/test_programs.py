"""Programs of real traces, counted by another decoder; of old ones; kept under a limit; hostile ones are refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.hlo_protos import computation, hlo_plane, hlo_proto, instruction, schedule, shape, tuple_of, write_space
from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.caches import CACHES, CacheRegistry, KeyedCache
from tilescope.tiler.facts.hlo import (
    BufferAssignment,
    HloDamage,
    HloModule,
    Program,
    buffer_assignment,
    hlo_module,
    program_parts,
    programs,
    programs_of,
)
from tilescope.tiler.facts.hlo.buffers import parse_buffers
from tilescope.tiler.facts.hlo.costs import Costs
from tilescope.tiler.facts.hlo.layouts import meanings
from tilescope.tiler.facts.hlo.matrix_use import matrix_use
from tilescope.tiler.facts.hlo.parsing import parse_module
from tilescope.tiler.facts.hlo.program_parts import parse_parts
from tilescope.tiler.facts.hlo.values import parse_values
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store

# Of each: proto bytes, computations, of these fusions, instructions, operands, buffers, allocations, heap traces, heap
# events by kind, stack frames.
COUNTED = {
    "xplane/tpu_v6e_4core.xplane.pb": (
        4,
        {
            "jit_f(12190760917235803885)": (8194, 4, 3, 31, 27, 25, 7, 3, 12, 12, 0, 11),
            "jit__psum(9646411105960254074)": (2293, 2, 0, 6, 4, 5, 6, 1, 0, 0, 0, 6),
        },
    ),
    "xplane/gpu_mi300x8_conv.xplane.pb": (
        8,
        {
            "jit_forward_3d_conv(15)": (4029, 4, 3, 19, 15, 8, 4, 1, 3, 3, 0, 3),
            "jit__normal(9)": (53868, 3, 2, 311, 434, 3, 3, 1, 1, 1, 0, 2),
        },
    ),
    "xplane/jax_cpu_10steps.xplane.pb": (
        14,
        {
            "jit_train_step(26)": (30354, 37, 27, 218, 216, 67, 45, 1, 7, 10, 3, 10),
            "jit__normal(16)": (47168, 13, 10, 296, 363, 61, 8, 1, 15, 47, 32, 3),
        },
    ),
    "xplane/gpu_v100x8_bert.xplane.pb": (0, {}),
}


def reader_of(traces: Path | list[Path], store: Path) -> QueryReader:
    build_store(traces if isinstance(traces, list) else [traces], store)
    return QueryReader(open_run_store(store))


def counted(reader: QueryReader, program: Program) -> tuple[int, ...]:
    module, buffers = finish(hlo_module(reader, program)), finish(buffer_assignment(reader, program))
    events = Counter(event.kind for trace in buffers.traces for event in trace.events)
    return (
        program.entry.size_bytes,
        len(module.computations),
        sum(of.is_fusion for of in module.computations.values()),
        len(list(module.instructions())),
        sum(len(of.operands) for of in module.instructions()),
        len(buffers.buffers),
        len(buffers.allocations),
        len(buffers.traces),
        *(events[kind] for kind in range(3)),
        len(module.frames),
    )


@pytest.mark.parametrize("file", COUNTED)
def test_programs_of_real_traces(tmp_path: Path, file: str) -> None:
    reader = reader_of(corpus_path(file), tmp_path / "store")
    found = {program.label: program for program in programs_of(reader)}
    count, known = COUNTED[file]
    assert len(found) == count
    for label, numbers in known.items():
        assert counted(reader, found[label]) == numbers
    for program in found.values():  # all of them can be read; buffers lie where values are, and have their sizes
        module, buffers = finish(hlo_module(reader, program)), finish(buffer_assignment(reader, program))
        assert module.entry_computation is not None
        assert module.name == program.name
        for buffer in buffers.buffers.values():
            of = buffer.shape(module)
            assert of is not None
            taken = 8 * len(of.parts) if of.is_tuple else of.padded_bytes
            if "tpu" not in file:
                assert buffer.size == taken
            elif of.dimensions:  # in units of its memory
                assert buffer.size == -(-taken // 512) * 512


def test_an_instruction_in_full(tmp_path: Path) -> None:
    reader = reader_of(corpus_path("xplane/gpu_mi300x8_conv.xplane.pb"), tmp_path / "store")
    (program,) = [of for of in programs_of(reader) if of.id == "15"]
    module = finish(hlo_module(reader, program))
    of = module.by_name["cudnn-conv.1"]
    assert of.shape.text == "(bf16[1,5120,34,31,53]{4,3,2,1,0}, u8[7150336]{0})"
    assert [part.bytes for part in of.shape.parts] == [2 * 5120 * 34 * 31 * 53, 7150336]
    assert [module.by_id[operand].shape.text for operand in of.operands] == [
        "bf16[1,16,32,60,104]{4,3,2,1,0}",
        "bf16[5120,16,1,2,2]{4,3,2,1,0}",
    ]
    assert of.custom_call_target == "__cudnn$convForward"
    assert of.op_name == "jit(forward_3d_conv)/conv_general_dilated"
    assert [frame.text for frame in module.stack(of.frame)] == [
        f"/workspace/traces/generate_conv_trace.py:{at}" for at in ("23:11", "79:13", "103:4")
    ]
    assert module.source(of) == "/workspace/traces/generate_conv_trace.py:23"


def old_proto() -> bytes:
    """One whose buffers name their instructions, and whose module names its entry."""
    one = instruction(1, "p", "parameter", shape("f32", 4))
    both = tuple_of(shape("f32", 4), shape("u8", 3))
    main = computation(0, "main", one, instruction(2, "both", "tuple", both, 1))
    buffer = pb.LogicalBuffer(id=3, size=16, defined_at=pb.LogicalBuffer.Location(instruction_name=b"p"))
    part = pb.LogicalBuffer.Location(instruction_name=b"both", shape_index=[1])
    buffers = pb.BufferAssignment(
        logical_buffers=[
            buffer.SerializeToString(),
            pb.LogicalBuffer(id=4, size=3, defined_at=part).SerializeToString(),
        ]
    )
    module = pb.HloModule(name=b"f", entry_computation_name=b"main", computations=[main])
    proto = pb.HloProto(hlo_module=module.SerializeToString(), buffer_assignment=buffers.SerializeToString())
    return bytes(proto.SerializeToString())


def test_old_forms(tmp_path: Path) -> None:
    trace = write_space(tmp_path / "t.xplane.pb", hlo_plane({"f(18446744073709551615)": old_proto()}, on_events=True))
    reader = reader_of(trace, tmp_path / "store")
    (program,) = programs_of(reader)
    assert (program.id, program.name) == ("18446744073709551615", "f")
    module, buffers = finish(hlo_module(reader, program)), finish(buffer_assignment(reader, program))
    entry = module.entry_computation
    assert entry is not None
    assert entry.root_instruction.name == "both"
    instructions = [of.instruction(module) for of in buffers.buffers.values()]
    assert [of and of.name for of in instructions] == ["p", "both"]
    assert [str(of.shape(module) and of.shape(module).text) for of in buffers.buffers.values()] == [  # type: ignore[union-attr]
        "f32[4]{0}",
        "u8[3]{0}",
    ]


def read(raw: bytes) -> tuple[HloModule, BufferAssignment]:
    return finish(parse_module(raw)), finish(parse_buffers(raw))


def one(name: str = "main", number: int = 0, **more: object) -> bytes:
    return computation(number, name, instruction(1, "i", "add", shape("f32", 4), **more))  # type: ignore[arg-type]


def deep(depth: int) -> bytes:
    of = shape("f32", 1)
    for _ in range(depth):
        of = tuple_of(of)
    return computation(0, "main", instruction(1, "i", "tuple", of))


def buffers_of(**more: list[bytes]) -> bytes:
    of = pb.BufferAssignment(**more).SerializeToString()
    return hlo_proto("f", one(), buffer_assignment=of)


HOSTILE = {
    "it is damaged: its 3 bytes are no message": b"\xff\xff\xff",
    "reaches beyond it": hlo_proto("f", one())[:-3],
    "a number where a message belongs": b"\x08\x01",
    "calls a computation": hlo_proto("f", one(called_computation_ids=[0])),
    "calls a computation that does not": hlo_proto("f", one("a", 1, called_computation_ids=[2]), one("b", 2)),
    "an operand that does not come before": hlo_proto("f", one(operand_ids=[1])),
    "no instructions": hlo_proto("f", computation(0, "main")),
    "two computations have the id 3": hlo_proto("f", one("a", 3), one("b", 3)),
    "two instructions of main have the id 1": hlo_proto(
        "f", computation(0, "main", *[instruction(1, "i", "add", shape("f32"))] * 2)
    ),
    "a dimension of -1": hlo_proto("f", computation(0, "main", instruction(1, "i", "add", shape("f32", -1)))),
    "more bytes than any memory": hlo_proto(
        "f", computation(0, "main", instruction(1, "i", "add", shape("f32", 1 << 62, 1 << 62)))
    ),
    "takes more bytes than any": hlo_proto(
        "f", computation(0, "main", instruction(1, "i", "add", shape("u8", 2, 2, tile=(1 << 40, 1 << 40))))
    ),
    "elements of -1 bits": hlo_proto("f", computation(0, "main", instruction(1, "i", "add", shape("u8", 2, bits=-1)))),
    "too large or too deep": hlo_proto("f", deep(5000)),
    "computation 0 is damaged": hlo_proto("f", b"\x0a\xff", entry=1),
    "the shape of instruction 0 of main": hlo_proto("f", computation(0, "main", instruction(1, "i", "add", b"\x1d"))),
    "a size of -9,223,372,036,854,775,808": buffers_of(
        logical_buffers=[pb.LogicalBuffer(id=1, size=-(1 << 63)).SerializeToString()]
    ),
    "a size of 9,223,372,036,854,775,807": buffers_of(
        buffer_allocations=[pb.BufferAllocation(index=1, size=(1 << 63) - 1).SerializeToString()]
    ),
    "an event of a heap trace is damaged": buffers_of(
        heap_simulator_traces=[pb.HeapSimulatorTrace(events=[b"\x08"]).SerializeToString()]
    ),
    "a heap trace is damaged": buffers_of(heap_simulator_traces=[b"\x0a\x05"]),
}


@pytest.mark.parametrize("why", HOSTILE)
def test_hostile_protos_are_refused_in_a_line(why: str) -> None:
    with pytest.raises(HloDamage, match=rf"\A.*{why}.*\Z"):  # one line
        read(HOSTILE[why])


def test_values_alone_are_those_of_the_whole_program() -> None:
    raw = old_proto()
    module, values = finish(parse_module(raw)), finish(parse_values(raw))
    assert list(module.by_id) == list(values.by_id.raw)
    for of in module.instructions():
        assert of == values.by_id.get(of.id) == values.by_name.get(of.name)
        assert values.source(of) == module.source(of)
    assert values.by_id.get(99) is values.by_name.get("none") is None


def test_every_cut_and_every_wrong_byte_is_read_or_refused() -> None:
    raw = old_proto()
    for at in range(len(raw)):
        for hostile in (raw[:at], raw[:at] + bytes([raw[at] ^ 0xFF]) + raw[at + 1 :]):
            try:
                module, buffers = read(hostile)
            except HloDamage:
                continue
            assert all(of.shape.bytes >= 0 for of in module.instructions())
            assert all(of.size >= 0 for of in buffers.buffers.values())


def test_wrong_utf_8_is_replaced() -> None:
    module, _ = read(hlo_proto("f", computation(0, "main", pb.HloInstruction(id=1, name=b"i\xff").SerializeToString())))
    assert [of.name for of in module.instructions()] == ["i�"]


def test_a_program_takes_no_more_memory_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [instruction(k, f"add.{k}", "add", shape("f32", k), k - 1 or 1) for k in range(1, 20_000)]
    many[0] = instruction(1, "p", "parameter", shape("f32"))
    raw = hlo_proto("f", computation(0, "main", *many))
    module = finish(parse_module(raw))
    assert module.size_bytes < 1100 * len(many)
    monkeypatch.setattr("tilescope.tiler.facts.hlo.parsing.Taken.__init__.__defaults__", (module.size_bytes >> 1,))
    with pytest.raises(HloDamage, match="takes more than"):
        read(raw)


def test_programs_are_parsed_once_and_again_after_eviction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protos = {f"f{k}({k})": hlo_proto(f"f{k}", one(f"main{k}")) for k in range(4)}
    protos["bad(9)"] = b"\xff"
    reader = reader_of(write_space(tmp_path / "t.xplane.pb", hlo_plane(protos)), tmp_path / "store")
    found = programs_of(reader)
    parsed: list[int] = []

    def counting(raw: bytes) -> object:
        parsed.append(len(raw))
        return parse_module(raw)

    monkeypatch.setattr(programs, "parse_module", counting)
    first = [finish(hlo_module(reader, of)) for of in found[:4]]
    assert [finish(hlo_module(reader, of)) for of in found[:4]] == first
    assert len(parsed) == 4
    for _ in range(2):  # why one was left out is remembered too
        with pytest.raises(
            HloDamage, match=r"^the HLO proto of bad\(9\) was left out: it is damaged: its 1 bytes are no message"
        ):
            finish(hlo_module(reader, found[4]))
    assert len(parsed) == 5
    finish(hlo_module(reader, Program(found[1].entry)))
    assert len(parsed) == 5
    (cache,) = [cache for cache in CACHES.sizes() if cache.name == "programs"]
    assert cache.entries >= 5
    assert cache.size_bytes >= sum(module.size_bytes for module in first)
    programs._PROGRAMS.clear()
    finish(hlo_module(reader, found[2]))
    assert len(parsed) == 6
    room = CacheRegistry(2 * first[0].size_bytes + 1500)  # for two programs
    cached = KeyedCache[QueryReader, Any, Any]("programs", "Programs", registry=room)
    monkeypatch.setattr(programs, "_PROGRAMS", cached)
    reader = QueryReader(reader.store)
    for number, count in ((0, 7), (1, 8), (0, 8), (2, 9), (0, 9), (1, 10)):  # what was used last stays
        finish(hlo_module(reader, found[number]))
        assert len(parsed) == count
    monkeypatch.setattr(programs, "MAX_PROTO_BYTES", 3)
    with pytest.raises(HloDamage, match="the limit is 3"):
        finish(hlo_module(reader, found[3]))


@pytest.mark.parametrize("trace", [name for name, (_, counted) in COUNTED.items() if counted])
def test_parts_of_a_program_say_what_the_whole_does(tmp_path: Path, trace: str) -> None:
    reader = reader_of(corpus_path(trace), tmp_path / "store")
    for program in programs_of(reader):
        module, parts = finish(hlo_module(reader, program)), finish(program_parts(reader, program))
        costs = Costs(module, is_gpu=False)
        assert finish(parts.part("no such instruction")) is None
        for name, (_, of) in module.within.items():
            part = finish(parts.part(name))
            assert part is not None
            assert part.within[name][1] == of
            assert meanings(part, of) == meanings(module, of)
            assert Costs(part, is_gpu=False).fused(of) == costs.fused(of)
            assert part.source_stack(of) == module.source_stack(of)


def test_the_part_of_a_product_has_its_operands() -> None:
    tiled = {size: shape("bf16", *size, tile=(8, 128)) for size in ((256, 64), (64, 256), (256, 256))}
    numbers = pb.DotDimensionNumbers(lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0])
    product = instruction(3, "dot.3", "dot", tiled[256, 256], 1, 2, dot_dimension_numbers=numbers.SerializeToString())
    inner = computation(1, "inner", instruction(9, "x.9", "iota", shape("f32", 8)))
    left, right, other = (
        instruction(number, name, "iota", tiled[size])
        for number, name, size in ((1, "left.1", (256, 64)), (2, "right.2", (64, 256)), (4, "other.4", (256, 64)))
    )
    parts = finish(parse_parts(hlo_proto("m", inner, computation(2, "main", left, right, product, other))))
    for names, share, ids in (
        (["dot.3", "left.1", "right.2", "other.4", "x.9", "nothing"], 1 / 2, [1, 2, 3]),
        (["left.1"], 1, [1, 3]),  # of one operand alone it is not known what is contracted
        ([], 1, [3]),
        (["other.4"] * 8 + ["left.1", "right.2"], 1, [3]),  # too many names for a product
    ):
        part = finish(parts.part("dot.3", names))
        assert part is not None
        within, dot = part.within["dot.3"]
        assert sorted(within.instructions) == ids
        use = matrix_use(part, within, dot)
        assert use is not None
        assert (use.share, use.is_of_result_alone) == (share, ids != [1, 2, 3])


def test_parts_of_hostile_programs_are_refused() -> None:
    inner = computation(1, "inner", instruction(1, "a", "iota", shape("f32", 8)))
    calls = instruction(2, "b", "fusion", shape("f32", 8), called_computation_ids=[3])
    for module in (
        hlo_proto("m", inner, computation(2, "main", calls)),  # there is no such computation
        hlo_proto("m", computation(3, "main", calls)),  # it calls itself
        hlo_proto(
            "m", computation(2, "main", calls), computation(3, "late", instruction(4, "c", "iota", shape("f32", 8)))
        ),
    ):
        parts = finish(parse_parts(module))
        with pytest.raises(HloDamage, match="does not come before"):
            finish(parts.part("b"))
    for damaged in (b"\x0a\x03\x1a\x07\x00", b"\x0a\x05\x1a\x03\x12\x09\x00"):
        with pytest.raises(HloDamage):
            finish(parse_parts(damaged))


def test_the_schedule_of_a_computation_has_all_of_its_instructions() -> None:
    entries = shape("f32", 4)
    parts = [
        instruction(1, "p", "parameter", entries),
        *(instruction(place, f"i.{place}", "negate", entries, 1) for place in (2, 3)),
    ]
    main = computation(7, "main", *parts)

    def parsed_schedule(raw: bytes) -> dict[int, tuple[int, ...]]:
        return finish(parse_module(hlo_proto("f", main, schedule=raw))).schedule

    assert parsed_schedule(schedule({7: [1, 3, 2]})) == {7: (1, 3, 2)}
    for wrong in ([1, 3], [1, 3, 3], [1, 2, 4], [1, 2, 3, 2]):
        assert parsed_schedule(schedule({7: wrong})) == {}
    assert parsed_schedule(schedule({8: [1, 3, 2]})) == parsed_schedule(b"") == {}
    for damaged in (b"\xff", b"\x0a\x02\xff\xff", b"\x08\x01" + schedule({7: [1, 3, 2]})[:-1]):
        with pytest.raises(HloDamage):
            parsed_schedule(damaged)
