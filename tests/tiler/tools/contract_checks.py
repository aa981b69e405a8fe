"""Asks a tool for what its contract says: of spans and their parts, steps, tracks, pages, and of other tools."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.tiler.tools.watched import finish_watched
from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools import Answer, AnyTool, Scope, Table, ask, from_values, parameters, tool, tools, values_of
from tilescope.tiler.tools.contract import AddedRows, Figure

Values = Mapping[str, Any]
Number = int | float

_SHARES: Final = ("share", "idle", "idle_share", "device_idle", "host_idle", "input_share")
# More rows than there are of anything: figures that are sums of rows need all of them.
_EVERY: Final = 1_000_000
_PAGE: Final = 7  # rows
_LISTED: Final = 5_000  # a list of more is not read to its end


@dataclass
class Checks:
    """All checks of one run. `texts`: what is looked for, by the field of a question that it fills."""

    reader: QueryReader
    texts: Mapping[str, Sequence[str]]
    checked: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))  # tool and sort of check
    _answers: dict[tuple[str, str], Answer | None] = field(default_factory=dict)

    def whole(self, asked: Values) -> None:
        """What holds of one question about all that it may be asked of: within the answer, page by page, of others."""
        for each, values in self._questions(asked):
            answer = self._answer(each, values)
            if answer is None:
                continue
            where = f"{each.id} {values}"
            _check_shares(answer, where)
            self._check_limit(each, values, answer, where)
            for whole, parts in each.contract.parts.items():
                self._count(each, "parts")
                named = {name: figure(answer, name) for name in (whole, *parts)}
                assert named[whole] == sum(named[name] for name in parts), f"{where}: {whole} is {named}"
            for table, count in each.contract.lists.items():
                self._check_list(each, values, table, figure(answer, count), where)
            for same in each.contract.same:
                other = self._answer(tool(same.tool), values)
                if other is not None and recorded(answer, same.figure) and recorded(other, same.theirs):
                    self._count(each, "same")
                    pair = figure(answer, same.figure), figure(other, same.theirs)
                    assert math.isclose(*pair, rel_tol=1e-12), f"{where}: {same} are {pair}"

    def added(self, whole: Values, parts: Sequence[Values], *, by_track: bool = False) -> None:
        """What the parts come to together is what the whole comes to."""
        for each, values in self._questions(whole):
            contract = each.contract
            if by_track and not contract.by_track:
                continue
            answer = self._answer(each, values)
            if answer is None:
                continue
            others = {key: value for key, value in values.items() if key not in whole}
            of_parts = [self._answer(each, {**others, **part}) for part in parts]
            where = f"{each.id} {values} in parts {parts}"
            for name in contract.added:
                self._count(each, "added")
                pair = figure(answer, name), sum(0 if part is None else figure(part, name) for part in of_parts)
                assert pair[0] == pair[1], f"{where}: {name} is {pair[0]}, of the parts {pair[1]}"
            for rows in contract.rows:
                self._count(each, "rows")
                expected = _by_key(rows, [answer])
                there = _by_key(rows, [part for part in of_parts if part is not None])
                differ = {key: (expected.get(key), there.get(key)) for key in expected.keys() | there.keys()}
                differ = {key: pair for key, pair in differ.items() if pair[0] != pair[1]}
                assert not differ, f"{where}: rows of {rows.table} are not the sums: {dict(list(differ.items())[:3])}"

    def _questions(self, asked: Values) -> Iterator[tuple[AnyTool, Values]]:
        """Each tool that can be asked that, with what else it has to be told, and turned round where it can be."""
        for each in tools().values():
            names = {parameter.name: parameter for parameter in parameters(each.question)}
            if not asked.keys() <= names.keys() or "start" not in names:
                continue
            required = [name for name, parameter in names.items() if parameter.is_required]
            if not all(name in self.texts for name in required):
                continue
            several = [{required[0]: text} for text in self.texts[required[0]]] if required else [{}]
            for values in several:
                yield each, {**asked, **values}
                if "backward" in names:
                    yield each, {**asked, **values, "backward": True}

    def _answer(self, each: AnyTool, values: Values) -> Answer | None:
        """None where the run has none."""
        named = {parameter.name: parameter for parameter in parameters(each.question)}
        for limit in ("limit", "names"):
            if limit in named and limit not in values:
                # What comes page by page is not what figures are made of.
                most = _PAGE if limit == "limit" and "after" in named else _EVERY
                values = {**values, limit: min(most, named[limit].schema["maximum"])}
        assert values.keys() <= named.keys(), (each.id, values)
        key = each.id, repr(sorted(values.items()))
        if key not in self._answers:
            try:
                self._answers[key] = finish_watched(
                    each.id, ask(each, Scope(self.reader), from_values(each.question, values))
                )
            except NotAvailable:
                self._answers[key] = None
            except UsageError as error:
                if not str(error).startswith("the trace marks no steps"):
                    raise
                self._answers[key] = None
        return self._answers[key]

    def _check_limit(self, each: AnyTool, values: Values, answer: Answer, where: str) -> None:
        """How many rows are listed changes no figure."""
        if all(parameter.name != "limit" for parameter in parameters(each.question)):
            return
        short = self._answer(each, {**values, "limit": 1})
        assert short is not None, where
        assert [fact for fact in short.facts if fact not in answer.facts] == [], where
        for table in short.tables:
            self._count(each, "limit")
            assert table.totals == answer.table(table.id).totals, where

    def _check_list(self, each: AnyTool, values: Values, table: str, count: Number, where: str) -> None:
        """As many rows as are counted, in one list or page by page, each once."""
        if count > _LISTED:
            return
        self._count(each, "lists")
        named = {parameter.name: parameter for parameter in parameters(each.question)}
        asked: Values | None = values
        if "after" in named:
            asked = {**values, "limit": min(max(_PAGE, int(count) // 3), named["limit"].schema["maximum"])}
        rows: list[tuple[Any, ...]] = []
        while asked is not None:
            answer = self._answer(each, asked)
            assert answer is not None, where
            page = answer.table(table)
            rows += zip(*(values_of(column) for column in page.columns), strict=True)
            asked = None if page.more is None else {**asked, "after": page.more}
        assert len(rows) == count, f"{where}: {count} are counted, and {len(rows)} listed in {table}"
        assert len(set(map(repr, rows))) == len(rows), f"{where}: a row of {table} is listed twice"

    def _count(self, each: AnyTool, sort: str) -> None:
        self.checked[each.id, sort] += 1


def figure(answer: Answer, name: Figure) -> Number:
    """A fact, or what a column comes to; 0 where it is not recorded."""
    value = _value(answer, name)
    return 0 if value is None else value


def recorded(answer: Answer, name: Figure) -> bool:
    """Whether the answer says anything of it."""
    return _value(answer, name) is not None


def _value(answer: Answer, name: Figure) -> Number | None:
    table, _, column = name.partition(".")
    if not column:
        value = {fact.id: fact.value for fact in answer.facts}.get(name)
    else:
        there = {each.id: each for each in answer.tables}.get(table)
        value = None if there is None else _total(there, column)
    assert value is None or isinstance(value, int | float), name
    return value


def _total(table: Table, column: str) -> Number | None:
    if table.totals is not None and column in table.totals:
        value = table.totals[column]
        assert value is None or isinstance(value, int | float)
        return value
    values = [value for value in values_of(table.column(column)) if isinstance(value, int | float)]
    return sum(values) if values else None


def _by_key(rows: AddedRows, answers: Sequence[Answer]) -> dict[tuple[Any, ...], list[int]]:
    """What the rows of each key come to; those that come to nothing are none."""
    sums: dict[tuple[Any, ...], list[int]] = {}
    for answer in answers:
        table = {each.id: each for each in answer.tables}.get(rows.table)
        if table is None:
            continue
        columns = [values_of(table.column(name)) for name in (*rows.key, *rows.columns)]
        seen = set()
        for row in zip(*columns, strict=True):
            key, numbers = row[: len(rows.key)], [int(value or 0) for value in row[len(rows.key) :]]
            assert key not in seen, f"two rows of {rows.table} have the key {key}"
            seen.add(key)
            sums[key] = [a + b for a, b in zip(sums.get(key, [0] * len(numbers)), numbers, strict=True)]
    return {key: numbers for key, numbers in sums.items() if any(numbers)}


def _check_shares(answer: Answer, where: str) -> None:
    """A part of a whole is not less than nothing, and no more than the whole."""
    shares = [(fact.id, fact.value) for fact in answer.facts if fact.kind == "fraction" and fact.id in _SHARES]
    for table in answer.tables:
        shares += [
            (f"{table.id}.{column.id}", value)
            for column in table.columns
            if column.kind == "fraction" and column.id in _SHARES
            for value in values_of(column)
        ]
    for name, value in shares:
        assert value is None or -1e-9 <= float(value) <= 1 + 1e-9, f"{where}: {name} is {value}"
