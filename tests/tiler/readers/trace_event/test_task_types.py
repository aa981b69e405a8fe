"""The type of a task of an Ascend device is its category, where it has none."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tilescope.tiler.readers.trace_event.reader import TraceEventReader


@pytest.mark.parametrize(
    ("members", "category"),
    [
        ('"args": {"Task Type": "AI_CORE"}', "AI_CORE"),
        ('"args": {"Task Type": "AI\\u005fCORE"}', "AI_CORE"),
        ('"cat": "", "args": {"a": 1, "Task Type": "AI_CPU"}', "AI_CPU"),
        ('"cat": "mine", "args": {"Task Type": "AI_CORE"}', "mine"),
        ('"args": {"Task Type": 5}', ""),
        ('"args": {"Task Type": null}', ""),
        ('"args": {"Task Type": {"Task Type": "AI_CORE"}}', ""),
        ('"args": {"inner": {"Task Type": "AI_CORE"}}', ""),
        ('"args": {"text": "Task Type", "b": "AI_CORE"}', ""),
        ('"args": ["Task Type", "AI_CORE"]', ""),
        ('"args": {"Task Type": "a", "Task Type": "b"}', "b"),
        ('"Task Type": "AI_CORE"', ""),
    ],
)
def test_category(members: str, category: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(f'[{{"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 1, "dur": 1, {members}}}]')
    with closing(TraceEventReader.open(path)) as reader:
        for _ in reader.chunks():
            pass
        assert list(zip(reader.summary().names, reader.summary().categories, strict=True)) == [("a", category)]
