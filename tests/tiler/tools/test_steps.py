"""Steps: the tool, and questions about them, against the files themselves and plain sums over events."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.headlines import headline
from tests.step_files import CORPUS, files_of, steps_of
from tests.tiler.store.replayed_build import builder
from tests.tiler.windows import pairs
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import EVERYTHING, QueryReader, Reading, finish
from tilescope.tiler.store import open_growing, open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of
from tilescope.tiler.windows import Windows

Event = dict[str, Any]
Row = dict[str, Any]


class Asked:
    """A store of some files, and questions to it."""

    def __init__(self, folder: Path, files: list[Path]) -> None:
        build_store(files, folder / "store")
        self.store = open_run_store(folder / "store")
        self.reader = QueryReader(self.store)

    @classmethod
    def of_events(cls, folder: Path, *files: list[Event]) -> Asked:
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{number}.json" for number in range(len(files))]
        for path, events in zip(paths, files, strict=True):
            path.write_text(json.dumps(events))
        return cls(folder, paths)

    def ask(self, name: str, **values: object) -> Answer:
        return finish(ask(tool(name), Scope(self.reader), from_values(tool(name).question, values)))

    def rows(self, table: str, **values: object) -> list[Row]:
        found = self.ask("steps", **values).table(table)
        columns = {column.id: values_of(column) for column in found.columns}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def track(self, name: str) -> int:
        (found,) = [t.id for t in self.reader.tree.tracks if t.name == name and t.kind != "rollup"]
        return int(found)

    def windows(self, track: str, **values: object) -> list[tuple[int, int]]:
        rows = self.rows("tracks", tracks=[self.track(track)], per_track=True, **values)
        return [(row["start"], row["end"]) for row in rows]

    def notes(self, name: str, **values: object) -> str:
        return "\n".join(note.text for note in self.ask(name, **values).notes)

    def counts(self, **values: object) -> dict[str, tuple[int, int, int]]:
        """Count, busy and self time by name, of all its categories."""
        table = self.ask("stats", limit=65_536, **values).table("names")
        columns = [values_of(table.column(name)) for name in ("name", "count", "busy", "self")]
        sums: dict[str, tuple[int, int, int]] = {}
        for name, *figures in zip(*columns, strict=True):
            count, busy, own = sums.get(str(name), (0, 0, 0))
            sums[str(name)] = count + int(figures[0]), busy + int(figures[1]), own + int(figures[2])
        return sums


def thread(pid: int, tid: int, name: str, process: str = "") -> list[Event]:
    meta = [{"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}]
    return [*meta, *([{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": process}}] if process else [])]


def x(name: str, start: int, stop: int, pid: int = 1, tid: int = 1) -> Event:
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": start / 1000, "dur": (stop - start) / 1000}


@pytest.fixture(scope="module", params=CORPUS)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Asked]]:
    asked = Asked(tmp_path_factory.mktemp("real"), files_of(corpus_path(request.param)))
    yield request.param, asked
    asked.store.close()


def test_steps_of_real_files_by_device(real: tuple[str, Asked]) -> None:
    name, asked = real
    expected = steps_of(corpus_path(name))
    devices = defaultdict[tuple[str, str], Counter[tuple[int, int]]](Counter)
    tick_ps = asked.store.manifest()["tick_ps"]
    for step in expected:
        devices[step.host, step.process][step.number, step.duration_ps // tick_ps] += 1
    series = asked.rows("series")
    assert sorted(row["count"] for row in series) == sorted(of.total() for of in devices.values())
    found = {row["series"]: Counter[tuple[int, int]]() for row in series if row["counted"]}
    for row in asked.rows("devices"):
        track, ordinal = map(int, row["event"].split("."))
        event = event_details(asked.store, track, ordinal)
        assert event is not None
        found[row["series"]][row["step"], int(event["duration"])] += 1
        if not name.startswith("kineto/"):  # these last as long as on the GPU: test_launched_steps.py
            assert event["start"] == str(row["start"])
            # Cores measure steps by their own clock, which is finer than the timeline's.
            assert 0 <= int(event["duration"]) - row["duration"] <= (78 if name == "pod" else 0)
    assert all(of in devices.values() for of in found.values())
    assert [row["step"] for row in asked.rows("steps")] == list(CORPUS[name])


def test_durations_of_a_real_run(tmp_path: Path) -> None:
    """A step takes as long as on its slowest device: the figures of the pod's generator."""
    asked = Asked(tmp_path, files_of(corpus_path("pod")))
    truth = json.loads(gzip.decompress(corpus_path("pod/truth.json.gz").read_bytes()))
    longest = [max(core["duration"] for core in step["cores"].values()) for step in truth["steps"]]
    answer = asked.ask("steps")
    assert values_of(answer.table("steps").column("duration")) == longest
    figures = {name: answer.fact(name).value for name in ("count", "first", "last", "devices", "min", "max")}
    assert figures == {"count": 6, "first": 100, "last": 105, "devices": 16, "min": min(longest), "max": max(longest)}
    assert answer.fact("mean").value == round(sum(longest) / 6)
    deviation = answer.fact("deviation").value
    assert isinstance(deviation, int)
    assert deviation == pytest.approx(stdev(longest), rel=1e-9)
    assert str(answer.fact("source").value).startswith("line Steps of Chip 0: TPU Core 0 of tpu-pod-w-0")
    assert headline(answer).text.startswith("Each step loses 29.7 ms of 126 ms (23.6 %) because the next batch")
    assert headline(answer).event is not None
    assert [note.text.split(":")[0] for note in answer.notes[:2]] == ["To gain up to 23.6 %", "Next"]
    assert answer.notes[2].text.endswith("step 100 and step 105 may have had more work than is shown.")
    asked.store.close()


def test_stats_of_steps_are_the_sum_of_each_step(real: tuple[str, Asked]) -> None:
    name, asked = real
    numbers = list(CORPUS[name])
    whole = asked.counts(steps=(numbers[0], numbers[-1]))
    total: dict[str, tuple[int, int, int]] = {}
    for number in numbers:
        for op, sums in asked.counts(steps=number).items():
            total[op] = tuple(a + b for a, b in zip(total.get(op, (0, 0, 0)), sums, strict=True))  # type: ignore[assignment]
    assert total == whole


def test_steps_against_all_events_of_real_files(real: tuple[str, Asked]) -> None:
    """Count and busy time by name, of the windows that each track has, over all leaves."""
    name, asked = real
    first, last = CORPUS[name][0], CORPUS[name][len(CORPUS[name]) // 2]
    windows = defaultdict[int, list[tuple[int, int]]](list)
    for row in asked.rows("tracks", steps=(first, last), per_track=True):
        windows[row["track"]].append((row["start"], row["end"]))
    count, busy = Counter[str](), Counter[str]()
    for track in asked.reader.tree.leaves(None):
        if asked.reader.tree.tracks[track].events == 0:
            continue
        plan = asked.reader.plan(track, EVERYTHING)
        for events in Reading(asked.reader).events(plan, plan.leaf_runs):
            for op, start, duration in zip(
                *(c.tolist() for c in (events.name, events.start, events.duration)), strict=True
            ):
                text = asked.reader.names[op].text
                for begin, end in windows[track]:
                    count[text] += begin <= start < end
                    busy[text] += max(0, min(start + duration, end) - max(start, begin))
    found = asked.counts(steps=(first, last))
    assert {op: sums[:2] for op, sums in found.items() if any(sums[:2])} == {
        op: (count[op], busy[op]) for op in count if count[op] or busy[op]
    }


SPANS = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 60)), min_size=1, max_size=12)


@given(steps=SPANS, ops=st.lists(st.tuples(st.integers(0, 450), st.integers(0, 30)), max_size=30), data=st.data())
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_steps_of_a_device_and_of_a_host(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[int, int]],
    ops: list[tuple[int, int]],
    data: st.DataObject,
) -> None:
    events = [*thread(1, 1, "main"), *thread(2, 1, "stream"), x("edge", 0, 600)]
    events += [x(f"ProfilerStep#{k}", start, start + length, tid=2) for k, (start, length) in enumerate(steps)]
    events += [x("op", start, start + length, pid=2) for start, length in ops]
    asked = Asked.of_events(tmp_path_factory.mktemp("any"), events)
    first = data.draw(st.integers(0, len(steps) - 1))
    last = data.draw(st.integers(first, len(steps) - 1))
    ticks = {tick for start, length in steps[first : last + 1] for tick in range(start, start + length)}
    expected = (sum(a in ticks for a, _ in ops), sum(tick in ticks for a, n in ops for tick in range(a, a + n)))
    found = asked.counts(steps=(first, last), tracks=[asked.track("stream")] if ops else [])
    assert found.get("op", (0, 0))[:2] == expected
    asked.store.close()


def test_a_device_has_its_own_steps_and_other_processes_those_of_their_file_or_host(tmp_path: Path) -> None:
    one = [
        *thread(1, 1, "python", "python"), *thread(2, 1, "stream 7", "GPU 0"), *thread(3, 1, "stream 8", "GPU 1"),
        x("ProfilerStep#1", 0, 100), x("ProfilerStep#2", 110, 200),
        x("ProfilerStep#1", 50, 160, pid=2), x("k", 0, 10, pid=2), x("k", 0, 10, pid=3),
    ]  # fmt: skip
    two = [*thread(9, 1, "elsewhere", "server"), x("k", 0, 10, pid=9)]
    asked = Asked.of_events(tmp_path, one, two)
    assert asked.windows("python", steps=(1, 2)) == [(0, 100), (110, 200)]
    assert asked.windows("stream 7", steps=(1, 2)) == [(50, 160)]
    assert asked.windows("stream 7", steps=2) == []
    assert asked.windows("stream 8", steps=2) == asked.windows("elsewhere", steps="2") == [(110, 200)]
    assert [row["counted"] for row in asked.rows("series")] == [True, False]
    asked.store.close()


def test_where_only_devices_mark_steps_a_host_has_them_from_the_first_to_the_last(tmp_path: Path) -> None:
    events = [
        *thread(1, 1, "Steps", "/device:TPU:0"), *thread(2, 1, "Steps", "/device:TPU:1"), *thread(3, 1, "host", "py"),
        x("4", 10, 20), x("5", 30, 40), x("4", 15, 27, pid=2), x("5", 28, 39, pid=2), x("k", 0, 99, pid=3),
    ]  # fmt: skip
    asked = Asked.of_events(tmp_path, events)
    assert asked.windows("host", steps="4..5") == [(10, 27), (28, 40)]
    assert [row["duration"] for row in asked.rows("steps")] == [12, 11]
    asked.store.close()


def test_what_is_odd_about_steps_is_said(tmp_path: Path) -> None:
    events = [*thread(1, 1, "a", "one"), x("ProfilerStep#3", 0, 10), x("ProfilerStep#5", 8, 20)]
    events += [x("ProfilerStep#3", 30, 40), {**x("ProfilerStep#4", 50, 60), "ph": "B"}, x("end", 90, 99)]
    asked = Asked.of_events(tmp_path, events)
    text = asked.notes("steps")
    assert "Numbers begin anew on one" in text
    assert "Numbers are missing" not in text
    assert "Steps overlap on one" in text
    assert "Step 4 of one has no end in the trace" in text
    assert [(row["step"], row["pass"]) for row in asked.rows("steps")] == [(3, 1), (5, 1), (3, 2), (4, 2)]
    assert asked.windows("a", steps=3) == [(0, 10), (30, 40)]
    assert asked.windows("a", steps=(3, 5)) == [(0, 20), (30, 40), (50, 99)]
    about = asked.notes("stats", steps=(1, 3))
    assert "Not all of steps 1-3 are in the trace: it has steps 3 to 5" in about
    assert "Numbers begin anew on one: steps of all passes are counted" in about
    asked.store.close()


def test_the_first_and_the_last_step_are_said_to_lack_what_crosses_the_recording(tmp_path: Path) -> None:
    events = [*thread(1, 1, "a", "python"), *(x(f"ProfilerStep#{n}", 10 * n, 10 * n + 9) for n in (7, 8, 9))]
    run = Asked.of_events(tmp_path, events)
    border = "Events that began before the recording, or ended after it, are not in the file: "
    for name in ("steps", "overview", "input_pipeline"):
        for steps, values in (("step 7 and step 9", {}), ("step 7", {"end": 15}), ("step 9", {"steps": (8, 9)})):
            assert f"{border}{steps} may have had more work than is shown" in run.notes(name, **values)
        assert "not in the file" not in run.notes(name, steps=8)
    run.store.close()


def test_steps_that_are_only_counted_are_not_lacking(tmp_path: Path) -> None:
    """The first that a device has is 0, whichever it is: of two devices with as many, none lacks a number."""
    events = [*thread(1, 1, "Steps", "/device:TPU:0"), *thread(2, 1, "Steps", "/device:TPU:1")]
    events += [x("a", 10, 20), x("b", 30, 40), x("c", 50, 60), x("b", 30, 40, pid=2), x("c", 50, 60, pid=2)]
    devices = Asked.of_events(tmp_path, events)
    assert "lack" not in devices.notes("steps")
    devices.store.close()


def test_devices_that_disagree_and_annotations_that_are_not_used(tmp_path: Path) -> None:
    events = [*thread(1, 1, "Steps", "/device:TPU:0"), *thread(2, 1, "Steps", "/device:TPU:1")]
    events += [x("4", 10, 20), x("5", 30, 40), x("6", 50, 60), x("4", 15, 27, pid=2), x("6", 50, 60, pid=2)]
    events += [*thread(1, 2, "loop"), x("Iteration 9", 0, 9, tid=2)]
    asked = Asked.of_events(tmp_path, events)
    text = asked.notes("steps")
    assert "/device:TPU:1 lacks step 5" in text
    assert "Numbers are missing on /device:TPU:1" in text
    assert "Not used: slices Iteration N of loop of /device:TPU:0" in text
    assert "Some of steps 4-6 are missing on /device:TPU:1" in asked.notes("stats", steps=(4, 6))
    asked.store.close()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": 7}, "there is no step 7: the run has steps 1 to 2"),
        ({"steps": (8, 9)}, "there are no steps 8-9: the run has steps 1 to 2"),
        ({"steps": "9-8"}, "steps 9 to 8 are not a range"),
        ({"steps": "1-"}, "steps must be a number or a range, as in 5 or 5-9, not '1-'"),
        ({"steps": "-1"}, "steps must be a number or a range"),
        ({"steps": "1,2"}, "steps must be a number or a range"),
        ({"steps": "9" * 19}, "steps must be a number or a range"),
        ({"steps": (1, 2, 3)}, "steps are a number, the first and the last of them"),
        ({"steps": True}, "steps are a number, the first and the last of them"),
        ({"step_name": "nobody"}, "no slice is called 'nobody', with a number or without"),
        ({"steps": 1, "step_name": "nobody"}, "no slice is called 'nobody', with a number or without"),
    ],
)
def test_steps_that_there_are_not(tmp_path: Path, values: dict[str, object], message: str) -> None:
    asked = Asked.of_events(tmp_path, [x("ProfilerStep#1", 0, 9), x("ProfilerStep#2", 10, 20), x("op", 0, 5, tid=2)])
    with pytest.raises(UsageError) as error:
        asked.ask("stats", **values)
    assert message in str(error.value)
    asked.store.close()


def test_a_trace_without_steps_says_how_to_name_them(tmp_path: Path) -> None:
    asked = Asked.of_events(
        tmp_path, [x("train(3)", 0, 9), x("train(4)", 10, 20), x("trainer 5", 30, 40), x("op", 2, 5)]
    )
    for name in ("steps", "stats"):
        with pytest.raises(UsageError, match="the trace marks no steps: say with step_name which slices are steps"):
            asked.ask(name, steps=3)
    rows = asked.rows("steps", step_name="train")
    assert [(row["step"], row["name"], row["duration"]) for row in rows] == [(3, "train 3", 9), (4, "train 4", 10)]
    assert asked.counts(steps=3, step_name="train") == {"train(3)": (1, 9, 6), "op": (1, 3, 3)}
    assert [row["step"] for row in asked.rows("steps", step_name="op")] == [0]
    assert "slices 'train' of" in str(asked.ask("steps", step_name="train").fact("source").value)
    asked.store.close()


def test_steps_and_a_span_are_what_lies_in_both(tmp_path: Path) -> None:
    asked = Asked.of_events(tmp_path, [x("ProfilerStep#1", 0, 9), x("ProfilerStep#2", 10, 20), x("op", 0, 30, tid=2)])
    op = [asked.track(next(t.name for t in asked.reader.tree.tracks if t.events == 1))]
    assert asked.counts(steps=(1, 2), start=5, end=12, tracks=op)["op"] == (0, 6, 6)
    assert [row["step"] for row in asked.rows("steps", start=9, end=12)] == [2]
    (window,) = asked.rows("tracks", steps=2, start=12, per_track=True, tracks=op)
    assert pairs(Windows.single(window["start"], window["end"])) == [(12, 20)]
    asked.store.close()


def test_many_steps_are_listed_in_part(tmp_path: Path) -> None:
    asked = Asked.of_events(tmp_path, [x(f"Iteration {k}", 10 * k, 10 * k + 5) for k in range(50)])
    answer = asked.ask("steps", limit=7)
    assert [len(answer.table(name)) for name in ("steps", "devices")] == [7, 7]
    assert answer.fact("count").value == 50
    assert "Not all steps are listed" in answer.notes[-1].text
    asked.store.close()


def test_steps_of_a_run_that_is_being_indexed(tmp_path: Path) -> None:
    """Tracks 0 to 31 come first: the thread that marks steps is among them, and then the answer is of these alone."""
    events = [*thread(1, 1, "0 main", "python"), x("ProfilerStep#1", 0, 9), x("ProfilerStep#2", 10, 20)]
    for tid in range(2, 40):
        events += [*thread(1, tid, f"{tid} other"), x("op", 3, 5, tid=tid)]
    asked = Asked.of_events(tmp_path, events)
    asked.store.close()
    with builder(tmp_path / "store", tmp_path / "growing", "00ff00ff00ff00ff00ff00ff") as process:
        process.step("show 1")
        store = open_growing(tmp_path / "growing", "00ff00ff00ff00ff00ff00ff")

        def answer(name: str, **values: object) -> Answer:
            question = from_values(tool(name).question, values)
            return finish(ask(tool(name), Scope(QueryReader(store)), question))

        none = answer("stats", steps=1)
        assert not none.is_complete
        assert "still being indexed: the trace marks no steps" in none.notes[0].text
        process.step("block 0")
        steps = answer("steps")
        assert (steps.fact("count").value, steps.is_complete) == (2, False)
        stats = answer("stats", steps=1)
        assert (values_of(stats.table("names").column("count")), stats.is_complete) == ([31, 1], False)
        process.step("block 1")
        process.step("publish")
        store.published()
        assert answer("stats", steps=1).is_complete
        store.close()
