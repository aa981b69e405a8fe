"""Note on work without a launch: in answers about the time of devices, of whatever format."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.json_traces import write_trace
from tests.tiler.tools.test_launched_steps import kernel, x
from tests.tiler.tools.test_steps import Asked
from tests.tiler.xspace_launches import DEVICE, HOST, STREAM, correlated, plane


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
def test_work_without_a_launch(tmp_path: Path, write: object, tool: str, kernels: int, what: str | None) -> None:
    assert callable(write)
    trace = Asked(tmp_path, [write(tmp_path, kernels)])
    texts = [note.text for note in trace.ask(tool).notes if "has no launch" in note.text]
    begin = f"Of {what} the run has no launch"
    assert [text.startswith(begin) for text in texts] == ([] if what is None else [True])
    trace.store.close()
