"""Kernels of GPUs: the figures of xprof; against plain sums in any span; a span is the sum of its halves."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.headlines import headline
from tests.metadata_loads import count_metadata_codes
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tests.xprof_golden import golden, rows
from tilescope.tiler.caches import CACHES
from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

kernel_table = import_module("tilescope.tiler.facts.kernels.kernel_table")  # its package has a function of this name

FILES = {
    name: f"xplane/{name}.xplane.pb"
    for name in ("gpu_v100x8_bert", "gpu_mi300x8_conv", "tpu_v6e_4core", "jax_cpu_10steps")
}


def built(path: Path, *files: Path) -> QueryReader:
    build_store(list(files), path / "store")
    return QueryReader(open_run_store(path / "store"))


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    return {name: built(tmp_path_factory.mktemp("kernels"), corpus_path(file)) for name, file in FILES.items()}


def answer(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("kernels"), Scope(reader), from_values(tool("kernels").question, asked)))


def by_row(of: Answer) -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table("kernels").columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# Of one kernel, launched alike.
Key = tuple[Any, ...]


def key(row: Mapping[str, Any]) -> Key:
    return row["name"], row["block"], row["grid"], row["registers"] or 0


# As kernel_details of the trace has it.
GROUP_MEMORY = {"input_transpose_fusion_1": 2112, "input_transpose_fusion.kd": 8192, "Cijk": 49280}


@pytest.mark.parametrize("name", ["gpu_v100x8_bert", "gpu_mi300x8_conv"])
def test_kernels_as_xprof_has_them(readers: dict[str, QueryReader], name: str) -> None:
    found = by_row(answer(readers[name]))
    assert [row["total"] for row in found] == sorted((row["total"] for row in found), reverse=True)
    ours = {(*key(row), row["operation"] or ""): row for row in found}
    theirs = list(rows(golden(f"{name}/kernel_stats")))
    assert len(ours) == len(found) == len(theirs)
    for row in theirs:
        launch = (row[of] for of in ("kernel_name", "block_dim", "grid_dim", "registers_per_thread", "op_name"))
        mine = ours[*launch]
        assert mine["count"] == row["occurrences"]
        # Times in microseconds, of whole nanoseconds; so are the ticks of these runs.
        for of, in_microseconds in (("total", "total"), ("mean", "avg"), ("shortest", "min"), ("longest", "max")):
            assert mine[of] == round(row[f"{in_microseconds}_duration_us"] * 1000)
        assert mine["tensor_cores"] == row["is_kernel_using_tensor_core"]
        assert mine["could_use"] == row["is_op_tensor_core_eligible"]
        # It says 0 where the trace has nothing, and knows no memory of AMD's groups of threads.
        of_group = next((size for kernel, size in GROUP_MEMORY.items() if mine["name"].startswith(kernel)), 0)
        assert (mine["shared"], row["shmem_bytes"]) == (of_group, 0)
        assert (mine["occupancy"], row["occupancy_pct"]) == (None, 0)


@pytest.mark.parametrize("name", ["tpu_v6e_4core", "jax_cpu_10steps"])
def test_a_run_without_kernels_says_what_to_record(readers: dict[str, QueryReader], name: str) -> None:
    assert list(rows(golden(f"{name}/kernel_stats"))) == []
    with pytest.raises(NotAvailable, match=r"record with the GPU's tracer on \(CUPTI, ROCm\)") as error:
        answer(readers[name])
    assert ("hlo_stats" in str(error.value)) == name.startswith("tpu")


@dataclass(frozen=True)
class Launched:
    """A kernel that ran, in nanoseconds."""

    kernel: int
    stream: int
    start: int
    duration: int


@dataclass
class Sums:
    count: int = 0
    total: int = 0
    durations: list[int] = field(default_factory=list)


NAMES = ["volta_h884gemm", "add", "add"]  # two launches of one name
GRIDS = [(4, 1, 1), (2, 2, 1), (2, 3, 1)]
END = 60

launches = st.lists(
    st.builds(Launched, st.integers(0, 2), st.integers(0, 1), st.integers(0, END - 10), st.integers(0, 9)),
    min_size=1,
    max_size=25,
)
spans = st.tuples(st.integers(0, END), st.integers(0, END)).map(sorted).filter(lambda of: of[0] < of[1])


def plain(of: Sequence[Launched], start: int, end: int) -> dict[Key, Sums]:
    found: dict[Key, Sums] = defaultdict(Sums)
    for one in of:
        within = min(one.start + one.duration, end) - max(one.start, start)
        if one.duration and within > 0:
            sums = found[NAMES[one.kernel], "32,1,1", ",".join(map(str, GRIDS[one.kernel])), 16]
            sums.total += within
            if start <= one.start < end:
                sums.count += 1
                sums.durations.append(one.duration)
    return found


def xspace(path: Path, of: Sequence[Launched]) -> Path:
    """On streams of two GPUs, with copies between, and derived lines that say the same again."""
    instructions = [Instruction(name) for name in ("volta_h884gemm", "add", "MemcpyD2H", "derived")]
    planes = []
    for gpu in range(2):
        runs = []
        for one in of:
            if one.stream == gpu:
                grid = ",".join(map(str, GRIDS[one.kernel]))
                details = f"regs:16 static_shared:8 dynamic_shared:4 grid:{grid} block:32,1,1 occ_pct:50"
                ps = one.start * 1000, one.duration * 1000
                runs.append(Run(min(one.kernel, 1), *ps, stats=(("kernel_details", details),)))
        copies = [Run(2, 1000, 30_000, stats=(("memcpy_details", "size:4 dest:1 async:1"),))]
        lines = {"Stream #7(Compute)": runs, "Stream #8(MemcpyD2H)": copies, "XLA Ops": [Run(3, 0, END * 1000)]}
        planes.append(plane(f"/device:GPU:{gpu}", instructions, lines))
    return write_trace(path / "t.xplane.pb", planes)


def pytorch(path: Path, of: Sequence[Launched]) -> Path:
    """The same as events of category kernel, among others of the host and of copies."""
    origin = {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 0, "dur": END / 1000}
    copy = {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH", "pid": 0, "tid": 7, "ts": 0.001, "dur": 0.03}
    events: list[dict[str, Any]] = [origin, copy]
    for one in of:
        args = {
            "grid": list(GRIDS[one.kernel]),
            "block": [32, 1, 1],
            "registers per thread": 16,
            "shared memory": 12,
            "est. achieved occupancy %": 50,
        }
        times = {"ts": one.start / 1000, "dur": one.duration / 1000}
        events.append(
            {"ph": "X", "cat": "kernel", "name": NAMES[one.kernel], "pid": 0, "tid": one.stream, "args": args, **times}
        )
    (path / "t.json").write_text(json.dumps({"traceEvents": events}))
    return path / "t.json"


@settings(max_examples=examples(25), deadline=None)
@given(of=launches, asked=st.lists(spans, min_size=1, max_size=4), cut=st.integers(1, END - 1))
@pytest.mark.parametrize("write", [xspace, pytorch])
def test_any_span(write: Any, of: list[Launched], asked: list[list[int]], cut: int) -> None:
    with TemporaryDirectory() as folder:
        build_store([write(Path(folder), of)], Path(folder) / "store")
        with closing(open_run_store(Path(folder) / "store")) as store:
            reader = QueryReader(store)
            assert Scope(reader).manifest["tick_ps"] == 1000
            # PyTorch kernels without a duration leave no track on which a device works.
            if write is xspace or any(one.duration for one in of):
                check(reader, of, [*asked, [0, END], [0, cut], [cut, END]])


def check(reader: QueryReader, of: Sequence[Launched], asked: Sequence[Sequence[int]]) -> None:
    for start, end in asked:
        told = answer(reader, start=start, end=end, outliers=True)  # kernels of a stream overlap at random
        found = by_row(told)
        wanted = plain(of, start, end)
        assert {key(row): (row["count"], row["total"]) for row in found} == {
            one: (sums.count, sums.total) for one, sums in wanted.items()
        }
        for row in found:
            sums = wanted[key(row)]
            assert (row["shared"], row["tensor_cores"]) == (12, row["name"] == "volta_h884gemm")
            assert row["could_use"] == row["tensor_cores"]
            if sums.count:
                assert row["occupancy"] == 0.5
                assert row["mean"] == sums.total // sums.count
                extremes = min(sums.durations), max(sums.durations)
                assert (row["shortest"], row["longest"]) == extremes
                assert duration_of(reader, row["event"]) == row["longest"]
            else:
                assert [row[name] for name in ("mean", "shortest", "longest", "event", "occupancy")] == [None] * 5
        empty = sum(one.duration == 0 and start <= one.start < end for one in of)
        assert any(
            f"{plural(empty, 'kernel takes', 'kernels take')} no time" in note.text for note in told.notes
        ) == bool(empty)
        assert told.fact("launches").value == sum(sums.count for sums in wanted.values())
        check_names(told, found)


def check_names(kernels: Answer, launches: Sequence[Mapping[str, Any]]) -> None:
    """A name is the sum of its launches, which stand below it where there are several; the headline is the first."""
    assert kernels.tables[0].id == "names", "by name first"
    columns = {column.id: values_of(column) for column in kernels.table("names").columns}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    names = [(place, row) for place, row in enumerate(rows) if row["parent"] < 0]
    assert {row["name"] for _, row in names} == {launch["name"] for launch in launches}
    totals = [row["total"] for _, row in names]
    assert totals == sorted(totals, reverse=True)
    for place, row in names:
        own = [launch for launch in launches if launch["name"] == row["name"]]
        below = [child for child in rows if child["parent"] == place]
        assert row["launches"] == len(own)
        assert len(below) == (len(own) if len(own) > 1 else 0)
        for column in ("count", "total"):
            assert row[column] == sum(launch[column] for launch in own)
        for column in ("count", "total", "grid", "shortest", "longest", "event"):
            assert [child[column] for child in below] == [launch[column] for launch in own][: len(below)]
        started = [launch for launch in own if launch["count"]]
        assert row["shortest"] == min((launch["shortest"] for launch in started), default=None)
        assert row["longest"] == max((launch["longest"] for launch in started), default=None)
    first = headline(kernels).text
    assert names[0][1]["name"] in first if sum(totals) else first == "No kernel runs in this range."


def duration_of(reader: QueryReader, event: str) -> int:
    which = tool("events")
    asked = from_values(which.question, {"tracks": event.split(".")[0], "limit": 1000})
    table = finish(ask(which, Scope(reader), asked)).table("events")
    events, durations = (values_of(table.column(name)) for name in ("event", "duration"))
    return int(durations[events.index(event)] or 0)


def test_kernels_of_pytorch_traces_add_up(tmp_path: Path) -> None:
    reader = built(tmp_path, corpus_path("kineto/nccl_data.json.gz"))
    whole = answer(reader, limit=1000)
    assert whole.fact("launches").value == 2700
    assert all(row["block"] and row["grid"] and row["registers"] for row in by_row(whole))
    middle = reader.end // 2
    spans = ((0, middle), (middle, reader.end + 1))
    halves = [answer(reader, start=start, end=end, limit=1000) for start, end in spans]
    figures: dict[Key, list[int]] = defaultdict(lambda: [0, 0])
    for row in (row for half in halves for row in by_row(half)):
        of = figures[(*key(row), row["shared"], row["operation"])]
        of[0] += row["count"]
        of[1] += row["total"]
    assert figures == {
        (*key(row), row["shared"], row["operation"]): [row["count"], row["total"]] for row in by_row(whole)
    }


@pytest.mark.parametrize("write", [xspace, pytorch])
def test_a_kernel_that_outlasts_later_ones_is_left_out(write: Any, tmp_path: Path) -> None:
    true = [Launched(0, 0, start, 10) for start in range(100, 600, 20)]
    build_store([write(tmp_path, [*true, Launched(0, 0, 90, 300)])], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        cases: list[tuple[dict[str, Any], int, int]] = [
            ({}, 25, 250),
            ({"outliers": True}, 26, 550),
            ({"start": 0, "end": 200}, 5, 50),
        ]
        for asked, launches, time in cases:
            told = answer(reader, **asked)
            assert (told.fact("launches").value, told.fact("time").value) == (launches, time)


@pytest.mark.parametrize("name", ["gpu_v100x8_bert", "gpu_mi300x8_conv"])
def test_metadata_is_loaded_once_for_a_question_when_nothing_is_cached(
    readers: dict[str, QueryReader], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = QueryReader(readers[name].store)
    first = by_row(answer(reader))
    loaded = count_metadata_codes(monkeypatch)
    monkeypatch.setattr(CACHES, "limit_bytes", 0)
    assert by_row(answer(reader)) == first
    assert len(loaded) == 1


def test_what_is_cached_of_kernels_has_a_limit_within_a_question(
    readers: dict[str, QueryReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = QueryReader(readers["gpu_v100x8_bert"].store)
    first = by_row(answer(reader))
    kinds = kernel_table._KERNELS.get(reader)
    assert kinds is not None
    assert min(len(kinds.alike), kinds.rows) > 10
    monkeypatch.setattr(kernel_table, "_MAX_KINDS", 10)
    reader = QueryReader(reader.store)
    assert by_row(answer(reader)) == first
    kinds = kernel_table._KERNELS.get(reader)
    assert kinds is not None
    assert 0 < len(kinds.alike) <= 10
    assert len(kinds.named) <= 10
    assert kinds.rows == sum(map(len, kinds.kinds.values())) <= 10
