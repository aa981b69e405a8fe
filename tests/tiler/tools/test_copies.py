"""Copies and the lanes of their rates: against plain Python, and figures of real runs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.example import Example
from tests.examples import examples
from tests.reports.traces import answer, rows
from tests.tiler.facts.launches.test_step_work import x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.facts.lanes import copy_rates
from tilescope.tiler.facts.lanes import stream_queue as queue_module
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

KINDS = {"Memcpy HtoD": "gpu_memcpy", "Memcpy DtoH": "gpu_memcpy", "Memset": "gpu_memset"}

Copy = tuple[str, int, int, int, int | None, int]  # kind, stream, start and end in ns, bytes per second, bytes


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[QueryReader, list[Copy]]]:
    """Two streams with copies, some at once, and kernels; in pieces of a few events."""
    rng = random.Random(50)
    folder = tmp_path_factory.mktemp("copies")
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
        x("begin", 1, 1, 0, 1, cat="user_annotation"),
        *(
            {"ph": "M", "pid": 2, "tid": stream, "name": "thread_name", "args": {"name": f"stream {stream}"}}
            for stream in (7, 8)
        ),
    ]
    copies: list[Copy] = []
    for stream in (7, 8):
        time = 0
        for _ in range(300):
            time += rng.choice([0, 1, 5, 40])
            duration = rng.choice([0, 1, 10, 60])
            kind = rng.choice([*KINDS, "gemm"])
            size, how = rng.randrange(1, 10**6), rng.choice(["rate", "bytes", "both", "none"])
            args: dict[str, float] = {"bytes": size} if how in ("bytes", "both") else {}
            args |= {"memory bandwidth (GB/s)": size / 128} if how in ("rate", "both") else {}
            name = f"{kind} (Pageable -> Device)" if kind != "gemm" else kind
            events.append(x(name, 2, stream, time, duration, cat=KINDS.get(kind, "kernel"), args=args))
            if kind != "gemm":
                by_bytes = size * 10**6 // duration if duration and how == "bytes" else None
                rate = round(size / 128 * 10**9) if how in ("rate", "both") else by_bytes
                bytes_ = size if how in ("bytes", "both") else 0
                copies.append((kind, stream, 1000 * time, 1000 * (time + duration), rate, bytes_))
            time += rng.choice([0, duration])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queue_module, "_EVENTS_AT_ONCE", 60)
        build_store([write_trace(folder / "trace.json", events)], folder / "store")
        yield QueryReader(open_run_store(folder / "store")), copies


def lane_ids(reader: QueryReader) -> dict[tuple[str, int], str]:
    table = rows(answer(reader, "lanes", source="copies"), "lanes")
    streams = {track.id: int(track.name.split()[-1]) for track in reader.tree.tracks if track.name.startswith("stream")}
    return {(row["title"].partition(",")[0], streams[row["track"]]): row["lane"] for row in table}


SPANS = st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)).map(sorted)


@given(
    span=SPANS,
    middle=st.integers(0, 10_000),
    bins=st.integers(1, 30),
    kind=st.sampled_from(list(KINDS)),
    stream=st.sampled_from([7, 8]),
)
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rates_and_sums_of_any_range_are_as_in_plain_python(
    made: tuple[QueryReader, list[Copy]], span: list[int], middle: int, bins: int, kind: str, stream: int
) -> None:
    reader, copies = made
    start, end = (1000 * edge for edge in span)
    middle = min(max(1000 * middle, start), end)
    mine = [copy for copy in copies if copy[:2] == (kind, stream)]
    lane = lane_ids(reader)[kind, stream]
    for row in rows(answer(reader, "lane_bins", lane=lane, start=start, end=end, bins=bins), "counter_bins"):
        first, last = row["start"], row["start"] + row["duration"]
        parts = [(max(a, first), min(b, last), rate) for _, _, a, b, rate, _ in mine if rate and a < last and b > first]
        assert row["sum"] == sum((b - a) * rate for a, b, rate in parts)
        moments = {first, *(a for a, _, _ in parts), *(b for _, b, _ in parts if b < last)}
        levels = [sum(rate for a, b, rate in parts if a <= moment < b) for moment in moments]
        assert (row["min"], row["max"]) == (min(levels), max(levels))

    def table(first: int, last: int) -> tuple[int, int, int]:
        table_rows = rows(answer(reader, "copies", start=first, end=last), "copies")
        row = [row for row in table_rows if (row["kind"], row["stream"]) == (kind, f"stream {stream}")]
        return (row[0]["count"], row[0]["bytes"], row[0]["time"]) if row else (0, 0, 0)

    begun = [copy for copy in mine if start <= copy[2] < end]
    sizes = [copy for copy in begun if copy[5]]
    whole = (len(begun), sum(copy[5] for copy in sizes), sum(copy[3] - copy[2] for copy in sizes))
    assert table(start, end) == whole
    halves = [table(start, middle), table(middle, end)]
    assert whole == tuple(sum(column) for column in zip(*halves, strict=True))


def test_a_click_leads_to_the_copies_that_run(made: tuple[QueryReader, list[Copy]]) -> None:
    reader, copies = made
    kind, stream, start, stop, _, _ = max(copies, key=lambda copy: copy[3] - copy[2])
    lane = lane_ids(reader)[kind, stream]
    table = rows(answer(reader, "lane_events", lane=lane, tick=(start + stop) // 2), "events")
    assert any(row["start"] == start for row in table)
    assert all(row["name"].startswith(kind) for row in table)


def test_kinds_beyond_the_most_are_one_and_the_others_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_rates, "_MOST_KINDS", 2)
    names = ("Memcpy A (here)", "Memcpy B", "Memcpy C", "Memcpy D", "Memcpy A (there)", "Memcpy b")
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
        *(x(name, 2, 7, 10 * n, 5, cat="gpu_memcpy", args={"bytes": 8}) for n, name in enumerate(names)),
    ]
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    table = {row["kind"]: row["count"] for row in rows(answer(reader, "copies"), "copies")}
    assert table == {"Memcpy A": 2, "Memcpy B": 2, "Other copies": 2}


def test_rates_of_very_many_copies_at_once_fit_into_64_bits() -> None:
    copies = 20_000
    none = np.full(copies, -1)
    ordinal, start = np.arange(copies), np.zeros(copies, np.int64)
    at_once = copy_rates.Copies(ordinal, start, start + 10, start + 1, np.full(copies, 1 << 50), none)
    curve = copy_rates.rate_curve(at_once, 1, 0, 20)
    assert (curve.time.tolist(), curve.value.tolist()) == ([0, 10], [(1 << 62) // copies * copies, 0])


def test_without_copies_it_says_what_to_record(example: Example) -> None:
    with pytest.raises(NotAvailable, match="gpu_memcpy"):
        answer(example.reader, "copies")


# -- real runs: what HTA says is the most ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "count", "size", "fastest", "until_step"),
    [
        ("nccl_data.json.gz", "Memcpy DtoD", 960, 307_323_096, 605.200946, None),
        ("nccl_data.json.gz", "Memset", 114, 409_141_005, 1925.218225, None),
        ("resnet50_workers4.pt.trace.json.gz", "Memcpy HtoD", 10, 96_339_200, 6.536097, True),
    ],
)
def test_copies_of_real_runs(
    name: str, kind: str, count: int, size: int, fastest: float, until_step: bool | None, tmp_path: Path
) -> None:
    build_store([corpus_path(f"kineto/{name}")], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    last = max(int(series.rows.start.max()) for series in reader.steps.series)
    span = {"end": last} if until_step else {}
    (row,) = (row for row in rows(answer(reader, "copies", **span), "copies") if row["kind"] == kind)
    assert (row["count"], row["bytes"]) == (count, size)
    assert row["fastest"] / 1e9 == pytest.approx(fastest, abs=1e-6)
