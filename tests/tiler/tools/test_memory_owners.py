"""Components whose allocations are known: those with the totals of most events, however late these differ."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.memory_tables import ORIGIN_NS
from tests.reports.traces import answer, rows
from tests.tiler.readers.ascend.conftest import index
from tilescope.tiler.facts.memory import table_columns, table_pools
from tilescope.tiler.query import QueryReader
from tilescope.tiler.readers.ascend import csv_table
from tilescope.tiler.records import memory_extents
from tilescope.tiler.store import open_run_store

EVENTS = 5000
FIRST = table_pools._FIRST_EVENTS

Total = Callable[[int], int | None]  # of a component after an event, in MB; None: it has no sample then


def stamp(time: int) -> str:
    return f"{(ORIGIN_NS + time) // 1000}.{(ORIGIN_NS + time) % 1000:03d}"


def total(event: int) -> int:
    return event + 1


def owner_of(folder: Path, components: dict[str, Total]) -> str:
    """The memory that is shown first: the one whose allocations are known. Each event is an allocation of 1 MB."""
    folder.mkdir()
    (folder / "trace_view.json").write_text(
        f'[{{"ph": "X", "name": "op", "pid": 1, "tid": 1, "ts": {ORIGIN_NS // 1000}.000, "dur": 0.7}}]'
    )
    with (folder / "operator_memory.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        times = ["Allocation Time(us)", "Release Time(us)"]
        writer.writerow(["Name", "Size(KB)", *times, "Allocation Total Allocated(MB)", "Device Type"])
        writer.writerows(["op", 1024, stamp(event), "", total(event), "NPU:0"] for event in range(EVENTS))
    with (folder / "memory_record.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Component", "Timestamp(us)", "Total Allocated(MB)", "Total Reserved(MB)", "Device Type"])
        for event in range(EVENTS):
            for component, total_of in components.items():
                if (own := total_of(event)) is not None:
                    writer.writerow([component, stamp(event), own, 9999, "NPU:0"])
    reader = QueryReader(open_run_store(index(folder, folder.with_suffix(".store"))))
    memory = next(fact.value for fact in answer(reader, "memory_profile").facts if fact.id == "memory")
    reader.store.close()
    return str(memory)


CASES: dict[str, tuple[dict[str, Total], str]] = {
    "the first events tell": ({"GE": lambda event: total(event) * (event >= FIRST), "PTA": total}, "PTA"),
    "they are alike, and a later one tells": (
        {"PTA": lambda event: total(event) if event < FIRST + 100 else 7, "PTA+GE": total},
        "PTA+GE",
    ),
    "they have no samples": (
        {
            "GE": lambda event: 7 if event > FIRST else None,
            "PTA": lambda event: total(event) if event > FIRST else None,
        },
        "PTA",
    ),
    "one of them meets another component by chance": (
        {
            "GE": lambda event: 7,
            "PTA": lambda event: total(event) if event >= FIRST else None,
        },
        "PTA",
    ),
    "two are alike in all": ({"PTA": total, "PTA+GE": total}, "PTA"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_owner_of_allocations(tmp_path: Path, name: str) -> None:
    components, owner = CASES[name]
    assert owner_of(tmp_path / "run", components) == f"NPU:0 {owner}"


def test_owners_are_the_first_of_a_table_wherever_chunks_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "trace_view.json").write_text(
        f'[{{"ph": "X", "name": "op", "pid": 1, "tid": 1, "ts": {ORIGIN_NS // 1000}.000, "dur": 0.7}}]'
    )
    names = ["a", "b", "a", "b", "d", "e", "f", "c", "a", "g", "h", "c", "i", "d"]
    with (folder / "memory_record.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Component", "Timestamp(us)", "Total Allocated(MB)", "Total Reserved(MB)", "Device Type"])
        writer.writerows([name, stamp(time), time + 1, 99, "NPU:0"] for time, name in enumerate(names))
    monkeypatch.setattr(csv_table, "MAX_ROWS", 5)
    monkeypatch.setattr(memory_extents, "MAX_OWNERS", 3)  # those of the second and the third chunk are not stored
    monkeypatch.setattr(table_columns, "MAX_OWNERS", 4)
    reader = QueryReader(open_run_store(index(folder, tmp_path / "store")))
    (table,) = table_pools.memory_tables(reader)
    assert [extents is None for extents in table.entry.extents] == [False, True, True]
    memories = rows(answer(reader, "memory_profile"), "memories")
    assert sorted(row["memory"] for row in memories) == [f"NPU:0 {name}" for name in "abde"]
    peak = answer(reader, "memory_profile", memory="NPU:0 d")
    assert next(fact.value for fact in peak.facts if fact.id == "peak") == 14 << 20
    reader.store.close()
