"""Times of operations in any windows: against plain sums, and halves add up to the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.windows import pairs
from tests.tpu_trace import Instruction, Run, in_order, parents, plane, write_trace
from tilescope.tiler.details import chunk
from tilescope.tiler.facts.operations import KindSums, kind_sums
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup import device_durations
from tilescope.tiler.lookup.arguments import event_metadata
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.records.device import operation_maker as making
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify import operations as checking
from tilescope.tiler.verify import verify_store
from tilescope.tiler.windows import Windows

INSTRUCTIONS = [Instruction(f"op.{k}", {"program_id": 7, "symbol_id": k + 1}) for k in range(4)]
END = 60

spans = st.tuples(st.integers(0, 50), st.integers(0, 9))
runs = st.lists(
    st.builds(
        lambda instruction, at, device, stall: Run(instruction, at[0], at[1], device, stall),
        st.integers(0, 3),
        spans,
        st.none() | st.tuples(st.integers(0, 60), st.integers(0, 30)),
        st.none() | st.integers(0, 5),
    ),
    min_size=1,
    max_size=25,
)
some_windows = st.lists(st.tuples(st.integers(0, END), st.integers(0, END)), max_size=4).map(
    lambda found: Windows.of([min(of) for of in found], [max(of) for of in found])
)


def part(run: Run, value: int, windows: Windows) -> int:
    """What windows leave of what a run takes on the device, or says that it does."""
    if not run.duration:
        return value if any(a <= run.start < b for a, b in pairs(windows)) else 0

    def until(tick: int) -> int:
        return value * (min(max(tick, run.start), run.end) - run.start) // run.duration

    return sum(until(b) - until(a) for a, b in pairs(windows))


def plain(of: Sequence[Run], around: Sequence[int | None], windows: Windows) -> tuple[Counter[int], ...]:
    """Count, total, own time and stall by instruction."""
    count, total, own, stall = (Counter[int]() for _ in range(4))
    for run, parent in zip(of, around, strict=True):
        taken = part(run, run.taken, windows)
        stall[run.instruction] += part(run, run.stall or 0, windows)
        total[run.instruction] += taken
        own[run.instruction] += taken
        if parent is not None:
            own[of[parent].instruction] -= taken
        if any(a <= run.start < b for a, b in pairs(windows)):
            count[run.instruction] += 1
    return count, total, own, stall


def instructions_of(reader: QueryReader, found: KindSums) -> list[int]:
    """The instruction of each kind."""
    tables = event_metadata(reader.store, 0)
    assert tables is not None
    return [tables.entry(kind.metadata).id - 1 for kind in found.kinds.kinds]


def as_plain(reader: QueryReader, found: KindSums) -> tuple[Counter[int], ...]:
    sums = tuple(Counter[int]() for _ in range(4))
    stall = found.numbers.get("dma_stall_duration_ps", [0] * len(found.count))
    for place, instruction in enumerate(instructions_of(reader, found)):
        for into, column in zip(sums, (found.count, found.total, found.own, stall), strict=True):
            into[instruction] += int(column[place])
    return sums


def nonzero(sums: Sequence[Counter[int]]) -> list[Counter[int]]:
    return [Counter({key: value for key, value in of.items() if value}) for of in sums]


def check(of: list[Run], windows: Sequence[Windows], *, whole_ordered: bool) -> None:
    of = in_order(of)
    if whole_ordered:  # the device's time goes along with the timeline, some ticks apart
        of = [Run(run.instruction, run.start, run.duration, (run.start + 3, run.duration), run.stall) for run in of]
    around = parents(of)
    with TemporaryDirectory() as folder:
        path = Path(folder)
        write_trace(path / "t.xplane.pb", [plane("/device:TPU:0", INSTRUCTIONS, {"XLA Ops": of})])
        build_store([path / "t.xplane.pb"], path / "store")
        verified = verify_store(path / "store")
        assert verified.operations == len(of)
        store = open_run_store(path / "store")
        try:
            reader = QueryReader(store)
            for of_window in windows:  # the run's origin is a whole nanosecond: 0
                found = finish(kind_sums(reader, 0, of_window))
                assert found is not None
                assert nonzero(as_plain(reader, found)) == nonzero(plain(of, around, of_window))
                check_extremes(reader, found, of, of_window)
        finally:
            store.close()


def check_extremes(reader: QueryReader, found: KindSums, of: Sequence[Run], windows: Windows) -> None:
    """Those of runs that start in the windows, by instruction; and the first of the longest."""
    for place, instruction in enumerate(instructions_of(reader, found)):
        begun = [
            (run.taken, ordinal)
            for ordinal, run in enumerate(of)
            if run.instruction == instruction and any(a <= run.start < b for a, b in pairs(windows))
        ]
        longest, at = max(((taken, -ordinal) for taken, ordinal in begun), default=(-1, 1))
        told = (found.longest[place], found.longest_at[place], found.shortest[place], found.empty[place])
        assert told == (longest, -at, min(begun, default=(-1,))[0], sum(taken == 0 for taken, _ in begun))
        assert found.shortest_lasting[place] == min((taken for taken, _ in begun if taken), default=-1)


@settings(max_examples=examples(30), deadline=None)
@given(of=runs, windows=st.lists(some_windows, min_size=1, max_size=6), cut=st.integers(0, END))
def test_any_windows(of: list[Run], windows: list[Windows], cut: int) -> None:
    check(of, [*windows, Windows.one(0, 1 << 40), Windows.one(0, cut), Windows.one(cut, 1 << 40)], whole_ordered=False)


@settings(max_examples=examples(25), deadline=None)
@given(of=runs, windows=st.lists(some_windows, min_size=1, max_size=6), size=st.integers(1, 5))
def test_any_windows_over_records(of: list[Run], windows: list[Windows], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in (making, *summing_modules(), checking, device_durations):
            patch.setattr(module, "CHUNK_OPERATIONS", size)
        patch.setattr(chunk, "CHUNK_EVENTS", 1)  # those of a chunk are in one record
        check(of, [*windows, Windows.one(0, 1 << 40)], whole_ordered=True)


def summing_modules() -> list[object]:
    import sys

    return [sys.modules[f"tilescope.tiler.facts.operations.{name}"] for name in ("track_records", "kind_sums")]


def test_halves_add_up() -> None:
    of = [Run(0, 0, 10, (5, 33)), Run(1, 2, 3, (6, 11)), Run(2, 9, 40, (39, 1000))]
    whole = plain(of, parents(of), Windows.one(0, END))
    for cut in range(END):
        halves = [plain(of, parents(of), Windows.one(*span)) for span in ((0, cut), (cut, END))]
        for first, second, all_of in zip(*halves, whole, strict=True):
            assert all(first[k] + second[k] == all_of[k] for k in range(len(INSTRUCTIONS)))
