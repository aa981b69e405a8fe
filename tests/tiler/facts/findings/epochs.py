"""A trace of epochs of two steps: the host reads at the begin of each epoch, which no trace marks as a step."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from tests.tiler.json_traces import write_trace

EPOCH_US: Final = 10_000
READING_US: Final = 4_000


def slice_of(name: str, process: int, start: int, length: int, **beside: Any) -> dict[str, Any]:
    """A slice; times in us."""
    return {"ph": "X", "name": name, "pid": process, "tid": process, "ts": start, "dur": length, **beside}


def write_epochs(folder: Path) -> Path:
    """The trace as a file."""
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": process, "name": "process_labels", "args": {"labels": label}}
        for process, label in ((1, "CPU"), (40, "GPU 0"))
    ]
    for epoch in range(4):
        begin = EPOCH_US * epoch
        events.append(slice_of(f"epoch {epoch}", 1, begin, EPOCH_US))
        events.append(slice_of("DataLoader.__next__", 1, begin, READING_US))
        for half in range(2):
            events.append(slice_of(f"ProfilerStep#{2 * epoch + half}", 1, begin + EPOCH_US // 2 * half, EPOCH_US // 2))
            events.append(slice_of("gemm", 40, begin + READING_US + 3_000 * half, 3_000, cat="kernel"))
    return write_trace(folder / "epochs.json", events)
