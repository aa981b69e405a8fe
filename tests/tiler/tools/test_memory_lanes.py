"""Lanes of memories: their list is made of the first and last allocations of threads, without the others."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import ArgumentReader, QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of

COUNT = 60_000


def answer_of(reader: QueryReader, name: str, **values: Any) -> Answer:
    return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values)))


def column(answer: Answer, table: str, name: str) -> list[Any]:
    return list(values_of(answer.table(table).column(name)))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryReader]:
    """Two threads that allocate on a device each, and one that does on two others by turns, between other events."""
    folder = tmp_path_factory.mktemp("memory")
    rng = random.Random(44)
    used = [0] * 4
    events = []
    for number in range(COUNT):
        device = rng.randrange(4)
        change = rng.randrange(-used[device], 1 << 20)
        used[device] += change
        args = {"Device Type": 1, "Device Id": device, "Bytes": change, "Total Allocated": used[device]}
        base = {"pid": 1, "tid": min(device, 2), "ts": number}
        events.append({**base, "ph": "i", "s": "t", "name": "[memory]", "args": {**args, "Addr": number + 1}})
        events.append({**base, "ph": "X", "name": "work", "dur": 0.5})
    (folder / "trace.json").write_text(json.dumps(events))
    build_store([folder / "trace.json"], folder / "store")
    store = open_run_store(folder / "store")
    yield QueryReader(store)
    store.close()


def test_a_list_of_lanes_reads_few_allocations(reader: QueryReader, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = QueryReader(reader.store)
    read = ArgumentReader.values
    counts = [0]

    def counted(self: ArgumentReader, tracks: Any, ordinals: Any, names: Sequence[str]) -> Any:
        counts[0] += len(ordinals)
        return read(self, tracks, ordinals, names)

    monkeypatch.setattr(ArgumentReader, "values", counted)
    titles = column(answer_of(alone, "lanes", source="memory_profile"), "lanes", "title")
    assert sorted(titles) == [f"Memory GPU {device}" for device in range(4)]
    assert 0 < counts[0] < COUNT // 2
    listed = counts[0]
    answer_of(alone, "memory_profile")
    assert counts[0] == listed + COUNT


def test_each_lane_is_its_memory(reader: QueryReader) -> None:
    answer = answer_of(reader, "lanes", source="memory_profile")
    peaks = dict(
        zip(
            *(column(answer_of(reader, "memory_profile"), "memories", name) for name in ("memory", "peak")), strict=True
        )
    )
    for lane, title in zip(column(answer, "lanes", "lane"), column(answer, "lanes", "title"), strict=True):
        greatest = column(answer_of(reader, "lane_bins", lane=lane, bins=100), "counter_bins", "max")
        assert max(value for value in greatest if value is not None) == peaks[title.removeprefix("Memory ")]
