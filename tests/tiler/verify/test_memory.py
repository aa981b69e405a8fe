"""What the proof takes is bounded: rows in groups, batches in parts, tasks in turns; or it is refused with a reason."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.tiler.json_traces import write_trace
from tests.tiler.verify.altered_store import AlteredStore, Columns, decoded
from tilescope.cli import main
from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore, UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import Col
from tilescope.tiler.verify import blocks, memory, verify_store

pytestmark = pytest.mark.slow

EVENTS = 12000
END_OF_TIME = (1 << 63) - 1
TIGHT = 1_400_000  # enough for any page, and not for all rows at a time

Event = dict[str, Any]
Limit = Callable[[int], None]


def open_at_once() -> Iterator[Event]:
    """Slices that all run at one time: some short enough to be bins, others so long that they stand by themselves."""
    rng = random.Random(6)
    for k in range(EVENTS):
        long = 50 * EVENTS if k % 3 else EVENTS
        yield {"ph": "X", "ts": k, "dur": long + rng.randrange(EVENTS), "name": f"n{k % 40}", "pid": 1, "tid": 1}
    yield {"ph": "X", "ts": 3 * 10**6, "dur": 5, "name": "far", "pid": 1, "tid": 1}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> AlteredStore:
    folder = tmp_path_factory.mktemp("open_at_once")
    build_store([write_trace(folder / "trace.json", list(open_at_once()))], folder / "store")
    return AlteredStore(folder / "store")


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Limit:
    """Sets how many bytes the proof may count."""

    def set_limit(size: int) -> None:
        monkeypatch.setattr(memory, "_UNCOUNTED", 1)
        monkeypatch.setattr(memory, "_LEAST_BYTES", size)
        monkeypatch.setattr(blocks, "_FEWEST_ROWS", 100)

    return set_limit


@pytest.fixture
def row_ranges(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The groups of rows that were proven, or tried."""
    ranges: list[tuple[int, int]] = []
    prove_block = _native.prove_block

    def recorded(*args: Any) -> Any:
        ranges.append(args[11])
        return prove_block(*args)

    monkeypatch.setattr(_native, "prove_block", recorded)
    return ranges


def test_rows_are_proven_in_groups(store: AlteredStore, limit: Limit, row_ranges: list[tuple[int, int]]) -> None:
    whole = verify_store(store.path)
    assert len(row_ranges) == 1
    assert whole.overview_entries > 100  # of each the busiest row of all groups
    limit(TIGHT)
    assert verify_store(store.path) == whole
    assert len({first for first, _ in row_ranges}) > 3


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were memory for 2,000 rows at a time."""
    prove_block = _native.prove_block

    def limited(*args: Any) -> Any:
        first, stop = args[11]
        if stop - first > 2000:
            raise MemoryError
        return prove_block(*args)

    monkeypatch.setattr(_native, "prove_block", limited)
    monkeypatch.setattr(blocks, "_FEWEST_ROWS", 100)


@pytest.mark.usefixtures("groups")
def test_a_wrong_bin_is_noticed_in_every_group(store: AlteredStore) -> None:
    rng = random.Random(8)
    key, page = max(store.pages().items(), key=lambda item: len(decoded(item[1]).bins))
    bins = decoded(page).bins
    assert int(bins.row.max()) > 6000
    for column in (Col.COUNT, Col.BUSY_RESIDUAL, Col.BIN_NAME, Col.LONGEST_MINUS_BUSY):
        for at in (0, rng.randrange(len(bins)), len(bins) - 1):

            def change(columns: Columns, column: Col = column, at: int = at) -> None:
                columns[column][at] += 1

            row = f"row {int(bins.row[at])}[,:]"
            with store.replaced(store.rewritten(key, change)), pytest.raises(DamagedStore, match=row):
                verify_store(store.path)


@pytest.mark.parametrize("size", [20_000, 1 << 17])
def test_too_little_is_refused_with_what_it_takes(store: AlteredStore, limit: Limit, size: int) -> None:
    limit(size)
    with pytest.raises(UsageError, match=r"track.*: to prove it takes [\d,]+ MB or more, and 1,074 MB are allowed"):
        verify_store(store.path)


def test_the_refusal_is_one_line_and_a_wrong_use(
    store: AlteredStore, limit: Limit, capsys: pytest.CaptureFixture[str]
) -> None:
    limit(20_000)
    assert main(["verify", str(store.path)]) == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert "give --memory more" in message


def test_what_the_process_holds_already_is_its_own(store: AlteredStore) -> None:
    """A notebook, or a long run of tests, may hold more than the proof is allowed."""
    held = b"1" * (400 << 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "_LEAST_BYTES", 1)
        verify_store(store.path, memory_bytes=300 << 20)
    assert held[-1] == ord("1")


def test_nothing_is_left_counted() -> None:
    counted = _native.MemoryBudget(1000)
    counted.take(600)
    with pytest.raises(MemoryError):
        counted.take(500)
    assert (counted.taken, counted.refused(), counted.refused()) == (600, 1100, 0)
    counted.give(600)
    counted.take(1000)


def test_many_batches_of_one_tick(store: AlteredStore, limit: Limit, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch for which there is no room is gathered again in halves."""
    whole = verify_store(store.path)
    spans: list[tuple[int, int]] = []
    gather = _native.ProveLayer.gather

    class Narrow(_native.ProveLayer):
        def gather(self, tree: Any, tiles: Any, owners: Any, framing: Any, start: int, stop: int, fetch: Any) -> None:
            spans.append((start, stop))
            if stop - start in range(1 << 28, 1 << 62) or (start, stop) == (0, END_OF_TIME):
                raise MemoryError
            gather(self, tree, tiles, owners, framing, start, stop, fetch)

    monkeypatch.setattr(_native, "ProveLayer", Narrow)
    assert verify_store(store.path) == whole
    assert len(spans) > 10
