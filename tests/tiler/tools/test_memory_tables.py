"""Memories of Ascend devices from their profilers' tables: as a plain reference and a generator's truth have them."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from bench.ascend_run import AscendShape, Training, truth, write_ascend
from bench.ascend_run.framework import Label
from tests.memory_tables import ORIGIN_NS, Allocation, Form, Moment, live, moments, write_memory
from tests.reports.traces import answer, rows
from tests.tiler.readers.ascend.conftest import index
from tilescope.tiler.errors import NotAvailable, StoredLast
from tilescope.tiler.facts.memory import NO_ALLOCATIONS, hosts_of, kept, table_pool, table_pools
from tilescope.tiler.facts.memory.table_pool import TablePool
from tilescope.tiler.facts.memory.table_pools import TablePlace
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.readers.ascend import csv_table
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer import values_of


def opened(folder: Path, store: Path) -> QueryReader:
    return QueryReader(open_run_store(index(folder, store)))


def facts(profile: Answer) -> dict[str, Any]:
    return {fact.id: fact.value for fact in profile.facts}


def random_allocations(rng: random.Random, count: int) -> list[Allocation]:
    """Times are different, so that the order of all events is fills."""
    times = rng.sample(range(1, 50 * count + 10), 2 * count)
    return [
        Allocation(
            f"aten::op{rng.randrange(4)}",
            rng.choice((512, 1536, 1 << 20, rng.randrange(1, 1 << 22))),
            min(pair),
            max(pair) if rng.random() < 0.8 else None,
        )
        for pair in zip(times[::2], times[1::2], strict=True)
    ]


def last_before(after: Sequence[Moment], time: int) -> Moment | None:
    return next((each for each in reversed(after) if each.time < time), None)


def check_range(reader: QueryReader, allocations: Sequence[Allocation], memory: str, start: int, end: int) -> None:
    """Answers about the ticks [start, end) have what happened in them, and what was there when they began."""
    after = moments(allocations)
    per_ns = 1000 // reader.tick_ps
    profile = answer(reader, "memory_profile", memory=memory, start=start * per_ns, end=end * per_ns, limit=1000)
    inside = [each for each in after if start <= each.time < end]
    held = last_before(after, start)
    fills = [*([held] if held else []), *inside]
    figures = facts(profile)
    if not fills:
        assert figures["peak"] is None
        return
    peak = max(reversed(fills), key=lambda each: each.allocated)
    made = [allocations[each.allocation] for each in inside if not each.is_free]
    freed = [allocations[each.allocation] for each in inside if each.is_free]
    assert (figures["peak"], figures["peak_time"]) == (peak.allocated, max(peak.time, start) * per_ns)
    assert (figures["allocations"], figures["frees"]) == (len(made), len(freed))
    assert (figures["allocated"], figures["freed"]) == (sum(a.size for a in made), sum(a.size for a in freed))
    # Live at the peak is what was allocated by then, less what was freed.
    there: Counter[tuple[str, int]] = Counter()
    for row in rows(profile, "allocations"):
        assert row["total"] == row["count"] * row["size"]
        there[row["operation"], row["size"]] += row["count"]
    assert there == live(allocations, peak, after)
    assert sum(size * count for (_, size), count in there.items()) == peak.allocated
    if made:
        lifetimes = [
            (r["operation"], r["size"], r["start"], r["end"], r["never_freed"]) for r in rows(profile, "lifetimes")
        ]
        assert Counter(lifetimes) == Counter(
            (a.operation, a.size, a.start * per_ns, None if a.end is None else a.end * per_ns, a.end is None)
            for a in made
        )
        by_operation = {row["operation"]: row for row in rows(profile, "operations")}
        assert set(by_operation) == {a.operation for a in made}
        for name, row in by_operation.items():
            own = [a for a in made if a.operation == name]
            never = [a.size for a in own if a.end is None]
            assert (row["allocations"], row["allocated"]) == (len(own), sum(a.size for a in own))
            assert (row["never_freed"], row["never_freed_bytes"]) == (len(never), sum(never))
            assert row["largest"] == max(a.size for a in own)
    fill = profile.series[0]
    points = dict(zip(values_of(fill.x), values_of(next(y for y in fill.ys if y.id == "heap")), strict=True))
    if len(fills) < 900:
        assert [points[each.time * per_ns] for each in inside] == [each.allocated for each in inside]


@pytest.mark.parametrize("form", get_args(Form))
@pytest.mark.parametrize("has_records", [True, False])
def test_any_range_is_what_happened_in_it(tmp_path: Path, form: Form, has_records: bool) -> None:
    rng = random.Random(form)
    allocations = random_allocations(rng, 120)
    reader = opened(write_memory(tmp_path / "run", allocations, form, records=has_records), tmp_path / "store")
    own = ("NPU:0 GE" if form == "msprof" else "NPU:0 PTA") if has_records else "NPU:0 operators"
    names = [row["memory"] for row in rows(answer(reader, "memory_profile"), "memories")]
    assert names == (sorted([own, "NPU:0 APP"]) if has_records else [own])
    assert facts(answer(reader, "memory_profile"))["memory"] == own, "that whose allocations are known"
    check_range(reader, allocations, own, 0, reader.end)
    for _ in range(10):
        start, end = sorted(rng.sample(range(6000), 2))
        check_range(reader, allocations, own, start, end)
    reader.store.close()


ALLOCATIONS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]), st.integers(1, 1 << 40), st.integers(0, 400), st.none() | st.integers(1, 400)
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda each: each[2],
)


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(ALLOCATIONS, st.sampled_from(get_args(Form)), st.booleans(), st.integers(0, 900))
def test_halves_of_a_range_add_up(raw: list[Any], form: Form, has_records: bool, cut: int) -> None:
    """Also where several things happen in one nanosecond."""
    allocations = [Allocation(name, size, start, length and start + length) for name, size, start, length in raw]
    with TemporaryDirectory() as folder:
        reader = opened(write_memory(Path(folder) / "run", allocations, form, records=has_records), Path(folder) / "s")
        memory = facts(answer(reader, "memory_profile"))["memory"]
        end = 1001 * 1000 // reader.tick_ps
        cut = min(cut * 1000 // reader.tick_ps, end - 1) or 1
        whole, *halves = (
            facts(answer(reader, "memory_profile", memory=memory, start=first, end=last))
            for first, last in ((0, end), (0, cut), (cut, end))
        )
        for name in ("allocations", "allocated", "frees", "freed"):
            assert sum(half[name] for half in halves) == whole[name]
        assert max(half["peak"] or 0 for half in halves) == whole["peak"]
        assert whole["peak"] == max(each.allocated for each in moments(allocations))
        assert whole["allocated"] - whole["freed"] == sum(a.size for a in allocations if a.end is None)
        reader.store.close()


@pytest.mark.parametrize("label", get_args(Label))
def test_the_truth_of_a_training(tmp_path: Path, label: Label) -> None:
    training = Training(AscendShape(ranks=2, stages=1, steps=3))
    write_ascend(tmp_path / "run", training, label)
    reader = opened(tmp_path / "run", tmp_path / "store")
    per_ns = 1000 // reader.tick_ps
    for rank, of_rank in enumerate(truth(training)["ranks"]):
        true = of_rank["allocations"]
        profile = answer(reader, "memory_profile", memory=f"rank {rank} · NPU:{rank} PTA", limit=10_000)
        figures = facts(profile)
        assert (figures["peak"], figures["allocations"]) == (true["peak"], true["count"])
        assert (figures["capacity"], figures["reserved"]) == (None, true["reserved"])  # nobody says how much there is
        assert (figures["stack"], figures["heap"]) == (None, true["peak"])  # its allocator has no stack
        operations = rows(profile, "operations")
        assert sum(row["never_freed"] for row in operations) == true["never_released"]
        assert sum(row["never_freed_bytes"] for row in operations) == true["never_released_bytes"]
        assert sum(row["total"] for row in rows(profile, "allocations")) == true["peak"]
        first = ORIGIN_NS + answer_of_first_peak(profile) // per_ns - (ORIGIN_NS - reader.manifest.origin_ns)
        assert first == true["peak_at_ns"]
    reader.store.close()


def answer_of_first_peak(profile: Answer) -> int:
    """The first tick at which the curve has its peak."""
    fill = profile.series[0]
    heap = values_of(next(y for y in fill.ys if y.id == "heap"))
    return int(values_of(fill.x)[heap.index(max(heap))])  # type: ignore[type-var,arg-type]


def test_rows_lead_to_the_samples_of_their_moment(tmp_path: Path) -> None:
    """An event is a sample of the counter: of its time, and its value is what is allocated then.

    Some samples have more digits than are drawn.
    """
    allocations = random_allocations(random.Random(3), 60)
    reader = opened(write_memory(tmp_path / "run", allocations), tmp_path / "store")
    profile = answer(reader, "memory_profile", limit=1000)
    totals = {each.time * 1000 // reader.tick_ps: each.allocated for each in moments(allocations)}
    peak = facts(profile)["peak_time"]
    events = [(row["event"], row["start"]) for row in rows(profile, "lifetimes")]
    (memory,) = (row for row in rows(profile, "memories") if row["memory"] == "NPU:0 PTA")
    events = [(event, time) for event, time in [*events, (memory["event"], peak)] if event is not None]
    assert len(events) > 5
    for event, time in events:
        track, ordinal = map(int, event.split("."))
        assert reader.tree.tracks[track].name == "PTA Total Allocated"
        details = event_details(reader.store, track, ordinal)
        assert details is not None
        assert (int(details["start"]), float(details["value"])) == (time, totals[time])
    reader.store.close()


def test_rows_that_make_no_sense(tmp_path: Path) -> None:
    """Cells that are no figures are none; what is freed before it is allocated is freed at once."""
    folder = write_memory(tmp_path / "run", [Allocation("good", 4096, 10, 90)])
    with (folder / "operator_memory.csv").open("a") as file:
        zero = f"{ORIGIN_NS // 1000}"
        file.write(
            f"nothing,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,NPU:0\n"
            f"far,9223372036854775808,{zero}.020\t,-1,,,,,,,,NPU:0\n"
            f"backwards,1,{zero}.030\t,{zero}.010\t,,,,,,,,NPU:0\n"
            f"nan,NaN,{zero}.040\t,,,,,,,,,NPU:0\n"
            f"freed alone,-2,,{zero}.050\t,,,,,,,,NPU:0\n"
            f",1,{zero}.060\t,,,,,,,,,NPU:0\n"
            "short\n"
        )
    reader = opened(folder, tmp_path / "store")
    profile = answer(reader, "memory_profile", memory="NPU:0 PTA")
    lifetimes = {row["operation"]: row for row in rows(profile, "lifetimes")}
    assert set(lifetimes) == {"good", "far", "backwards", "nan", None}
    assert [lifetimes[name]["size"] for name in ("good", "far", "backwards", "nan")] == [4096, 0, 1024, 0]
    assert lifetimes["backwards"]["duration"] == 0
    assert lifetimes["far"]["never_freed"]
    assert (facts(profile)["frees"], facts(profile)["freed"]) == (3, 4096 + 1024 + 2048)
    reader.store.close()


def test_allocations_without_a_total_are_in_no_component_without(tmp_path: Path) -> None:
    """Neither says what is allocated: that is no total which both have."""
    folder = write_memory(tmp_path / "run", [Allocation("a", 4096, 10, 90)], records=False)
    stamp = f"{ORIGIN_NS // 1000}"
    (folder / "operator_memory.csv").write_text(
        "Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Allocation Total Allocated(MB),Device Type\n"
        f"a,4,{stamp}.010\t,,,,NPU:0\na,4,{stamp}.020\t,,,,NPU:0\n"
    )
    (folder / "memory_record.csv").write_text(
        f"Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\nAPP,{stamp}.020\t,,8,NPU:0\n"
    )
    reader = opened(folder, tmp_path / "store")
    memories = {row["memory"]: row for row in rows(answer(reader, "memory_profile"), "memories")}
    assert {name: row["peak"] for name, row in memories.items()} == {"NPU:0 APP": 8 << 20, "NPU:0 operators": 8192}
    assert [memories[name]["allocations"] for name in ("NPU:0 APP", "NPU:0 operators")] == [0, 2]
    reader.store.close()


def test_what_is_reserved_stays_where_a_cell_is_none(tmp_path: Path) -> None:
    folder = write_memory(tmp_path / "run", [Allocation("a", 4096, 10, 90)], records=False)
    stamp = f"{ORIGIN_NS // 1000}"
    (folder / "operator_memory.csv").write_text(
        "Name,Size(KB),Allocation Time(us),Release Time(us),Allocation Total Reserved(MB),Device Type\n"
        f"a,4,{stamp}.010\t,,N/A,NPU:0\na,4,{stamp}.020\t,,2,NPU:0\na,4,{stamp}.030\t,,N/A,NPU:0\n"
    )
    reader = opened(folder, tmp_path / "store")
    profile = answer(reader, "memory_profile")
    heap = values_of(next(y for y in profile.series[0].ys if y.id == "heap"))
    assert heap == [0, 2 << 20, 2 << 20, 2 << 20]
    assert (profile.fact("peak").value, profile.fact("reserved").value) == (2 << 20, 2 << 20)
    reader.store.close()


def test_events_alone_while_a_run_is_indexed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are stored last."""

    def not_yet(*_: object) -> list[RunTable]:
        raise StoredLast("not yet")

    reader = opened(write_memory(tmp_path / "run", [Allocation("a", 4096, 10, 90)]), tmp_path / "store")
    (host,) = hosts_of(reader, range(len(reader.tree.tracks)))
    with monkeypatch.context() as patch:
        patch.setattr(table_pools, "run_tables", not_yet)
        assert table_pools.table_places(reader, host) == []
    assert table_pools.table_places(reader, host)
    reader.store.close()


def test_tables_without_a_timeline_are_not_said_to_be_absent(tmp_path: Path) -> None:
    folder = write_memory(tmp_path / "run", [Allocation("a", 4096, 10, 90)], records=False)
    (folder / "trace_view.json").unlink()
    reader = opened(folder, tmp_path / "store")
    (note,) = answer(reader, "memory_profile").notes
    assert "without a timeline" in note.text
    reader.store.close()


def test_what_to_record_is_said(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "trace_view.json").write_text(
        '[{"ph": "X", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]'
    )
    reader = opened(tmp_path / "run", tmp_path / "store")
    with pytest.raises(NotAvailable, match="profile_memory=True"):
        answer(reader, "memory_profile")
    assert "memory_record.csv and operator_memory.csv (profile_memory=True)" in NO_ALLOCATIONS
    reader.store.close()


def two_ranks(tmp_path: Path) -> QueryReader:
    """Two ranks of one host, whose devices and components have the same names."""
    for rank, count in ((0, 3), (1, 5)):
        folder = tmp_path / "run" / f"node-0_41{rank:02}_20260101000000123_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
        write_memory(folder, [Allocation("a", 4096, 10 * k, 10 * k + 500) for k in range(count)])
    return opened(tmp_path / "run", tmp_path / "store")


def test_the_tables_of_one_rank_at_a_time_are_worked_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = two_ranks(tmp_path)
    worked_on: list[int] = []
    pools_of_place = table_pools.pools_of_place

    def counted(reader: QueryReader, host: int, place: TablePlace) -> Interruptible[list[TablePool]]:
        worked_on.append(len(place.tables))
        return (yield from pools_of_place(reader, host, place))

    monkeypatch.setattr(kept, "pools_of_place", counted)
    memories = rows(answer(reader, "memory_profile"), "memories")
    assert sorted(row["peak"] for row in memories if row["memory"].startswith("NPU:0 PTA")) == [3 * 4096, 5 * 4096]
    assert len({(row["host"], row["memory"]) for row in memories}) == len(memories) == 4
    assert worked_on == [2, 2]
    answer(reader, "memory_profile", start=1)
    assert worked_on == [2, 2]  # they are kept
    reader.store.close()


def test_too_many_rows_cost_their_memory_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = two_ranks(tmp_path)
    monkeypatch.setattr(table_pool, "MAX_ROWS", 12)  # rank 0 has 3 allocations, 6 samples of them and one more
    profile = answer(reader, "memory_profile")
    memories = rows(profile, "memories")
    assert [row["peak"] for row in memories if row["memory"] == "NPU:0 PTA"] == [3 * 4096]
    assert len(memories) == 3, "what is sampled alone has fewer rows"
    (note,) = [note.text for note in profile.notes if note.severity == "warning"]
    assert re.fullmatch(r"Tables have 16 rows about NPU:0 PTA.* in the range, more than 12: it is left out\.", note)
    monkeypatch.setattr(table_pool, "MAX_ROWS", 1)
    assert len(answer(reader, "memory_profile").notes) == 4
    reader.store.close()


def test_figures_stay_where_events_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks say what the peak is; what lies in it then needs all that happens in the range."""
    allocations = [Allocation("a", 4096 + k, 20 * k, 20 * k + 70) for k in range(100)]
    folder = write_memory(tmp_path / "run", allocations)
    monkeypatch.setattr(csv_table, "MAX_ROWS", 10)
    reader = opened(folder, tmp_path / "store")
    whole = answer(reader, "memory_profile")
    monkeypatch.setattr(table_pool, "MAX_ROWS", 150)
    profile = answer(reader, "memory_profile")
    assert facts(profile) == facts(whole)
    assert rows(profile, "memories") == rows(whole, "memories")
    assert [table.id for table in profile.tables] == ["memories"]
    assert any("choose a shorter span" in note.text for note in profile.notes if note.severity == "warning")
    part = answer(reader, "memory_profile", start=200, end=300)
    assert [table.id for table in part.tables] == ["allocations", "operations", "lifetimes", "memories"]
    reader.store.close()
