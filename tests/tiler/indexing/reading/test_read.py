"""Files of a run that are read side by side."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tilescope.tiler.indexing.meter import Meter
from tilescope.tiler.indexing.reading.read import read_files
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.readers.trace_event import TraceEventReader


@pytest.mark.parametrize(
    ("files", "workers", "threads"), [(1, 1, 1), (1, 8, 8), (2, 2, 2), (2, 8, 5), (16, 16, 2), (40, 4, 2)]
)
def test_files_share_the_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int, workers: int, threads: int
) -> None:
    shares: list[int] = []
    monkeypatch.setattr(TraceEventReader, "take_threads", lambda _, share: shares.append(share))
    paths = [tmp_path / f"host{number}.json" for number in range(files)]
    for path in paths:
        path.write_text(json.dumps([{"ph": "X", "name": "a", "ts": 1, "dur": 1, "pid": path.stem}]))
    meter = Meter(lambda _: None)
    with (
        ThreadPoolExecutor(workers) as pool,
        read_files(paths, Scratch(), meter, pool, workers, lambda _: None) as read,
    ):
        assert len(read.readable) == files
    assert shares == [threads] * files
