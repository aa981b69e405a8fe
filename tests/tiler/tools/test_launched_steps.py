"""Questions about steps of GPUs by launches: they are about the work that was launched in these steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.device_trace import HOST, DeviceTrace, Task, step_times
from tests.examples import examples
from tests.tiler.json_traces import write_trace
from tests.tiler.tools.test_steps import Asked
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import finish
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

pytestmark = pytest.mark.slow


def x(name: str, pid: int, tid: int, start: int, length: int, **beside: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": start, "dur": length, **beside}


def kernel(number: int, launch: int, start: int, length: int) -> list[dict[str, Any]]:
    args = {"correlation": number}
    return [
        x("cudaLaunchKernel", 1, 2, launch, 1, cat="cuda_runtime", args=args),
        x(f"kernel {number}", 2, 7, start, length, cat="kernel", args=args),
    ]


@pytest.fixture
def interleaved(tmp_path: Path) -> Asked:
    """Two steps whose kernels take turns on a stream long after their launches; step 3 begins before 2 has ended."""
    events = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
        x("ProfilerStep#2", 1, 1, 0, 50),
        x("ProfilerStep#3", 1, 1, 50, 50),
        x("ProfilerStep#2", 2, 7, 204, 1, cat="gpu_user_annotation"),
        *kernel(1, 10, 200, 10),  # of step 2
        *kernel(2, 60, 210, 5),  # of step 3
        *kernel(3, 20, 220, 10),
        *kernel(4, 70, 240, 20),
        x("kernel 5", 2, 7, 270, 5, cat="kernel"),  # of no step: its launch was not recorded, and it starts after them
    ]
    return Asked(tmp_path, [write_trace(tmp_path / "trace.json", events)])


def kernels_of(counts: dict[str, tuple[int, int, int]]) -> dict[str, tuple[int, int]]:
    return {name: sums[:2] for name, sums in counts.items() if name.startswith("kernel") and sums[0]}


def test_kernels_of_two_steps_that_take_turns_are_told_apart(interleaved: Asked) -> None:
    ticks = 1_000_000 // interleaved.reader.tick_ps  # of a microsecond
    lengths = {1: 10, 2: 5, 3: 10, 4: 20}
    for steps, numbers in ((2, (1, 3)), (3, (2, 4)), ((2, 3), (1, 2, 3, 4))):
        expected = {f"kernel {number}": (1, lengths[number] * ticks) for number in numbers}
        assert kernels_of(interleaved.counts(steps=steps)) == expected
    interleaved.store.close()


def columns_of(answer: Answer, table: str) -> dict[str, list[Any]]:
    return {column.id: list(values_of(column)) for column in answer.table(table).columns}


def test_idle_time_before_a_step_is_in_it(interleaved: Asked) -> None:
    ticks = 1_000_000 // interleaved.reader.tick_ps
    steps = columns_of(interleaved.ask("overlap", steps=(2, 3)), "steps")
    assert steps["step"] == [2, 3]
    # Step 2 ends at 230, with 25 of work in it (5 are of step 3); step 3 goes from there to 260, works from 240 on.
    assert steps["end"] == [230 * ticks, 260 * ticks]
    assert steps["busy"] == [25 * ticks, 20 * ticks]
    assert steps["idle"][1] == 10 * ticks
    assert steps["start"] == [10 * ticks, 230 * ticks]  # its first launch; the end of the step before
    interleaved.store.close()


@pytest.mark.parametrize(
    ("steps", "durations", "mean"), [(None, (220, 30), 30), ((2, 2), (220,), 220), ((3, 3), (30,), 30)]
)
def test_tools_for_steps_take_the_times_of_devices(
    interleaved: Asked, steps: tuple[int, int] | None, durations: tuple[int, ...], mean: int
) -> None:
    """The first step begins with its first launch: it enters no mean of several."""
    ticks = 1_000_000 // interleaved.reader.tick_ps
    wanted = {} if steps is None else {"steps": steps}
    facts = {
        "overview": ("steps", "step_min", "step_max", "step_mean"),
        "input_pipeline": ("steps", "min", "max", "mean"),
        "steps": ("count", "min", "max", "mean"),
    }
    for name, ids in facts.items():
        answer = interleaved.ask(name, **wanted)
        values = [answer.fact(fact).value for fact in ids]
        assert values == [len(durations), min(durations) * ticks, max(durations) * ticks, mean * ticks], name
        assert ("without the first" in answer.fact(ids[-1]).note) == (len(durations) > 1)
    parts = columns_of(interleaved.ask("input_pipeline", **wanted), "parts")
    assert sum(parts["mean"]) == mean * ticks
    assert sum(parts["share"]) == pytest.approx(1)
    cores = columns_of(interleaved.ask("pod", **wanted), "cores")
    assert (cores["steps"], cores["end"]) == ([len(durations)], [(230 if steps == (2, 2) else 260) * ticks])
    assert cores["duration"] == [mean * ticks]
    for name in ("overlap", "gaps"):
        span = interleaved.ask(name, steps=steps or (2, 3)).fact("span").value
        assert span == sum(durations) * ticks, name
    interleaved.store.close()


def test_a_step_without_work_on_the_device_ends_with_its_mark(tmp_path: Path) -> None:
    events = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
        *(x(f"ProfilerStep#{number}", 1, 1, 100 * number, 100) for number in range(4)),
        *kernel(1, 110, 120, 30),
        *kernel(2, 310, 320, 30),
    ]
    trace = Asked(tmp_path, [write_trace(tmp_path / "trace.json", events)])
    ticks = 1_000_000 // trace.reader.tick_ps
    times = [0, 100, 150, 300, 350]
    for name, table in (("steps", "steps"), ("input_pipeline", "host_steps"), ("pod", "cells"), ("overlap", "steps")):
        columns = columns_of(trace.ask(name), table)
        assert columns["step"] == [0, 1, 2, 3], name
        assert columns["start"] == [time * ticks for time in times[:-1]], name
        assert columns["end"] == [time * ticks for time in times[1:]], name
    trace.store.close()


# Slices of the device and kernels in each step. Of the XSpace, tests/tiler/facts/launches counts them in the bytes.
REAL = {
    "kineto/h100_gpt_stack.pt.trace.json.gz": (432, 383),
    "kineto/ns_resolution.pt.trace.json.gz": (1219, 870),
    "kineto/h100_two_ranks/worker0.1795750840553542999.pt.trace.json.gz": (35, 24),
    "xplane/h100_jax_train.xplane.pb": (92, 77),
}
H100_KERNELS = (4_203_685, 4_198_501, 4_181_062, 4_189_358)  # ns


@pytest.mark.parametrize("file", REAL)
def test_all_tools_agree_on_the_steps_of_a_real_trace(tmp_path: Path, file: str) -> None:
    trace = Asked(tmp_path, [corpus_path(file)])
    reader, tick_ps = trace.reader, trace.reader.tick_ps
    numbers = reader.steps.numbers.tolist()
    (device,) = finish(devices_of(reader))
    streams = sorted(device.track_ids)
    is_work = np.logical_or.reduce([track.kinds[1:] != Work.NONE for track in (*device.tracks, *device.beside)])
    work = {reader.names[name].text for name in np.flatnonzero(is_work).tolist()}
    slices, kernels = REAL[file]
    steps = columns_of(trace.ask("steps"), "steps")
    assert steps["step"] == numbers
    assert steps["start"][1:] == steps["end"][:-1]
    for name, table in (("input_pipeline", "host_steps"), ("pod", "cells")):
        columns = columns_of(trace.ask(name), table)
        assert [columns[name] for name in ("step", "start", "end", "duration")] == [
            steps[name] for name in ("step", "start", "end", "duration")
        ], name
    by_step = columns_of(trace.ask("overlap"), "steps")
    assert [by_step[name] for name in ("step", "start", "end", "span")] == [
        steps[name] for name in ("step", "start", "end", "duration")
    ]
    chart = {series.id: series for series in trace.ask("overview").series}["steps"]
    of_parts = [values_of(column) for column in chart.ys if column.id != "event"]
    assert [sum(parts) for parts in zip(*of_parts, strict=True)] == pytest.approx(steps["duration"], abs=len(of_parts))
    whole = len(numbers)
    mean = sum(steps["duration"][1:]) / (whole - 1)
    for name, fact in (("steps", "mean"), ("overview", "step_mean"), ("input_pipeline", "mean")):
        assert trace.ask(name).fact(fact).value == pytest.approx(mean, abs=1), name
    assert columns_of(trace.ask("pod"), "cores")["duration"] == [pytest.approx(mean, abs=1)]
    for row, number in enumerate(numbers):
        overlap, gaps = (trace.ask(name, steps=number) for name in ("overlap", "gaps"))
        assert overlap.fact("span").value == gaps.fact("span").value == steps["duration"][row]
        assert overlap.fact("busy").value == by_step["busy"][row]
        if not device.beside:
            assert overlap.fact("idle").value == gaps.fact("idle").value == by_step["idle"][row]
        assert trace.ask("overview", steps=number).fact("device_idle").value == pytest.approx(
            by_step["idle"][row] / by_step["span"][row]
        )
        if file.endswith(".pb") and row:  # operations count from the first of them on, not from its launch
            for name in ("hlo_stats", "op_profile"):
                assert trace.ask(name, steps=number).fact("span").value == steps["duration"][row], name
        stats = trace.ask("stats", steps=number, tracks=streams, limit=65_536).table("names")
        counts = dict(zip(*(values_of(stats.column(name)) for name in ("name", "count")), strict=True))
        assert sum(int(count or 0) for name, count in counts.items() if name in work) == slices
        answer = trace.ask("kernels", steps=number)
        assert answer.fact("launches").value == kernels
        if "h100_gpt" in file:
            assert answer.fact("time").value == H100_KERNELS[row] * 1000 // tick_ps
    both = (numbers[0], numbers[-1])
    assert trace.ask("kernels", steps=both).fact("launches").value == kernels * whole
    assert trace.ask("overlap", steps=both).fact("span").value == sum(steps["duration"])
    trace.store.close()


def test_over_the_gpus_of_a_file_a_step_ends_on_the_last(devices: DeviceTrace) -> None:
    times = [step_times(devices, device) for device in (0, 1)]
    ends = [max(device_times[number][1] for device_times in times) for number in (7, 8, 9, 10)]
    begin = min(device_times[7][0] for device_times in times)
    for tracks in (None, [devices.track(1, 8)], [devices.track(HOST, 1)]):
        question = from_values(tool("steps").question, {} if tracks is None else {"tracks": tracks})
        steps = columns_of(finish(ask(tool("steps"), Scope(devices.reader), question)), "steps")
        assert [steps[name] for name in ("step", "start", "end")] == [[7, 8, 9, 10], [begin, *ends[:-1]], ends]


STEPS = st.tuples(st.integers(7, 10), st.integers(7, 10)).map(lambda pair: (min(pair), max(pair)))


@given(steps=STEPS, middle=st.integers(0, 620_000), cut=st.integers(0, 3))
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_halves_of_steps_and_of_spans_in_steps_add_up(
    devices: DeviceTrace, steps: tuple[int, int], middle: int, cut: int
) -> None:
    end = devices.reader.end + 1
    middle = min(middle, end)
    border = min(steps[0] + cut, steps[1])
    by_time = [{"steps": steps, "start": start, "end": stop} for start, stop in ((0, middle), (middle, end))]
    by_number = [{"steps": (steps[0], border)}, *([{"steps": (border + 1, steps[1])}] if border < steps[1] else [])]
    for halves in (by_time, by_number):
        for name, facts in (("overlap", OVERLAP), ("gaps", ("span", "busy", "idle"))):
            whole = figures(devices, name, facts, {"steps": steps})
            parts = [figures(devices, name, facts, half) for half in halves]
            assert whole == [sum(column) for column in zip(*parts, strict=True)], (name, halves)
        counted = [counts_of(devices, half) for half in halves]
        assert counts_of(devices, {"steps": steps}) == sum(counted, Counter())


OVERLAP = ("span", "busy", "idle", "computation", "exposed_communication", "exposed_copies")


def figures(devices: DeviceTrace, name: str, facts: Sequence[str], values: dict[str, Any]) -> list[int]:
    answer = finish(ask(tool(name), Scope(devices.reader), from_values(tool(name).question, values)))
    return [int(answer.fact(fact).value or 0) for fact in facts]


def counts_of(devices: DeviceTrace, values: dict[str, Any]) -> Counter[str]:
    """Slices of all streams by name."""
    tracks = [devices.track(device, 7 + stream) for device, streams in ((0, 2), (1, 3)) for stream in range(streams)]
    question = from_values(tool("stats").question, {**values, "tracks": tracks, "limit": 65_536})
    table = finish(ask(tool("stats"), Scope(devices.reader), question)).table("names")
    names, counts = (values_of(table.column(name)) for name in ("name", "count"))
    return Counter({str(name): int(count or 0) for name, count in zip(names, counts, strict=True) if count})


def test_work_by_step_and_that_of_none_is_all_work(devices: DeviceTrace) -> None:
    """By plain Python: to the step in which its launch began; without one, to that in which it starts.

    What starts at the same tick on a stream goes with the last of it: windows of time cannot tell it apart.
    """
    marks = {int(task.name[13:]): task for task in devices.tasks if task.name.startswith("ProfilerStep#")}
    by_step: dict[int | None, Counter[str]] = {number: Counter() for number in (None, *marks)}
    at_once: dict[tuple[str, int], list[Task]] = {}
    for task in (task for device in (0, 1) for task in devices.work(device)):
        at_once.setdefault((task.track, task.start), []).append(task)
    for tasks in at_once.values():
        last = sorted(tasks, key=lambda task: task.start - task.stop)[-1]
        time = last.start if last.launched_by is None else devices.tasks[last.launched_by].start
        number = next((number for number, mark in marks.items() if mark.start <= time < mark.stop), None)
        by_step[number] += Counter(task.name for task in tasks)
    assert by_step[None]
    total = Counter[str]()
    for number in marks:
        counts = counts_of(devices, {"steps": number})
        counts.pop("## forward ##", None)
        assert counts == by_step[number]
        total += counts
    whole = counts_of(devices, {})
    whole.pop("## forward ##")
    assert total + by_step[None] == whole
