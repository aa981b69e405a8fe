"""What cannot be registered."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools import Answer, Question, Scope, Tool, Tracks, parameters


class Plain(Question, frozen=True, kw_only=True):
    reverse: bool = False
    rows: int | None = None
    tracks: Tracks = Tracks((3, 4, 5))
    order: Literal["up", "down"] = "up"
    text: str


class Fractions(Question, frozen=True, kw_only=True):
    part: float = 0.5


class Lists(Question, frozen=True, kw_only=True):
    numbers: list[int]


class Either(Question, frozen=True, kw_only=True):
    value: int | str = 1


class Numbers(Question, frozen=True, kw_only=True):
    value: Literal[1, 2] = 1


class Reserved(Question, frozen=True, kw_only=True):
    format: str = ""


def answer(_scope: Scope, _question: Any) -> Interruptible[Answer]:
    yield
    return Answer()


def test_the_types_of_fields() -> None:
    found = {one.name: (one.type, one.metavar, one.default, one.is_required) for one in parameters(Plain)}
    assert found == {
        "reverse": ("flag", "REVERSE", False, False),
        "rows": ("integer", "N", None, False),
        "tracks": ("tracks", "TRACKS", "3-5", False),
        "order": ("choice", None, "up", False),
        "text": ("text", "TEXT", None, True),
    }
    assert Tool("plain", "Plain", "is fine", "tests", Plain, answer).question is Plain


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "Two words"}, "a tool's id is a word of small letters"),
        ({"help": "two\nlines"}, "one line of text each"),
        ({"title": 5}, "one line of text each"),
        ({"question": dict}, "no subclass of Question"),
        ({"answer": None}, "are to be functions"),
        ({"question": Fractions}, "part: fields are text, integers, flags, choices of texts, tracks, steps, builds"),
        ({"question": Lists}, "numbers: fields are"),
        ({"question": Either}, "value: fields are"),
        ({"question": Numbers}, "value: fields are"),
        ({"question": Reserved}, "cannot have a field 'format'"),
    ],
)
def test_what_no_transport_could_offer_is_refused_at_once(change: dict[str, Any], message: str) -> None:
    fine: dict[str, Any] = {"id": "t", "title": "T", "help": "h", "group": "g", "question": Plain, "answer": answer}
    with pytest.raises((TypeError, ValueError), match=message):
        Tool(**{**fine, **change})
