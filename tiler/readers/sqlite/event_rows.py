"""Expressions of SQL that are trace events as JSON: SQLite writes the text, and no row becomes objects of Python."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

LONGEST_TEXT: Final = 16_384  # characters; nobody reads more of a name

END: Final = '"end"'  # a column whose name is a word of SQL

# Beyond these a time fits in no 64-bit tick.
_LATEST: Final = 1 << 62


class Whole(Struct, frozen=True):
    """Members of integers that nearly all rows have: `,"grid":[%d,%d,%d]` of three columns."""

    format: str
    columns: Sequence[str]
    times: Sequence[str] = ()  # columns among these that are times

    @property
    def condition(self) -> str:
        """True where all columns have integers, and times can be times."""
        return " AND ".join([*(f"typeof({column})='integer'" for column in self.columns), *self.limits])

    @property
    def limits(self) -> list[str]:
        """Conditions of times."""
        return [f"typeof({time})='integer' AND {time} BETWEEN -{_LATEST} AND {_LATEST}" for time in self.times]


Member = str | Whole  # an expression with the text of members, each behind a comma, or NULL


def whole(name: str, column: str) -> Whole:
    """A member with the integer of a column."""
    return Whole(f',"{name}":%d', (column,))


def time(column: str) -> Whole:
    """The time of an event."""
    return Whole(',"ts":%d', (column,), (column,))


def text(value: str) -> str:
    """A literal of SQL."""
    return "'" + value.replace("'", "''") + "'"


def json_text(value: str) -> str:
    """A literal of SQL with the JSON of a text."""
    return text(json.dumps(value))


def quoted(expression: str) -> str:
    """The JSON of the text of an expression, cut where it is very long; NULL of NULL."""
    return f"nullif(json_quote(substr(CAST({expression} AS TEXT),1,{LONGEST_TEXT})),'null')"


def literal(name: str, expression: str) -> str:
    """A member with the JSON of an expression; nothing where it is NULL."""
    return f"',\"{name}\":'||{expression}"


def integer(name: str, column: str) -> str:
    """A member with the integer of a column that few rows have."""
    return literal(name, case(f"typeof({column})='integer'", column))


def number(name: str, column: str) -> str:
    """The same of integers and of floats."""
    return literal(name, case(f"typeof({column}) IN ('integer','real')", column))


def case(condition: str, expression: str) -> str:
    """The expression where the condition holds, else NULL."""
    return f"CASE WHEN {condition} THEN {expression} END"


def event(head: str, members: Iterable[Member], args: Iterable[Member] = ()) -> str:
    """An expression with the JSON of an event; NULL where a member of integers has none.

    `head` are its first members as JSON, such as its phase, and `args` are members of its `args`, of which missing ones
    are left out. Where all columns of integers have them, all is written at once: that takes a third of the time.
    """
    outer, inner = list(members), list(args)
    wholes = [member for member in (*outer, *inner) if isinstance(member, Whole)]
    required = [member.condition for member in outer if isinstance(member, Whole)]
    each = _printed(head, outer, [_where_it_is(member) for member in inner])
    if not wholes:
        return each
    columns = [column for member in wholes for column in member.columns]
    greatest = (
        f"max({','.join(columns)})" if len(columns) > 1 else columns[0]
    )  # of NULL and others NULL, text above all
    are_all = " AND ".join([f"typeof({greatest})='integer'", *(limit for member in wholes for limit in member.limits)])
    singly = f" WHEN {' AND '.join(required)} THEN {each}" if required else f" ELSE {each}"
    return f"CASE WHEN {are_all} THEN {_printed(head, outer, inner)}{singly} END"


def slice_event(category: str, members: Iterable[Member], args: Iterable[Member] = ()) -> str:
    """A complete event between the columns `start` and `end`."""
    between = Whole(',"ts":%d,"dur":%d', ("start", f"{END}-start"), ("start", END))
    return event(f'"ph":"X","cat":{json.dumps(category)}', [*members, between], args)


def _where_it_is(member: Member) -> str:
    if isinstance(member, str):
        return member
    return case(member.condition, f"printf({text(member.format)},{','.join(member.columns)})")


def _printed(head: str, members: Sequence[Member], args: Sequence[Member]) -> str:
    """One call of printf. What stands in `args` begins with a comma, which the first loses."""
    outer, values = _format(members)
    inner, more = _format(args)
    if not args:
        return _call("{" + _escaped(head) + outer + "}", values)
    if isinstance(args[0], Whole):
        return _call(f'{{{_escaped(head)}{outer},"args":{{{inner.removeprefix(",")}}}}}', [*values, *more])
    return _call(f'{{{_escaped(head)}{outer},"args":{{%s}}}}', [*values, f"ltrim({_call(inner, more)},',')"])


def _format(members: Sequence[Member]) -> tuple[str, list[str]]:
    pieces: list[str] = []
    values: list[str] = []
    for member in members:
        pieces.append(member.format if isinstance(member, Whole) else "%s")
        values += member.columns if isinstance(member, Whole) else (member,)
    return "".join(pieces), values


def _call(pieces: str, values: Sequence[str]) -> str:
    return f"printf({','.join([text(pieces), *values])})"


def _escaped(head: str) -> str:
    return head.replace("%", "%%")
