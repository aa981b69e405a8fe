"""What the markers of steps say of the size of batches: each of them, or a fair part of many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.tiler.readers.wire_writer import data, event_metadata, message, number, stat_metadata
from tilescope.tiler.facts.batch_size import BatchSizes, batch_sizes
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows

_STEP_TICKS = 100
_NUMBER, _BATCH = 1, 2


def reader_of(folder: Path, sizes: Sequence[int | str | None]) -> QueryReader:
    """A host that marks a step for each of these."""
    events = []
    for step, size in enumerate(sizes):
        stats = [message(4, number(1, _NUMBER), number(4, step))]
        if size is not None:
            value = data(5, size) if isinstance(size, str) else number(4, size)
            stats.append(message(4, number(1, _BATCH), value))
        begin = step * _STEP_TICKS * 1000
        events.append(message(4, number(1, 1), number(2, begin), number(3, _STEP_TICKS * 1000), *stats))
    host = message(
        1,
        data(2, "/host:CPU"),
        message(3, number(1, 1), data(2, "main"), *events),
        event_metadata(1, "train"),
        stat_metadata(_NUMBER, "step_num"),
        stat_metadata(_BATCH, "batch_size"),
    )
    folder.mkdir(exist_ok=True)
    (folder / "t.xplane.pb").write_bytes(host)
    build_store([folder / "t.xplane.pb"], folder / "store")
    return QueryReader(open_run_store(folder / "store"))


def asked(reader: QueryReader, start: int = 0, stop: int | None = None) -> BatchSizes | None:
    window = Windows.single(start, reader.end + 1 if stop is None else stop)
    return finish(batch_sizes(reader, reader.steps, reader.tree.leaves(None), lambda _: window))


@pytest.fixture
def made(tmp_path: Path) -> Callable[[Sequence[int | str | None]], QueryReader]:
    return lambda sizes: reader_of(tmp_path, sizes)


def test_of_any_range(made: Callable[[Sequence[int | str | None]], QueryReader]) -> None:
    reader = made([24, 24, None, "32", 16])
    assert reader.steps.numbers.tolist() == [0, 1, 2, 3, 4]
    assert asked(reader) == BatchSizes(16, 32, 5, 5)
    ticks = reader.end // 5
    assert asked(reader, 0, 2 * ticks) == BatchSizes(24, 24, 2, 2)
    assert asked(reader, 4 * ticks) == BatchSizes(16, 16, 1, 1)
    assert asked(reader, 2 * ticks + 1, 3 * ticks) is None


def test_values_that_are_no_sizes(made: Callable[[Sequence[int | str | None]], QueryReader]) -> None:
    assert asked(made([0, -3, "many", "", "9" * 40, "²"])) is None


def test_of_many_steps_some_are_read(made: Callable[[Sequence[int | str | None]], QueryReader]) -> None:
    found = asked(made([64] * 4999 + [7]))
    assert found is not None
    assert (found.least, found.most, found.marked) == (7, 64, 5000)  # the last one is among them
    assert 2 <= found.read <= 32
