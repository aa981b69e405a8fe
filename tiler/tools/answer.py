"""Answers: one schema for all tools. Facts, tables, series and notes, whose cells may point into the timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import NotBuilt, UsageError
from tilescope.tiler.schema import Kind, Scale, SeriesKind, Severity, TotalKind
from tilescope.tiler.tools.row_question import RowQuestion
from tilescope.tiler.tools.sentence import sentence
from tilescope.tiler.words import Words

if TYPE_CHECKING:
    import pandas
    import pyarrow

# Exact integers, of 64 bits and beyond: decimal text in JSON.
INTEGER_KINDS: Final[frozenset[str]] = frozenset({"count", "ticks", "ps", "time", "bytes", "flops"})

# Small integers, numbers in JSON.
ID_KINDS: Final[frozenset[str]] = frozenset({"id", "track"})

# Doubles.
FLOAT_KINDS: Final[frozenset[str]] = frozenset({"fraction", "rate", "number"})

Value = int | float | str | bool | None


# In a masked array of integers what is masked was not recorded.
Values = NDArray[Any] | Words | Sequence[Value]


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure. `value` None: not recorded; then `note` says why, and what to record to get it."""

    id: str
    label: str
    value: Value
    kind: Kind
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """Values of one kind, one for each row; None: not recorded. `unit` says what a rate or a number is of.

    `total` says how the rows' values become one where a table has totals: sums, or the greatest or least of them.
    """

    id: str
    title: str
    kind: Kind
    values: Values
    unit: str = ""
    total: TotalKind = "sum"


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length. With `parent`, a column of row numbers (-1: none), rows form a tree, parents first.

    `nested` are the columns whose value of a row has those of all rows below it: a tree can be drawn by them.
    `totals` has what all rows come to by column, those that were left out included; `rest` what just these do.
    `more` is the value of the question's field `after` that asks for what follows. `opens` are questions that a row
    leads to.
    """

    id: str
    title: str
    columns: Sequence[Column]
    parent: str | None = None
    totals: Mapping[str, Value] | None = None
    rest: Mapping[str, Value] | None = None
    more: str | None = None
    nested: Sequence[str] = ()
    opens: Sequence[RowQuestion] = ()

    def __post_init__(self) -> None:
        unknown = set(self.nested) - {column.id for column in self.columns}
        if unknown or (self.nested and self.parent is None):
            raise ValueError(f"table {self.id!r}: nested names {sorted(unknown) or 'columns, and there is no parent'}")
        missing = {name for question in self.opens for name in question.columns.values()} - {
            column.id for column in self.columns
        }
        if missing:
            raise ValueError(f"table {self.id!r}: rows open questions by columns that are not there: {sorted(missing)}")
        lengths = {len(column.values) for column in self.columns}
        if len(lengths) > 1:
            raise ValueError(f"table {self.id!r}: columns have {sorted(lengths)} rows")

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def to_arrow(self) -> pyarrow.Table:
        """Columns by id. Raises UsageError without pyarrow."""
        from tilescope.tiler.tools.arrow import arrow_table

        return arrow_table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Columns by id; repeated texts as categories. Raises UsageError without pandas and pyarrow."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise UsageError("pandas is not installed: pip install pandas") from None
        return self.to_arrow().to_pandas()

    def row_question(self, tool: str, row: int, label: str | None = None) -> dict[str, str] | None:
        """Fields of the question to that tool for which a row stands, as text, without its range; None: for none.

        The first of the table, or the one of a label. Raises UsageError where rows of the table open no such tool.
        """
        matches = (each for each in self.opens if each.tool == tool and label in (None, each.label))
        question = next(matches, None)
        if question is None:
            tools = ", ".join(each.tool if label is None else f"{each.tool} ({each.label!r})" for each in self.opens)
            wanted = f"{tool!r}" if label is None else f"{tool!r} ({label!r})"
            raise UsageError(f"rows of the table {self.id!r} do not open {wanted}: they open {tools or 'nothing'}")
        fields = dict(question.values)
        for name, column in question.columns.items():
            value = value_of(self.column(column), row)
            if value is None or value == "":
                return None
            fields[name] = str(value)
        return fields

    def column(self, name: str) -> Column:
        """The column of that id. Raises KeyError."""
        for column in self.columns:
            if column.id == name:
                return column
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Series:
    """Values drawn as a chart: ys over one x.

    Of areas, ys in another unit than the first are lines over them, with an axis of their own. `lines` are limits over
    the same x, and measured as ys are. `labels` say what is at each x. On a scale of logarithms what is not above 0 has
    no place.
    """

    id: str
    title: str
    kind: SeriesKind
    x: Column
    ys: Sequence[Column]
    scale: Scale = "linear"
    lines: Sequence[Column] = ()
    labels: Column | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a reader should know, as a sentence, and where in the timeline to look."""

    severity: Severity
    text: str
    start: int | None = None
    end: int | None = None
    track: int | None = None
    event: str | None = None  # track.ordinal

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", sentence(self.text))


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a tool. `is_complete` False: the run is still being indexed, and some tracks are not done; or hosts
    of it are `missing`.

    `headline` is the answer in one sentence with its figures; None: there is nothing to say. `notes` do not repeat it.
    """

    facts: Sequence[Fact] = ()
    tables: Sequence[Table] = ()
    series: Sequence[Series] = ()
    notes: Sequence[Note] = ()
    is_complete: bool = True
    headline: Note | None = None
    missing: Sequence[str] = ()
    _by_id: dict[str, Table] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_id.update({table.id: table for table in self.tables})

    @property
    def is_growing(self) -> bool:
        """True for an answer that will have more when the run is indexed."""
        return not self.is_complete and not self.missing

    def table(self, name: str) -> Table:
        """The table of that id. Raises UsageError, or NotBuilt where there may be one when all tracks are done."""
        if name not in self._by_id and self.is_growing:
            raise NotBuilt(f"there is no table {name!r} yet: the run is still being indexed")
        if name not in self._by_id:
            raise UsageError(f"there is no table {name!r}: the answer has {', '.join(self._by_id) or 'none'}")
        return self._by_id[name]

    def only_table(self, name: str | None) -> Table:
        """The table of that id, or the only one there is. Raises as `table`."""
        if name is not None:
            return self.table(name)
        if self.is_growing:
            raise NotBuilt("which tables there are is not known yet: the run is still being indexed")
        if len(self.tables) != 1:
            raise UsageError(f"name one table: {', '.join(self._by_id) or 'this answer has none'}")
        return self.tables[0]

    def fact(self, name: str) -> Fact:
        """The fact of that id. Raises KeyError."""
        for fact in self.facts:
            if fact.id == name:
                return fact
        raise KeyError(name)


def value_of(column: Column, row: int) -> Value:
    """Python's own value of one row. Raises IndexError."""
    if isinstance(column.values, Words):
        code = int(column.values.codes[row])
        return None if code < 0 else column.values.words[code]
    value = column.values[row]
    if value is np.ma.masked:
        return None
    plain: Value = value.item() if isinstance(value, np.generic) else value
    return plain


def values_of(column: Column) -> list[Value]:
    """Python's own values, row by row."""
    values = column.values.array() if isinstance(column.values, Words) else column.values
    return values.tolist() if isinstance(values, np.ndarray) else list(values)
