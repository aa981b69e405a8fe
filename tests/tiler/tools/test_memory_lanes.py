"""Lanes of memories: their list is made of the first and last allocations of threads, without the others."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.table_answers import column
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import ArgumentReader, QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool

COUNT = 60_000


def answer_of(reader: QueryReader, name: str, **values: Any) -> Answer:
    return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values)))


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


def test_a_memory_in_the_middle_of_a_thread_is_listed_once_all_is_read(tmp_path: Path) -> None:
    events = []
    for number in range(COUNT):
        device = 1 if COUNT // 2 < number < COUNT // 2 + 9 else 4 if number % 2 else 0
        args = {"Device Type": 1, "Device Id": device, "Bytes": 8, "Total Allocated": 8 * number, "Addr": number + 1}
        events.append({"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 0, "ts": number, "args": args})
    (tmp_path / "trace.json").write_text(json.dumps(events))
    build_store([tmp_path / "trace.json"], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    answer = answer_of(reader, "lanes", source="memory_profile")
    first = dict(zip(column(answer, "lanes", "title"), column(answer, "lanes", "lane"), strict=True))
    assert set(first) == {"Memory GPU 0", "Memory GPU 4"}
    assert [note.severity for note in answer.notes if "with which a thread begins or ends" in note.text] == ["info"]
    answer_of(reader, "memory_profile")
    answer = answer_of(reader, "lanes", source="memory_profile")
    whole = dict(zip(column(answer, "lanes", "title"), column(answer, "lanes", "lane"), strict=True))
    assert whole == {**first, "Memory GPU 1": whole["Memory GPU 1"]}
    assert not answer.notes
    greatest = column(answer_of(reader, "lane_bins", lane=whole["Memory GPU 1"], bins=9), "counter_bins", "max")
    assert max(value for value in greatest if value is not None) == 8 * (COUNT // 2 + 8)
