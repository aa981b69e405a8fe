"""Gaps of devices and of tracks against sets of ticks in plain Python, and what is said of each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.device_trace import HOST, DeviceTrace, Spans, Task, both, of_kind, step_times, ticks, without
from tests.example import Example
from tests.examples import examples
from tests.tiler.tools.test_overlap import SPANS, indexed
from tilescope.tiler.facts.findings import WAIT_TITLES
from tilescope.tiler.facts.findings.idle_causes import Wait
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers.logdir import find_run
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.gaps import edges, meanwhile

WHOLE = [(0, 1 << 40)]


def gaps(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("gaps"), Scope(reader), from_values(tool("gaps").question, asked)))


def column(answer: Answer, name: str, table: str = "gaps") -> list[Any]:
    return list(values_of(answer.table(table).column(name)))


def listed(answer: Answer) -> list[tuple[int, int, str]]:
    starts, lengths = column(answer, "start"), column(answer, "duration")
    assert column(answer, "gap") == [f"{a}-{a + n}" for a, n in zip(starts, lengths, strict=True)]
    return [(a, a + n, lane) for a, n, lane in zip(starts, lengths, column(answer, "lane"), strict=True)]


def lanes(devices: DeviceTrace, *, each_track: bool) -> dict[str, list[Task]]:
    if not each_track:
        return {f"GPU {device}": devices.work(device) for device in (0, 1)}
    streams = sorted({(task.process, task.thread) for task in devices.tasks if task.process != HOST})
    return {f"GPU {device} › thread {stream}": devices.work(device, stream) for device, stream in streams}


def seen(work: list[Task], windows: Spans) -> Spans:
    busy = of_kind(work)
    return both(windows, [(busy[0][0], busy[-1][1])])


@given(span=SPANS, middle=st.integers(0, 620_000), at_least=st.sampled_from([0, 2, 60, 400]), each_track=st.booleans())
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_gaps_of_any_span(
    devices: DeviceTrace, span: tuple[int, int], middle: int, at_least: int, each_track: bool
) -> None:
    start, end = span
    asked: dict[str, Any] = {"at_least": at_least, "each_track": each_track, "limit": 7}
    answer = gaps(devices.reader, start=start, end=end, **asked)
    wanted, by_length = [], Counter[int]()
    for name, work in lanes(devices, each_track=each_track).items():
        idle = without(seen(work, [span]), of_kind(work))
        wanted += [(a, b, name) for a, b in idle if b - a >= at_least]
        by_length.update(len(str(b - a)) for a, b in idle)
        at = column(answer, "lane", "lanes").index(name)
        figures = {id: column(answer, id, "lanes")[at] for id in ("span", "busy", "idle", "count", "longest")}
        assert figures["span"] == ticks(seen(work, [span]))
        assert figures["idle"] == ticks(idle) == figures["span"] - figures["busy"]
        assert figures["count"] == sum(b - a >= at_least for a, b in idle)
        assert figures["longest"] == max((b - a for a, b in idle if b - a >= at_least), default=0)
    assert sorted((a - b, a) for a, b, _ in wanted)[:7] == [(a - b, a) for a, b, _ in listed(answer)]
    assert set(listed(answer)) <= set(wanted)
    totals, rest = answer.table("gaps").totals or {}, answer.table("gaps").rest or {"duration": 0}
    assert totals["duration"] == sum(b - a for a, b, _ in wanted) == answer.fact("idle_in_gaps").value
    assert totals["duration"] == sum(column(answer, "duration")) + int(rest["duration"] or 0)
    lengths = zip(column(answer, "at_least", "lengths"), column(answer, "count", "lengths"), strict=True)
    assert {len(str(least)): count for least, count in lengths} == dict(by_length)
    middle = min(max(middle, start), end)
    halves = [gaps(devices.reader, start=a, end=b, **asked) for a, b in ((start, middle), (middle, end))]
    for fact in ("span", "busy", "idle"):
        assert answer.fact(fact).value == sum(int(half.fact(fact).value or 0) for half in halves)


def test_halves_of_a_gap_that_crosses_the_middle_are_two_and_said_to_be_cut(devices: DeviceTrace) -> None:
    (start, end, lane), *_ = listed(gaps(devices.reader, limit=1))
    middle = (start + end) // 2
    for part, half in (((start - 50, middle), (start, middle, lane)), ((middle, end + 50), (middle, end, lane))):
        answer = gaps(devices.reader, start=part[0], end=part[1])
        assert half in listed(answer)
        assert any("an edge of the range: only the part inside counts" in note.text for note in answer.notes)
    halves = [gaps(devices.reader, end=middle), gaps(devices.reader, start=middle)]
    crossing = sum(a < middle < b for a, b, _ in every_gap(devices))
    assert sum(int(half.fact("count").value or 0) for half in halves) == len(every_gap(devices)) + crossing


def every_gap(devices: DeviceTrace) -> list[tuple[int, int, str]]:
    found = []
    for name, work in lanes(devices, each_track=False).items():
        found += [(a, b, name) for a, b in without(seen(work, WHOLE), of_kind(work))]
    return found


@pytest.mark.parametrize("order", ["longest", "time"])
def test_following_more_lists_every_gap_once(devices: DeviceTrace, order: str) -> None:
    wanted = [gap for gap in every_gap(devices) if gap[1] - gap[0] >= 500]
    found: list[tuple[int, int, str]] = []
    asked: dict[str, Any] = {"at_least": 500, "order": order, "limit": 40}
    answer = gaps(devices.reader, **asked)
    while True:
        found += listed(answer)
        more = answer.table("gaps").more
        if more is None:
            break
        answer = gaps(devices.reader, **asked, after=more)
    assert 40 < len(found) == len(set(found))
    assert set(found) == set(wanted)
    keys = [((a - b, a) if order == "longest" else (a, 0)) for a, b, _ in found]
    assert keys == sorted(keys)


def test_what_ended_a_gap_launched_that_and_ran_meanwhile(devices: DeviceTrace) -> None:
    answer = gaps(devices.reader, limit=60)
    events = references(devices)
    by_start = {(task.process, task.start) for task in devices.tasks if task.kind and task.stop > task.start}
    launched = 0
    for row, (start, end, lane) in enumerate(listed(answer)):
        device = int(lane[-1])
        ended = events[column(answer, "ended_by_event")[row]]
        before = events[column(answer, "before_event")[row]]
        assert (ended.process, ended.start) == (device, end) in by_start
        assert (before.process, before.stop) == (device, start)
        assert (ended.name, before.name) == (column(answer, "ended_by")[row], column(answer, "before")[row])
        reference = column(answer, "launch_event")[row]
        assert (reference is None) == (ended.launched_by is None)
        if ended.launched_by is not None:
            launch = devices.tasks[ended.launched_by]
            assert (events[reference], launch.name) == (launch, column(answer, "launched_by")[row])
            assert column(answer, "waited_for")[row] == ("host" if launch.start >= start else "device")
            assert column(answer, "host_track")[row] in (devices.track(HOST, launch.thread), None)
            self_times = self_times_in(devices, launch.thread, start, end)
            most = max(self_times.values(), default=0)
            share = column(answer, "meanwhile_share")[row]
            assert (share or 0) == most / (end - start)
            assert not most or self_times[column(answer, "meanwhile")[row]] == most
            launched += 1
        else:
            best = max(max(self_times_in(devices, k, start, end).values(), default=0) for k in (1, 2))
            assert (column(answer, "meanwhile_share")[row] or 0) == best / (end - start)
    assert 10 < launched < 60


def references(devices: DeviceTrace) -> dict[str, Task]:
    """Each event by its track and its rank there: by start, the longer first, then as the file has them."""
    found = {}
    for process, thread in sorted({(task.process, task.thread) for task in devices.tasks}):
        of_track = [task for task in devices.tasks if (task.process, task.thread) == (process, thread)]
        track = devices.track(process, thread)
        for rank, task in enumerate(sorted(of_track, key=lambda task: (task.start, task.start - task.stop))):
            found[f"{track}.{rank}"] = task
    return found


def self_times_in(devices: DeviceTrace, thread: int, start: int, end: int) -> Counter[str]:
    """Slices of the host do not nest, but in a step."""
    found = Counter[str]()
    steps: list[Task] = []
    for task in devices.tasks:
        if (task.process, task.thread) == (HOST, thread) and task.start < end and task.stop > start:
            if task.name.startswith("ProfilerStep#"):
                steps.append(task)
            else:
                found[task.name] += min(task.stop, end) - max(task.start, start)
    for step in steps:
        inside = both([(max(step.start, start), min(step.stop, end))], of_kind_any(devices, thread))
        found[step.name] += min(step.stop, end) - max(step.start, start) - ticks(inside)
    return found


def of_kind_any(devices: DeviceTrace, thread: int) -> Spans:
    if thread not in _launches:
        some = [t for t in devices.tasks if (t.process, t.thread) == (HOST, thread) and t.category == "cuda_runtime"]
        _launches[thread] = of_kind(some)
    return _launches[thread]


_launches: dict[int, Spans] = {}


def test_tracks_that_are_no_devices_are_looked_at_one_by_one(devices: DeviceTrace, example: Example) -> None:
    threads = [devices.track(HOST, thread) for thread in (1, 2)]
    answer = gaps(devices.reader, tracks=threads, limit=3)
    assert column(answer, "lane", "lanes") == ["python › thread 1", "python › thread 2"]
    assert column(answer, "idle", "lanes")[0] == 0  # steps cover it
    assert answer.table("lanes").column("idle_share").total == "max"  # shares of several lanes are no parts of a whole
    work = [task for task in devices.tasks if (task.process, task.thread) == (HOST, 2)]
    assert column(answer, "idle", "lanes")[1] == ticks(without(seen(work, WHOLE), of_kind(work)))
    answer = gaps(example.reader)
    assert len(column(answer, "lane", "lanes")) == 4
    assert "one by one: no device's work was recognised" in answer.notes[0].text


@pytest.mark.parametrize("each_track", [False, True])
def test_the_answer_says_how_many_lanes_are_looked_at(devices: DeviceTrace, each_track: bool) -> None:
    fact = gaps(devices.reader, each_track=each_track).fact("lanes")
    count = len(lanes(devices, each_track=each_track))
    assert (fact.label, fact.value, fact.note) == ("Devices or tracks", count, "whose gaps are counted")


def test_some_streams_of_a_device_and_steps(devices: DeviceTrace) -> None:
    work = devices.work(1, 7) + devices.work(1, 9)
    tracks = [devices.track(1, 7), devices.track(1, 9), devices.track(HOST, 1)]
    (idle,) = column(gaps(devices.reader, tracks=tracks), "idle", "lanes")
    assert idle == ticks(without(seen(work, WHOLE), of_kind(work)))
    (idle,) = column(gaps(devices.reader, tracks=tracks, steps="9"), "idle", "lanes")
    assert idle == ticks(without(seen(work, [step_times(devices, 1)[9]]), of_kind(work)))
    first = step_times(devices, 1)[7]
    (idle,) = column(gaps(devices.reader, tracks=tracks, steps="7"), "idle", "lanes")
    assert idle == ticks(without([first], of_kind(work)))  # from its first launch on


def test_more_threads_than_are_looked_at(devices: DeviceTrace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanwhile, "_THREADS_AT_MOST", 1)
    monkeypatch.setattr(edges, "_launch", lambda *_: None)
    answer = gaps(devices.reader, limit=3)
    texts = [note.text for note in answer.notes]
    assert "The host has more threads: 1 were not examined." in texts
    assert any(text.startswith("No flow says what launched the work at their ends") for text in texts)


def test_gaps_of_a_real_trace(tmp_path: Any) -> None:
    """Exact figures of an independent count; the identity idle + busy = span."""
    reader = indexed(corpus_path("kineto/nccl_data.json.gz"), tmp_path)
    answer = gaps(reader)
    figures = [answer.fact(fact).value for fact in ("span", "busy", "idle", "idle_in_gaps", "idle_in_short")]
    assert figures == [660_551_005, 157_500_014, 503_050_991, 503_050_991, 0]
    assert column(answer, "duration")[0] == 15_718_606
    assert (column(answer, "waited_for")[0], column(answer, "launched_by")[0]) == ("host", "cudaMemcpyAsync")


@pytest.mark.parametrize("name", ["kineto/h100_gpt_stack.pt.trace.json.gz", "xplane/tpu_v6e_4core.xplane.pb"])
def test_idle_time_is_all_of_the_time_by_reason(name: str, tmp_path: Path) -> None:
    reader = indexed(corpus_path(name), tmp_path)
    for first, last in ((0, 10), (3, 6)):
        answer = gaps(reader, start=reader.end * first // 10, end=reader.end * last // 10 + 1)
        assert sum(column(answer, "idle", "reasons")) == answer.fact("idle").value
        assert column(answer, "reason", "reasons")[0] == WAIT_TITLES[Wait.LAUNCH]


def test_rows_beside_devices_are_no_threads_of_the_host(tmp_path: Path) -> None:
    """An Ascend profiler calls idle time `Free`, in a process of the host: what the host did meanwhile it is not."""
    build_store(list(find_run(corpus_path("ascend/two_ranks")).files), tmp_path / "run.store")
    reader = QueryReader(open_run_store(tmp_path / "run.store"))
    tree = reader.tree
    answer = gaps(reader)
    names = set(column(answer, "meanwhile"))
    assert "GE@Infer" in names
    assert "Free" not in names
    processes = {tree.groups[tree.tracks[track].group].name for track in column(answer, "host_track") if track}
    assert not {name for name in processes if name.startswith(("Overlap Analysis", "HCCL", "Communication"))}
