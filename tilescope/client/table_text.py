"""Tables for people: as text for terminals, as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

_WIDTH: Final = 40  # characters of a value
_GAP: Final = "…"

Rows = Sequence[Sequence[Any]]


def text_table(count: int, columns: Sequence[str], first: Rows, last: Rows) -> str:
    """The rows in columns below their names, numbers to the right, and how many rows there are."""
    gap = [[_GAP] * len(columns)] if last else []
    cells = [list(columns), *map(_texts, first), *gap, *map(_texts, last)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    right = [bool(first) and isinstance(value, int | float) for value in (first[0] if first else columns)]
    lines = [
        "  ".join(
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join([*lines, f"[{_size(count, columns)}]"])


def html_table(count: int, columns: Sequence[str], first: Rows, last: Rows) -> str:
    """The same as HTML. What stands in cells is text, whatever it looks like."""
    gap = [[_GAP] * len(columns)] if last else []
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>"
        for row in [*map(_texts, first), *gap, *map(_texts, last)]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{_size(count, columns)}</p>"


def _size(count: int, columns: Sequence[str]) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'} x {len(columns)} columns"


def _texts(row: Sequence[Any]) -> list[str]:
    return [_text(value) for value in row]


def _text(value: Any) -> str:
    if value is None:
        return "–"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    text = "".join(character if character.isprintable() else "�" for character in text[: _WIDTH + 1])
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + _GAP
