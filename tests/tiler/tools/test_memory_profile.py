"""Memory profiles: those of xprof and of a plain reference; any range; what allocators do not say."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests import memory_trace
from tests.corpus import corpus_path
from tests.memory_trace import Event, live, peak, random_trace
from tests.xprof_golden import golden
from tilescope.tiler.errors import NotAvailable, TilescopeError
from tilescope.tiler.facts.memory import NO_ALLOCATIONS
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import Column, values_of

FILES = {
    "tpu_v6e_4core": "xplane/tpu_v6e_4core.xplane.pb",
    "gpu_v100x8_bert": "xplane/gpu_v100x8_bert.xplane.pb",
    "gpu_mi300x8_conv": "xplane/gpu_mi300x8_conv.xplane.pb",
    "pod/tpu-pod-w-2": "pod/plugins/profile/synthetic/tpu-pod-w-2.xplane.pb",
}


def opened(trace: Path, store: Path) -> QueryReader:
    build_store(sorted(trace.rglob("*.xplane.pb")) or [trace], store)
    return QueryReader(open_run_store(store))


def answer(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("memory_profile"), Scope(reader), from_values(tool("memory_profile").question, asked)))


def headline(profile: Answer) -> str:
    assert profile.headline is not None
    return profile.headline.text


def rows(of: Answer, table: str) -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def in_ticks(reader: QueryReader, events: list[Event]) -> list[tuple[int, Event]]:
    """With the time of each on the timeline, in its order."""
    tick_ps = int(reader.store.manifest()["tick_ps"])
    first = min(event.time_ps for event in events)
    starts = [values_of(answer(reader, memory=memory).series[0].x)[0] for memory in by_memory(events)]
    begin = min(int(str(start)) for start in starts)
    timed = [(begin + (event.time_ps - first) // tick_ps, event) for event in events]
    return sorted(timed, key=lambda one: one[0])


def by_memory(events: list[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(event.memory, []).append(event)
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_reference_is_xprof(name: str) -> None:
    """With its own times, which are offsets in lines that began at different times, it says what xprof says."""
    theirs = golden(f"{name}/memory_profile")["memoryProfilePerAllocator"]
    ours = by_memory(memory_trace.read(corpus_path(FILES[name])))
    assert set(ours) == set(theirs)
    for memory, profile in theirs.items():
        events, summary = ours[memory], profile["profileSummary"]
        top = events[peak(events)]
        stats = summary["peakStats"]
        told = [int(stats[key]) for key in ("stackReservedBytes", "heapAllocatedBytes", "freeMemoryBytes")]
        assert told == [top.stats[key] for key in ("bytes_reserved", "bytes_allocated", "bytes_available")]
        assert int(summary["peakStatsTimePs"]) == top.offset_ps
        assert int(summary["memoryCapacity"]) == sum(told)
        assert stats["fragmentation"] == pytest.approx(top.stats["fragmentation"], rel=1e-5)
        assert int(summary["peakBytesUsageLifetime"]) in {event.stats["peak_bytes_in_use"] for event in events}
        in_time = sorted(events, key=lambda event: event.offset_ps)
        assert [int(one["timeOffsetPs"]) for one in profile["sampledTimelineSnapshots"]] == [
            e.offset_ps for e in in_time
        ]
        # It looks at the step of the peak alone, and loses what was allocated before.
        sampled = profile["sampledTimelineSnapshots"]
        steps = [one["activityMetadata"]["stepId"] for one in sampled]
        until = in_time.index(top) + 1
        held = live([event for event, step in zip(in_time[:until], steps, strict=False) if step == steps[until - 1]])
        sizes = Counter(event.stats["allocation_bytes"] for event in held)
        snapshots = profile["memoryProfileSnapshots"]
        listed: Counter[int] = Counter()
        for one in profile["activeAllocations"]:
            if int(one["snapshotIndex"]) >= 0:
                size = snapshots[int(one["snapshotIndex"])]["activityMetadata"]["allocationBytes"]
                listed[int(size)] += int(one["numOccurrences"])
        assert listed == sizes


def check(reader: QueryReader, events: list[Event]) -> None:
    """What the tool says of the whole run is what the reference says by the true times."""
    timed = in_ticks(reader, events)
    told = {row["memory"]: row for row in rows(answer(reader), "memories")}
    assert set(told) == set(by_memory(events))
    for memory, of_memory in by_memory(events).items():
        times = [time for time, event in timed if event.memory == memory]
        in_time = [event for _, event in timed if event.memory == memory]
        at = peak(in_time)
        row, top = told[memory], in_time[at]
        assert row["peak_time"] == times[at]
        keys = ("bytes_reserved", "bytes_allocated", "bytes_available")
        assert [row["stack"], row["heap"], row["free"]] == [top.stats[key] for key in keys]
        assert row["fragmentation"] == top.stats["fragmentation"]
        assert row["peak"] == top.used
        assert row["capacity"] == top.used + top.stats["bytes_available"]
        assert row["lifetime_peak"] == max(event.stats["peak_bytes_in_use"] for event in of_memory)
        frees = sum(event.is_free for event in of_memory)
        assert (row["allocations"], row["frees"]) == (len(of_memory) - frees, frees)
        detail = answer(reader, memory=memory, limit=10_000)
        listed = rows(detail, "allocations")
        held = Counter(event.what for event in live(in_time[: at + 1]))
        ours: Counter[tuple[Any, ...]] = Counter()
        for row in listed:
            if row["event"]:
                key = (row["size"] or None, row["requested"] or None, row["operation"], row["region"], row["shape"])
                ours[key] += row["count"]
        assert ours == held
        assert sum(row["total"] for row in listed) == top.used  # what nobody recorded included
        fill = detail.series[0]
        points = list(zip(*(values_of(column) for column in (fill.x, *fill.ys)), strict=True))
        assert len(points) <= 1003
        if len(in_time) < 1000:
            # The level goes on to the end of the run.
            expected = [(time, event.used) for time, event in zip(times, in_time, strict=True)]
            used = [column for column in fill.ys if column.kind == "bytes" and column.id != "free"]
            sums = [sum(values_of(column)[k] or 0 for column in used) for k in range(len(points))]  # type: ignore[misc]
            assert list(zip([point[0] for point in points], sums, strict=True))[:-1] == expected
            assert sums[-1] == expected[-1][1]
            assert points[-1][0] == max(reader.end, expected[-1][0])
        else:
            assert times[at] in {point[0] for point in points}


@pytest.mark.parametrize("name", FILES)
def test_files_by_their_true_times(tmp_path: Path, name: str) -> None:
    check(opened(corpus_path(FILES[name]), tmp_path / "store"), memory_trace.read(corpus_path(FILES[name])))


@pytest.mark.parametrize("seed", range(4))
def test_random_traces(tmp_path: Path, seed: int) -> None:
    trace = random_trace(tmp_path / "a.xplane.pb", random.Random(seed), 200 if seed else 5000)
    check(opened(trace, tmp_path / "store"), memory_trace.read(trace))


@pytest.mark.parametrize("seed", range(3))
def test_parts_of_a_span_have_its_least_and_greatest(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    trace = random_trace(tmp_path / "a.xplane.pb", rng, 300)
    reader = opened(trace, tmp_path / "store")
    timed = in_ticks(reader, memory_trace.read(trace))
    for memory in by_memory([event for _, event in timed]):
        of = [(time, event.used) for time, event in timed if event.memory == memory]
        start = rng.randrange(reader.end // 2)
        for end, bins in ((reader.end, 1), (reader.end, 7), (start + rng.randrange(1, 5), 3), (reader.end, 8192)):
            (found,) = answer(reader, memory=memory, start=start, end=end, bins=bins).series
            borders = [start + (end - start) * k // bins for k in range(bins + 1)]
            assert values_of(found.x) == borders[:-1]
            expected = []
            for a, b in pairwise(borders):
                held = [used for time, used in of if time < a][-1:] + [used for time, used in of if a <= time < b]
                expected.append((min(held), max(held)) if held else (None, None))
            assert list(zip(*(values_of(column) for column in found.ys), strict=True)) == expected


def test_all_hosts_of_a_pod_as_it_was_made(tmp_path: Path) -> None:
    truth = json.loads(gzip.decompress(corpus_path("pod/truth.json.gz").read_bytes()))["memory_profile"]
    reader = opened(corpus_path("pod"), tmp_path / "store")
    told = {(row["host"], row["memory"]): row for row in rows(answer(reader), "memories")}
    made = {(f"tpu-pod-w-{host}", memory): of for host, by in truth.items() for memory, of in by.items()}
    assert set(told) == set(made)
    for key, of in made.items():
        assert told[key]["peak"] == max(stack + heap for _, _, _, heap, stack, *_ in of)
        assert told[key]["allocations"] == sum(kind == "A" for _, kind, *_ in of)
        assert told[key]["frees"] == sum(kind == "D" for _, kind, *_ in of)
    one = rows(answer(reader, host="tpu-pod-w-1"), "memories")
    assert [(row["host"], row["memory"]) for row in one] == [key for key in told if key[0] == "tpu-pod-w-1"]
    assert answer(reader).fact("memory").value == "1"  # the fullest of a device, not that of a host
    exact = answer(reader, memory="tpu-pod-w-2 · host_pinned")
    assert (exact.fact("memory").value, exact.fact("memory").note) == ("host_pinned", "of tpu-pod-w-2")
    tracks = reader.tree.of_host("tpu-pod-w-3")
    assert {row["host"] for row in rows(answer(reader, tracks=tracks), "memories")} == {"tpu-pod-w-3"}
    steps = answer(reader, host="tpu-pod-w-0", memory="0", steps="102-103")
    whole = made["tpu-pod-w-0", "0"]
    assert steps.fact("allocations").value == sum(kind == "A" for _, kind, *_ in whole) // 3  # two of six steps


def test_a_range_is_the_sum_of_its_halves(tmp_path: Path) -> None:
    trace = random_trace(tmp_path / "a.xplane.pb", random.Random(9), 600)
    reader = opened(trace, tmp_path / "store")
    timed = in_ticks(reader, memory_trace.read(trace))
    rng = random.Random(1)
    for _ in range(20):
        start, middle, end = sorted(rng.randrange(reader.end + 2) for _ in range(3))
        spans = [(start, middle), (middle, end), (start, end)]
        first, second, both = (
            {r["memory"]: r for r in rows(answer(reader, start=a, end=b), "memories")} for a, b in spans
        )
        for memory, row in both.items():
            for key in ("allocations", "frees", "allocated", "freed"):
                assert first[memory][key] + second[memory][key] == row[key]
            peaks = [of[memory]["peak"] for of in (first, second) if of[memory]["peak"] is not None]
            assert row["peak"] == max(peaks, default=None) or end == start
            of = [(time, event) for time, event in timed if event.memory == memory]
            before = [event for time, event in of if time < start]
            inside = [event for time, event in of if start <= time < end]
            # What was there when the range begins counts, too.
            assert row["peak"] == max((e.used for e in (*before[-1:], *inside)), default=None) or end == start


def test_a_flat_line_is_one(tmp_path: Path) -> None:
    trace = random_trace(tmp_path / "a.xplane.pb", random.Random(2), 50)
    reader = opened(trace, tmp_path / "store")
    times = [time for time, event in in_ticks(reader, memory_trace.read(trace)) if event.memory == "1"]
    gap = max(range(len(times) - 1), key=lambda k: times[k + 1] - times[k])
    start, end = times[gap] + 10, times[gap + 1] - 10
    found = answer(reader, memory="1", start=start, end=end)
    assert values_of(found.series[0].x) == [start, end - 1]
    (heap,) = (column for column in found.series[0].ys if column.id == "heap")
    assert len(set(values_of(heap))) == 1
    assert found.fact("peak_time").value == start
    assert found.fact("allocations").value == 0
    # Before anything was recorded there is nothing to draw.
    early = answer(reader, memory="gpu_host_bfc", start=0, end=1)
    if not rows(early, "memories")[2]["allocations"]:
        assert early.fact("peak").value is None
        assert not early.series


def test_where_nothing_is_recorded(tmp_path: Path) -> None:
    reader = opened(corpus_path("xplane/jax_cpu_10steps.xplane.pb"), tmp_path / "store")
    with pytest.raises(NotAvailable, match="recorded no allocations"):
        answer(reader)
    assert "profile_memory=True" in NO_ALLOCATIONS
    trace = random_trace(tmp_path / "a.xplane.pb", random.Random(2), 50)
    found = answer(opened(trace, tmp_path / "other"), memory="none")
    assert found.notes[0].text == "There is no memory 'none': 0, 1, gpu_host_bfc."


def kineto(path: Path, events: list[dict[str, Any]], **members: Any) -> Path:
    common = {"ph": "i", "s": "t", "name": "[memory]", "pid": 5, "tid": 6, "cat": "cpu_instant_event"}
    path.write_text(json.dumps({"schemaVersion": 1, **members, "traceEvents": [common | event for event in events]}))
    return path


def test_instants_of_pytorch(tmp_path: Path) -> None:
    def event(ts: int, device: int, address: int, size: int, total: int, reserved: int) -> dict[str, Any]:
        stats = {"Device Type": 1, "Device Id": device, "Addr": address, "Bytes": size}
        return {"ts": ts, "args": stats | {"Total Allocated": total, "Total Reserved": reserved}}

    trace = kineto(
        tmp_path / "a.json",
        [
            event(1, 0, 10, 100, 1100, 4096),
            event(2, 0, 20, 50, 1150, 4096),
            event(3, 0, 10, -100, 1050, 4096),
            event(4, 1, 10, 1, 1, 2),
            {"ts": 5, "args": {"Device Type": 0, "Device Id": -1, "Bytes": -8}},
            {"ts": 6, "args": {"Device Type": 0, "Device Id": -1, "Bytes": 24}},
            {"ts": 7, "args": {"Bytes": 1 << 62, "Device Type": 0}},  # of no memory that there is
        ],
    )
    reader = opened(trace, tmp_path / "store")
    told = {row["memory"]: row for row in rows(answer(reader), "memories")}
    assert set(told) == {"CPU", "GPU 0", "GPU 1"}
    gpu = told["GPU 0"]
    assert (gpu["peak"], gpu["free"], gpu["capacity"], gpu["lifetime_peak"]) == (1150, 2946, None, None)
    assert headline(answer(reader, memory="GPU 0")).endswith(
        "holds 1.15 kB at its peak, of 4.10 kB that are reserved for it."
    )
    assert (gpu["allocations"], gpu["frees"], gpu["allocated"], gpu["freed"]) == (2, 1, 150, 100)
    facts = answer(reader, memory=gpu["memory"])
    assert [facts.fact(name).value for name in ("allocations", "frees", "allocated", "freed")] == [2, 1, 150, 100]
    listed = rows(answer(reader, memory="GPU 0"), "allocations")
    assert [(row["total"], row["count"], row["event"]) for row in listed] == [
        (100, 1, "0.0"),
        (50, 1, "0.1"),
        (1000, None, None),
    ]
    # Totals that nobody says are counted from the least there can have been.
    assert (told["CPU"]["peak"], told["CPU"]["capacity"]) == (24, None)
    counted = answer(reader, memory="CPU")
    assert any("counted from them" in note.text for note in counted.notes)
    assert "by address" in str(rows(counted, "allocations")[0]["operation"])


@pytest.mark.parametrize(
    ("devices", "capacity"),
    [
        ([{"id": 1, "totalGlobalMem": 5}, {"id": 0, "name": "GPU", "totalGlobalMem": 8192}], 8192),
        ([{"id": 1, "totalGlobalMem": 8192}], None),
        ([{"id": 0, "totalGlobalMem": -1}, 7, None, {"id": True, "totalGlobalMem": 8}], None),
        ([{"id": 0, "totalGlobalMem": 1 << 62}], None),
        ({"id": 0, "totalGlobalMem": 8192}, None),
    ],
)
def test_memory_of_pytorch_is_a_share_of_the_device(tmp_path: Path, devices: Any, capacity: int | None) -> None:
    stats = {"Device Type": 1, "Device Id": 0, "Bytes": 2048, "Total Allocated": 2048, "Total Reserved": 4096}
    trace = kineto(tmp_path / "a.json", [{"ts": 1, "args": stats}], deviceProperties=devices)
    profile = answer(opened(trace, tmp_path / "store"))
    assert profile.fact("capacity").value == capacity
    assert profile.fact("reserved").value == 4096
    share = values_of(profile.table("memories").column("share"))
    assert list(share) == [None if capacity is None else 2048 / capacity]
    whole = "of 4.10 kB that are reserved for it" if capacity is None else "25.0 % of the device's 8.19 kB"
    assert headline(profile).endswith(f"at its peak, {whole}.")


def test_memory_of_a_real_gpu_is_a_share_of_the_device(tmp_path: Path) -> None:
    profile = answer(opened(corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz"), tmp_path / "store"))
    facts = {name: profile.fact(name).value for name in ("peak", "capacity", "reserved")}
    assert facts == {"peak": 1_312_556_032, "capacity": 85_017_493_504, "reserved": 1_434_451_968}
    assert "1.5 % of the device's 85.0 GB" in headline(profile)


def test_the_figures_of_a_real_pytorch_trace(tmp_path: Path) -> None:
    path = corpus_path("kineto/df_index_resolver.json.gz")
    events = [e for e in json.loads(gzip.decompress(path.read_bytes()))["traceEvents"] if e.get("name") == "[memory]"]
    told = {row["memory"]: row for row in rows(answer(opened(path, tmp_path / "store")), "memories")}
    for memory, kind in (("CPU", 0), ("GPU 1", 1)):
        of = [event["args"] for event in events if event["args"]["Device Type"] == kind]
        assert told[memory]["peak"] == max(args["Total Allocated"] for args in of)
        assert told[memory]["stack"] is None
        assert told[memory]["allocated"] == sum(max(args["Bytes"], 0) for args in of)


def test_nobody_says_of_an_allocation_without_an_address_that_it_is_never_freed(tmp_path: Path) -> None:
    stats = {"Device Type": 1, "Device Id": 0, "Total Reserved": 4096}
    events = [
        {"ts": 1, "args": stats | {"Bytes": 100, "Total Allocated": 100, "Addr": 10}},
        {"ts": 2, "args": stats | {"Bytes": 50, "Total Allocated": 150}},
        {"ts": 3, "args": stats | {"Bytes": 70, "Total Allocated": 220, "Addr": 20}},
        {"ts": 4, "args": stats | {"Bytes": -100, "Total Allocated": 120, "Addr": 10}},
    ]
    profile = answer(opened(kineto(tmp_path / "a.json", events), tmp_path / "store"))
    lifetimes = {row["size"]: row for row in rows(profile, "lifetimes")}
    assert {size: row["never_freed"] for size, row in lifetimes.items()} == {100: False, 50: False, 70: True}
    assert [lifetimes[size]["end"] is None for size in (100, 50, 70)] == [False, True, True]


def test_hostile_figures_are_left_out(tmp_path: Path) -> None:
    trace = random_trace(tmp_path / "a.xplane.pb", random.Random(3), 60)
    raw = trace.read_bytes()
    random_one = random.Random(5)
    for _ in range(30):  # whatever is in the file, an answer is an answer, or a clear refusal
        mutant = bytearray(raw)
        for _ in range(40):
            mutant[random_one.randrange(len(mutant))] = random_one.randrange(256)
        (tmp_path / "b.xplane.pb").write_bytes(mutant)
        try:
            reader = opened(tmp_path / "b.xplane.pb", tmp_path / "mutant")
            found = answer(reader)
        except TilescopeError:
            continue
        for row in rows(found, "memories") if found.tables else ():
            assert row["peak"] is None or 0 <= row["peak"] < 1 << 62


def test_columns_keep_their_kinds(tmp_path: Path) -> None:
    trace = random_trace(tmp_path / "a.xplane.pb", random.Random(3), 60)
    found = answer(opened(trace, tmp_path / "store"))
    fill: list[Column] = [found.series[0].x, *found.series[0].ys]
    kinds = [("time", "time"), ("heap", "bytes"), ("stack", "bytes"), ("fragmentation", "fraction")]
    assert [(column.id, column.kind) for column in fill] == kinds
    # What is free is drawn by itself where next to nothing is in use.
    assert [series.id for series in found.series] == ["fill", "free"]
    limit = values_of(found.series[0].lines[0])
    assert set(limit) == {found.fact("peak").value}
