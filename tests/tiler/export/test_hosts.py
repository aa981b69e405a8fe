"""An export of several devices, ranks or hosts, read again, has them all, each with its work."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.tiler.export.test_equal import normal
from tests.tiler.readers.layouts.job_ranks import JobPlan
from tilescope.tiler.export.trace_event import ExportQuestion, pieces
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers import find_run
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow

ASCEND = (
    "ascend/msprof_0_2_10.json",
    "ascend/msprof_1_0_6.json",
    "ascend/msprof_trace_view_string_ts.json",
    *(
        f"ascend/two_ranks/{capture}/device_{device}/timeline/{name}.json"
        for device, capture, model in (
            (0, "PROF_000001_20230818142704322_COJGGGCANRMICFBC", 2),
            (1, "PROF_000001_20230818142704567_GQFAMHBKGODKJMLA", 0),
        )
        for name in (f"{kind}_{device}_{model}_1" for kind in ("hccl", "msprof", "step_trace", "task_time"))
    ),
)


TIMELINES = (
    "ascend/timeline_display_1.json",
    "ascend/profiler/ascend_timeline_display_0.json",
    "ascend/profiler/gpu_timeline_display_0.json",
)
NUMBERED = frozenset({"track"})  # columns of numbers that are those of one store


def devices_and_export(files: Sequence[Path], store: Path) -> tuple[Any, bytes]:
    """Hosts, devices, and how busy these are, of a run of these files; and an export of it."""
    build_store(files, store)
    verify_store(store)
    with closing(open_run_store(store)) as opened:
        reader = QueryReader(opened)
        groups = reader.tree.groups
        hosts = sorted((group.kind, group.name) for group in groups if group.kind != "process")
        devices = []
        for device in finish(devices_of(reader)):
            tracks = [reader.tree.tracks[track] for track in sorted(device.track_ids)]
            work = sorted((track.name, track.events, track.busy) for track in tracks)
            devices.append((device.name, device.host is not None and groups[device.host].name, work))
        overlap = tool("overlap")
        answer = finish(ask(overlap, Scope(reader), from_values(overlap.question, {}))) if devices else Answer()
        figures = [
            sorted(
                zip(
                    *(map(str, values_of(column)) for column in table.columns if column.id not in NUMBERED), strict=True
                )
            )
            for table in answer.tables
            if table.id == "devices"
        ]
        return (hosts, sorted(devices), figures), b"".join(pieces(QueryReader(opened), ExportQuestion()))


def check(files: Sequence[Path], folder: Path) -> None:
    before, export = devices_and_export(files, folder / "first")
    (folder / "export.json").write_bytes(export)
    after, again = devices_and_export([folder / "export.json"], folder / "second")
    assert after == before
    assert normal(again) == normal(export)


@settings(max_examples=examples(12), deadline=None)
@given(st.lists(st.sampled_from(ASCEND), min_size=1, max_size=5, unique=True))
@example(names=[ASCEND[0], ASCEND[7], ASCEND[10]])  # communication kernels in a file without streams
@example(names=["ascend/msprof_0_2_10.json", "ascend/msprof_trace_view_string_ts.json"])  # each with its own analysis
@example(names=[ASCEND[0], ASCEND[1], ASCEND[8]])  # a process with a name and without events
def test_any_files_of_ascend_devices(names: list[str]) -> None:
    with TemporaryDirectory() as folder:
        check([corpus_path(name) for name in names], Path(folder))


@settings(max_examples=examples(6), deadline=None)
@given(ranks=st.integers(2, 5), seed=st.integers(0, 999))
def test_any_ranks_of_a_job(ranks: int, seed: int) -> None:
    with TemporaryDirectory() as folder:
        logs = Path(folder, "logs")
        JobPlan(ranks, seed=seed).write(logs)
        check(find_run(logs).files, Path(folder))


def test_hosts_of_an_xspace(tmp_path: Path) -> None:
    (hosts, _, _), export = devices_and_export(sorted(find_run(corpus_path("pod")).files)[:2], tmp_path / "first")
    (tmp_path / "export.json").write_bytes(export)
    (after, _, _), again = devices_and_export([tmp_path / "export.json"], tmp_path / "second")
    assert after == hosts
    assert normal(again) == normal(export)


def test_hosts_of_several_exports_stay_apart(tmp_path: Path) -> None:
    for number in range(2):
        logs = tmp_path / f"logs{number}"
        JobPlan(2, seed=number).write(logs)
        _, export = devices_and_export(find_run(logs).files, tmp_path / f"store{number}")
        (tmp_path / f"export{number}.json").write_bytes(export)
    (hosts, devices, _), _ = devices_and_export(sorted(tmp_path.glob("export*.json")), tmp_path / "store")
    names = [name for kind, name in hosts if kind == "host"]
    assert names == ["rank 0 · GPU 0", "rank 0 · GPU 0 (2)", "rank 1 · GPU 1", "rank 1 · GPU 1 (2)"]
    assert len(devices) == 4


def test_a_process_that_no_host_is_said_of_and_words_that_say_none(tmp_path: Path) -> None:
    events = [{"ph": "X", "name": "a", "pid": pid, "tid": 1, "ts": 1, "dur": 1} for pid in (1, 2, 3)]
    names = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "h work"}}]
    trace = tmp_path / "trace.json"
    for number, hosts in enumerate(({"1": "h", "2": ["x"], "3": "", "9": "i"}, ["h"], "h", {"1": 5})):
        trace.write_text(json.dumps({"processHosts": hosts, "traceEvents": [*names, *events]}))
        build_store([trace], tmp_path / f"store{number}")
        with closing(open_run_store(tmp_path / f"store{number}")) as opened:
            groups = [(group.kind, group.name) for group in QueryReader(opened).tree.groups]
        processes = [("process", "Process 2"), ("process", "Process 3")]
        alone = [("host", "host"), ("process", "h work"), *processes]
        apart = [("run", "2 hosts"), ("host", "host"), *processes, ("host", "h"), ("process", "work")]
        assert groups == (apart if number == 0 else alone)


@pytest.mark.parametrize("name", [*TIMELINES, *ASCEND[:3]])
def test_processes_and_threads_keep_the_names_that_they_are_shown_by(tmp_path: Path, name: str) -> None:
    """Files of the first generation of MindSpore's timelines have no names themselves."""
    _, export = devices_and_export([corpus_path(name)], tmp_path / "first")
    (tmp_path / "export.json").write_bytes(export)
    devices_and_export([tmp_path / "export.json"], tmp_path / "second")
    assert names_of(tmp_path / "second") == names_of(tmp_path / "first")


def names_of(store: Path) -> list[tuple[str, str, str]]:
    with closing(open_run_store(store)) as opened:
        tree = QueryReader(opened).tree
    return [(tree.groups[track.group].name, track.name, track.kind) for track in tree.tracks if track.events]
