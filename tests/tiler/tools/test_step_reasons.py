"""The first lines of Steps: what makes slow steps slow, before what costs all of them their time."""

from __future__ import annotations

from pathlib import Path

from tests.headlines import headline
from tests.tiler.facts.findings.answers import reading
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tests.tiler.tools.test_steps import Asked, thread, x
from tilescope.tiler.query import finish
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool


def steps(folder: Path, cause: str, **values: object) -> Answer:
    with reading(write_ranks(run(PLANTED[cause]), folder), folder) as reader:
        return finish(ask(tool("steps"), Scope(reader), from_values(tool("steps").question, values)))


def test_a_cause_in_some_steps_is_said_first_with_what_to_do(tmp_path: Path) -> None:
    answer = steps(tmp_path, "drawn_charts")
    first, (second, *_) = headline(answer), answer.notes
    assert first.text.startswith("Step #35 is longer by")
    assert "pairplot" in first.text
    assert first.event is not None
    assert second.text.startswith("To gain up to")


def test_a_cause_in_all_steps_is_said_where_none_is_slow(tmp_path: Path) -> None:
    answer = steps(tmp_path, "value_in_the_step")
    first, (second, *_) = headline(answer), answer.notes
    assert first.text.startswith("Each step loses")
    assert second.text.startswith("To gain up to")


def test_who_lists_no_steps_is_told_no_reasons(tmp_path: Path) -> None:
    answer = steps(tmp_path, "drawn_charts", limit=0)
    assert not any(note.event for note in (headline(answer), *answer.notes))


def test_a_slow_step_that_no_cause_explains_is_named(tmp_path: Path) -> None:
    events = [*thread(1, 1, "python", "trainer")]
    for number, (start, stop) in enumerate([(0, 10), (10, 20), (20, 35), (35, 45), (45, 55)], 1):
        events.append(x(f"ProfilerStep#{number}", start, stop))
    store = Asked.of_events(tmp_path, events)
    note = headline(store.ask("steps"))
    assert note.text.startswith("Step #3 takes longest: 15 ns, the median is 10 ns")
    assert note.event is not None
    store.store.close()
