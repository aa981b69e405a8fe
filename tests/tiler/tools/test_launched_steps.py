"""Questions about steps of GPUs in PyTorch traces: they are about the work that was launched in these steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.tiler.json_traces import write_trace
from tests.tiler.tools.test_steps import Asked
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer import values_of


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


@pytest.mark.parametrize(("steps", "durations"), [(None, (220, 30)), ((2, 2), (220,)), ((3, 3), (30,))])
def test_tools_for_steps_take_the_times_of_devices(
    interleaved: Asked, steps: tuple[int, int] | None, durations: tuple[int, ...]
) -> None:
    ticks = 1_000_000 // interleaved.reader.tick_ps
    wanted = {} if steps is None else {"steps": steps}
    for tool, least, most in (("overview", "step_min", "step_max"), ("input_pipeline", "min", "max")):
        answer = interleaved.ask(tool, **wanted)
        assert answer.fact("steps").value == len(durations)
        assert (answer.fact(least).value, answer.fact(most).value) == (min(durations) * ticks, max(durations) * ticks)
    cores = columns_of(interleaved.ask("pod", **wanted), "cores")
    assert (cores["steps"], cores["end"]) == ([len(durations)], [(230 if steps == (2, 2) else 260) * ticks])
    interleaved.store.close()


@pytest.mark.parametrize(
    ("file", "first", "last", "kernels"),
    [("h100_gpt_stack", 3, 6, 383)],
)
def test_all_kernels_of_the_steps_of_a_real_trace(
    tmp_path: Path, file: str, first: int, last: int, kernels: int
) -> None:
    trace = Asked(tmp_path, [corpus_path(f"kineto/{file}.pt.trace.json.gz")])
    assert trace.ask("kernels", steps=(first, last)).fact("launches").value == kernels * (last - first + 1)
    for step in range(first, last + 1):
        assert trace.ask("kernels", steps=step).fact("launches").value == kernels
    trace.store.close()
