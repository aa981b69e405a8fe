"""Flows, indexed: real traces against plain Python, and what single events say of their flows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.tiler.indexing.flow_reference import expected_flows, stored_edges
from tests.tiler.json_traces import write_trace
from tests.tiler.readers import wire_writer as w
from tilescope.tiler.errors import TooMany
from tilescope.tiler.indexing import build_store, scratch
from tilescope.tiler.indexing.flows import bins as flow_bins
from tilescope.tiler.indexing.flows import edge_recorders
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.store.run_store import RunStore, open_run_store
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow

CORPUS = [
    "chrome/flow.json",
    "chrome/flow_simple.json",
    "chrome/fuchsia_trace.json.gz",
    "kineto/mi250_minitoy.json.gz",
    "kineto/mtia_inference_rank_0.json.gz",
    pytest.param("kineto/nccl_data.json.gz", marks=pytest.mark.deep),
    "kineto/sampled_rank-0.json.gz",
    "kineto/diff/base.json.gz",
    "kineto/ns_resolution.pt.trace.json.gz",
    "ascend/msprof_trace_view_string_ts.json",
    pytest.param("xplane/gpu_v100x8_bert.xplane.pb", marks=pytest.mark.deep),  # plain Python takes 20 s
    "xplane/gpu_mi300x8_conv.xplane.pb",
    "xplane/h100_jax_train.xplane.pb",
    pytest.param("xplane/tpu_v6e_4core.xplane.pb", marks=pytest.mark.deep),
    "xplane/jax_cpu_10steps.xplane.pb",
]


def built(tmp_path: Path, file: Path) -> RunStore:
    build_store([file], tmp_path / "store")
    verify_store(tmp_path / "store")
    return open_run_store(tmp_path / "store")


def built_of(tmp_path: Path, events: list[dict[str, Any]]) -> RunStore:
    return built(tmp_path, write_trace(tmp_path / "trace.json", events))


def slice_at(tid: int, ts: int, dur: int, name: str) -> dict[str, Any]:
    return {"ph": "X", "pid": 1, "tid": tid, "ts": ts, "dur": dur, "name": name}


def flow(ph: str, tid: int, ts: int, key: object = 1, **more: Any) -> dict[str, Any]:
    return {"ph": ph, "pid": 1, "tid": tid, "ts": ts, "id": key, "cat": "c", "name": "f", **more}


def flows_by_name(store: RunStore) -> dict[str, tuple[list[str], list[str]]]:
    """Names of the slices that flows come from and go to, by the name of a slice."""
    out = {}
    for track in range(store.manifest()["tracks"]):
        ordinal = 0
        while (event := event_details(store, track, ordinal)) is not None:
            of = event["flows"]
            if of["in"] or of["out"]:
                out[event["name"]] = [one["name"] for one in of["in"]], [one["name"] for one in of["out"]]
            ordinal += 1
    return out


@pytest.mark.parametrize("name", CORPUS)
def test_edges_of_real_traces(name: str, tmp_path: Path) -> None:
    file = corpus_path(name)
    store = built(tmp_path, file)
    expected = expected_flows(file, store)
    assert expected.edges or expected.derived
    assert stored_edges(store) == expected.edges + expected.derived
    assert stored_edges(store, incoming=True) == expected.edges + expected.derived
    assert store.manifest()["flows"] == expected.counts
    store.close()


def test_a_real_trace_in_small_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "_PART", 100)
    monkeypatch.setattr(flow_bins, "_ENDS_AT_ONCE", 300)
    for number, name in enumerate(("ascend/msprof_trace_view_string_ts.json", "xplane/jax_cpu_10steps.xplane.pb")):
        (tmp_path / str(number)).mkdir()
        test_edges_of_real_traces(name, tmp_path / str(number))


def test_a_slice_with_more_flows_than_a_record_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_recorders, "MOST_ENDS_OF_A_SLICE", 50)
    ends = [flow("sf"[k % 2], 1, k, bp="e") for k in range(100)]
    with pytest.raises(TooMany, match=r"has 100 flow ends of one slice; 50 are kept at most"):
        built_of(tmp_path, [slice_at(1, 0, 100, "all"), *ends])
    assert not (tmp_path / "store").exists()


def test_partners_are_told_with_name_and_start(tmp_path: Path) -> None:
    store = built_of(
        tmp_path,
        [slice_at(1, 0, 10, "launch"), slice_at(2, 20, 5, "kernel"), flow("s", 1, 3), flow("f", 2, 20, bp="e")],
    )
    launch, kernel = event_details(store, 0, 0), event_details(store, 1, 0)
    assert launch is not None
    assert kernel is not None
    to_kernel = {"track": 1, "ordinal": "0", "name": "kernel", "start": "20000", "derived": False}
    to_launch = {"track": 0, "ordinal": "0", "name": "launch", "start": "0", "derived": False}
    assert launch["flows"] == {"in": [], "in_count": "0", "out": [to_kernel], "out_count": "1"}
    assert kernel["flows"] == {"in": [to_launch], "in_count": "1", "out": [], "out_count": "0"}
    store.close()


def test_what_ends_bind_to(tmp_path: Path) -> None:
    events = [
        slice_at(1, 0, 100, "outer"),
        slice_at(1, 10, 20, "inner"),
        slice_at(2, 50, 50, "around"),
        slice_at(2, 60, 5, "past"),
        slice_at(2, 70, 20, "next"),
        slice_at(2, 70, 10, "under next"),
        flow("s", 1, 15, 1),
        flow("f", 2, 66, 1),  # the slice that begins next
        flow("s", 1, 30, 2),  # inner has ended: outer is around it
        flow("f", 2, 66, 2, bp="e"),
        flow("s", 1, 100, 3),  # nothing around it: what ends there
        flow("f", 2, 100, 3, bp="e"),
        flow("s", 1, 200, 4),
        flow("f", 2, 101, 4),
    ]
    store = built_of(tmp_path, events)
    assert flows_by_name(store) == {
        "inner": ([], ["next"]),
        "outer": ([], ["around", "around"]),
        "next": (["inner"], []),
        "around": (["outer", "outer"], []),
    }
    assert store.manifest()["flows"]["without_slice"] == "1"
    store.close()


def test_steps_and_fan_out(tmp_path: Path) -> None:
    events = [slice_at(tid, 10 * tid, 9, f"on {tid}") for tid in range(1, 6)]
    events += [flow("s", 1, 10), flow("t", 2, 20), flow("t", 3, 30), flow("f", 4, 40), flow("f", 5, 50)]
    events += [flow("f", 5, 51, "alone"), flow("s", 5, 52, "alone too"), {**flow("s", 1, 11), "id": None}]
    store = built_of(tmp_path, events)
    assert flows_by_name(store) == {
        "on 1": ([], ["on 2"]),
        "on 2": (["on 1"], ["on 3"]),
        "on 3": (["on 2"], ["on 4", "on 5"]),
        "on 4": (["on 3"], []),
        "on 5": (["on 3"], []),
    }
    counts = store.manifest()["flows"]
    assert counts["edges"] == "4"
    assert sum(int(counts[kind]) for kind in ("starts_without_end", "ends_without_start", "without_id")) == 3
    store.close()


def test_a_slice_with_very_many_flows(tmp_path: Path) -> None:
    """All are counted, the first hundred are listed, and its neighbours keep theirs."""
    n = 9000
    events = [slice_at(1, 0, 5, "before"), slice_at(1, 10, 5, "source"), slice_at(1, 20, 5, "after")]
    events += [slice_at(2, 100 + 2 * k, 1, f"k{k}") for k in range(n + 2)]
    events += [flow("s", 1, 1, "a"), flow("f", 2, 100 + 2 * n, "a", bp="e")]
    events += [flow("s", 1, 21, "b"), flow("f", 2, 102 + 2 * n, "b", bp="e"), flow("s", 1, 11, "m")]
    events += [flow("f", 2, 100 + 2 * k, "m", bp="e") for k in range(n)]
    store = built_of(tmp_path, events)
    before, source, after = (event_details(store, 0, k) for k in range(3))
    assert before is not None
    assert source is not None
    assert after is not None
    assert source["flows"]["out_count"] == str(n)
    assert [one["name"] for one in source["flows"]["out"]] == [f"k{k}" for k in range(100)]
    assert [one["name"] for one in before["flows"]["out"]] == [f"k{n}"]
    assert [one["name"] for one in after["flows"]["out"]] == [f"k{n + 1}"]
    last = event_details(store, 1, n - 1)
    assert last is not None
    assert [one["name"] for one in last["flows"]["in"]] == ["source"]
    store.close()


def test_producers_and_consumers_of_an_xspace(tmp_path: Path) -> None:
    def event(offset: int, duration: int, kind: tuple[int, int] | None, number: int = 0) -> bytes:
        stats = b"" if kind is None else stat(kind[0], 7) + stat(kind[1], number)
        return w.message(4, w.number(1, 1), w.number(2, offset), w.number(3, duration), stats)

    def stat(metadata: int, value: int) -> bytes:
        return w.message(4, w.number(1, metadata), w.number(3, value))

    producer, consumer = (1, 2), (3, 4)
    # Two events of one time: the flow belongs to the one that has the stats, whichever comes first in canonical order.
    host = [event(90, 5, None), event(10, 50, None), event(10, 20, producer, 1), event(0, 80, producer, 2)]
    device = [event(30, 10, consumer, 2), event(20, 5, consumer, 1), event(20, 5, consumer, 3)]
    metadata = w.event_metadata(1, "op") + b"".join(
        w.stat_metadata(k, name) for k, name in enumerate(("_pt", "_p", "_ct", "_c"), 1)
    )
    planes = [
        w.message(1, w.data(2, name), w.message(3, w.data(2, "line"), *events), metadata)
        for name, events in (("/host:CPU", host), ("/device:TPU:0", device))
    ]
    file = tmp_path / "host.xplane.pb"
    file.write_bytes(b"".join(planes))
    store = built(tmp_path, file)
    on_device, on_host = 0, 1
    assert stored_edges(store) == {
        (on_host, 0, 0, on_device, 2, 30): 1,
        (on_host, 2, 10, on_device, 0, 20): 1,
    }
    assert stored_edges(store) == expected_flows(file, store).edges
    assert store.manifest()["flows"]["ends_without_start"] == "1"
    store.close()
