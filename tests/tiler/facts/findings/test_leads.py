"""Leads of findings in made TPU runs: where the next click goes, and that healthy runs have none."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hlo_protos import computation, hlo_plane, hlo_proto, instruction, write_space
from tests.hlo_protos import shape as hlo_shape
from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.facts.findings.tpu_run import ENQUEUE, Pod, run, write_hosts
from tests.tiler.tools.test_steps import Asked
from tests.tpu_trace import Instruction, Run, plane
from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.findings import Finding, Spot
from tilescope.tiler.facts.findings.host_time import open_slices
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer import values_of

MS = 1_000_000_000
PEAKS: dict[str, int | str] = {
    "device_type_string": "TPU v2",
    "peak_teraflops_per_second": 1,
    "peak_hbm_bw_gigabytes_per_second": 100,
}
PADDED = "f32[4,3,16]{2,1,0:T(8,128)}"
FULL = "f32[4,8,128]{2,1,0:T(8,128)}"


def leads(row: Finding) -> str:
    return "\n".join(lead.text for lead in row.leads)


def event_at(reader: QueryReader, place: Spot | None) -> tuple[str, str]:
    """The path and the name of the event of a place, which is as long as the place."""
    assert place is not None
    events = open_slices(reader, place.track, (place.start + place.stop) // 2)
    events = events.take(events.ordinal == place.ordinal)
    assert (int(events.start[0]), int(events.start[0] + events.duration[0])) == (place.start, place.stop)
    track = reader.tree.tracks[place.track]
    return f"{reader.tree.groups[track.group].name} {track.name}", reader.names[int(events.name[0])].text


def test_a_long_infeed_leads_to_what_fills_it_and_to_the_input_pipeline(tmp_path: Path) -> None:
    with reading(write_hosts(run(Pod(batch=(900, 9_400))), tmp_path), tmp_path) as reader:
        first, *_ = findings(reader).rows
        infeed, collective = first.leads
        assert infeed.text.startswith("node-b · "), leads(first)
        assert "infeed.2" in infeed.text
        assert "see input_pipeline" in infeed.text
        path, name = event_at(reader, infeed.place)
        assert (path.endswith(" infeed"), name) == (True, ENQUEUE)
        assert reader.file_of(infeed.place.track if infeed.place else -1) == 1  # of node-b
        assert collective.text.startswith("In all-reduce.3 node-a · ")
        assert " waits for node-b · " in collective.text
        assert event_at(reader, collective.place)[1] == "infeed.2"


def test_an_infeed_without_a_recorded_host_leads_to_itself(tmp_path: Path) -> None:
    lines = run(Pod(hosts=1, batch=(9_400,), written=(50,)))
    lines.slices = {key: own for key, own in lines.slices.items() if key[1] != "/host:CPU"}
    with reading(write_hosts(lines, tmp_path), tmp_path) as reader:
        first, *_ = findings(reader).rows
        (lead,) = first.leads
        assert "input_pipeline" in lead.text
        assert "ends with" not in lead.text
        assert event_at(reader, lead.place)[1] == "infeed.2"


@pytest.mark.parametrize(("host", "chip"), [(0, 3), (1, 2)])
def test_a_long_all_reduce_leads_to_the_core_that_is_late(tmp_path: Path, host: int, chip: int) -> None:
    with reading(write_hosts(run(Pod(chips=4, factors={(host, chip): 1.4})), tmp_path), tmp_path) as reader:
        first, *_ = findings(reader).rows
        (lead,) = first.leads
        core = f"{('node-a', 'node-b')[host]} · /device:TPU:{chip}"
        assert first.where == core
        assert f"waits for {core}, which is in " in lead.text
        assert lead.text.startswith("In all-reduce.3 ")
        path, name = event_at(reader, lead.place)
        assert path.startswith(f"/device:TPU:{chip}")
        assert name != "all-reduce.3"
        assert name in lead.text


@pytest.mark.parametrize("seed", range(4))
def test_healthy_pods_have_no_leads(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    factors = {(host, chip): 1 + rng.random() * 0.01 for host in range(2) for chip in range(4)}
    pod = replace(Pod(chips=4, factors=factors), batch=(rng.randrange(4_000), rng.randrange(4_000)))
    with reading(write_hosts(run(pod), tmp_path), tmp_path) as reader:
        rows = findings(reader).rows
        assert [row.cause for row in rows] == ["none"], text(rows)
        assert not rows[0].leads


def core(folder: Path, category: str, shape: str, *, flops: int, size: int, program: bytes = b"") -> Asked:
    """A run of one core in which an operation takes half of the time; `program` is a plane of HLO protos."""
    programs: dict[str, int | str] = {
        "program_id": 7,
        "hlo_category": "convolution fusion",
        "flops": 5 * MS,
        "bytes_accessed": 1000,
    }
    instructions = [
        Instruction("good.1", {**programs, "symbol_id": 1, "flops": 4 * MS}),
        Instruction(
            "slow.2",
            {
                **programs,
                "symbol_id": 2,
                "hlo_category": category,
                "flops": flops,
                "bytes_accessed": size,
                "shape_with_layout": shape,
            },
        ),
        *(Instruction(str(step)) for step in range(6)),
    ]
    operations = [
        run for step in range(6) for run in (Run(0, 10 * step * MS, 5 * MS), Run(1, (10 * step + 5) * MS, 5 * MS))
    ]
    steps = [Run(2 + step, 10 * step * MS, 10 * MS) for step in range(6)]
    trace = plane("/device:TPU:0", instructions, {"Steps": steps, "XLA Ops": operations}, PEAKS)
    return Asked(folder, [write_space(folder / "t.xplane.pb", trace, program)])


def first_row(answer: Answer) -> dict[str, object]:
    return {column.id: values_of(column)[0] for column in answer.table("findings").columns}


# At the peaks 5 ms of it are 5e9 FLOPs, or 5e8 bytes.
SLOW = {
    "padding": (
        "convolution",
        PADDED,
        100_000_000,
        1_000,
        "5 % of the matrix unit is used: 3 padded to 8 × 16 padded to 128",
        "op_profile",
    ),
    "memory_bound": ("convolution", FULL, 500_000_000, 450_000_000, "its bytes need 90 %", "roofline"),
    "inefficient_op": ("loop fusion", FULL, 5_000, 1_000, "slow.2", "as a convolution or matrix product, where it can"),
}


@pytest.mark.parametrize("cause", SLOW)
def test_an_operation_with_few_flops_says_why(tmp_path: Path, cause: str) -> None:
    category, shape, flops, size, words, lead = SLOW[cause]
    opened = core(tmp_path, category, shape, flops=flops, size=size)
    answer = opened.ask("overview")
    row = first_row(answer)
    assert row["class"] == cause, row
    assert words in str(row["sentence"])
    assert any(lead in note.text for note in answer.notes), [note.text for note in answer.notes]
    loss = {"padding": 5 * (1 - 48 / 1024), "memory_bound": 4.0, "inefficient_op": 5.0}[cause]
    assert row["loss"] == pytest.approx(loss * MS / opened.reader.tick_ps, rel=0.001)
    opened.store.close()


def test_padding_that_the_program_alone_knows_is_a_cause(tmp_path: Path) -> None:
    """A fused product whose result fills the lanes, of operands with 3 places of 128 in what is contracted."""
    left, right, result = (hlo_shape("f32", *sizes, tile=(8, 128)) for sizes in ((8, 3), (3, 128), (8, 128)))
    numbers = pb.DotDimensionNumbers(lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0])
    inner = computation(
        1,
        "fused",
        instruction(1, "p.0", "parameter", left),
        instruction(2, "p.1", "parameter", right, parameter_number=1),
        instruction(3, "dot.3", "dot", result, 1, 2, dot_dimension_numbers=numbers.SerializeToString()),
        root=3,
        is_fusion=True,
    )
    fusion = instruction(9, "slow.2", "fusion", result, fusion_kind="kOutput", called_computation_ids=[1])
    plane_of_programs = hlo_plane({"jit_f(7)": hlo_proto("jit_f", inner, computation(2, "main", fusion))})
    full = "f32[8,128]{1,0:T(8,128)}"
    for program, cause in ((b"", "inefficient_op"), (plane_of_programs, "padding")):
        folder = tmp_path / cause
        folder.mkdir()
        opened = core(folder, "convolution fusion", full, flops=50_000_000, size=1_000, program=program)
        row = first_row(opened.ask("overview"))
        assert row["class"] == cause, row
        if program:
            assert "2 % of the matrix unit is used: contracted 3 padded to 128, its costs" in str(row["sentence"])
        opened.store.close()


HEALTHY = {
    "a product that computes": ("convolution", PADDED, 2_000_000_000, 1_000),
    "a product between both roofs": ("convolution", FULL, 500_000_000, 200_000_000),
    "a vector operation at the roof of memory": ("loop fusion", FULL, 5_000, 450_000_000),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_operations_that_do_what_they_can_are_no_cause(tmp_path: Path, name: str) -> None:
    category, shape, flops, size = HEALTHY[name]
    opened = core(tmp_path, category, shape, flops=flops, size=size)
    answer = opened.ask("overview")
    assert first_row(answer)["class"] == "none"
    assert not [note.text for note in answer.notes if "op_profile" in note.text or "unit" in note.text]
    opened.store.close()
