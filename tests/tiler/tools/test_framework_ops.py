"""Operations of the framework on devices and hosts: the figures of xprof; a span is the sum of its halves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.xprof_golden import golden, is_close, rows
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

FILES = {
    "tpu_v6e_4core": "xplane/tpu_v6e_4core.xplane.pb",
    "gpu_v100x8_bert": "xplane/gpu_v100x8_bert.xplane.pb",
    "jax_cpu_10steps": "xplane/jax_cpu_10steps.xplane.pb",
    "gpu_mi300x8_conv": "xplane/gpu_mi300x8_conv.xplane.pb",
    "pod/all": "pod",
}

# It counts each of the two kernels of this convolution, one of which has lost its name, as an occurrence with all FLOPs
# (see test_gpu_operations.py).
CONVOLUTION = "jit(forward_3d_conv)/conv_general_dilated"

# No operation of devices is in these traces: xprof then calls all time of devices idle.
WITHOUT_OPERATIONS = {"gpu_v100x8_bert"}


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    found = {}
    for name, file in FILES.items():
        path = tmp_path_factory.mktemp("operations") / "store"
        build_store(sorted(corpus_path(file).rglob("*.xplane.pb")) or [corpus_path(file)], path)
        found[name] = QueryReader(open_run_store(path))
    return found


def answer(reader: QueryReader, **asked: Any) -> Answer:
    which = tool("framework_ops")
    return finish(ask(which, Scope(reader), from_values(which.question, asked)))


def by_name(of: Answer, table: str) -> dict[str, dict[str, Any]]:
    if table not in {known.id for known in of.tables}:
        return {}
    columns = {column.id: values_of(column) for column in of.table(table).columns}
    found = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert [row["self"] for row in found] == sorted((row["self"] for row in found), reverse=True)
    assert len({row["name"] for row in found}) == len(found)
    return {row["name"]: row for row in found}


@pytest.mark.parametrize("with_idle", [True, False])
@pytest.mark.parametrize("name", FILES)
def test_operations_as_xprof_has_them(readers: dict[str, QueryReader], name: str, with_idle: bool) -> None:
    theirs = list(rows(golden(f"{name}/framework_op_stats")[0 if with_idle else 1]))
    found = answer(readers[name], with_idle=with_idle, limit=100_000)
    tick_us = readers[name].store.manifest()["tick_ps"] / 1e6
    for side in ("device", "host"):
        ours = by_name(found, side)
        of_side = [row for row in theirs if row["host_or_device"].lower() == side]
        if side == "device" and name in WITHOUT_OPERATIONS:
            assert all(row["type"] in {None, "Unknown"} for row in ours.values())  # kernels by their names
            assert all(row["run_as"] is None for row in ours.values())  # of no program: xprof calls them functions, too
            continue
        seen = 0
        for row in of_side:
            one = ours.get(row["operation"].replace("IDLE", "idle"))
            if one is None:
                assert (row["operation"], row["total_time"]) == ("IDLE", 0)  # of nothing
                continue
            seen += 1
            if side == "device" and name == "gpu_mi300x8_conv":  # ours has kernels without a program, too
                if row["operation"] != "IDLE":
                    assert one["total"] == round(row["total_time"] / tick_us)
                    assert one["count"] == (40 if row["operation"] == CONVOLUTION else row["occurrences"])
                    assert (
                        is_close((one["byte_rate"] or 0) / 2**30, row["measured_memory_bw"])
                        or row["operation"] == CONVOLUTION
                    )
                continue
            if row["operation"] != "IDLE":
                assert (one["count"], one["type"] or "") == (row["occurrences"], row["type"])
                assert one["mean"] == pytest.approx(row["avg_time"] / tick_us, abs=1.01)
                assert one["mean_self"] == pytest.approx(row["avg_self_time"] / tick_us, abs=1.01)
            assert one["total"] == round(row["total_time"] / tick_us)
            assert one["self"] == round(row["total_self_time"] / tick_us)
            assert is_close(one["share"], row[f"{side}_total_self_time_percent"])
            if side == "host":
                assert one["run_as"] in {None, row["eager"].lower()}
                continue
            assert row["operation"] == "IDLE" or one["run_as"] == row["eager"].lower()
            if row["measured_memory_bw"] > 1e6:  # of copies that go on after their event: no rate that there can be
                assert one["bound_by"] in {"async", "HBM"}
                assert one["byte_rate"] is None or one["name"].startswith("copy-done")
                continue
            for ours_of, theirs_of, unit in (
                ("flop_rate", "measured_flop_rate", 1e9),
                ("model_flop_rate", "model_flop_rate", 1e9),
                ("byte_rate", "measured_memory_bw", 2**30),
                ("intensity", "operational_intensity", 1),
            ):
                assert is_close((one[ours_of] or 0) / unit, row[theirs_of])
            is_exchange = one["bound_by"] == "Network"  # which xprof does not know
            assert is_exchange == any(word in one["name"] for word in ("psum", "ppermute", "send", "recv"))
            assert is_exchange or (one["bound_by"] or "Unknown") == row["bound_by"]
        # It lists 500 at most; what has the same time is in no order there.
        assert seen == len(ours) or len(of_side) >= 499 or (side, name) == ("device", "gpu_mi300x8_conv")
        last = of_side[-1] if of_side else None
        if last is not None and seen == len(ours) and ours:
            cumulative = last[
                "Host_cumulative_total_self_time_percent"
                if side == "host"
                else "device_cumulative_total_self_time_percent"
            ]
            assert is_close(max(row["cumulative"] for row in ours.values()), cumulative)


@pytest.mark.parametrize("name", FILES)
def test_a_span_is_the_sum_of_its_halves(readers: dict[str, QueryReader], name: str) -> None:
    reader = readers[name]
    end = reader.end + 1

    def figures(**asked: Any) -> dict[tuple[str, str], tuple[int, int]]:
        of = answer(reader, limit=100_000, **asked)
        return {
            (side, row["name"]): (row["total"], row["self"])
            for side in ("device", "host")
            for row in by_name(of, side).values()
            # What is left of the time of a device may be less than nothing where its clock is not the timeline's.
            if (side, row["name"]) != ("device", "idle")
        }

    whole = figures()
    for cut in (end // 3, end - 5):
        halves = [figures(start=a, end=b) for a, b in ((0, cut), (cut, end))]
        for key, row in whole.items():
            assert row == tuple(sum(half.get(key, (0, 0))[k] for half in halves) for k in (0, 1))


def test_rows_lead_to_the_timeline_and_shares_add_up(readers: dict[str, QueryReader]) -> None:
    reader = readers["pod/all"]
    of = answer(reader)
    for side in ("device", "host"):
        found = by_name(of, side)
        assert sum(row["share"] for row in found.values()) == pytest.approx(1)
        assert all(row["track"] is not None and row["query"] for name, row in found.items() if name != "idle")
    assert by_name(of, "host")["Iterator::Prefetch"]["query"] == '"Iterator::Prefetch"'
    assert by_name(of, "device")["jit(train_step)/jvp(main)/bn1/psum"]["query"] == '"all-reduce.1"'
    cut = answer(reader, limit=3)
    for table in cut.tables:
        assert len(table) == 3
        assert table.totals == of.table(table.id).totals
        listed = sum(int(str(own)) for own in values_of(table.column("self")))
        assert table.rest is not None
        assert table.totals is not None
        assert listed + int(str(table.rest["self"])) == table.totals["self"]
    tracks = reader.tree.of_host("tpu-pod-w-2")
    of_host = by_name(answer(reader, tracks=tracks), "host")
    assert len(of_host) == 11
    assert all(row["track"] in tracks for name, row in of_host.items() if name != "idle")


def test_a_run_without_either_says_what_to_record(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]')
    build_store([tmp_path / "t.json"], tmp_path / "store")
    why = tool("framework_ops").availability(Scope(QueryReader(open_run_store(tmp_path / "store"))))
    assert "XLA Ops" in why
