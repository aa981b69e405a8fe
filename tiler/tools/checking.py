"""Check that an answer keeps to the schema: tools come from anybody, and transports would alter what does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.schema import Kind, Scale, SeriesKind, Severity, TotalKind
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
    Values,
    values_of,
)
from tilescope.tiler.tools.answer_size import check_size
from tilescope.tiler.tools.row_question import RowQuestion
from tilescope.tiler.words import Words

_KINDS: Final = frozenset(get_args(Kind))
# What is made of an argument has its name, whatever that is.
_IDS: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}|(?:args|sum|cell)\.[^\x00-\x1f\x7f]{1,256}")
_PATTERNS: Final = {"event": re.compile("[0-9]+[.][0-9]+"), "span": re.compile("-?[0-9]+-[0-9]+")}
_EXACT_IN_JSON: Final = 1 << 53  # ids are numbers there, which many read as doubles

_INTEGERS: Final = (int, np.integer)
_FLOATS: Final = (int, float, np.integer, np.floating)


def check(answer: object) -> None:
    """Raises ValueError or TypeError, which say where in the answer something is that may not be there."""
    _must_be(answer, Answer, "the answer")
    assert isinstance(answer, Answer)
    check_size(answer)
    _must_be(answer.is_complete, bool, "is_complete")
    for fact in _with_ids(answer.facts, Fact):
        _check_texts(fact.label, fact.note)
        _check_values(fact.kind, [fact.value])
    for table in _with_ids(answer.tables, Table):
        with _error_prefix(f"table {table.id!r}"):
            _check_table(table)
    for series in _with_ids(answer.series, Series):
        with _error_prefix(f"series {series.id!r}"):
            _check_series(series)
    for note in (*([] if answer.headline is None else [answer.headline]), *answer.notes):
        _must_be(note, Note, "a note")
        _check_texts(note.text)
        if note.severity not in get_args(Severity):
            raise ValueError(f"a note is of severity {note.severity!r}: there are {', '.join(get_args(Severity))}")
        _check_values("time", [note.start, note.end])
        _check_values("track", [note.track])


def _check_table(table: Table) -> None:
    _check_texts(table.title, table.more or "")
    columns = {column.id: column for column in _with_ids(table.columns, Column)}
    for column in columns.values():
        _check_column(column)
    for sums in (table.totals, table.rest):
        for name, value in (sums or {}).items():
            if name not in columns:
                raise ValueError(f"totals has {name!r}, which is not a column")
            with _error_prefix(f"the total of {name!r}"):
                _check_values(columns[name].kind, [value])
    for question in table.opens:
        _must_be(question, RowQuestion, "a question that rows open")
        _check_texts(question.tool, question.label, *question.columns, *question.values, *question.values.values())
    if table.parent is not None:
        if table.parent not in columns or columns[table.parent].kind != "id":
            raise ValueError(f"the parent {table.parent!r} is no column of row numbers")
        _check_tree(values_of(columns[table.parent]))


def _check_tree(parents: Sequence[Any]) -> None:
    """Rows whose parents stand before them: no circles, and a tree that can be shown as it comes."""
    for row, parent in enumerate(parents):
        if parent is None or not -1 <= parent < row:
            raise ValueError(f"row {row} has the parent {parent}: parents stand before their children, and -1 is none")


def _check_series(series: Series) -> None:
    _check_texts(series.title)
    if series.kind not in get_args(SeriesKind):
        raise ValueError(f"it is of kind {series.kind!r}: there are {', '.join(get_args(SeriesKind))}")
    if series.scale not in get_args(Scale):
        raise ValueError(f"its scale is {series.scale!r}: there are {', '.join(get_args(Scale))}")
    _must_be(series.x, Column, "x")
    labels = () if series.labels is None else (series.labels,)
    for column in (series.x, *_with_ids([*series.ys, *series.lines, *labels], Column)):
        _check_column(column)
        if len(column.values) != len(series.x.values):
            raise ValueError(f"{column.id!r} has {len(column.values)} values for {len(series.x.values)} of x")


def _check_column(column: Column) -> None:
    with _error_prefix(f"column {column.id!r}"):
        _check_texts(column.title, column.unit)
        if column.total not in get_args(TotalKind):
            raise ValueError(f"its total is {column.total!r}: there are {', '.join(get_args(TotalKind))}")
        _check_values(column.kind, column.values)


def _check_values(kind: Kind, values: Values) -> None:
    if kind not in _KINDS:
        raise ValueError(f"{kind!r} is no kind: there are {', '.join(get_args(Kind))}")
    if isinstance(values, Words):
        codes, n_words = values.codes, len(values.words)
        if codes.ndim != 1 or (len(codes) and not -1 <= codes.min() <= codes.max() < n_words):
            raise ValueError("it has texts that there are not")
        _check_values(kind, values.words)
        return
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise ValueError(f"an array of {values.ndim} dimensions is no column")
        if values.dtype.kind != "O":
            _check_array(kind, values)
            return
        values = list(values.tolist())
    types = set(map(type, values)) - {type(None)}
    if kind in INTEGER_KINDS | ID_KINDS:
        _must_be_of(kind, types, _INTEGERS)
        if kind in ID_KINDS:
            _check_ids(value for value in values if value is not None)
    elif kind in FLOAT_KINDS:
        _must_be_of(kind, types, _FLOATS)
    elif kind == "flag":
        _must_be_of(kind, types - {bool, np.bool_}, ())  # nothing else
    else:
        _must_be_of(kind, types, (str,))
        _check_spelling(kind, [value for value in values if isinstance(value, str)])


def _check_array(kind: Kind, values: NDArray[Any]) -> None:
    integers = kind in INTEGER_KINDS | ID_KINDS
    allowed = "iu" if integers else "fiu" if kind in FLOAT_KINDS else "b" if kind == "flag" else "U"
    if values.dtype.kind not in allowed:
        raise TypeError(f"an array of {values.dtype} holds no values of kind {kind!r}")
    if kind in ID_KINDS and len(values):
        _check_ids((values.min(), values.max()))
    if allowed == "U":
        _check_spelling(kind, values.tolist())


def _check_ids(values: Iterable[Any]) -> None:
    for value in values:
        if not -_EXACT_IN_JSON < value < _EXACT_IN_JSON:
            raise ValueError(f"{value} is too large for an id")


def _check_spelling(kind: Kind, values: Sequence[str]) -> None:
    _check_texts("".join(values))
    if kind in _PATTERNS:
        for value in values:
            if _PATTERNS[kind].fullmatch(value) is None:
                raise ValueError(f"{value!r} is no {kind}")


def _check_texts(*texts: object) -> None:
    for text in texts:
        _must_be(text, str, "a text")
        try:
            str(text).encode()
        except UnicodeEncodeError:
            raise ValueError(f"{str(text)[:40]!r} is no text: it holds half a character") from None


def _with_ids(parts: Sequence[Any], kind: type[Any]) -> Sequence[Any]:
    """The parts, when all are of this type and have an id of their own."""
    seen = set()
    for part in parts:
        _must_be(part, kind, f"a {kind.__name__.lower()}")
        if not isinstance(part.id, str) or _IDS.fullmatch(part.id) is None:
            raise ValueError(f"{part.id!r} is no id: letters, digits and _.- are, at most 64")
        if part.id in seen:
            raise ValueError(f"there are two of the id {part.id!r}")
        seen.add(part.id)
    return parts


def _must_be_of(kind: Kind, types: set[type], allowed: tuple[type, ...]) -> None:
    for value_type in types:
        if value_type is bool or not issubclass(value_type, allowed):
            raise TypeError(f"a value of type {value_type.__name__} is none of kind {kind!r}")


def _must_be(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{what} is of type {type(value).__name__}, not {kind.__name__}")


@contextmanager
def _error_prefix(where: str) -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}: {error}") from error
