"""The table a benchmark ends with: what must be reached, what is aimed for, what was measured.

It is printed as Markdown, to be pasted as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table
from rich.text import Text

HEADINGS = ("work", "must reach", "aim", "measured", "")
WIDTH = 1000  # wider than any row: a line that is folded is no row of Markdown


@dataclass(frozen=True, slots=True)
class Target:
    """Target of a number. `text` writes any number of its kind with its unit."""

    must: float
    aim: float | None
    text: Callable[[float], str]
    at_most: bool = False  # less is better

    def mark(self, measured: float) -> str:
        """`aim reached`, `reached` or `MISSED`."""
        if self.aim is not None and self._reaches(measured, self.aim):
            return "aim reached"
        return "reached" if self._reaches(measured, self.must) else "MISSED"

    def _reaches(self, measured: float, goal: float) -> bool:
        return measured <= goal if self.at_most else measured >= goal


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    work: str
    must: str
    aim: str
    measured: str
    mark: str

    def cells(self) -> tuple[str, ...]:
        """In the order of the headings."""
        return (self.work, self.must, self.aim, self.measured, self.mark)


def measured_row(work: str, target: Target, measured: float, detail: str = "") -> Row:
    """A number against its target; `detail` follows the number."""
    sign = "≤ " if target.at_most else "≥ "
    aim = "" if target.aim is None else sign + target.text(target.aim)
    text = target.text(measured) + (f" ({detail})" if detail else "")
    return Row(work, sign + target.text(target.must), aim, text, target.mark(measured))


def compared_row(work: str, text: str) -> Row:
    """A row beside another one, without a target of its own."""
    return Row(work, "", "", text, "")


def skipped_row(work: str, reason: str) -> Row:
    """A row for something that was not measured, with the reason."""
    return Row(work, "", "", reason, "skipped")


def table_lines(rows: Sequence[Row]) -> list[str]:
    """Headings, a rule, and one line for each row."""
    grid = Table(*HEADINGS, box=MARKDOWN)
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row.cells()))  # as `Text`, in which nothing is markup
    console = Console(width=WIDTH, color_system=None)
    with console.capture() as printed:
        console.print(grid)
    return [line.rstrip() for line in printed.get().splitlines() if line.strip()]
