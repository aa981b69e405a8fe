"""Suggestions: each rule, with figures that call for it and with some that do not."""

from __future__ import annotations

import pytest

from tilescope.tiler.facts.operations import Operation
from tilescope.tiler.facts.operations.operation import OperationMetadata
from tilescope.tiler.tools.overview.suggestions import Evidence, SeenAt, suggestions


def operation(category: str, own: int) -> Operation:
    names = OperationMetadata("1", 1, f"{category}.1", "", category, "", 0, 0, 0, (), "", "", "", "")
    return Operation(names, count=1, total=own, own=own, track=4)


QUIET = {"mxu": 0.6, "hbm": 0.6, "span": 1000}


@pytest.mark.parametrize(
    ("figures", "words", "less"),
    [
        ({"barrier": 0.10}, ["barriers 10.0 %"], {"barrier": 0.099}),
        ({"debug": 0.05}, ["debug_print takes 5.0 %"], {"debug": 0.049}),
        (
            {"operations": (operation("gather", 300),)},
            ["gathers and pads: 30.0 %"],
            {"operations": (operation("gather", 299),)},
        ),
        (
            {"operations": (operation("all-gather-done", 101),), "memory": 0.49},
            ["asynchronous collectives 10.1 %", "at most 49.0 % of their memory"],
            {"operations": (operation("all-gather-done", 101),), "memory": 0.50},
        ),
        ({"mxu": 0.71, "hbm": 0.49}, ["bound by computation", "71.0 %"], {"mxu": 0.70, "hbm": 0.49}),
        ({"mxu": 0.49, "hbm": 0.71}, ["bound by memory", "71.0 %"], {"mxu": 0.50, "hbm": 0.71}),
        (
            {"mxu": 0.4, "hbm": 0.4, "sparse": 0.11},
            ["sparse core 11.0 %"],
            {"mxu": 0.6, "hbm": 0.4, "sparse": 0.11},
        ),
    ],
)
def test_a_rule(figures: dict[str, object], words: list[str], less: dict[str, object]) -> None:
    said = " ".join(note.text for note in suggestions(Evidence(**{**QUIET, **figures})))  # type: ignore[arg-type]
    for word in words:
        assert word in said
    assert suggestions(Evidence(**{**QUIET, **less})) == []  # type: ignore[arg-type]


def test_what_is_not_known_is_not_said() -> None:
    assert suggestions(Evidence()) == []
    assert suggestions(Evidence(mxu=0.1, span=1)) == []


def test_they_lead_to_the_timeline() -> None:
    place = SeenAt(7, 100, 200)
    (note,) = suggestions(Evidence(debug=0.3, places={"debug": place}))
    assert (note.track, note.start, note.end, note.severity) == (7, 100, 200, "warning")
    (note,) = suggestions(Evidence(operations=(operation("gather", 9),), span=10))
    assert note.track == 4
