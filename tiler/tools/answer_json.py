"""Answers as JSON: exact integers as decimal text, what is not recorded as null, columns as lists. And back again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
import numpy as np

from tilescope.tiler.schema import (
    Kind,
    ToolAnswer,
    ToolColumn,
    ToolFact,
    ToolNote,
    ToolRowQuestion,
    ToolSeries,
    ToolTable,
)
from tilescope.tiler.tools.answer import (
    FLOAT_KINDS,
    ID_KINDS,
    INTEGER_KINDS,
    Answer,
    Column,
    Fact,
    Note,
    Series,
    Table,
    Value,
    Values,
    values_of,
)
from tilescope.tiler.tools.row_question import RowQuestion

_INT64_MAX = np.iinfo(np.int64).max


def encode(answer: Answer, only: str | None = None) -> bytes:
    """The answer as JSON, as docs/tools.md has it; nothing but one table, if it is named. Raises UsageError."""
    if only is not None:
        answer = Answer(tables=[answer.table(only)], is_complete=answer.is_complete, missing=answer.missing)
    return msgspec.json.encode(
        ToolAnswer(
            complete=answer.is_complete,
            missing=answer.missing,
            facts=[
                ToolFact(
                    id=fact.id, label=fact.label, kind=fact.kind, value=_plain(fact.kind, fact.value), note=fact.note
                )
                for fact in answer.facts
            ],
            tables=[_table(table) for table in answer.tables],
            series=[
                ToolSeries(
                    id=series.id,
                    title=series.title,
                    kind=series.kind,
                    scale=series.scale,
                    x=_column(series.x),
                    ys=list(map(_column, series.ys)),
                    lines=list(map(_column, series.lines)),
                    labels=None if series.labels is None else _column(series.labels),
                )
                for series in answer.series
            ],
            headline=None if answer.headline is None else _note(answer.headline),
            notes=list(map(_note, answer.notes)),
        ),
        enc_hook=_plain_text,
    )


def decode(data: bytes) -> Answer:
    """The answer that `encode` wrote; integers that fit are columns of int64, others of Python's own."""
    answer = msgspec.json.decode(data, type=ToolAnswer)
    return Answer(
        [Fact(fact.id, fact.label, _value(fact.kind, fact.value), fact.kind, fact.note) for fact in answer.facts],
        [_read_table(table) for table in answer.tables],
        [
            Series(
                series.id,
                series.title,
                series.kind,
                _read_column(series.x),
                list(map(_read_column, series.ys)),
                series.scale,
                list(map(_read_column, series.lines)),
                None if series.labels is None else _read_column(series.labels),
            )
            for series in answer.series
        ],
        list(map(_read_note, answer.notes)),
        answer.complete,
        None if answer.headline is None else _read_note(answer.headline),
        tuple(answer.missing),
    )


def _note(note: Note) -> ToolNote:
    return ToolNote(
        severity=note.severity,
        text=note.text,
        start=_plain("time", note.start),
        end=_plain("time", note.end),
        track=note.track,
        event=note.event,
    )


def _read_note(note: ToolNote) -> Note:
    start, end = (cast("int | None", _value("time", moment)) for moment in (note.start, note.end))
    return Note(note.severity, note.text, start, end, note.track, note.event)


def _table(table: Table) -> ToolTable:
    kinds = {column.id: column.kind for column in table.columns}
    return ToolTable(
        id=table.id,
        title=table.title,
        parent=table.parent,
        nested=list(table.nested),
        opens=[
            ToolRowQuestion(
                tool=question.tool, label=question.label, columns=dict(question.columns), values=dict(question.values)
            )
            for question in table.opens
        ],
        columns=[_column(column) for column in table.columns],
        totals=_sums(kinds, table.totals),
        rest=_sums(kinds, table.rest),
        more=table.more,
    )


def _read_table(table: ToolTable) -> Table:
    columns = [_read_column(column) for column in table.columns]
    kinds = {column.id: column.kind for column in columns}
    totals, rest = (_read_sums(kinds, sums) for sums in (table.totals, table.rest))
    opens = [RowQuestion(question.tool, question.label, question.columns, question.values) for question in table.opens]
    return Table(table.id, table.title, columns, table.parent, totals, rest, table.more, table.nested, opens)


def _column(column: Column) -> ToolColumn:
    values = [_plain(column.kind, value) for value in values_of(column)]
    return ToolColumn(
        id=column.id, title=column.title, kind=column.kind, unit=column.unit, total=column.total, values=values
    )


def _read_column(column: ToolColumn) -> Column:
    values = [_value(column.kind, value) for value in column.values]
    return Column(column.id, column.title, column.kind, _packed(column.kind, values), column.unit, column.total)


def _packed(kind: Kind, values: Sequence[Value]) -> Values:
    """As numpy columns where that loses nothing."""
    if kind in FLOAT_KINDS:
        return np.array([math.nan if value is None else value for value in values], np.float64)
    if kind in INTEGER_KINDS | ID_KINDS and None not in values:
        numbers = cast("Sequence[int]", values)
        fits = all(abs(value) <= _INT64_MAX for value in numbers)
        return np.array(numbers, np.int64 if fits else object)
    return values


def _sums(kinds: Mapping[str, Kind], sums: Mapping[str, Value] | None) -> dict[str, Any] | None:
    return None if sums is None else {name: _plain(kinds[name], value) for name, value in sums.items()}


def _read_sums(kinds: Mapping[str, Kind], sums: Mapping[str, Any] | None) -> dict[str, Value] | None:
    return None if sums is None else {name: _value(kinds[name], value) for name, value in sums.items()}


def _plain(kind: Kind, value: Value) -> Any:
    """A value as JSON has it."""
    if value is None:
        return None
    if kind in INTEGER_KINDS:
        return str(int(value))
    if kind in FLOAT_KINDS:
        number = float(value)
        return number if math.isfinite(number) else None
    if kind in ID_KINDS:
        return int(value)
    return bool(value) if kind == "flag" else value


def _plain_text(text: object) -> str:
    """A text of a class of its own, such as the name of a host that a question holds."""
    if not isinstance(text, str):
        raise TypeError(f"answers hold no {type(text).__name__}")
    return str.__str__(text)


def _value(kind: Kind, value: Any) -> Value:
    return int(value) if kind in INTEGER_KINDS and value is not None else cast("Value", value)
