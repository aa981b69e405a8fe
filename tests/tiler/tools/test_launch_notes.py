"""Note on work without a launch: in answers about the time of devices, of whatever format."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.tiler.json_traces import write_trace
from tests.tiler.tools.test_launched_steps import kernel, x
from tests.tiler.tools.test_steps import Asked
from tests.tiler.xspace_launches import DEVICE, HOST, STREAM, Event, correlated, plane, step
from tilescope.tiler.indexing import build

Writer = Callable[[Path, int], Path]


def pytorch(folder: Path, kernels: int) -> Path:
    """Two kernels with launches, and more without."""
    alone = [x("kernel", 2, 7, 300 + 10 * k, 5, cat="kernel", args={"correlation": 10 + k}) for k in range(kernels)]
    labels = [
        {"ph": "M", "pid": pid, "name": "process_labels", "args": {"labels": label}}
        for pid, label in ((1, "CPU"), (2, "GPU 0"))
    ]
    return write_trace(folder / "trace.json", [*labels, *kernel(1, 10, 200, 10), *kernel(2, 20, 220, 10), *alone])


def xspace(folder: Path, kernels: int) -> Path:
    """The same."""
    calls = [("launch", 100, correlated(1)), ("launch", 200, correlated(2))]
    work = [("kernel", 300 + 100 * k, correlated(k + 1)) for k in range(2 + kernels)]
    file = folder / "trace.xplane.pb"
    file.write_bytes(plane(HOST, {"main/1": calls}) + plane(DEVICE, {STREAM: work}))
    return file


@pytest.mark.parametrize("tool", ["gaps", "overlap"])
@pytest.mark.parametrize("write", [pytorch, xspace])
@pytest.mark.parametrize(("kernels", "what"), [(0, None), (1, "1 slice of a device"), (3, "3 slices of devices")])
def test_work_without_a_launch(tmp_path: Path, write: Writer, tool: str, kernels: int, what: str | None) -> None:
    text = f"Of {what} with a correlation the run has no launch."
    assert notes(tmp_path, write(tmp_path, kernels), tool) == ([] if what is None else [text])


def notes(folder: Path, file: Path, tool: str = "gaps") -> list[str]:
    """Notes of an answer on launches."""
    trace = Asked(folder, [file])
    texts = [
        note.text
        for note in trace.ask(tool).notes
        if re.search("no launch|No launch|several launches|Launches are", note.text)
    ]
    trace.store.close()
    return texts


def written(folder: Path, calls: Sequence[Event], work: Sequence[Event]) -> Path:
    file = folder / "trace.xplane.pb"
    marks = any(name == "train" for name, *_ in calls)
    host = plane(HOST, {"main/1": calls}, marks=marks) if calls else b""
    file.write_bytes(host + plane(DEVICE, {STREAM: work}))
    return file


MARK: Event = ("train", 0, step(1), 1000)


def test_steps_by_launches(tmp_path: Path) -> None:
    calls: list[Event] = [MARK, ("launch", 100, correlated(1))]
    work: list[Event] = [("kernel", 300, correlated(1)), ("kernel", 400, correlated(2))]
    assert notes(tmp_path, written(tmp_path, calls, work)) == [
        "Of 1 slice of a device with a correlation the run has no launch: "
        "the step of such work is the one in which it starts."
    ]


def test_a_number_that_several_launches_have(tmp_path: Path) -> None:
    calls: list[Event] = [("launch", 100, correlated(1)), ("launch", 200, correlated(1)), ("ok", 210, correlated(2))]
    work: list[Event] = [("kernel", 300 + 100 * k, correlated(1)) for k in range(2)]
    assert notes(tmp_path, written(tmp_path, calls, [*work, ("kernel", 600, correlated(2))])) == [
        "2 slices of devices have a correlation that several launches have."
    ]


def test_both(tmp_path: Path) -> None:
    calls: list[Event] = [("launch", 100, correlated(1)), ("launch", 200, correlated(1))]
    work: list[Event] = [("kernel", 300, correlated(1)), ("kernel", 400, correlated(2))]
    assert notes(tmp_path, written(tmp_path, calls, work)) == [
        "Of 1 slice of a device with a correlation the run has no launch.",
        "1 slice of a device has a correlation that several launches have.",
    ]


def test_devices_alone(tmp_path: Path) -> None:
    work: list[Event] = [("kernel", 300, correlated(1)), ("kernel", 400, correlated(2))]
    assert notes(tmp_path, written(tmp_path, [], work)) == ["No launches were recorded."]


def test_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "FLOW_END_BYTES", 1 << 40)
    assert notes(tmp_path, xspace(tmp_path, 1)) == [
        "Launches are not joined to the work of devices for want of room; index again with more --memory."
    ]
