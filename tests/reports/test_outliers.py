"""Events that lie apart or cannot be true: stored, named, left out of figures unless they are asked for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from tests.reports.traces import FOLDER, Open, answer, rows
from tilescope.cli import main
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.tracks import outliers
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer

pytestmark = pytest.mark.slow

YEAR_US = 365 * 86_400 * 10**6
EPOCH_US = 1_795_757_293_939_837


def text_of(found: Answer) -> str:
    return "\n".join(note.text for note in found.notes)


def fact(found: Answer, name: str) -> Any:
    return found.fact(name).value


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Any]:
    """Indexes events, of one file or several."""
    with ExitStack() as stack:

        def indexed(*files: Sequence[dict[str, Any]]) -> QueryReader:
            paths = []
            for number, events in enumerate(files):
                paths.append(tmp_path / f"t{number}.json")
                paths[-1].write_text(json.dumps({"traceEvents": list(events)}))
            build_store(paths, tmp_path / "store")
            return QueryReader(stack.enter_context(closing(open_run_store(tmp_path / "store"))))

        yield indexed


def slices(n: int = 200, at: int = EPOCH_US, *, dur: int = 60, name: str = "w", **more: Any) -> list[dict[str, Any]]:
    common = {"ph": "X", "pid": 1, "tid": 1, "dur": dur, **more}
    return [{**common, "name": f"{name}{k % 9}", "ts": at + 100 * k} for k in range(n)]


def kernels(n: int = 50, at: int = EPOCH_US) -> list[dict[str, Any]]:
    return slices(n, at, name="k", tid=7, cat="kernel")


def kept(reader: QueryReader) -> dict[str, Any] | None:
    found: dict[str, Any] | None = reader.store.manifest()["outliers"]
    return found


def counts(reader: QueryReader) -> tuple[int, int, int, int]:
    found = kept(reader)
    assert found is not None
    return int(found["before"]), int(found["after"]), int(found["too_long"]), int(found["overruns"])


# -- the reports -------------------------------------------------------------------------------------------------------


def test_a_slice_of_46_years(open_by_name: Open) -> None:
    reader = open_by_name("async_46_years_before.json")
    assert counts(reader) == (0, 0, 1, 0)
    found = answer(reader, "gaps")
    assert (fact(found, "span"), fact(found, "busy")) == (39_960_000, 24_000_000)
    assert "1 event (Startup) lasts 46.3 years, far longer than all else" in text_of(found)
    stats = answer(reader, "stats")
    assert sum(row["count"] for row in rows(stats, "names")) == 400
    assert "names: count 400 without, 401 with" in text_of(stats)
    assert int(reader.store.manifest()["events"]["async_slices"]) == 1


def test_the_command_line_counts_times_from_all_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it prints, it takes: the first gap of 40 µs begins 63 µs after the first event that is no outlier."""
    store = tmp_path / "store"
    build_store([FOLDER / "zero_time_in_epoch_trace.json"], store)
    for span in ((), ("--start", "0ms", "--end", "1ms"), ("--start", "63us", "--end", "103us", "--at-least", "30us")):
        assert main(["ask", str(store), "gaps", *span]) == 0
        (first, *_) = [line for line in capsys.readouterr().out.splitlines() if "µs   GPU 0" in line]
        assert first.split()[:4] == ["63", "µs", "40", "µs"]


@pytest.mark.parametrize("by", ["name", "argument"])
def test_sums_of_arguments_are_of_the_events_that_are_counted(open_by_name: Open, by: str) -> None:
    """A kernel that outlasts later ones of its stream says 3."""
    question = {"by": by, "sum": "correlation", **({"argument": "device"} if by == "argument" else {})}
    reader = open_by_name("kernel_overruns_stream.json")

    def totals(*, outliers: bool) -> Counter[str]:
        (table,) = answer(reader, "stats", outliers=outliers, **question).tables
        assert table.totals is not None
        return Counter({column: int(str(table.totals[column])) for column in ("count", "sum.correlation")})

    assert totals(outliers=True) - totals(outliers=False) == {"count": 1, "sum.correlation": 3}


def test_a_kernel_at_zero_among_epoch_times(open_by_name: Open) -> None:
    reader = open_by_name("zero_time_in_epoch_trace.json")
    assert counts(reader) == (1, 0, 0, 0)
    for tool in ("gaps", "overlap"):
        found = answer(reader, tool)
        assert fact(found, "span") == 4_960_000
        assert fact(found, "idle") == 1_960_000
        assert "1 kernel (kernel_bad) lies 56.9 years before all else" in text_of(found)
        assert "span 4.96 ms without, 56.9 years with" in text_of(found)
    assert fact(answer(reader, "overview"), "device_idle") == pytest.approx(0.395, abs=0.001)
    assert fact(answer(reader, "kernels"), "launches") == 50
    whole = answer(reader, "gaps", outliers=True)
    assert fact(whole, "idle_share") > 0.999
    assert "left out" not in text_of(whole)


def test_a_kernel_that_outlasts_sixteen_later_ones(open_by_name: Open) -> None:
    reader = open_by_name("kernel_overruns_stream.json")
    assert counts(reader) == (0, 0, 0, 1)
    for tool, busy in (("gaps", "busy"), ("overlap", "computation"), ("kernels", "time")):
        found = answer(reader, tool)
        assert fact(found, busy) == 1_710_000
        assert "1 kernel (fmha) of 1.6 s lasts beyond the starts of 16 later ones of the same stream" in text_of(found)
        assert "1.71 ms without, 1.6" in text_of(found)
    (row,) = rows(answer(reader, "stats"), "names")
    assert (row["count"], row["busy"], row["longest"], row["mean"]) == (19, 1_710_000, 90_000, 90_000)
    (row,) = rows(answer(reader, "stats", outliers=True), "names")
    assert (row["count"], row["longest"]) == (20, 1_600_000_000)


def test_a_call_tree_without_the_kernel_that_outlasts_others(open_by_name: Open) -> None:
    """Later kernels lie in it: without it they are at the top, and the time in which nothing else runs is nothing's."""
    reader = open_by_name("kernel_overruns_stream.json")
    without, all_kernels = (answer(reader, "call_tree", outliers=counted) for counted in (False, True))
    (row,) = rows(without, "nodes")
    assert (row["name"], row["self"], row["count"], row["parent"]) == ("fmha", 1_710_000, 19, -1)
    assert (fact(without, "levels"), fact(without, "busy"), fact(without, "slices")) == (1, 1_710_000, 19)
    outer, inner = rows(all_kernels, "nodes")
    assert (outer["total"], outer["calls"], outer["count"]) == (1_600_270_000, 20, 4)
    assert (inner["total"], inner["calls"], inner["parent"]) == (16 * 90_000, 16, 0)
    assert outer["self"] == outer["total"] - inner["total"]


def test_a_call_tree_of_the_tracks_that_nest(open_by_name: Open) -> None:
    reader = open_by_name("async_46_years_before.json")
    tree = answer(reader, "call_tree")
    assert (fact(tree, "slices"), fact(tree, "levels")) == (400, 1)
    words = "1 track of asynchronous spans is left out: events of such tracks do not lie in one another"
    assert words in text_of(tree)


# -- variants ----------------------------------------------------------------------------------------------------------


def test_what_lies_apart_in_other_ways(index: Any) -> None:
    events = [
        *kernels(300),
        *slices(3, 0, dur=10),
        {"ph": "i", "name": "mark", "pid": 2, "tid": 3, "ts": 5, "s": "t"},
        {"ph": "C", "name": "memory", "pid": 2, "ts": 7, "args": {"bytes": 3}},
        {"ph": "X", "name": "later", "pid": 1, "tid": 1, "ts": EPOCH_US + 3 * YEAR_US, "dur": 5},
    ]
    reader = index(events)
    assert counts(reader) == (5, 1, 0, 0)
    found = kept(reader)
    assert found is not None
    assert int(found["end"]) - int(found["start"]) == 29_960_000
    assert {event["reason"] for event in found["events"]} == {"before", "after"}
    assert fact(answer(reader, "gaps"), "span") == 29_960_000


def test_negative_times_and_slices_without_an_end(index: Any) -> None:
    open_slice = {"ph": "B", "name": "main", "pid": 9, "tid": 9, "ts": 0}
    wild = {"ph": "X", "name": "wild", "pid": 8, "tid": 8, "ts": -2 * YEAR_US, "dur": 1}
    reader = index([*kernels(300, 1000), open_slice, wild])
    assert counts(reader)[0] == 1
    far = {"ph": "X", "name": "far", "pid": 8, "tid": 8, "ts": 2 * YEAR_US, "dur": 1}
    assert counts(index([*kernels(300, 1000), open_slice, far])) == (0, 1, 1, 0)


def test_a_kernel_of_thirty_days(index: Any) -> None:
    reader = index([*kernels(50), {**kernels(1)[0], "tid": 8, "dur": 30 * 86_400 * 10**6}])
    assert counts(reader) == (0, 0, 1, 0)
    assert fact(answer(reader, "overlap"), "busy") == 50 * 60_000


def test_a_kernel_of_thirty_days_among_later_ones_counts_once(index: Any) -> None:
    reader = index([*kernels(49), {**kernels(1)[0], "ts": EPOCH_US + 70, "dur": 30 * 86_400 * 10**6}])
    assert counts(reader) == (0, 0, 0, 1)
    assert fact(answer(reader, "overlap"), "busy") == 49 * 60_000


def test_one_per_cent_of_the_events_lies_apart(index: Any) -> None:
    minutes_us = 90 * 60 * 10**6
    assert counts(index([*slices(1000), *slices(10, EPOCH_US - minutes_us)])) == (10, 0, 0, 0)
    assert kept(index([*slices(1000), *slices(30, EPOCH_US - minutes_us)])) is None


# -- what is true stays in ---------------------------------------------------------------------------------------------


def test_a_wait_of_thirty_minutes_in_nccl(index: Any) -> None:
    wait = {**kernels(1)[0], "name": "ncclDevKernel_AllReduce", "ts": EPOCH_US + 5000, "dur": 30 * 60 * 10**6}
    reader = index([*kernels(50), wait, *slices(100)])
    assert kept(reader) is None
    assert fact(answer(reader, "overlap"), "exposed_communication") == 30 * 60 * 10**9


def test_a_main_function_around_everything(index: Any) -> None:
    main = {"ph": "X", "name": "main", "pid": 1, "tid": 2, "ts": EPOCH_US - 100, "dur": 30_000}
    assert kept(index([*slices(), main])) is None
    days = 3 * 86_400 * 10**6
    long_main = {"ph": "X", "name": "main", "pid": 1, "tid": 2, "ts": EPOCH_US, "dur": days}
    assert kept(index([*slices(), *slices(at=EPOCH_US + days - 10**6), long_main])) is None


def test_a_night_between_two_halves(index: Any) -> None:
    reader = index([*kernels(50), *kernels(40, EPOCH_US + 10 * 3600 * 10**6)])
    assert kept(reader) is None
    assert fact(answer(reader, "gaps"), "idle_share") > 0.999


def test_kernels_that_overlap_a_little(index: Any) -> None:
    early = [{**kernel, "dur": 110, "ts": kernel["ts"] - 10} for kernel in kernels(50)]
    reader = index([*early, {**early[0], "name": "tiny", "ts": EPOCH_US + 85, "dur": 2}])
    assert kept(reader) is None


def test_work_that_does_not_run_one_by_one_is_all_true(index: Any) -> None:
    nested = [{**kernel, "dur": 20, "ts": kernel["ts"] + 10} for kernel in kernels(50)]
    assert kept(index([*kernels(50), *nested])) is None


def test_too_many_are_no_exceptions(index: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    overrun = {**kernels(1)[0], "ts": EPOCH_US + 70, "dur": 1000}
    day = {"ph": "X", "name": "day", "pid": 3, "tid": 3, "ts": EPOCH_US, "dur": 86_400 * 10**6}
    events = [*kernels(50), overrun, *({**day, "tid": tid} for tid in (3, 4))]
    assert counts(index(events)) == (0, 0, 2, 1)
    monkeypatch.setattr(outliers, "_MOST", 0)
    assert kept(index(events)) is None


def test_pauses_beyond_what_is_kept_are_joined(index: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wild = {"ph": "X", "name": "wild", "pid": 1, "tid": 1, "ts": 0, "dur": 1}
    spread = [{**one, "ts": EPOCH_US + 2 * 60 * 10**6 * k} for k, one in enumerate(slices())]
    for most in (2, 1 << 20):
        monkeypatch.setattr(outliers, "_MOST_STRETCHES", most)
        reader = index([wild, *spread])
        assert counts(reader) == (1, 0, 0, 0)
        record = kept(reader)
        assert record is not None
        assert int(record["end"]) - int(record["start"]) == (2 * 60 * 10**6 * 199 + 60) * 1000


def test_annotations_around_kernels_are_no_work(index: Any) -> None:
    around = {**kernels(1)[0], "name": "step", "cat": "gpu_user_annotation", "dur": 5000}
    assert kept(index([*kernels(50), around])) is None


def test_hosts_whose_clocks_differ_are_both_there(index: Any) -> None:
    assert kept(index(slices(), slices(at=0))) is None


# -- sums --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["async_46_years_before.json", "zero_time_in_epoch_trace.json", "kernel_overruns_stream.json"]
)
@pytest.mark.parametrize("counted", [False, True])
def test_a_range_is_the_sum_of_its_halves(open_by_name: Open, name: str, *, counted: bool) -> None:
    reader = open_by_name(name)
    end = reader.end + 1
    record = kept(reader)
    assert record is not None
    middle_of_rest = (int(record["start"]) + int(record["end"])) // 2
    for start, stop in ((None, None), (0, end)):
        for middle in (1, end // 2, middle_of_rest, end - 1):
            for tool, facts in (("gaps", ("span", "busy", "idle")), ("kernels", ("time", "launches"))):
                if tool == "kernels" and name.startswith("async"):
                    continue
                whole, *halves = (
                    answer(reader, tool, start=a, end=b, outliers=counted)
                    for a, b in ((start, stop), (start, middle), (middle, stop))
                )
                for figure in facts:
                    assert fact(whole, figure) == sum(fact(half, figure) for half in halves), (middle, tool, figure)


def test_a_span_of_which_both_ends_are_given_has_what_lies_apart(open_by_name: Open) -> None:
    reader = open_by_name("zero_time_in_epoch_trace.json")
    assert fact(answer(reader, "kernels", start=0, end=20_000), "launches") == 1
    assert fact(answer(reader, "kernels", end=20_000), "launches") == 0
