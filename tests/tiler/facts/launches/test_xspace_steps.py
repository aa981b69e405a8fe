"""Steps of the GPUs of an XSpace: its work belongs to the step in which its launch began, as plain Python counts it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.tiler.facts.launches.test_step_work import TIMES, kernels_of, reading, work_by_track, x
from tests.tiler.json_traces import write_trace
from tests.tiler.readers import wire_writer as w
from tests.tiler.readers.xspace import xspace_reference
from tests.tiler.xspace_launches import DEVICE, HOST, Event, correlated, plane, step
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches import device_launches, launched_steps
from tilescope.tiler.query import finish

LENGTHS = st.integers(1, 20)
KERNELS = kernels_of(LENGTHS)


@given(steps=st.lists(st.tuples(TIMES, LENGTHS), min_size=1, max_size=5), kernels=KERNELS)
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_work_by_step_is_that_of_plain_python(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[int, int]],
    kernels: list[tuple[tuple[int, int] | None, int, int, int]],
) -> None:
    threads: dict[str, list[Event]] = {"main/1": [], "t/2": [], "t/3": []}
    threads["main/1"] += [("train", start, step(k), length) for k, (start, length) in enumerate(steps)]
    streams: dict[str, list[Event]] = {}
    for key, (launch, stream, start, length) in enumerate(kernels):
        event = (f"kernel {key}", start, correlated(key + 1), length)
        streams.setdefault(f"Stream #{stream}(Compute)", []).append(event)
        if launch is not None:
            threads[f"t/{launch[0]}"].append(("cuLaunchKernel", launch[1], correlated(key + 1), 1))
    expected = {}
    for key, (launch, _, start, _) in enumerate(kernels):
        time = start if launch is None else launch[1]
        around = [(first, k) for k, (first, length) in enumerate(steps) if first <= time < first + length]
        starts = {first for first, _ in around}
        last = {k for first, k in around if first == max(starts)}
        expected[f"kernel {key}"] = (last or {-1}, launch is not None)
    folder = tmp_path_factory.mktemp("run")
    file = folder / "trace.xplane.pb"
    file.write_bytes(plane(HOST, threads, marks=True) + plane(DEVICE, streams))
    with reading(file, folder) as reader:
        rows = {
            reader.names[name].text: (number, is_launched)
            for work in work_by_track(reader).values()
            for name, number, is_launched in zip(
                work.name.tolist(), work.number.tolist(), work.is_launched.tolist(), strict=True
            )
        }
        assert rows.keys() == expected.keys()
        for name, (numbers, is_launched) in expected.items():
            assert rows[name][0] in numbers, name
            assert rows[name][1] == is_launched
        (device,) = finish(devices_of(reader))
        times = finish(launched_steps(reader, reader.steps)).times
        assert (device.group in times) == any(launch is not None for launch, *_ in kernels)


def test_a_line_of_steps_stays_what_it_is(tmp_path: Path) -> None:
    threads: dict[str, list[Event]] = {
        "main/1": [("train", 0, step(4), 100), ("cuLaunchKernel", 10, correlated(1), 1)],
    }
    streams: dict[str, list[Event]] = {
        "Stream #7(Compute)": [("kernel", 200, correlated(1), 50)],
        "Steps": [("9", 190, b"", 70)],
    }
    file = tmp_path / "trace.xplane.pb"
    file.write_bytes(plane(HOST, threads, marks=True) + plane(DEVICE, streams))
    with reading(file, tmp_path) as reader:
        (work,) = work_by_track(reader).values()
        assert (work.number.tolist(), work.is_launched.tolist()) == ([9], [True])
        assert not finish(launched_steps(reader, reader.steps)).times


def test_work_of_a_tpu_follows_no_launches(tmp_path: Path) -> None:
    """A flow of the file joins a call of the host to an operation."""
    begin, end = (correlated(7, key=kind) + correlated(77, key=kind + 1) for kind in (11, 13))
    names = b"".join(w.stat_metadata(key, name) for key, name in enumerate(("_pt", "_p", "_ct", "_c"), 11))
    threads: dict[str, list[Event]] = {"main/1": [("train", 0, step(4), 100), ("run", 10, begin)]}
    file = tmp_path / "trace.xplane.pb"
    for line, follows in (("Stream #7(Compute)", True), ("XLA Ops", False)):
        device = "/device:GPU:0" if follows else "/device:TPU:0"
        file.write_bytes(
            plane(HOST, threads, marks=True, more=names) + plane(device, {line: [("work", 200, end)]}, more=names)
        )
        with reading(file, tmp_path / line) as reader:
            (track,) = (track.track for device in finish(devices_of(reader)) for track in device.tracks)
            assert len(finish(device_launches(reader, track))) == 1
            assert bool(finish(launched_steps(reader, reader.steps)).times) == follows


def test_annotations_of_json_are_no_steps(tmp_path: Path) -> None:
    labels = [
        {"ph": "M", "pid": pid, "name": "process_labels", "args": {"labels": label}}
        for pid, label in ((1, "CPU"), (2, "GPU 0"))
    ]
    args = {"correlation": 1}
    events = [
        x("train", 1, 1, 0, 100, args={"step_num": 4}),
        x("cudaLaunchKernel", 1, 1, 10, 1, cat="cuda_runtime", args=args),
        x("kernel", 2, 7, 50, 10, cat="kernel", args=args),
    ]
    with reading(write_trace(tmp_path / "trace.json", [*labels, *events]), tmp_path) as reader:
        assert not reader.steps.series
        assert not finish(launched_steps(reader, reader.steps)).times


def test_each_step_of_a_real_run_has_what_was_launched_in_it(tmp_path: Path) -> None:
    """Counted from the bytes of the file: the step whose mark holds the start of the event of a kernel's number."""
    file = corpus_path("xplane/h100_jax_train.xplane.pb")
    space = xspace_reference.read_space(file.read_bytes())
    is_device = [space.planes[track.plane].startswith("/device:") for track in space.tracks]
    launches, marks, kernels = {}, [], []
    for event in space.events:
        stats = dict(event.args)
        if "step_num" in stats:
            marks.append((event.start_ps, event.start_ps + event.duration_ps, stats["step_num"]))
        if "correlation_id" in stats and is_device[event.track]:
            kernels.append((event, stats["correlation_id"]))
        elif "correlation_id" in stats:
            launches[stats["correlation_id"]] = event.start_ps
    step_of = {
        number: next((mark for first, last, mark in marks if first <= time < last), -1)
        for number, time in launches.items()
    }
    events: Counter[object] = Counter()
    busy: Counter[object] = Counter()
    for event, number in kernels:
        events[step_of[number]] += 1
        busy[step_of[number]] += event.duration_ps
    with reading(file, tmp_path) as reader:
        works = list(work_by_track(reader).values())
        for number in events:
            parts = [work.take(work.number == number) for work in works]
            assert sum(map(len, parts)) == events[number]
            assert sum(int((part.stop - part.start).sum()) for part in parts) * reader.tick_ps == busy[number]
        assert sum(map(len, works)) == sum(events.values())
        assert all(work.is_launched.all() for work in works)
        ends = np.array([max(int(w.stop[w.number == k].max(initial=0)) for w in works) for k in range(6)])
        times = next(iter(finish(launched_steps(reader, reader.steps)).times.values()))
        assert times.stop.tolist() == ends.tolist()
        assert times.start[1:].tolist() == ends[:-1].tolist()
