"""Sources of operations: the first that has devices answers, and a further one is a class of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from tests.example import Example, PlainEvent
from tests.run_kinds import RUN_KINDS
from tilescope.tiler.facts.operations import Operation, OperationSource, OpTable, has_operations, operation_source
from tilescope.tiler.facts.operations import sources as module
from tilescope.tiler.facts.operations.operation import OperationMetadata
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import Interruptible, QueryReader, Reading, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, from_values, tool
from tilescope.tiler.windows import DeviceTimeOf, WindowsOf


@dataclass(frozen=True)
class Thread:
    """A thread whose slices are operators."""

    group: int
    tracks: tuple[int, ...]


class OperatorSource(OperationSource[Thread]):
    """Operators of a framework: slices of threads, by name."""

    id: ClassVar = "operators"
    is_gpu: ClassVar = True
    has_own_clock: ClassVar = False

    def find_devices(self, reader: QueryReader) -> Sequence[Thread]:
        return [Thread(reader.tree.tracks[track].group, (track,)) for track in reader.tree.leaves(None)]

    def make_table(
        self, reader: QueryReader, devices: Sequence[Thread], windows_of: WindowsOf, device_time: DeviceTimeOf
    ) -> Interruptible[OpTable]:
        tick_ps = reader.tick_ps
        rows: dict[str, Operation] = {}
        tracks = [track for device in devices for track in device.tracks]
        for part in Reading(reader).histogram_parts(tracks, windows_of):
            for name, count, busy in zip(part.name.tolist(), part.count.tolist(), part.busy.tolist(), strict=True):
                text = reader.names[name].text
                row = rows.setdefault(text, Operation(_metadata(text), track=tracks[0]))
                row.count += count
                row.total += busy * tick_ps
                row.own += busy * tick_ps
            yield
        return OpTable(list(rows.values()), sum(row.own for row in rows.values()), len(devices), tracks)


def _metadata(name: str) -> OperationMetadata:
    return OperationMetadata("", 0, name, name, "operator", "", None, None, None, (), "", "", "", "")


@pytest.fixture
def threads(tmp_path: Path) -> QueryReader:
    """A run of a thread: three times `add`, once `mul`."""
    events = [PlainEvent("main", "mul" if k == 1 else "add", "", 100 * k, 10 + k) for k in range(4)]
    return Example(tmp_path, events).reader


def test_a_run_without_devices_has_no_operations(threads: QueryReader) -> None:
    assert not has_operations(threads)
    assert operation_source(threads) is module.OPERATION_SOURCES[-1]


def test_the_first_source_with_devices_answers(tmp_path: Path) -> None:
    build_store([RUN_KINDS["devices"](tmp_path)], tmp_path / "store")  # TPU cores and a GPU
    store = open_run_store(tmp_path / "store")
    reader = QueryReader(store)
    assert operation_source(reader).id == "cores"
    assert [bool(source.devices(reader)) for source in module.OPERATION_SOURCES] == [True, True]
    assert [device.tracks for device in operation_source(reader).devices(reader)] != []
    store.close()


def test_operators_of_another_framework_are_a_further_source(
    threads: QueryReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OPERATION_SOURCES", (*module.OPERATION_SOURCES, OperatorSource()))
    profile = tool("op_profile")
    answer = finish(ask(profile, Scope(threads), from_values(profile.question, {"by": "category"})))
    columns = {column.id: cast("Sequence[Any]", column.values) for column in answer.tables[0].columns}
    rows = dict(zip(columns["name"], columns["count"], strict=True))
    assert (rows["add"], rows["mul"]) == (3, 1)
    assert not [note.text for note in answer.notes if "no operations" in note.text]
