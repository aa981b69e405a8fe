"""Operations of hosts, against plain Python: times, self times among them, and ranges that add up."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from tests.tiler.readers.wire_writer import data, event_metadata, message, number, stat_metadata
from tilescope.tiler.device_lines import HOST_THREADS
from tilescope.tiler.facts.host_operations import HostTable, host_operations, host_table, host_threads
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows, everywhere

# Name of the metadata and what is shown of it; what the operation is called, or None; arguments of its events.
METADATA: Final[tuple[tuple[str, str, str | None, dict[str, int | str]], ...]] = (
    ("dense/MatMul_1:MatMul", "MatMul", "dense/MatMul_1", {}),
    ("conv/MatMul:MatMul", "MatMul", "conv/MatMul", {}),  # shown as the one before
    ("Iterator::Batch::TFRecord", "", "Iterator::Batch::TFRecord", {}),
    ("MemcpyHToD 4 bytes", "", "MemcpyHToD 4 bytes", {}),
    ("tsl::Executor::Run", "", None, {}),
    ("$train.py:7 step", "", None, {}),
    ("Allocate", "", "jit(f)/add", {"tf_op": "jit(f)/add:add"}),
    ("Map", "", "Map", {"_ipl_stage_id": 7, "_ipl_stage_cat": "preprocessing"}),
    ("eager/Add:Add", "", "eager/Add", {"is_eager": 1}),
)
ARGUMENTS: Final = ("tf_op", "_ipl_stage_id", "_ipl_stage_cat", "is_eager")


@dataclass
class Event:
    kind: int
    start: int
    end: int
    inner: list[Event] = field(default_factory=list)

    @property
    def op(self) -> str | None:
        return METADATA[self.kind][2]

    def all(self) -> list[Event]:
        return [self, *(event for one in self.inner for event in one.all())]

    def ops_in(self) -> list[Event]:
        """Those that lie directly in it, but for what is no operation."""
        return [op for one in self.inner for op in ([one] if one.op else one.ops_in())]


def family(rng: random.Random, start: int, end: int, depth: int) -> list[Event]:
    found, at = [], start
    while at < end:
        length = rng.choice((0, rng.randrange(1, max(2, (end - start) // 2))))
        event = Event(rng.randrange(len(METADATA)), at, min(at + length, end))
        if depth:
            event.inner = family(rng, event.start, event.end, depth - 1) if event.end > event.start else []
        found.append(event)
        at = event.end + rng.randrange(1, max(2, (end - start) // 3))
    return found


def trace(lines: list[list[Event]]) -> bytes:
    parts = [data(2, "/host:CPU")]
    for place, events in enumerate(lines):
        written = []
        for event in events:
            arguments = METADATA[event.kind][3]
            stats = [
                message(
                    4,
                    number(1, ARGUMENTS.index(key) + 1),
                    data(5, value) if isinstance(value, str) else number(4, value),
                )
                for key, value in arguments.items()
            ]
            times = (number(2, event.start), number(3, event.end - event.start))
            written.append(message(4, number(1, event.kind + 1), *times, *stats))
        parts.append(message(3, number(1, place + 1), data(2, f"thread/{place}"), *written))
    for place, (name, shown, _, _) in enumerate(METADATA):
        parts.append(event_metadata(place + 1, name, shown))
    parts += [stat_metadata(place + 1, key) for place, key in enumerate(ARGUMENTS)]
    return message(1, *parts)


@pytest.fixture(scope="module", params=[1, 2])
def run(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[QueryReader, list[list[Event]]]:
    rng = random.Random(request.param)
    lines = []
    for events in (6000, 300, 40):
        length = 10**7 + 13
        roots = [
            event
            for at in range(0, length, length * 12 // events)
            for event in family(rng, at, at + length * 11 // events, 3)
        ]
        lines.append([event for root in roots for event in root.all()])
    lines.append([Event(4, 5, 900), Event(5, 10, 20)])  # no operation
    folder = tmp_path_factory.mktemp("host")
    (folder / "run.xplane.pb").write_bytes(trace(lines))
    build_store([folder / "run.xplane.pb"], folder / "store")
    return QueryReader(open_run_store(folder / "store")), lines


def expected(lines: list[list[Event]], first: int, stop: int) -> tuple[dict[str, tuple[int, int, int]], int]:
    def within(start: int, end: int) -> int:
        return max(0, min(end, stop) - max(start, first))

    sums: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    span = 0
    for line in lines:
        ops = [event for event in line if event.op]
        if not ops:
            continue
        span += within(min(event.start for event in ops), max(event.end for event in ops))
        for event in ops:
            row = sums[str(event.op)]
            row[0] += first <= event.start < stop
            row[1] += within(event.start, event.end)
            row[2] += within(event.start, event.end) - sum(within(one.start, one.end) for one in event.ops_in())
    return {name: (a, b, c) for name, (a, b, c) in sums.items() if a or b}, span


def figures(table: HostTable) -> tuple[dict[str, tuple[int, int, int]], int]:
    assert len({of.op.name for of in table.operations}) == len(table.operations)
    return {of.op.name: (of.count, of.total, of.own) for of in table.operations}, table.span


def asked(reader: QueryReader, windows: Windows) -> HostTable:
    return finish(host_operations(reader, host_threads(reader), everywhere(windows)))


def test_operations_as_plain_python_counts_them(run: tuple[QueryReader, list[list[Event]]]) -> None:
    reader, lines = run
    end = reader.end + 1
    origin = min(event.start for line in lines for event in line)
    assert reader.store.manifest()["tick_ps"] == 1
    rng = random.Random(3)
    for first, stop in [(0, end), *(sorted(rng.sample(range(end), 2)) for _ in range(6)), (0, end)]:
        whole = figures(asked(reader, Windows.single(first, stop)))
        assert whole == expected(lines, first + origin, stop + origin)
        middle = rng.randrange(first + 1, stop)
        halves = [figures(asked(reader, Windows.single(*half))) for half in ((first, middle), (middle, stop))]
        assert whole[1] == sum(span for _, span in halves)
        for name, row in whole[0].items():
            of_each = [half.get(name, (0, 0, 0)) for half, _ in halves]
            assert row == tuple(sum(column) for column in zip(*of_each, strict=True))
        several = (
            Windows.from_spans([first, middle], [middle - 1, stop])
            if middle - first > 1
            else Windows.single(first, stop)
        )
        parts = [
            figures(asked(reader, Windows.single(a, b)))[1]
            for a, b in zip(several.starts.tolist(), several.stops.tolist(), strict=True)
        ]
        assert figures(asked(reader, several))[1] == sum(parts)


def test_what_arguments_tell(run: tuple[QueryReader, list[list[Event]]]) -> None:
    reader, _ = run
    table = asked(reader, Windows.single(0, reader.end + 1))
    known = {of.op.name: of for of in table.operations}
    assert (known["Map"].op.type, known["Map"].op.stage) == ("preprocessing", 7)
    assert (known["jit(f)/add"].op.type, known["conv/MatMul"].op.type) == ("add", "MatMul")
    assert [name for name, of in known.items() if of.op.is_eager] == ["eager/Add"]
    assert len(table.threads) == 3
    assert table.idle == table.span - sum(of.own for of in table.operations) > 0


def test_sums_of_whole_tracks_have_a_limit_within_a_question(
    run: tuple[QueryReader, list[list[Event]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = QueryReader(run[0].store)
    whole = Windows.single(0, reader.end + 1)
    monkeypatch.setattr(host_table, "_MAX_ROWS", 10)
    assert [figures(asked(reader, whole)) for _ in range(2)] == [figures(asked(run[0], whole))] * 2
    sums = host_table._HOST_OPERATIONS.get(reader, "names")
    assert sums is not None
    assert 0 < sum(map(len, sums._whole.values())) == sums._rows <= 10


def test_a_process_of_json_is_no_plane(tmp_path: Path) -> None:
    """Whatever it is called: the details of a plane say which it is."""
    events = [
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": HOST_THREADS}},
        {"ph": "X", "pid": 1, "tid": 2, "name": "compute", "ts": 0, "dur": 5},
    ]
    (tmp_path / "run.json").write_text(json.dumps(events))
    (tmp_path / "run.xplane.pb").write_bytes(trace([[Event(4, 5, 900)]]))
    for name, threads in (("run.json", 0), ("run.xplane.pb", 1)):
        build_store([tmp_path / name], tmp_path / f"{name} store")
        reader = QueryReader(open_run_store(tmp_path / f"{name} store"))
        assert HOST_THREADS in [group.name for group in reader.tree.groups]
        assert len(host_threads(reader)) == threads
