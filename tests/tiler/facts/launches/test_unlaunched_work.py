"""Work without launches, first and last of each step: it gives the same times and windows as slice by slice."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.facts.launches.test_step_work import reading, x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches import launched_steps, step_work
from tilescope.tiler.facts.launches.device_times import device_times
from tilescope.tiler.facts.launches.launched_steps import StreamRuns, _runs
from tilescope.tiler.facts.launches.unlaunched_work import is_unlaunched, unlaunched_work
from tilescope.tiler.query import finish
from tilescope.tiler.query.run_steps import StepRows

# The pause before each step, which may be none, and its length.
STEPS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 20)), min_size=1, max_size=5)
# Stream, start and length: many take no time, and many begin with a step.
KERNELS = st.lists(st.tuples(st.integers(7, 9), st.integers(0, 120), st.integers(0, 9)), min_size=1, max_size=30)


def columns(rows: StepRows | StreamRuns) -> list[list[int]]:
    return [getattr(rows, name).tolist() for name in rows.__slots__]


@given(steps=STEPS, kernels=KERNELS, is_long=st.booleans())
@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_times_and_windows_are_those_of_all_slices(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[int, int]],
    kernels: list[tuple[int, int, int]],
    is_long: bool,
) -> None:
    events = [{"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}}]
    events.append({"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}})
    now = 0
    for number, (pause, length) in enumerate(steps):
        events.append(x(f"ProfilerStep#{number}", 1, 1, now + pause, length))
        now += pause + length
    events += [x("kernel", 2, stream, start, length, cat="kernel") for stream, start, length in kernels]
    if is_long:  # over all steps, and many leaves
        events.append(x("kernel", 2, 7, 0, 1000, cat="kernel"))
        events += [x("kernel", 2, 7, 200 + k, 1, cat="kernel") for k in range(0, 700, 2)]
    folder = tmp_path_factory.mktemp("work")
    with reading(write_trace(folder / "trace.json", events), folder) as reader:
        (device,) = finish(devices_of(reader))
        marks = reader.steps.of_device(device.tracks[0].track)
        assert marks is not None
        assert is_unlaunched(reader, device.tracks, marks.rows)
        wanted = [finish(step_work(reader, reader.steps, track)) for track in device.tracks]
        works = finish(unlaunched_work(reader, device.tracks, marks.rows))
        for work, all_work in zip(works, wanted, strict=True):
            assert columns(_runs(work)) == columns(_runs(all_work))
        times = device_times(wanted, [], marks.rows)
        assert columns(device_times(works, [], marks.rows)) == columns(times)
        launched = finish(launched_steps(reader, reader.steps))
        assert columns(launched.times[device.group]) == columns(times)
