"""Performance counters of devices: events that carry a number, by track and name, in any range."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tiler.readers.wire_writer import data, double, event_metadata, message, number, stat_metadata
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

Sample = tuple[int, int, int | float | None]  # number of the counter's name, when it starts in ps, its value

KEYS = ("counter_value", "performance_counter_id", "performance_counter_description", "performance_counter_sets")


def event(name: int, at: int, value: float | None) -> bytes:
    stats = (
        []
        if value is None
        else [message(4, number(1, 1), _value(value)), message(4, number(1, 2), number(3, 70 + name))]
    )
    if name == 1:
        stats += [message(4, number(1, 3), data(5, "busy cycles")), message(4, number(1, 4), data(5, "core"))]
    return message(4, number(1, name), number(2, at), number(3, 1000), *stats)


def _value(value: float) -> bytes:
    return double(2, value) if isinstance(value, float) else number(3, value)


def plane(name: str, lines: dict[str, list[Sample]], *, with_values: bool = True) -> bytes:
    parts = [data(2, name)]
    for place, (line, samples) in enumerate(lines.items(), 1):
        parts.append(message(3, number(1, place), data(2, line), *(event(*sample) for sample in samples)))
    parts += [event_metadata(1, "CYCLES"), event_metadata(2, "STALLS"), event_metadata(3, "ratio")]
    return message(1, *parts, *(stat_metadata(k, key) for k, key in enumerate(KEYS, 1) if with_values))


def reader_of(folder: Path, *planes: bytes) -> QueryReader:
    path = folder / "a.xplane.pb"
    path.write_bytes(b"".join(planes))
    build_store([path], folder / "store")
    return QueryReader(open_run_store(folder / "store"))


def answer(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("counters"), Scope(reader), from_values(tool("counters").question, asked)))


def rows(of: Answer) -> dict[tuple[int, str], dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table("performance").columns}
    told = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return {(row["track"], row["counter"]): row for row in told}


def test_counters_by_track_and_name(tmp_path: Path) -> None:
    big = (1 << 64) - 1
    kernels: dict[str, list[Sample]] = {
        "kernel 1": [(1, 0, 5), (2, 2000, big), (1, 4000, 7), (2, 6000, big), (1, 8000, None)],
        "kernel 2": [(1, 0, 100)],
    }
    reader = reader_of(tmp_path, plane("/device:TPU:0", kernels), plane("/host:CPU", {"thread": [(1, 0, 9)]}))
    names = {track.name: track.id for track in reader.tree.tracks}
    found = rows(answer(reader))
    first, second = names["kernel 1"], names["kernel 2"]
    assert {key: (row["n"], row["total"]) for key, row in found.items() if key[0] != names["thread"]} == {
        (first, "CYCLES"): (2, 12),
        (first, "STALLS"): (2, 2 * big),  # exactly, beyond 64 bits
        (second, "CYCLES"): (1, 100),
    }
    cycles = found[first, "CYCLES"]
    assert (cycles["least"], cycles["greatest"], cycles["last"]) == (5, 7, 7)
    assert (cycles["description"], cycles["set"], cycles["number"]) == ("busy cycles", "core", "71")
    told = event_details(reader.store, *map(int, cycles["event"].split(".")))
    assert told is not None
    assert told["name"] == "CYCLES"
    assert rows(answer(reader, tracks=[second])).keys() == {(second, "CYCLES")}


def test_a_range_is_the_sum_of_its_halves(tmp_path: Path) -> None:
    samples: list[Sample] = [(1 + k % 2, 1000 * k, k * k) for k in range(200)]
    reader = reader_of(tmp_path, plane("/device:GPU:0", {"stream": samples}))
    middle = reader.end // 3
    whole, *halves = (rows(answer(reader, **asked)) for asked in ({}, {"end": middle}, {"start": middle}))
    for key, row in whole.items():
        for column in ("n", "total"):
            assert sum(half[key][column] for half in halves) == row[column]
    assert sum(row["n"] for row in whole.values()) == 200


def test_numbers_that_are_not_whole(tmp_path: Path) -> None:
    reader = reader_of(
        tmp_path, plane("/device:TPU:0", {"line": [(3, 0, 0.5), (3, 1000, 0.25), (3, 2000, float("nan"))]})
    )
    ((_, row),) = rows(answer(reader)).items()
    assert (row["n"], row["total"], row["least"]) == (2, 0.75, 0.25)


def test_a_trace_without_them(tmp_path: Path) -> None:
    reader = reader_of(tmp_path, plane("/device:TPU:0", {"line": [(1, 0, None)]}, with_values=False))
    with pytest.raises(NotAvailable, match="performance counters"):
        answer(reader)
