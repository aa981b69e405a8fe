"""Comparisons of runs and ranges: against sums over events in plain Python, and the trace diff of another tool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.tiler.tools.plain_comparison import Row, Slice, Sums, comparison, side
from tests.tiler.tools.test_steps import Asked, Event, thread, x
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import finish
from tilescope.tiler.records.histogram import Histogram
from tilescope.tiler.records.spread import DurationSpread
from tilescope.tiler.search.language import parse
from tilescope.tiler.tools import Answer, BuildRef, Scope, ask, from_values, tool, values_of
from tilescope.tiler.tools.compare.changes import Changes, SideSums
from tilescope.tiler.tools.compare.normalised import normalised
from tilescope.tiler.tools.compare.sums import ComparedSums, PlaceSums
from tilescope.tiler.tools.stats.summary import GroupSums

Compared = dict[str, Any]

THREADS = ("main", "worker")
NAMES = ("load", "copy.1", "copy.2", "run_0x7f00aa", "#")


def compare(new: Asked, *bases: Asked, **values: object) -> Answer:
    """The answer of the tool about a run and others; about itself where there are none."""
    names = [f"run/{number}" for number in range(len(bases))]
    question = from_values(tool("compare").question, {**({"against": names} if names else {}), **values})
    others = {BuildRef(name): base.reader for name, base in zip(names, bases, strict=True)}
    return finish(ask(tool("compare"), Scope(new.reader, others), question))


def rows(answer: Answer, key: str = "name") -> dict[str, Compared]:
    columns = {column.id: values_of(column) for column in answer.table("changes").columns}
    listed = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {str(row[key]): row for row in listed}


def exact(answer: Answer, row: Compared, column: str) -> Fraction:
    """A change before it is rounded."""
    facts = {fact.id: fact.value for fact in answer.facts}
    if "denominator" not in facts:
        return Fraction(row[column])
    return Fraction(row[f"exact_{column}"], int(str(facts["denominator"])))


def plain_rows(answer: Answer, key: str = "name", tick_ps: int = 1000) -> dict[str, Row]:
    """Rows as the plain comparison has them, in ticks."""
    return {
        name: Row(
            str(row["change"]),
            exact(answer, row, "delta") / tick_ps,
            exact(answer, row, "total_delta") / tick_ps,
            row["count"],
            row["base_count"],
        )
        for name, row in rows(answer, key).items()
    }


def events_of(slices: Sequence[Slice]) -> list[Event]:
    """A trace of these slices that begins at tick 0, whatever they are."""
    meta = [event for number, name in enumerate(THREADS) for event in thread(1, number + 1, name, "python")]
    origin = x("origin", 0, 1, 1, 9)
    return [*meta, *thread(1, 9, "origin"), origin] + [
        x(s.name, s.start, s.stop, 1, THREADS.index(s.thread) + 1) for s in slices
    ]


ORIGIN = Slice("origin", "origin", 0, 1)


@contextmanager
def built(*traces: Sequence[Slice]) -> Iterator[list[Asked]]:
    with TemporaryDirectory() as folder, ExitStack() as opened:
        runs = []
        for number, slices in enumerate(traces):
            run = Asked.of_events(Path(folder) / str(number), events_of(slices))
            opened.enter_context(closing(run.store))
            runs.append(run)
        yield runs


@st.composite
def nested(draw: st.DrawFn) -> list[Slice]:
    """Slices in slices on two threads, which start apart."""
    slices = []
    for name in THREADS:
        tick = draw(st.integers(0, 20))
        for _ in range(draw(st.integers(0, 4))):
            length = draw(st.integers(1, 30))
            slices.append(Slice(name, draw(st.sampled_from(NAMES)), tick, tick + length))
            if length > 3 and draw(st.booleans()):
                inner = draw(st.integers(1, length - 2))
                slices.append(Slice(name, draw(st.sampled_from(NAMES)), tick + 1, tick + 1 + inner))
            tick += length + draw(st.integers(0, 5))
    return slices


@settings(max_examples=25, deadline=None)
@given(nested(), nested(), st.tuples(st.integers(0, 60), st.integers(0, 60)))
def test_names_and_tracks_of_a_span_are_what_plain_sums_come_to(
    new: list[Slice], base: list[Slice], bounds: tuple[int, int]
) -> None:
    start, end = sorted(bounds)
    with built(new, base) as (run, other):
        for by in ("name", "thread"):
            key = "track" if by == "thread" else by
            answer = compare(run, other, start=start, end=end, by=key)
            plain = [side([*slices, ORIGIN], [(start, end)], by) for slices in (new, base)]
            assert plain_rows(answer) == comparison(plain[0], 1, [(plain[1], 1)])
            assert answer.fact("delta").value == sum(row["delta"] for row in rows(answer).values())


@settings(max_examples=15, deadline=None)
@given(nested(), nested(), nested())
def test_changes_of_two_comparisons_add_up(a: list[Slice], b: list[Slice], c: list[Slice]) -> None:
    with built(a, b, c) as (run_a, run_b, run_c):
        for match in ("exact", "normalised"):
            first, second, both = (
                plain_rows(compare(new, base, match=match))
                for new, base in ((run_b, run_a), (run_c, run_b), (run_c, run_a))
            )
            for name in {*first, *second, *both}:
                for column in ("delta", "total_delta"):
                    parts = [getattr(r[name], column) if name in r else Fraction() for r in (first, second)]
                    assert sum(parts) == (getattr(both[name], column) if name in both else 0)


@settings(max_examples=15, deadline=None)
@given(nested(), nested(), nested(), nested())
def test_several_runs_are_a_mean_with_a_spread(
    new: list[Slice], a: list[Slice], b: list[Slice], c: list[Slice]
) -> None:
    with built(new, a, b, c) as (run, *others):
        answer = compare(run, *others)
        bases = [side([*slices, ORIGIN], [(0, 1000)]) for slices in (a, b, c)]
        mine = side([*new, ORIGIN], [(0, 1000)])
        assert plain_rows(answer) == comparison(mine, 1, [(base, 1) for base in bases])
        assert answer.fact("runs").value == 3
        for name, row in rows(answer).items():
            own = sorted(1000 * base[name].own if name in base else 0 for base in bases)
            figures = (row["least"], row["median"], row["greatest"])
            assert figures == tuple(own)
            value = 1000 * mine[name].own if name in mine else 0
            assert row["outside"] == (not own[0] <= value <= own[2])


def step(number: int, start: int, *lengths: int) -> list[Slice]:
    """A step with one slice after the other in it."""
    inner, tick = [], start + 1
    for length in lengths:
        inner.append(Slice("main", "load" if length % 2 else "compute", tick, tick + length))
        tick += length
    return [Slice("main", f"ProfilerStep#{number}", start, tick + 1), *inner]


A_RUN = [*step(3, 0, 5, 8), *step(4, 20, 5, 10), *step(5, 50, 7, 30)]
ANOTHER = [*step(3, 0, 9, 2), *step(4, 20, 1, 10, 3)]


def test_means_per_step_are_exact_and_add_up() -> None:
    with built(A_RUN, ANOTHER) as (run, other):
        answer = compare(run, other)
        windows = [(0, 15), (20, 37), (50, 89)], [(0, 13), (20, 36)]
        plain = [side([*slices, ORIGIN], spans) for slices, spans in zip((A_RUN, ANOTHER), windows, strict=True)]
        for sums in plain:
            own = sum(sums.pop(name).own for name in list(sums) if name.startswith("ProfilerStep"))
            assert own == 2 * (3 if sums is plain[0] else 2)
        plain[0].pop("origin"), plain[1].pop("origin")
        expected = comparison(plain[0], 3, [(plain[1], 2)])
        changes = plain_rows(answer)
        longer = Fraction(15 + 17 + 39, 3) - Fraction(13 + 16, 2)
        assert changes.pop("(the step itself)") == Row("slower", Fraction(), longer, 3, 2)
        assert answer.fact("denominator").value == 6
        assert (answer.fact("steps").value, answer.fact("base_steps").value) == (3, 2)
        origin = changes.pop("origin")
        assert origin.delta == Fraction(1, 3) - Fraction(1, 2)
        assert changes == expected
        totals = answer.table("changes").totals
        assert totals is not None
        deltas = [row["exact_delta"] for row in rows(answer).values()]
        assert totals["exact_delta"] == sum(deltas)
        assert totals["delta"] == answer.fact("delta").value == (2 * sum(deltas) + 6) // 12


def test_a_step_beside_another_of_the_same_run() -> None:
    with built(A_RUN) as (run,):
        answer = compare(run, steps=5, against_steps=4)
        assert {name: (row["delta"], row["change"]) for name, row in rows(answer).items()} == {
            "compute": (20_000, "slower"), "load": (2000, "slower"), "(the step itself)": (0, "slower"),
        }  # fmt: skip
        assert answer.headline is not None
        assert answer.headline.text == (
            "Per step, self time changed by +22 ns (from 17 ns to 39 ns, +129.4 %); the greatest change is in "
            "“compute”: +20 ns, in python › main; 3 of 3 differ."
        )


def test_a_run_is_the_same_as_itself(tmp_path: Path) -> None:
    with built(A_RUN) as (run,):
        for values in ({}, {"by": "track"}, {"per": "total"}, {"start": 3, "end": 40}, {"match": "normalised"}):
            answer = compare(run, **values)
            assert {row["change"] for row in rows(answer).values()} == {"same"}
            assert answer.fact("delta").value == 0
            assert not len(answer.table("unequal"))
            assert answer.headline is not None
            assert "nothing differs" in answer.headline.text.lower()


def test_per_is_said_with_its_reason() -> None:
    plain = [Slice("main", "load", 0, 5)]
    with built(A_RUN, plain) as (run, other):
        cases: list[tuple[tuple[Asked, ...], dict[str, Any], str, str]] = [
            ((run, run), {}, "per step", "because all runs have steps"),
            ((run, other), {}, "in total", "because not all runs have steps"),
            ((other, other), {}, "in total", "because no run has steps"),
            ((run, run), {"start": 0, "end": 30}, "in total", "because a span is asked for"),
            ((run, run), {"per": "total"}, "in total", "as asked"),
        ]
        for runs, values, what, why in cases:
            fact = compare(*runs, **values).fact("per")
            assert (fact.value, fact.note) == (what, why)
        with pytest.raises(UsageError, match="marks no steps"):
            compare(run, other, per="step")


def test_what_is_new_has_no_ratio_and_what_nothing_shares_is_said() -> None:
    with built([Slice("main", "load", 0, 5)], [Slice("main", "other", 0, 7)]) as (run, other):
        answer = compare(run, other, tracks=[run.track("main")])
        changes = rows(answer)
        assert (changes["load"]["change"], changes["load"]["ratio"]) == ("added", None)
        assert (changes["other"]["change"], changes["other"]["ratio"]) == ("deleted", -1.0)
        assert any("nothing in common" in note.text for note in answer.notes)


def test_tracks_are_matched_by_their_paths() -> None:
    with built([Slice("worker", "load", 0, 5)], [Slice("main", "load", 0, 9), Slice("worker", "load", 0, 2)]) as runs:
        run, other = runs
        changes = rows(compare(run, other, tracks=[run.track("worker")]))
        assert {name: (row["self"], row["base_self"]) for name, row in changes.items()} == {"load": (5000, 2000)}
        assert changes["load"]["track"] == run.track("worker")
        assert changes["load"]["base_track"] == other.track("worker")
        answer = compare(other, run, tracks=[other.track("main")])
        assert any("no track of that name there" in note.text for note in answer.notes)


def test_a_track_beside_itself_is_not_beside_another_of_its_name(tmp_path: Path) -> None:
    """Two threads have one name: a range of one of them is compared with another range of that one."""
    events = [*thread(1, 1, "pool.1", "p"), *thread(1, 2, "pool.2", "p"), x("op", 0, 9, 1, 1), x("op", 0, 4, 1, 2)]
    run = Asked.of_events(tmp_path / "run", events)
    first, second = [track.id for track in run.reader.tree.tracks if track.name.startswith("pool")]
    for track, time in ((first, 9000), (second, 4000)):
        for others in ((), (run,)):
            row = only_row(compare(run, *others, tracks=[track], match="normalised"))
            assert (row["self"], row["base_self"], row["change"]) == (time, time, "same")


@settings(max_examples=15, deadline=None)
@given(nested(), nested())
def test_a_row_is_where_it_changes_most(new: list[Slice], base: list[Slice]) -> None:
    with built(new, base) as (run, other):
        own = [
            {
                name: side([s for s in [*slices, ORIGIN] if s.thread == name], [(0, 1000)])
                for name in (*THREADS, "origin")
            }
            for slices in (new, base)
        ]
        for name, row in rows(compare(run, other)).items():
            sizes = {
                track: abs(own[0][track].get(name, Sums()).own - own[1][track].get(name, Sums()).own)
                for track in own[0]
            }
            assert sizes[str(row["place"]).rpartition(" › ")[2]] == max(sizes.values())


def test_sums_beyond_64_bits_stay_exact() -> None:
    """The denominator alone may be too large, where steps are many."""

    def sums(ticks: int, divisor: int) -> SideSums:
        single, zero = np.ones(1, np.int64), np.zeros(1, np.int64)
        histogram = Histogram(
            zero, single, ticks * single, ticks * single, ticks * single, ticks * single, ticks * single
        )
        spread = DurationSpread(zero, zero[:0], zero[:0])
        places = PlaceSums(zero, zero, ticks * single)
        return SideSums(ComparedSums(GroupSums(histogram, spread), places), divisor, 1)

    bases = [(1, 2_000_003), (1, 2_000_029), (1, 2_000_039)]
    changes = Changes(sums(2, 1_999_993), [sums(*base) for base in bases], [("op",)], [("here",)])
    mean = sum(Fraction(*base) for base in bases) / 3
    assert Fraction(int(changes.delta[0]), changes.denominator) == Fraction(2, 1_999_993) - mean
    assert changes.rounded(changes.delta).tolist() == [0]
    assert changes.places(np.array([0])) == [("here",)]
    assert changes.order(1).tolist() == [0]


def test_ticks_may_differ(tmp_path: Path) -> None:
    """A profile has ticks of a picosecond, where the other trace has nanoseconds."""
    coarse = Asked.of_events(tmp_path / "coarse", [*thread(1, 1, "t", "p"), x("op", 0, 9)])
    planes = [plane("/host:CPU", [Instruction("op")], {"t": [Run(0, 0, 1500), Run(0, 4000, 7)]})]
    fine = Asked(tmp_path / "fine", [write_trace(tmp_path / "fine.xplane.pb", planes)])
    assert (fine.reader.tick_ps, coarse.reader.tick_ps) == (1, 1000)
    values = {"match": "normalised"}
    row = only_row(compare(fine, coarse, **values))
    assert (row["self"], row["base_self"], row["delta"]) == (1507, 9000, 1507 - 9000)
    assert (row["mean"], row["base_mean"], row["p50"]) == (754, 9000, 7)
    row = only_row(compare(fine, coarse, start=0, end=4003, **values))  # of the other run its ticks to the fifth
    assert (row["self"], row["base_self"]) == (1503, 5000)
    row = only_row(compare(coarse, fine, start=0, end=4, **values))
    assert (row["self"], row["base_self"]) == (4000, 1500)


def only_row(answer: Answer) -> Compared:
    """The row of the operation, by its name: its category differs between the formats."""
    (row,) = [row for row in rows(answer).values() if row["name"] == "op"]
    return row


NORMALISED = {
    "fusion.12": "fusion",
    "fusion.12.clone": "fusion.clone",
    "op#7": "op",
    "conv2d_1/BiasAdd": "conv2d/BiasAdd",
    "gemm_128x64": "gemm_128x64",
    "sm80_f16": "sm80_f16",
    "0x7f00aa": "*",
    "run_0x7f00aa": "run_*",
    "jit_f(12190760917235803885)": "jit_f(*)",
    "deadbeef": "deadbeef",
    "deadbee1": "*",
    ".5": ".5",
    "": "",
}


@pytest.mark.parametrize(("name", "expected"), NORMALISED.items())
def test_names_without_their_numbers(name: str, expected: str) -> None:
    assert normalised(name) == expected
    assert normalised(expected) == expected


@given(st.text(alphabet="ab1.#_x0 ", max_size=12))
def test_names_without_numbers_stay_as_they_are(name: str) -> None:
    once = normalised(name)
    assert bool(once) == bool(name)
    if not any(c.isdigit() for c in name):
        assert once == name


def test_normalised_names_are_one_row_that_leads_to_all_of_them() -> None:
    new = [Slice("main", f"copy.{number}", 10 * number, 10 * number + 3) for number in range(3)]
    base = [Slice("main", "copy.7", 0, 4)]
    with built(new, base) as (run, other):
        changes = rows(compare(run, other, match="normalised"))["copy"]
        assert (changes["count"], changes["base_count"], changes["change"]) == (3, 1, "more")
        hits = run.ask("search", query=str(changes["query"]))
        assert hits.fact("count").value == 3
        assert changes["base_query"] == '"copy.7"'
        parse(str(changes["base_query"]))


def test_the_least_changes_are_in_the_rest() -> None:
    with built(A_RUN, ANOTHER) as (run, other):
        answer = compare(run, other, limit=1)
        whole = compare(run, other)
        table = answer.table("changes")
        assert len(table) == 1
        assert table.totals == whole.table("changes").totals
        assert table.rest is not None
        left_out = list(rows(whole).values())[1:]
        assert table.rest["exact_delta"] == sum(row["exact_delta"] for row in left_out)
        assert table.rest["count"] == sum(row["count"] for row in left_out)


def test_the_trace_diff_of_hta(tmp_path: Path) -> None:
    """Counts and classes of a step in the two files that Holistic Trace Analysis is tested with."""
    folder = corpus_path("kineto/diff")
    base, new = (Asked(tmp_path / name, [folder / f"{name}.json.gz"]) for name in ("base", "test"))
    changes = rows(compare(new, base, steps=1010))
    on_device = {"kernel", "gpu_memcpy", "gpu_memset"}
    classes: dict[str, list[str]] = {}
    for row in changes.values():
        is_copy = row["category"] in ("gpu_memcpy", "gpu_memset")  # which HTA has apart from operators
        place = "copy" if is_copy else "gpu" if row["category"] in on_device else "cpu"
        if not (place == "gpu" and row["base_count"] == row["count"]):
            classes.setdefault(place, []).append("=" if row["count"] == row["base_count"] else str(row["change"]))
    assert sorted(classes["cpu"]) == ["=", "=", "=", "=", "=", "added", "added", "added", "deleted"]
    assert classes["gpu"] == ["deleted"]
    assert {name for name, row in changes.items() if row["change"] == "added"} == {
        "AddmmBackward0", "All2All_Pooled_Req", "CatBackward0",
    }  # fmt: skip
    durations = {name: (row["base_count"], row["base_total"]) for name, row in changes.items()}
    assert durations["(the step itself)"] == (1, 122_149 * 10**6)
    assert durations["cudaEventQuery"] == durations["cudaLaunchKernel"] == (1, 4 * 10**6)
    assert durations["nccl:all_reduce"] == (1, 67 * 10**6)
    assert (durations["aten::as_strided"], durations["aten::empty"]) == ((1, 0), (1, 0))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"by": "argument"}, "needs the name of an argument"),
        ({"argument": "bytes"}, "goes with by=argument"),
        ({"steps": 3, "against_steps": 99}, "there is no step 99"),
        ({"against": []}, "1 to 32 builds"),
        ({"against": [f"run/{number}" for number in range(33)]}, "1 to 32 builds"),
        ({"against": 'a"b'}, None),
    ],
)
def test_what_cannot_be_compared(values: dict[str, object], message: str | None) -> None:
    with built(A_RUN) as (run,):
        if message is None:
            with pytest.raises(KeyError):
                compare(run, **values)
            return
        with pytest.raises(UsageError, match=message):
            compare(run, **values)


def test_values_of_arguments(tmp_path: Path) -> None:
    def event(value: object, start: int, stop: int) -> Event:
        return {**x("op", start, stop), "args": {"size": value}}

    new = Asked.of_events(tmp_path / "new", [event(5, 0, 3), event("big", 10, 20)])
    base = Asked.of_events(tmp_path / "base", [event(5, 0, 9), x("op", 20, 26)])
    changes = rows(compare(new, base, by="argument", argument="size"), "value")
    assert {name: (row["self"], row["base_self"], row["change"]) for name, row in changes.items()} == {
        "big": (10_000, 0, "added"), "5": (3000, 9000, "faster"), "": (0, 6000, "deleted"),
    }  # fmt: skip
