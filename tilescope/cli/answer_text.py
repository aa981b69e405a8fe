"""Answers of tools as text for people: the headline, facts, the first rows of tables, notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Final

from tilescope.tiler.count_text import count_text
from tilescope.tiler.printable_text import printable
from tilescope.tiler.tools import Answer, Column, Note, Table, Value, values_of
from tilescope.tiler.tools.figure_text import Shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable


SHOWN_ROWS: Final = 40
BRIEF_LINES: Final = 20
PIPED_WIDTH: Final = 120  # columns, where there is no terminal to ask
_NAME_ROOM: Final = 24  # of a table for a name at least, where it has to be folded
_RIGHT: Final = frozenset({"count", "ticks", "ps", "time", "bytes", "fraction", "rate", "flops", "number", "id"})


def write_text(answer: Answer, only: str | None, shown: Shown, file: IO[str]) -> None:
    """All of it, or one table."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=file)
    if not console.is_terminal:
        console = Console(file=file, width=PIPED_WIDTH)
    if only is None and answer.headline is not None:
        console.print(Text(printable(_sentence(answer.headline, shown)), style="bold"))
    if only is None and answer.facts:
        console.print(_facts(answer, shown))
    for table in answer.tables if only is None else [answer.table(only)]:
        console.print()
        console.print(Text(table.title, style="bold"))
        if len(table) or table.rest:
            _print_rows(console, table, shown)
        else:
            console.print(Text("  nothing", style="dim"))
        if len(table) > SHOWN_ROWS:
            console.print(Text(f"  {count_text(len(table) - SHOWN_ROWS)} more rows: --format json or csv has all"))
        if table.more is not None:
            console.print(Text(f"  there are more: ask on with --after {table.more}"))
    if only is None:
        for series in answer.series:
            console.print()
            points = count_text(len(series.x.values))
            console.print(Text(f"{series.title}: {points} points, to be drawn: --format json has them"))
        for note in answer.notes:
            console.print(Text(printable(f"{note.severity}: {_sentence(note, shown)}")))
    if answer.is_growing:
        console.print(Text("the run is still being indexed: this is of the tracks that are done"))


def write_brief(answer: Answer, shown: Shown, file: IO[str]) -> None:
    """The headline and the notes, each a line, for those who read many answers; of an answer without any its facts."""
    headlines = [] if answer.headline is None else [answer.headline]
    lines = [_sentence(note, shown) for note in (*headlines, *answer.notes)]
    lines = lines or [f"{fact.label}: {shown.text(fact.kind, fact.value)}" for fact in answer.facts]
    if answer.is_growing:
        lines.insert(0, "The run is still being indexed: this is of the tracks that are done.")
    if len(lines) > BRIEF_LINES:
        more = len(lines) - BRIEF_LINES + 1
        lines = [*lines[: BRIEF_LINES - 1], f"{count_text(more)} more lines: --format text has all"]
    for line in lines:
        file.write(f"{printable(line)}\n")


def _sentence(note: Note, shown: Shown) -> str:
    return f"{note.text}{_where(note.start, note.end, shown)}"


def _facts(answer: Answer, shown: Shown) -> RichTable:
    from rich.table import Table as RichTable
    from rich.text import Text

    facts = RichTable(box=None, show_header=False, padding=(0, 2, 0, 0))
    for fact in answer.facts:
        texts = printable(fact.label), shown.text(fact.kind, fact.value), printable(fact.note)
        facts.add_row(*(Text(text, style=style) for text, style in zip(texts, ("dim", "", "dim"), strict=True)))
    return facts


def _print_rows(console: Console, table: Table, shown: Shown) -> None:
    """The first rows, and the sums over all. Ids and columns without a figure say nothing to people.

    Figures are never cut, so columns that do not fit any more are left out, the last ones first.
    """
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    listable = [column for column in table.columns if column.kind != "id"]
    naming = [column for column in listable if column.kind not in _RIGHT]
    main = next(filter(_says_something, naming), naming[0] if naming else None)
    columns = [column for column in listable if column is main or _says_something(column)]
    texts = [[shown.text(column.kind, value) for value in values_of(first(column, SHOWN_ROWS))] for column in columns]
    label = next((k for k, column in enumerate(columns) if column is main), None)
    if label is not None:  # a row that nothing names would look as if it were the sum of others
        texts[label] = [text or "(none)" for text in texts[label]]
    if label is not None and table.parent is not None:
        depths = _depths(values_of(first(table.column(table.parent), SHOWN_ROWS)))
        texts[label] = [f"{'  ' * depth}{text}" for depth, text in zip(depths, texts[label], strict=True)]
    sums = _sums(table, columns, label, shown)
    cells = [[*column_texts, *(row[k] for row in sums)] for k, column_texts in enumerate(texts)]
    titles = [_title(column) for column in columns]
    fit = _fitting(columns, titles, cells, console.width)
    if fit < len(columns):  # titles of figures in several lines take no more room than these
        titles = [t.replace(" ", "\n") if c.kind in _RIGHT else t for c, t in zip(columns, titles, strict=True)]
        fit = _fitting(columns, titles, cells, console.width)
    # As `Text`, in which nothing is markup; what names a row may be folded, figures may not.
    grid = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
    for column, title in zip(columns[:fit], titles, strict=False):
        right = column.kind in _RIGHT
        grid.add_column(Text(title), justify="right" if right else "left", overflow="fold", no_wrap=right)
    for row in zip(*texts[:fit], strict=True):
        grid.add_row(*map(Text, row))
    grid.add_section()
    for of_all in sums:
        grid.add_row(*map(Text, of_all[:fit]), style="dim")
    console.print(grid)
    if fit < len(columns):
        names = ", ".join(printable(column.title) for column in columns[fit:])
        console.print(Text(f"  not shown: {names}: --format json or csv has all"))


def _sums(table: Table, columns: Sequence[Column], label: int | None, shown: Shown) -> list[list[str]]:
    """Sums over the rows that are not listed, and over all rows, where the table has them."""
    sum_rows = []
    for name, sums in (("not listed", table.rest), ("all", table.totals)):
        if sums is not None:
            row = [shown.text(column.kind, sums[column.id]) if column.id in sums else "" for column in columns]
            if label is not None and columns[label].id not in sums:
                row[label] = name
            sum_rows.append(row)
    return sum_rows


def _title(column: Column) -> str:
    return printable(f"{column.title} [{column.unit}]" if column.unit else column.title)


def _fitting(columns: Sequence[Column], titles: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> int:
    """Number of columns that fit: all of a figure, and enough of a name to know it by. At least one."""
    taken = 0
    for k, (column, title, column_cells) in enumerate(zip(columns, titles, cells, strict=True)):
        room = max(map(len, (*title.split("\n"), *column_cells)), default=0)
        taken += (room if column.kind in _RIGHT else min(room, _NAME_ROOM)) + 3  # padding, and what divides columns
        if taken > width and k > 0:
            return k
    return len(columns)


def first(column: Column, limit: int) -> Column:
    """The first values of a column."""
    return Column(column.id, column.title, column.kind, column.values[:limit], column.unit, column.total)


def _says_something(column: Column) -> bool:
    return column.kind not in ("text", "name") or any(values_of(column)) or not len(column.values)


def _depths(parents: Sequence[Value]) -> list[int]:
    """Depth of each row of a tree, in which parents come first."""
    depths: list[int] = []
    for parent in parents:
        depths.append(0 if parent is None or int(parent) < 0 else depths[int(parent)] + 1)
    return depths


def _where(start: int | None, end: int | None, shown: Shown) -> str:
    ticks = [shown.text("time", tick) for tick in (start, end) if tick is not None]
    return f" (at {' to '.join(ticks)})" if ticks else ""
