"""Answers about memories of tables, which read few chunks of these: the same however the tables are cut."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.memory_tables import ORIGIN_NS
from tests.reports.traces import answer
from tests.tiler.readers.ascend.conftest import index
from tilescope.tiler.facts.memory.table_pools import memory_tables
from tilescope.tiler.query import QueryReader
from tilescope.tiler.readers.ascend import csv_table
from tilescope.tiler.records import memory_extents
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer_json import encode

MIB = 1 << 20
END = 600


def stamp(time: int | None) -> str:
    return "" if time is None else f"{(ORIGIN_NS + time) // 1000}.{(ORIGIN_NS + time) % 1000:03d}\t"


def figure(size: int | None) -> str:
    return "" if size is None else str(size)


def write_run(
    folder: Path,
    rng: random.Random,
    *,
    has_samples: bool,
    is_shuffled: bool,
    is_dense: bool,
    unsampled: int = 0,
    recorded: float = 0.98,
) -> Path:
    """Allocations with samples of most of them, others beside, several at one moment; some cells are missing.

    `unsampled`: so many of the first samples are missing; `recorded`: the share of totals that are not.
    """
    folder.mkdir()
    (folder / "trace_view.json").write_text(
        f'[{{"ph": "X", "name": "op", "pid": 1, "tid": 1, "ts": {ORIGIN_NS // 1000}.000, "dur": 0.7}}]'
    )
    times = range(0, END, 1 if is_dense else 15)
    allocations: list[tuple[str, int, int | None, int | None, int]] = []
    for number in range(80):
        first = rng.choice(times)
        end = rng.choice([None, first, first + rng.choice((1, 15, 150)), rng.choice(times)])
        size = rng.randrange(1, 1 << 30)
        allocations.append((f"op{rng.randrange(5)}", size, first if rng.random() < 0.97 else None, end, number))
    allocations.sort(key=lambda row: -1 if row[2] is None else row[2])
    events = sorted(
        (time, side, row)
        for row, (_, _, begin, end, _) in enumerate(allocations)
        for side, time in enumerate((begin, None if end is None else max(end, begin or 0)))
        if time is not None
    )
    total = 0
    totals: dict[tuple[int, int], int] = {}
    samples: list[list[str]] = []
    for time, side, row in events:
        total = max(0, total + rng.randrange(-30, 31))
        totals[side, row] = total
        if rng.random() < 0.8 or not samples:
            samples.append(["PTA", stamp(time), str(total), str(total + rng.randrange(9)), "NPU:0"])
        if rng.random() < 0.3:
            samples.append(["PTA", stamp(time + rng.randrange(2)), str(rng.randrange(40)), "50", "NPU:0"])
        if rng.random() < 0.3:
            samples.append(["GE", stamp(time), figure(rng.choice([None, 7])), "9", rng.choice(["NPU:0", "NPU:1"])])
        samples.append(["APP", stamp(time), "", str(rng.randrange(30)), "NPU:0"])
    samples.sort(key=lambda row: row[1])
    del samples[:unsampled]
    if is_shuffled:
        rng.shuffle(samples)
        rng.shuffle(allocations)
    with (folder / "operator_memory.csv").open("w", newline="") as file:
        header = ["Name", "Size(KB)", "Allocation Time(us)", "Release Time(us)"]
        sides = ["Allocation Total Allocated(MB)", "Release Total Allocated(MB)"]
        rows = csv.writer(file)
        rows.writerow([*header, *sides, "Device Type"])
        for row, (name, size, begin, end, _) in enumerate(allocations):
            cells = [figure(totals.get((side, row)) if rng.random() < recorded else None) for side in (0, 1)]
            rows.writerow([name, size, stamp(begin), stamp(end), *cells, "NPU:0"])
    if has_samples:
        with (folder / "memory_record.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["Component", "Timestamp(us)", "Total Allocated(MB)", "Total Reserved(MB)", "Device Type"])
            rows.writerows(samples)
    return folder


def opened(folder: Path, store: Path, chunk_rows: int, monkeypatch: pytest.MonkeyPatch) -> QueryReader:
    with monkeypatch.context() as patch:
        patch.setattr(csv_table, "MAX_ROWS", chunk_rows)
        return QueryReader(open_run_store(index(folder, store)))


def named(reader: QueryReader, profile: Answer) -> Any:
    """An answer with names for the numbers of tracks, whose order depends on how tables are cut."""
    tree = reader.tree
    names = [f"{track.name} of {tree.groups[track.group].detail}" for track in tree.tracks]
    document = json.loads(encode(profile))
    for table in document["tables"]:
        for column in table["columns"]:
            if column["kind"] in ("event", "track"):
                parts = [("" if value is None else str(value)).partition(".") for value in column["values"]]
                column["values"] = [[names[int(track)] if track else None, ordinal] for track, _, ordinal in parts]
    if document["headline"] is not None and document["headline"]["track"] is not None:
        document["headline"]["track"] = names[document["headline"]["track"]]
    return document


def answers(reader: QueryReader, spans: Sequence[tuple[int, int]]) -> list[Any]:
    memories = ("NPU:0 PTA", "NPU:0 GE", "NPU:0 APP", "NPU:1 GE", "NPU:0 operators")
    questions: list[dict[str, Any]] = [{}, {"bins": 7}, *({"memory": memory} for memory in memories)]
    return [
        named(reader, answer(reader, "memory_profile", start=start, end=end, **question))
        for start, end in spans
        for question in questions
    ]


@pytest.mark.parametrize("is_dense", [True, False])
@pytest.mark.parametrize("is_shuffled", [False, True])
@pytest.mark.parametrize("has_samples", [True, False])
@pytest.mark.parametrize("chunk_rows", [3, 17])
def test_tables_may_be_cut_anywhere(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    chunk_rows: int,
    has_samples: bool,
    is_shuffled: bool,
    is_dense: bool,
) -> None:
    rng = random.Random(chunk_rows)
    folder = write_run(tmp_path / "run", rng, has_samples=has_samples, is_shuffled=is_shuffled, is_dense=is_dense)
    whole = opened(folder, tmp_path / "whole", 1 << 16, monkeypatch)
    cut = opened(folder, tmp_path / "cut", chunk_rows, monkeypatch)
    per_ns = 1000 // whole.tick_ps
    borders = [sorted(rng.sample(range(END + 100), 2)) for _ in range(3)]
    spans = [(0, whole.end), *((start * per_ns, stop * per_ns) for start, stop in borders)]
    assert answers(cut, spans) == answers(whole, spans)
    whole.store.close()
    cut.store.close()


@pytest.mark.parametrize("seed", range(4))
def test_before_the_first_sample_the_last_total_that_is_recorded_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = random.Random(seed)
    folder = write_run(
        tmp_path / "run", rng, has_samples=True, is_shuffled=False, is_dense=True, unsampled=300, recorded=0.1
    )
    whole = opened(folder, tmp_path / "whole", 1 << 16, monkeypatch)
    cut = opened(folder, tmp_path / "cut", 2, monkeypatch)
    per_ns = 1000 // whole.tick_ps
    borders = [sorted(rng.sample(range(END // 2), 2)) for _ in range(8)]
    spans = [(start * per_ns, stop * per_ns) for start, stop in borders]
    assert answers(cut, spans) == answers(whole, spans)
    whole.store.close()
    cut.store.close()


@pytest.mark.parametrize("is_far", [False, True])
def test_extents_that_are_not_stored_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_far: bool
) -> None:
    rng = random.Random(7)
    folder = write_run(tmp_path / "run", rng, has_samples=True, is_shuffled=False, is_dense=True)
    stored = opened(folder, tmp_path / "stored", 17, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(memory_extents, "MAX_OWNERS", 0)
        if is_far:  # rows that no time axis reaches are left out, whichever way extents are found
            with (folder / "memory_record.csv").open("a") as file:
                file.write("PTA,4500000000000000.000,999,999,NPU:0\n")
        lacking = opened(folder, tmp_path / "lacking", 17, patch)
    far = opened(folder, tmp_path / "far", 17, monkeypatch)
    spans = [(0, stored.end), (0, stored.end // 3), (stored.end // 3, stored.end // 2)]
    entries = [entry for table in memory_tables(lacking) for entry in table.entry.extents]
    assert entries
    assert not any(entries)
    assert answers(lacking, spans) == answers(far, spans) == answers(stored, spans)
    for reader in (stored, lacking, far):
        reader.store.close()
