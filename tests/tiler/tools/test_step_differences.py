"""A step beside others: names, own times and counts, to the tick."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.tools.test_steps import Asked, Event, thread, x
from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools import values_of


def train(step: int, start: int, stop: int, load: int) -> list[Event]:
    """A step of a thread: it loads for a while, and computes for the rest."""
    return [
        x(f"ProfilerStep#{step}", start, stop),
        x("load", start + 1, start + 1 + load),
        x("compute", start + 1 + load, stop - 1),
        x("inner", start + 2 + load, start + 4 + load),
    ]


@pytest.fixture
def run(tmp_path: Path) -> Asked:
    steps = [train(4, 0, 90, 20), train(5, 100, 140, 10), train(6, 150, 190, 10), train(7, 200, 290, 58)]
    return Asked.of_events(tmp_path, [*thread(1, 1, "python", "trainer"), *(event for step in steps for event in step)])


def rows(run: Asked, **values: object) -> dict[str, tuple[object, ...]]:
    columns = "difference", "step", "usual", "count", "usual_count"
    return {str(row["name"]): tuple(row[column] for column in columns) for row in run.rows("differences", **values)}


def test_a_step_beside_another_one(run: Asked) -> None:
    assert rows(run, steps=7, against_step="5") == {
        "load": (48, 58, 10, 1, 1.0),
        "compute": (2, 28, 26, 1, 1.0),
        "(the step itself)": (0, 2, 2, 1, 1.0),
        "inner": (0, 2, 2, 1, 1.0),
    }


def test_time_that_no_name_explains_is_behind_the_names_and_slices_around_steps_are_in_the_rest(tmp_path: Path) -> None:
    steps = [
        x("ProfilerStep#1", 10, 50), x("load", 11, 20), x("ProfilerStep#2", 60, 160), x("load", 61, 75),
        x("ProfilerStep#3", 170, 190),
    ]  # fmt: skip
    around = [x("session", 0, 200, pid=2)]
    run = Asked.of_events(tmp_path, [*thread(1, 1, "python", "trainer"), *steps, *thread(2, 1, "Traces", "x"), *around])
    assert list(rows(run, steps=2, against_step="1").items()) == [
        ("load", (5, 14, 9, 1, 1.0)),
        ("(the step itself)", (55, 86, 31, 1, 1.0)),
    ]
    table = run.ask("steps", steps=2, against_step="1").table("differences")
    assert table.totals == {"difference": 120, "step": 200, "usual": 80}
    assert table.rest == {"difference": 60, "step": 100, "usual": 40}


def test_a_step_that_is_compared_leaves_the_others_in_the_answer(run: Asked) -> None:
    assert rows(run, compare_step="7", against_step="5") == rows(run, steps=7, against_step="5")
    assert rows(run, compare_step="7") == rows(run, compare_step="7", against_step="others")
    answer = run.ask("steps", compare_step="7", against_step="5")
    assert answer.fact("count").value == 4
    (chart,) = answer.series
    assert values_of(chart.x) == [4, 5, 6, 7]
    assert values_of(chart.ys[0]) == [90, 40, 40, 90]


def test_a_step_beside_the_mean_of_all_others_but_the_first_recorded(run: Asked) -> None:
    assert rows(run, steps=7, against_step="others") == rows(run, steps=7, against_step="5")
    assert rows(run, steps=6, against_step="others")["load"] == (-24, 10, 34, 1, 1.0)


def test_differences_add_up_to_that_of_the_steps(run: Asked) -> None:
    answer = run.ask("steps", steps=7, against_step="5", limit=1)
    table = answer.table("differences")
    assert (len(table), table.totals, table.rest) == (
        1,
        {"difference": 50, "step": 90, "usual": 40},
        {"difference": 2, "step": 32, "usual": 30},
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"against_step": "5"}, "compares one step"),
        ({"steps": "5-6", "against_step": "7"}, "compares one step"),
        ({"steps": 5, "against_step": "5"}, "compared with itself"),
        ({"steps": 5, "against_step": "99"}, "there is no step 99"),
        ({"steps": 5, "against_step": "median"}, "against_step"),
        ({"compare_step": "5", "against_step": "05"}, "compared with itself"),
        ({"compare_step": "99"}, "there is no step 99"),
        ({"compare_step": "-1"}, "compare_step"),
    ],
)
def test_what_cannot_be_compared_is_refused(run: Asked, values: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        run.ask("steps", **values)
