"""Rooflines: the figures of xprof, and the truth where it has others; the chart lies below its roofs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.headlines import headline
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tests.xprof_golden import golden, is_close, rows
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import Column, values_of

FILES = {
    "tpu_v6e_4core": "xplane/tpu_v6e_4core.xplane.pb",
    "pod/all": "pod",
    "gpu_mi300x8_conv": "xplane/gpu_mi300x8_conv.xplane.pb",
    "gpu_v100x8_bert": "xplane/gpu_v100x8_bert.xplane.pb",
    "jax_cpu_10steps": "xplane/jax_cpu_10steps.xplane.pb",
}
COUNTED = "Hardware counters, whole capture"
GIB = 2**30

Row = dict[str, Any]


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    found = {}
    for name, file in FILES.items():
        path = tmp_path_factory.mktemp("roofline") / "store"
        build_store(sorted(corpus_path(file).rglob("*.xplane.pb")) or [corpus_path(file)], path)
        found[name] = QueryReader(open_run_store(path))
    return found


def answer(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("roofline"), Scope(reader), from_values(tool("roofline").question, asked)))


def by_row(of: Answer, table: str) -> list[Row]:
    columns = {column.id: values_of(column) for column in of.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def theirs_of(name: str, step: str, *, with_infeed: bool) -> list[Row]:
    of = rows(golden(f"{name}/roofline_model")[0])
    return [row for row in of if row["step"] == step and row["include_infeed_outfeed"] == with_infeed]


@pytest.mark.parametrize("with_infeed", [True, False])
@pytest.mark.parametrize("name", ["tpu_v6e_4core", "pod/all"])
def test_rooflines_as_xprof_has_them(readers: dict[str, QueryReader], name: str, *, with_infeed: bool) -> None:
    ours = by_row(answer(readers[name], with_infeed=with_infeed), "operations")
    theirs = theirs_of(name, "Total", with_infeed=with_infeed)
    assert len(ours) == len(theirs)
    assert ours[0]["name"] == theirs[0]["operation"] == "Program"
    known = {(row["program"] or "0", row["name"]): row for row in ours}
    for row in theirs:
        found = known[row["hlo_module_id"], row["operation"]]
        assert (found["category"] or "Program", found["count"]) == (row["category"], row["occurrences"])
        assert found["total"] == round(row["total_time"] * 1e6)  # microseconds, and picoseconds
        assert found["per_device"] == pytest.approx(row["total_time_per_core"] * 1e6, abs=1)
        assert is_close(found["share"], row["total_time_in_percentage"])
        if found["bound_by"] == "async":
            # xprof counts bytes that move meanwhile on some nanoseconds: more than a thousand times what can be.
            assert row["category"].endswith("-start") or row["max_mem_bw_utilization"] > 1000
            assert found["flop_rate"] is found["hbm_rate"] is found["efficiency"] is found["intensity"] is None
            continue
        check_rates(found, row)


def check_rates(found: Row, row: Row) -> None:
    # xprof knows no network: what moves values between devices has the roof of a memory there.
    is_exchange = is_between_devices(row["category"])
    of_roofs = ("bound_intensity", "optimal", "efficiency")
    assert not is_exchange or all(found[column] is None for column in of_roofs)
    for of, figure, scale in (
        ("flop_rate", "measured_flop_rate", 1e9),
        ("model_flop_rate", "model_flop_rate", 1e9),
        ("byte_rate", "measured_memory_bw", GIB),
        ("hbm_rate", "hbm_bw", GIB),
        ("intensity", "operational_intensity", 1),
        ("bound_intensity", "bottleneck_operational_intensity", 1),
        ("optimal", "optimal_flop_rate", 1e9),
        ("efficiency", "roofline_efficiency", 1),
        ("flops_share", "compute_efficiency", 1),
        ("memory_share", "max_mem_bw_utilization", 1),
    ):
        assert (is_exchange and of in of_roofs) or is_close((found[of] or 0) / scale, row[figure]), of
    assert (found["bound_by"] or "Unknown") == ("Network" if is_exchange else row["bound_by"])


def is_between_devices(category: str) -> bool:
    return category.startswith(("all-reduce", "all-gather", "send", "recv", "collective"))


# xprof counts each kernel as an occurrence of its operation, with all costs: this one is two kernels, 79 in 40 times.
CONVOLUTION, TWICE = "cudnn-conv.1", 79 / 40


def test_gpus_as_xprof_has_them(readers: dict[str, QueryReader]) -> None:
    ours = {row["name"]: row for row in by_row(answer(readers["gpu_mi300x8_conv"]), "operations")}
    theirs = {row["operation"]: row for row in theirs_of("gpu_mi300x8_conv", "Total", with_infeed=True)}
    for name, row in theirs.items():
        found = ours[name]
        assert found["total"] == round(row["total_time"] * 1e3)  # microseconds, and nanoseconds
        assert is_close(found["share"], row["total_time_in_percentage"])
        if name not in (CONVOLUTION, "Program"):
            assert found["count"] == row["occurrences"]
            check_rates(found, row)
    # Kernels of no instruction have no costs, and rows all the same.
    assert all(ours[name]["flop_rate"] is ours[name]["hbm_rate"] is None for name in set(ours) - set(theirs))
    found, row = ours[CONVOLUTION], theirs[CONVOLUTION]
    assert (found["count"], row["occurrences"]) == (40, 79)
    assert is_close(found["flop_rate"] / 1e9 * TWICE, row["measured_flop_rate"])
    assert is_close(found["byte_rate"] / GIB * TWICE, row["measured_memory_bw"])
    assert is_close(found["intensity"], row["operational_intensity"])
    assert is_close(ours["Program"]["flop_rate"] / 1e9 * TWICE, theirs["Program"]["measured_flop_rate"])


def test_gpus_without_programs_have_times_and_peaks(readers: dict[str, QueryReader]) -> None:
    found = answer(readers["gpu_v100x8_bert"])
    (row, *_) = theirs_of("gpu_v100x8_bert", "Total", with_infeed=True)
    program, *kernels = by_row(found, "operations")
    assert program["total"] == round(row["total_time"] * 1e3)
    # xprof says 0 of all of these.
    unknown = ("flop_rate", "byte_rate", "hbm_rate", "efficiency", "bound_by", "intensity", "optimal")
    assert all(one[of] is None for one in (program, *kernels) for of in unknown)
    assert found.fact("peak_flops").value == pytest.approx(125.3e12, rel=1e-3)
    assert not found.series
    assert "The trace does not say what operations compute or move" in headline(found).text


@pytest.mark.parametrize("name", ["tpu_v6e_4core", "pod/all"])
def test_what_the_device_could_reach(readers: dict[str, QueryReader], name: str) -> None:
    told = golden(f"{name}/roofline_model")[0]["p"]
    # Of several hosts together xprof loses the peaks of VMEM and says 0; the planes of the pod have those of any v6e.
    of_vmem = golden("tpu_v6e_4core/roofline_model")[0]["p"]
    assert (told["peak_vmem_read_bw"] == "0") == (name == "pod/all")
    found = answer(readers[name])
    assert found.fact("device").value == told["device_type"]
    assert found.fact("peak_flops").value == float(told["peak_flop_rate"]) * 1e9
    ours = {row["memory"]: row for row in by_row(found, "roofs")}
    assert list(ours) == ["HBM", "VMEM read", "VMEM write"]  # v6e has no CMEM
    for memory, key, of in (
        ("HBM", "hbm", told),
        ("VMEM read", "vmem_read", of_vmem),
        ("VMEM write", "vmem_write", of_vmem),
    ):
        assert f"{ours[memory]['bandwidth'] / GIB:.6g}" == of[f"peak_{key}_bw"]
        assert f"{ours[memory]['ridge']:.6g}" == of[f"{key}_ridge_point"]


@pytest.mark.parametrize("with_infeed", [True, False])
def test_steps_by_truth(readers: dict[str, QueryReader], *, with_infeed: bool) -> None:
    truth = json.loads(gzip.decompress(corpus_path("pod/truth.json.gz").read_bytes()))["steps"]
    average, *steps, counted = by_row(answer(readers["pod/all"], with_infeed=with_infeed), "programs")[1:]
    # What the hardware counted: no time, no FLOPs.
    assert counted["what"] == COUNTED
    assert (counted["flops_share"], counted["memory_share"]) == (pytest.approx(0.33), pytest.approx(0.1375))
    assert counted["hbm_rate"] == pytest.approx(0.1375 * 1525.5 * GIB, rel=1e-4)
    assert {counted[of] for of in ("total", "per_device", "flop_rate", "efficiency", "intensity")} == {None}
    assert [row["what"] for row in steps] == [f"Step {step['step']}" for step in truth]
    totals = []
    for number, (row, step) in enumerate(zip(steps, truth, strict=True)):
        cores = step["cores"].values()
        feeds = sum(core["category"][of] for core in cores for of in ("infeed", "outfeed"))
        totals.append(sum(core["duration"] for core in cores) - (0 if with_infeed else feeds))
        # The idle time of a core in a span is a share of all its idle time: its clock may not run as the timeline does.
        assert row["total"] == pytest.approx(totals[-1], rel=3e-8)
        # In xprof every core takes as long as the slowest of its host: the same FLOPs in more time.
        (theirs,) = theirs_of("pod/all", str(number), with_infeed=with_infeed)
        assert theirs["total_time"] * 1e6 > totals[-1]
        assert is_close(row["flop_rate"] * row["total"], theirs["measured_flop_rate"] * theirs["total_time"] * 1e15)
        assert is_close(row["intensity"], theirs["operational_intensity"])
        assert row["bound_by"] == theirs["bound_by"]
    assert average["what"] == "Average step"
    assert average["total"] == pytest.approx(sum(totals) / len(truth), rel=3e-8)
    assert average["flop_rate"] == pytest.approx(sum(row["flop_rate"] * row["total"] for row in steps) / sum(totals))


def test_chosen_steps(readers: dict[str, QueryReader]) -> None:
    rows_of = by_row(answer(readers["pod/all"], steps="101-102"), "programs")
    assert [row["what"] for row in rows_of] == ["Total", "Average step", "Step 101", "Step 102", COUNTED]
    assert rows_of[0]["total"] == rows_of[2]["total"] + rows_of[3]["total"]
    assert [row["what"] for row in by_row(answer(readers["pod/all"], each_step=0), "programs")] == ["Total", COUNTED]


@pytest.mark.parametrize("name", ["tpu_v6e_4core", "pod/all"])
def test_a_span_is_the_sum_of_its_halves(readers: dict[str, QueryReader], name: str) -> None:
    def figures(**span: int) -> tuple[float, ...]:
        row = by_row(answer(readers[name], each_step=0, **span), "programs")[0]
        return row["total"], *((row[of] or 0) * row["total"] for of in ("flop_rate", "byte_rate", "hbm_rate"))

    whole = figures()
    for cut in (readers[name].end // 3, readers[name].end // 2):
        halves = figures(end=cut), figures(start=cut)
        assert halves[0][0] + halves[1][0] == whole[0]
        assert [a + b for a, b in zip(*halves, strict=True)] == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("name", ["tpu_v6e_4core", "pod/all"])
def test_the_chart_has_points_and_roofs(readers: dict[str, QueryReader], name: str) -> None:
    found = answer(readers[name])
    (series,) = found.series
    assert (series.kind, series.scale) == ("points", "log")
    xs = reals(series.x)
    assert xs == sorted(xs)
    assert [line.title for line in series.lines] == ["HBM", "VMEM read", "VMEM write"]
    peak = float(str(found.fact("peak_flops").value))
    for line, roof in zip(series.lines, by_row(found, "roofs"), strict=True):
        assert reals(line) == pytest.approx([min(peak, x * roof["bandwidth"]) for x in xs])
        assert any(x == pytest.approx(roof["ridge"]) for x in xs)
    assert series.labels is not None
    labels = values_of(series.labels)
    drawn = {}
    for y in series.ys:
        for x, value, label in zip(xs, values_of(y), labels, strict=True):
            if value is not None:
                drawn[label] = x, value, y.title
    wanted = [row for row in by_row(found, "operations") if row["flop_rate"] and row["bound_intensity"]]
    assert drawn == {
        row["name"]: (
            row["bound_intensity"],
            row["flop_rate"],
            "Program" if row["name"] == "Program" else f"bound by {row['bound_by']}",
        )
        for row in wanted
    }


def reals(column: Column) -> list[float]:
    return [float(value or 0) for value in values_of(column)]


def test_a_run_without_operations_says_what_to_record(readers: dict[str, QueryReader]) -> None:
    assert theirs_of("jax_cpu_10steps", "Total", with_infeed=True) == []
    with pytest.raises(NotAvailable, match="record"):
        answer(readers["jax_cpu_10steps"])


def test_what_is_not_recorded_is_said(tmp_path: Path) -> None:
    costs = {"program_id": 3, "symbol_id": 1, "flops": 100, "bytes_accessed": 50}
    for folder, shared, said in (
        ("bare", {"program_id": 3, "symbol_id": 1}, "The trace does not say what operations compute or move"),
        ("costs", costs, "While it runs, the program computes 10.0 TFLOP/s and moves 5.00 TB/s: the trace does not"),
    ):
        trace = plane("/device:TPU:0", [Instruction("op.1", shared)], {"XLA Ops": [Run(0, 0, 10)]})
        (tmp_path / folder).mkdir()
        build_store([write_trace(tmp_path / folder / "t.xplane.pb", [trace])], tmp_path / folder / "store")
        found = answer(QueryReader(open_run_store(tmp_path / folder / "store")))
        assert headline(found).text.startswith(said)
        assert found.fact("peak_flops").value is found.fact("efficiency").value is found.fact("bound_by").value is None
        assert by_row(found, "roofs") == [{"memory": "HBM", "bandwidth": None, "ridge": None}]
        assert all(
            row["efficiency"] is row["bound_by"] is row["optimal"] is None for row in by_row(found, "operations")
        )
        for series in found.series:  # points without roofs
            assert not series.lines
