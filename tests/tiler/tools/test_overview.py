"""The overview: figures of xprof where it is right, of the truth where it is not; any host, any range."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.headlines import headline
from tests.tiler.readers.wire_writer import data, event_metadata, message, number, stat_metadata
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tests.xprof_golden import golden, is_close, rows
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

FILES = {
    "tpu_v6e_4core": "xplane/tpu_v6e_4core.xplane.pb",
    "gpu_v100x8_bert": "xplane/gpu_v100x8_bert.xplane.pb",
    "gpu_mi300x8_conv": "xplane/gpu_mi300x8_conv.xplane.pb",
    "jax_cpu_10steps": "xplane/jax_cpu_10steps.xplane.pb",
    "pod": "pod",
    "torch": "kineto/resnet50_workers4.pt.trace.json.gz",
}
HOST = "tpu-pod-w-2"


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    found = {}
    for name, file in FILES.items():
        path = tmp_path_factory.mktemp("overview") / "store"
        build_store(sorted(corpus_path(file).rglob("*.xplane.pb")) or [corpus_path(file)], path)
        found[name] = QueryReader(open_run_store(path))
    return found


def answer(reader: QueryReader, **asked: Any) -> Answer:
    which = tool("overview")
    return finish(ask(which, Scope(reader), from_values(which.question, asked)))


def value(of: Answer, fact: str) -> Any:
    return of.fact(fact).value


def by_row(of: Answer, table: str) -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def milliseconds(ticks: int) -> str:
    return f"{ticks / 1e9:.2f}"


@pytest.mark.parametrize(("name", "host"), [("pod/all", None), ("pod/tpu-pod-w-2", HOST), ("tpu_v6e_4core", None)])
def test_tpus_as_xprof_has_them(readers: dict[str, QueryReader], name: str, host: str | None) -> None:
    top, steps, environment, *_ = golden(f"{name}/overview_page")
    found = answer(readers[name.partition("/")[0]], **({} if host is None else {"host": host}))
    listed = list(rows(top))
    ours = by_row(found, "operations")
    assert [row["name"] for row in ours] == [row["operation"] for row in listed]
    for one, row in zip(ours, listed, strict=True):
        assert is_close(one["share"], row["selfTimePercent"])
        assert is_close(one["cumulative"], row["cumulativeTimePercent"])
        assert is_close((one["flop_rate"] or 0) / 1e9, row["flopRate"])
        assert one["category"] == row["category"] or row["category"] == "Unknown"
        assert one["category"] not in (None, "Unknown")  # XProf has the framework's alone
        assert one["track"] is not None
        assert one["query"]
    assert percent(value(found, "device_idle")) == top["p"]["device_idle_time_percent"]
    assert percent(value(found, "duty_cycle")) == top["p"]["device_duty_cycle_percent"]
    assert percent(value(found, "host_idle")) == top["p"]["host_idle_time_percent"]
    assert str(value(found, "devices")) == environment["p"]["device_core_count"]
    assert str(value(found, "hosts")) == environment["p"]["host_count"]
    assert value(found, "device_type") == environment["p"]["device_type"]
    if not name.startswith("pod"):
        # It says 0 % of what the hardware did not count, and 0.00 ms of steps that are not marked.
        assert all(value(found, fact) is None for fact in ("mxu", "hbm", "step_mean", "batch_size"))
        assert all(found.fact(fact).note for fact in ("mxu", "hbm", "step_mean", "batch_size"))
        return
    for fact in ("mxu", "hbm"):  # 13.75 is rounded up there, 14.25 down
        printed = float(top["p"][f"{fact}_utilization_percent"].rstrip("%"))
        assert 100 * value(found, fact) == pytest.approx(printed, abs=0.0501)
    assert value(found, "task") == "training"
    parts = {row["name"]: row for row in by_row(found, "parts")}
    for ours_of, theirs in (("Compute", "tc_compute"), ("Infeed", "tc_infeed"), ("Outfeed", "tc_outfeed")):
        assert milliseconds(parts[ours_of]["mean"]) == steps["p"][f"{theirs}_ms_average"]
    if host is None:  # of one host it mixes the steps of its cores: the mean of the first core, the extremes of all
        for ours_of, theirs in (
            ("mean", "average"),
            ("deviation", "standard_deviation"),
            ("min", "minimum"),
            ("max", "maximum"),
        ):
            assert milliseconds(value(found, f"step_{ours_of}")) == steps["p"][f"steptime_ms_{theirs}"]
        roofline = next(rows(golden("pod/all/roofline_model")[0]))
        assert is_close(value(found, "flops_of_peak"), roofline["roofline_efficiency"])
        assert is_close(value(found, "hbm_of_peak"), roofline["max_mem_bw_utilization"])


def test_what_xprof_gets_wrong_is_as_the_truth_has_it(readers: dict[str, QueryReader]) -> None:
    """It says that 20.5 % of the time is waiting for input: it counts all-reduces twice in the whole."""
    truth = json.loads(gzip.decompress(corpus_path("pod/truth.json.gz").read_bytes()))
    waits, whole = 0, 0
    for step in truth["steps"]:
        most = max(step["cores"].values(), key=lambda of: of["category"]["infeed"])
        waits, whole = waits + most["category"]["infeed"], whole + most["duration"]
    found = answer(readers["pod"])
    assert is_close(value(found, "input_share"), waits / whole)
    first, second = by_row(found, "findings")
    assert (first["class"], first["where"].split(" · ")[0]) == ("input", HOST)
    assert first["sentence"] in headline(found).text
    # Chip 2 of tpu-pod-w-1 computes 4 ms more than the others: steps would be less than 3 % shorter without that.
    assert (second["class"], second["where"]) == ("collective", "all 16 devices · all-reduce.1")
    (series,) = found.series
    columns = [values_of(column) for column in series.ys]
    assert len(series.x.values) == 6
    assert all(sum(float(str(part)) for part in step) > 0 for step in zip(*columns, strict=True))
    hosts = {row["host"]: row for row in by_row(found, "hosts")}
    assert hosts[HOST]["devices"] == 4
    assert is_close(hosts[HOST]["mxu"], 0.335)


def test_hosts_without_tpus(readers: dict[str, QueryReader]) -> None:
    cpu, _, environment, *_ = golden("jax_cpu_10steps/overview_page")
    found = answer(readers["jax_cpu_10steps"])
    assert (value(found, "device_type"), value(found, "devices")) == (environment["p"]["device_type"], 0)
    assert (value(found, "steps"), value(found, "task")) == (10, "training")
    theirs = {row["stepnum"]: row for row in rows(golden("jax_cpu_10steps/overview_page")[1])}
    # It leaves out the first and the last step.
    times = [float(row["stepTimeMs"]) for row in theirs.values()]
    assert is_close(value(found, "step_min") / 1e6, min(times))
    assert not list(rows(cpu))
    bert = answer(readers["gpu_v100x8_bert"])
    assert str(value(bert, "devices")) == golden("gpu_v100x8_bert/overview_page")[2]["p"]["device_core_count"]
    # Kernels without programs: what they compute is not recorded, which is not that it is nothing.
    assert value(bert, "flops_of_peak") is None
    assert value(bert, "hbm_of_peak") is None
    assert "HLO protos" in bert.fact("flops_of_peak").note
    assert not any(" 0.0 %" in note.text for note in bert.notes)
    assert "3 of them compute or copy" in bert.fact("devices").note
    assert value(bert, "step_mean") == 21_310_352
    assert value(bert, "low_precision") == pytest.approx(0.305, abs=2e-3)
    assert {row["flop_rate"] for row in by_row(bert, "operations")} == {None}  # no program: it is not known
    conv = answer(readers["gpu_mi300x8_conv"])
    assert by_row(conv, "operations")[0]["name"] == "jit(forward_3d_conv)/conv_general_dilated"
    torch = answer(readers["torch"])
    assert (value(torch, "steps"), value(torch, "devices"), value(torch, "device_type")) == (
        6,
        1,
        "Tesla V100-DGXS-32GB",
    )
    assert 0.2 < value(torch, "device_idle") < 0.3
    assert by_row(torch, "operations")[0]["name"].startswith("void cudnn::detail::dgrad_engine")
    for of in (found, bert, conv, torch):
        assert all(fact.note for fact in of.facts if fact.value is None)


@pytest.mark.parametrize("name", FILES)
def test_any_range(readers: dict[str, QueryReader], name: str) -> None:
    reader = readers[name]
    middle = reader.end // 2
    halves = [answer(reader, start=a, end=b, limit=1000) for a, b in ((0, middle), (middle, reader.end + 1))]
    whole = answer(reader, limit=1000)
    sums: dict[str, int] = {}
    for of in halves:
        for row in by_row(of, "operations") if "operations" in {table.id for table in of.tables} else []:
            sums[row["full"]] = sums.get(row["full"], 0) + row["self"]
    if sums:
        assert sums == {row["full"]: row["self"] for row in by_row(whole, "operations")} | {
            full: own for full, own in sums.items() if not own
        }


def test_steps_and_hosts_are_chosen(readers: dict[str, QueryReader]) -> None:
    reader = readers["pod"]
    one = answer(reader, steps="101", host=HOST)
    assert (value(one, "steps"), value(one, "hosts"), value(one, "devices")) == (1, 1, 4)
    assert value(one, "step_deviation") is None
    tracks = set(reader.tree.leaves(reader.tree.of_host(HOST)))
    assert all(row["track"] in tracks for row in by_row(one, "operations"))
    elsewhere = sorted(set(reader.tree.leaves(None)) - tracks)[:1]
    nothing = answer(reader, host=HOST, tracks=elsewhere)
    assert value(nothing, "hosts") == 0
    assert any("None of these tracks is on host" in note.text for note in nothing.notes)


def test_waiting_for_collectives_is_held_against_memory(tmp_path: Path) -> None:
    waits = Instruction("all-gather-done.1", {"program_id": 3, "symbol_id": 1, "hlo_category": "all-gather-done"})
    names = ("index_on_host", "bytes_reserved", "bytes_allocated", "bytes_available")
    for used, words in ((10, "at most 10.0 % of their memory"), (60, "")):
        stats = [
            message(4, number(1, key), number(3, bytes_of)) for key, bytes_of in enumerate((0, 0, used, 100 - used), 1)
        ]
        allocation = message(4, number(1, 1), number(2, 5), *stats)
        host = message(
            1,
            data(2, "/host:CPU"),
            message(3, number(1, 1), data(2, "main"), allocation),
            event_metadata(1, "MemoryAllocation"),
            *(stat_metadata(key, name) for key, name in enumerate(names, 1)),
        )
        device = plane("/device:TPU:0", [waits], {"XLA Ops": [Run(0, 0, 10)]})
        folder = tmp_path / str(used)
        folder.mkdir()
        build_store([write_trace(folder / "t.xplane.pb", [device, host])], folder / "store")
        found = answer(QueryReader(open_run_store(folder / "store")))
        said = [note.text for note in found.notes if "asynchronous collectives" in note.text]
        assert len(said) == bool(words)
        assert all(words in text for text in said)


def test_losses_are_a_warning(tmp_path: Path) -> None:
    lost = message(1, data(2, "/host:CPU"), message(6, number(1, 1), number(3, 12)), stat_metadata(1, "dropped_traces"))
    bare = plane(
        "/device:TPU:0", [Instruction("op.1", {"program_id": 3, "symbol_id": 1})], {"XLA Ops": [Run(0, 0, 10)]}
    )
    build_store([write_trace(tmp_path / "t.xplane.pb", [bare, lost])], tmp_path / "store")
    found = answer(QueryReader(open_run_store(tmp_path / "store")))
    (note,) = [note for note in found.notes if "lost 12 traces" in note.text]
    assert note.severity == "warning"
    assert value(found, "device_type") == "TPU"


def test_operators_of_pytorch_alone_are_a_run_with_an_overview(tmp_path: Path) -> None:
    events = [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": ts, "dur": 50} for ts in (0, 150)
    ]
    (tmp_path / "t.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    build_store([tmp_path / "t.json"], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    assert tool("overview").availability(Scope(reader)) == ""
    idle = answer(reader).fact("host_idle")
    assert (idle.label, idle.value) == ("Host outside operators", 0.5)


def test_a_run_without_anything_says_what_to_record(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]')
    build_store([tmp_path / "t.json"], tmp_path / "store")
    why = tool("overview").availability(Scope(QueryReader(open_run_store(tmp_path / "store"))))
    assert "mark steps" in why
