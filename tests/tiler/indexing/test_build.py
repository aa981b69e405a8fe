"""Building stores: from files to a published generation that verifies."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.tiler.json_traces import busy_events, write_trace
from tests.tpu_trace import random_core
from tests.tpu_trace import write_trace as write_tpu_trace
from tilescope.tiler.errors import Cancelled, TraceError
from tilescope.tiler.indexing import BuildProgress, build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.store.run_store import open_run_store
from tilescope.tiler.verify import VerifyReport, verify_store

CORPUS = [
    "xplane/tpu_v6e_4core.xplane.pb",
    "xplane/gpu_v100x8_bert.xplane.pb",
    "xplane/gpu_mi300x8_conv.xplane.pb",
    "xplane/jax_cpu_10steps.xplane.pb",
    "xplane/jax_cpu_pytracer_400steps.xplane.pb",
    "kineto/ns_resolution.pt.trace.json.gz",
    "chrome/fuchsia_trace.json.gz",
    "chrome/thread_time_visualisation.json.gz",
    "chrome/main_thread_has_unclosed_slices.json",
    "chrome/edge/invalid-x-nesting.json",
    "chrome/edge/simple-with-samples.json",
    "chrome/async_begin_end.json",
    "ascend/msprof_trace_view_string_ts.json",
]


@pytest.mark.parametrize("name", CORPUS)
def test_real_traces_are_built_and_verified(name: str, tmp_path: Path) -> None:
    build = build_store([corpus_path(name)], tmp_path / "store")
    report = verify_store(tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    manifest = store.manifest()
    store.close()
    assert manifest["build"] == build
    assert manifest["empty"] == (report.events == 0)
    drawn = ("slices", "async_slices", "instants", "counter_samples")
    assert report.events >= sum(int(manifest["events"][kind]) for kind in drawn)


@pytest.mark.usefixtures("small_histograms")
def test_tiles_of_all_kinds(tmp_path: Path) -> None:
    devices = write_tpu_trace(tmp_path / "tpu.xplane.pb", [random_core(random.Random(1), 0)])
    launch: list[dict[str, object]] = [
        {"ph": "M", "pid": 99, "name": "process_labels", "args": {"labels": "GPU 0"}},
        {"ph": "X", "pid": 98, "tid": 7, "ts": 0, "dur": 5, "name": "launch"},
        {"ph": "X", "pid": 99, "tid": 7, "ts": 10, "dur": 5, "name": "kernel"},
        {"ph": "s", "pid": 98, "tid": 7, "ts": 1, "id": 1, "cat": "ac2g", "name": "ac2g"},
        {"ph": "f", "pid": 99, "tid": 7, "ts": 10, "id": 1, "cat": "ac2g", "name": "ac2g", "bp": "e"},
    ]
    events = write_trace(tmp_path / "trace.json", [*busy_events(1), *launch], otherData={"a": 1})
    table = tmp_path / "kernel_details.csv"
    table.write_text("Name,Type,Accelerator Core,Start Time(us),Duration(us)\nadd,Add,AI_CORE,1,2\n")
    build_store([events, devices, table], tmp_path / "store")
    report = verify_store(tmp_path / "store")
    for field in VerifyReport.__dataclass_fields__:
        assert getattr(report, field) > 0, field
    assert len(report.lines()) == 17


def test_files_of_several_hosts_share_one_time_axis(tmp_path: Path) -> None:
    files = []
    for host in (10, 9):
        events = [{"ph": "X", "name": f"on {host}", "pid": 1, "tid": 1, "ts": 1000 * host, "dur": 5}]
        file = tmp_path / f"host{host}.json"
        file.write_text(json.dumps({"host_name": f"host{host}", "traceEvents": events}))
        files.append(file)
    build_store(files, tmp_path / "store")
    verify_store(tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    manifest = store.manifest()
    assert manifest["hosts"] == ["host9", "host10"]
    assert manifest["files"] == ["host10.json", "host9.json"]
    assert (manifest["origin_ns"], manifest["end"]) == ("9000000", "1005000")
    first, second = event_details(store, 0, 0), event_details(store, 1, 0)
    assert first is not None
    assert second is not None
    assert (first["name"], first["start"]) == ("on 9", "0")
    assert (second["name"], second["start"]) == ("on 10", "1000000")
    store.close()


def test_formats_can_be_mixed_in_a_run(tmp_path: Path) -> None:
    xspace = corpus_path("xplane/jax_cpu_10steps.xplane.pb")
    trace = write_trace(tmp_path / "a.json", busy_events(3, calls=50))
    build_store([xspace, trace], tmp_path / "store", workers=1)
    assert verify_store(tmp_path / "store").events > 989


def test_progress_is_told_and_never_goes_back(tmp_path: Path) -> None:
    told: list[BuildProgress] = []
    build_store([write_trace(tmp_path / "a.json", busy_events(1, calls=50))], tmp_path / "store", progress=told.append)
    phases = list(dict.fromkeys(progress.phase for progress in told))
    assert phases == ["read", "build", "publish"]
    for field in ("fraction", "events", "bytes_read", "tracks", "blocks_done", "blocks"):
        values = [getattr(progress, field) for progress in told]
        assert values == sorted(values), field
    assert (told[-1].fraction, told[-1].blocks_done) == (1, told[-1].blocks)
    assert told[-1].bytes_read == told[-1].bytes_total == (tmp_path / "a.json").stat().st_size
    built = [block for progress in told for block in progress.built]
    assert sorted(built) == list(range(told[-1].blocks))


@pytest.mark.parametrize("moment", ["read", "build", "block", "publish", "end"])
def test_cancelling_leaves_nothing(tmp_path: Path, moment: str) -> None:
    trace = write_trace(tmp_path / "a.json", busy_events(1, calls=50))

    def cancel(progress: BuildProgress) -> None:
        if moment in (progress.phase, "block" if progress.built else "", "end" if progress.fraction == 1 else ""):
            raise Cancelled

    with pytest.raises(Cancelled):
        build_store([trace], tmp_path / "runs" / "store", progress=cancel)
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_files_that_cannot_be_read_leave_nothing(tmp_path: Path) -> None:
    for name, content in (("random", random.Random(1).randbytes(5000)), ("json", b'"text"')):
        bad = tmp_path / name
        bad.write_bytes(content)
        with pytest.raises(TraceError, match=name):
            build_store([bad, bad], tmp_path / "store")
        assert not (tmp_path / "store").exists()


def test_a_file_that_cannot_be_read_leaves_the_build_before(tmp_path: Path) -> None:
    good = write_trace(tmp_path / "good.json", busy_events(1, calls=5))
    build = build_store([good], tmp_path / "store")
    good.write_text("not a trace any more")
    with pytest.raises(TraceError):
        build_store([good], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    assert store.build == build
    store.close()


def test_an_empty_trace_is_a_run_that_says_so(tmp_path: Path) -> None:
    trace = tmp_path / "empty.json"
    trace.write_text("[]")
    build_store([trace], tmp_path / "store")
    assert verify_store(tmp_path / "store").events == 0
    store = open_run_store(tmp_path / "store")
    assert store.manifest()["empty"]
    assert store.manifest()["end"] == "0"
    store.close()
