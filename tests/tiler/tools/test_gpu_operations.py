"""Operations of GPUs: the figures of xprof where it is right; kernels that no program is known of; any range."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.gpu_trace import Kernel, gpu_plane
from tests.headlines import headline
from tests.hlo_protos import computation, hlo_plane, hlo_proto, instruction, shape, write_space
from tests.xprof_golden import golden, is_close, rows
from tilescope.tiler.caches import CACHES
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.facts.hlo import HloModule, Program, hlo_module
from tilescope.tiler.facts.operations import program_instructions
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of


def reader_of(trace: Path, store: Path) -> QueryReader:
    build_store([trace], store)
    return QueryReader(open_run_store(store))


@pytest.fixture(scope="module")
def mi300(tmp_path_factory: pytest.TempPathFactory) -> QueryReader:
    return reader_of(corpus_path("xplane/gpu_mi300x8_conv.xplane.pb"), tmp_path_factory.mktemp("mi300") / "store")


def answer(reader: QueryReader, which: str, **asked: Any) -> Answer:
    return finish(ask(tool(which), Scope(reader), from_values(tool(which).question, asked)))


def by_row(of: Answer) -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table("operations").columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# It counts each kernel as an occurrence of its operation: this convolution, which is two kernels, it has 79 times in 40
# runs (one kernel lost its name), with as many FLOPs; and of its bytes in HBM it leaves out those of the result.
CONVOLUTION = "cudnn-conv.1"
TWICE = 79 / 40


def test_instructions_as_xprof_has_them(mi300: QueryReader) -> None:
    theirs = list(rows(golden("gpu_mi300x8_conv/hlo_stats")))
    ours = {row["name"]: row for row in by_row(answer(mi300, "hlo_stats")) if row["program"]}
    assert set(ours) == {row["hlo_op_name"] for row in theirs}
    for row in theirs:
        found = ours[row["hlo_op_name"]]
        often = TWICE if found["name"] == CONVOLUTION else 1
        assert (found["program"], found["category"]) == (row["program_id"], row["category"])
        assert found["expression"] == row["hlo_op_expression"]
        assert found["framework"] == row["tf_op_name"].rstrip(":")
        assert found["count"] * often == row["occurrences"]
        assert found["total"] * 1e-3 == pytest.approx(row["total_time"], rel=1e-12)
        assert found["self"] == found["total"]
        assert is_close(found["share"] * 100, row["total_self_time_percent"])
        assert is_close(found["flop_rate"] * often / 1e9, row["normalized_flop_rate"])
        assert is_close(found["byte_rate"] * often / 2**30, row["measured_memory_bw"])
        assert is_close(found["intensity"] or 0, row["operational_intensity"])
        if often == 1:
            assert is_close(found["hbm_rate"] / 2**30, row["hbm_bw"])
        else:
            assert found["bytes"] == 40 * 2 * (32 * 60 * 104 * 16 + 2 * 2 * 16 * 5120 + 5120 * 34 * 31 * 53)
            assert found["hbm_rate"] == found["byte_rate"]
            assert found["flops"] == 40 * 2 * 5120 * 16 * 32 * (2 * 31 - 2) * (2 * 53 - 2)  # not those of padding
        source = row["source_info"]
        assert (found["source"] or "") in source
        assert bool(found["source"]) == bool(source)


def test_instructions_in_a_command_buffer_beside_those_that_xprof_has(tmp_path: Path) -> None:
    """It has no instruction that a graph runs: 6.84 of 7.75 ms of kernels."""
    reader = reader_of(corpus_path("xplane/h100_jax_train.xplane.pb"), tmp_path / "store")
    entries = answer(reader, "hlo_stats")
    ours = {(row["program"], row["name"]): row for row in by_row(entries) if row["program"]}
    theirs = list(rows(golden("gpu_h100_jax/hlo_stats")))
    assert len(theirs) == 7
    for row in theirs:
        matches = ours[row["program_id"], row["hlo_op_name"]]
        assert (matches["category"], matches["expression"]) == (row["category"], row["hlo_op_expression"])
        # It takes those of three programs, which have a `copy.1` each, for one.
        total = sum(each["total"] for (_, name), each in ours.items() if name == row["hlo_op_name"])
        assert total * 1e-3 == pytest.approx(row["total_time"], rel=1e-12)
    beside = {row["hlo_op_name"] for row in theirs}
    in_graph = [row for (_, name), row in ours.items() if name not in beside]
    assert sum(row["total"] for row in in_graph) * 1e-6 == pytest.approx(6.84, abs=0.001)
    assert all(row["flops"] is not None and row["count"] == 6 for row in in_graph)
    assert entries.fact("flops_utilisation").value == pytest.approx(0.00136, abs=1e-5)
    (note,) = [note.text for note in entries.notes if "CUDA graphs" in note.text]
    assert note.endswith(" by their order.")
    assert "stay with their graphs" not in note  # none does
    profile = answer(reader, "op_profile")
    assert "of their FLOPS" in headline(profile).text
    assert note in [each.text for each in profile.notes if each.severity == "info"]
    times = {which: answer(reader, which).fact("busy").value for which in ("op_profile", "hlo_stats")}
    assert set(times.values()) == {14_236_662}


def test_the_tree_as_xprof_has_it(mi300: QueryReader) -> None:
    root = golden("gpu_mi300x8_conv/op_profile")["byProgram"]
    ours = {row["name"]: row for row in by_row(answer(mi300, "op_profile"))}
    (idle, program) = root["children"]
    for node in (program, *program["children"], *(leaf for part in program["children"] for leaf in part["children"])):
        row, of = ours[node["name"]], node["metrics"]
        assert row["self"] * 1000 == of["rawTime"]
        # What has the convolution in it has its faults.
        if node["name"] not in (CONVOLUTION, "custom-call", program["name"]):
            assert row["count"] == of["occurrences"]
            assert row["bytes"] == of["rawBytesAccessedArray"][0]
            assert row["flops"] == of["rawFlops"]
            assert is_close(min(row["hbm_used"], 1.0), of["bandwidthUtils"][0])  # it counts more than all as all
        else:
            assert is_close(row["flops"] * TWICE, of["rawFlops"])
    # It counts kernels of no program as idle.
    others = ours["unknown program"]["self"]
    overlap = 4200  # on four streams of one GPU
    assert (ours["idle"]["self"] + others - overlap) * 1000 == idle["metrics"]["rawTime"]


def test_more_than_a_peak_is_shown_and_said_as_roofline_has_it(mi300: QueryReader) -> None:
    profile = answer(mi300, "op_profile")
    rates = {row["name"]: row["hbm_used"] for row in by_row(profile) if row["hbm_used"] is not None}
    above = {name: share for name, share in rates.items() if share > 1}
    roofline = answer(mi300, "roofline", limit=1000)
    memories, bandwidths = (values_of(roofline.table("roofs").column(name)) for name in ("memory", "bandwidth"))
    peak = dict(zip(memories, bandwidths, strict=True))["HBM"]
    rooflines = {row["name"]: row["hbm_rate"] / peak for row in by_row(roofline) if row["hbm_rate"] is not None}
    both = above.keys() & rooflines.keys()
    assert both
    for name in both:
        assert is_close(above[name], rooflines[name]), name
    assert any("below what was measured" in note.text for note in profile.notes)


def test_a_range_is_the_sum_of_its_halves(mi300: QueryReader) -> None:
    def figures(**asked: Any) -> dict[tuple[str, str], tuple[int, ...]]:
        return {
            (row["program"], row["name"]): tuple(row[key] or 0 for key in ("count", "total", "flops", "bytes"))
            for row in by_row(answer(mi300, "hlo_stats", **asked))
        }

    whole, end = figures(), mi300.end + 1
    spans = answer(mi300, "hlo_stats").fact("span").value
    for cut in (1, end // 3, end // 2, 45_440_000, end - 5):  # one of them between two kernels of an occurrence
        halves = [figures(start=a, end=b) for a, b in ((0, cut), (cut, end))]
        added = {key: tuple(map(sum, zip(*(of[key] for of in halves if key in of), strict=True))) for key in whole}
        assert added == whole
        times = [answer(mi300, "op_profile", start=a, end=b) for a, b in ((0, cut), (cut, end))]
        assert sum(int(str(of.fact("span").value)) for of in times) == spans
        for of in times:
            top = [row for row in by_row(of) if row["parent"] < 0]
            span = int(str(of.fact("span").value))
            # What runs on several streams at once counts several times.
            assert sum(row["share"] or 0 for row in top) == pytest.approx(
                sum(row["self"] for row in top) / span if span else 0
            )
            assert sum(row["self"] for row in top) >= span


def test_kernels_of_no_program_by_the_prefix_of_their_names(tmp_path: Path) -> None:
    reader = reader_of(corpus_path("xplane/gpu_v100x8_bert.xplane.pb"), tmp_path / "store")
    of = answer(reader, "op_profile")
    rows = by_row(of)
    assert any("does not say which operation a kernel belongs to" in note.text for note in of.notes)
    names = {row["name"]: row for row in rows}
    prefix = names["Eigen::internal::EigenMetaKernel"]
    assert prefix["self"] == sum(row["self"] for row in rows if row["parent"] == rows.index(prefix))
    kernels = golden("gpu_v100x8_bert/kernel_stats")
    table = kernels[0] if isinstance(kernels, list) else kernels
    total = sum(row["total_duration_us"] for row in rows_of(table))
    assert names["kernel"]["self"] * 1e-3 == pytest.approx(total, rel=1e-9)
    assert of.fact("span").value == 623_195_950
    assert all(row["flops_used"] is row["flops"] is None for row in rows)
    assert of.fact("flops_utilisation").value is None
    assert "does not say what operations compute or move" in of.fact("flops_utilisation").note


def rows_of(table: dict[str, Any]) -> list[dict[str, Any]]:
    return list(rows(table))


def test_a_run_without_devices_says_what_to_record(tmp_path: Path) -> None:
    reader = reader_of(corpus_path("xplane/jax_cpu_10steps.xplane.pb"), tmp_path / "store")
    with pytest.raises(NotAvailable, match="record a program that runs on such devices"):
        answer(reader, "op_profile")


def traced(folder: Path, kernels: list[Kernel], proto: bytes | None = None) -> QueryReader:
    planes = [gpu_plane(0, {"Stream #1(Compute)": kernels})]
    if proto is not None:
        planes.append(hlo_plane({"jit_f(9)": proto}))
    return reader_of(write_space(folder / "t.xplane.pb", *planes), folder / "store")


def test_kernels_that_follow_each_other_are_one_occurrence(tmp_path: Path) -> None:
    order = "A1 A2 A1 A2 B1 A1 B1 B1 A2 A2 A1 x A1"
    kernels = [
        Kernel(name, 10 * k, 5, "" if name == "x" else f"op.{name[0]}", 9) for k, name in enumerate(order.split())
    ]
    reader = traced(tmp_path, kernels)
    of = answer(reader, "hlo_stats")
    # Of A: 1 2 | 1 2 | 1 | 2 | 2 1 | 1; of B each, as it is one kernel.
    assert {row["name"]: row["count"] for row in by_row(of)} == {"op.A": 6, "op.B": 3, "x": 1}
    assert any("jit_f(9) has no HLO proto" in note.text for note in of.notes)
    for cut in range(1, 125, 7):
        halves = [by_row(answer(reader, "hlo_stats", start=a, end=b)) for a, b in ((0, cut), (cut, reader.end + 1))]
        counts = [row["count"] for half in halves for row in half if row["name"] == "op.A"]
        assert sum(counts) == 6


def test_a_damaged_program_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    of = answer(traced(tmp_path, [Kernel("k", 0, 5, op="add.1", program=9)], b"\xff"), "hlo_stats")
    (row,) = by_row(of)
    assert (row["name"], row["total"], row["category"]) == ("add.1", 5, None)
    assert [note.text for note in of.notes if "jit_f(9)" in note.text] == [
        "The HLO proto of jit_f(9) was left out: it is damaged: "
        "its 1 bytes are no message (a message ends inside a field)."
    ]


def test_streams_that_overlap_make_no_idle_time_vanish(tmp_path: Path) -> None:
    streams = {
        "Stream #1(Compute)": [Kernel("a", 0, 60)],
        "Stream #2(Compute)": [Kernel("b", 20, 30), Kernel("b", 90, 10)],
    }
    reader = reader_of(write_space(tmp_path / "t.xplane.pb", gpu_plane(0, streams)), tmp_path / "store")
    of = answer(reader, "op_profile")
    assert (of.fact("span").value, of.fact("busy").value) == (100, 100)
    assert of.fact("idle_share").value == 30 / 100
    assert [row["share"] for row in by_row(of) if row["name"] == "idle"] == [30 / 100]
    lanes = answer(reader, "gaps").table("lanes")
    assert lanes.totals is not None
    assert (lanes.totals["span"], lanes.totals["idle_share"]) == (100, 30 / 100)


def test_ids_of_programs_are_unsigned(tmp_path: Path) -> None:
    main = computation(1, "main", instruction(1, "iota.1", "iota", shape("f32", 8)))
    told = (1 << 64) - 5
    planes = [
        gpu_plane(0, {"Stream #1(Compute)": [Kernel("k", 0, 5, "iota.1", -5)]}),
        hlo_plane({f"jit_f({told})": hlo_proto("jit_f", main)}),
    ]
    reader = reader_of(write_space(tmp_path / "t.xplane.pb", *planes), tmp_path / "store")
    (row,) = by_row(answer(reader, "hlo_stats"))
    assert (row["program"], row["bytes"], row["category"]) == (str(told), 32, "iota")


def test_what_is_known_of_instructions_is_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = reader_of(corpus_path("xplane/gpu_mi300x8_conv.xplane.pb"), tmp_path / "store")
    asked: list[str] = []

    def counting(of: QueryReader, program: Program) -> Interruptible[HloModule]:
        asked.append(program.id)
        return (yield from hlo_module(of, program))

    monkeypatch.setattr(program_instructions, "hlo_module", counting)
    first = by_row(answer(reader, "op_profile"))
    assert asked == ["15", "15"]  # for the costs, and for parts and layouts
    assert by_row(answer(reader, "op_profile")) == first
    assert len(asked) == 2
    CACHES.clear()
    assert [by_row(answer(reader, "op_profile")) for _ in range(2)] == [first, first]
    assert len(asked) == 4  # for the second answer the tree is cached


def test_what_is_known_of_instructions_has_a_limit_within_a_question(
    mi300: QueryReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = by_row(answer(mi300, "op_profile"))
    monkeypatch.setattr(program_instructions, "MAX_KEPT_BYTES", 2500)
    reader, sizes = QueryReader(mi300.store), list[int]()
    count = program_instructions._Kept.count

    def counting(kept: program_instructions._Kept, *texts: str) -> None:
        count(kept, *texts)
        sizes.append(kept.size_bytes)

    monkeypatch.setattr(program_instructions._Kept, "count", counting)
    assert by_row(answer(reader, "op_profile")) == first
    assert max(sizes) <= 2500
    assert sizes.count(0) >= 1
    kept = program_instructions._KEPT.get(reader)
    assert kept is not None
    assert len(kept.instructions) + len(kept.facts) <= 2500 // program_instructions._ENTRY_BYTES


def test_costs_come_from_the_program_found_by_name_too(tmp_path: Path) -> None:
    main = computation(
        1,
        "main",
        instruction(1, "p", "parameter", shape("f32", 100, 200)),
        instruction(2, "add.1", "add", shape("f32", 100, 200), 1, 1, op_name="jit(f)/add"),
    )
    reader = traced(tmp_path, [Kernel("k", 0, 5, op="add.1", module="jit_f")], hlo_proto("jit_f", main))
    (row,) = by_row(answer(reader, "hlo_stats"))
    assert (row["flops"], row["bytes"], row["framework"]) == (60_000, 240_000, "jit(f)/add")
