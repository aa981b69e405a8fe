"""Numbers against targets, and the table of them."""

from __future__ import annotations

import pytest

from bench.table import Target, measured_row, skipped_row, table_lines

SPEED = Target(2, 5, lambda value: f"{value:g} MB/s")
MEMORY = Target(500, None, lambda value: f"{value:g} MB", at_most=True)


@pytest.mark.parametrize(
    ("target", "measured", "mark"),
    [
        (SPEED, 1.9, "MISSED"),
        (SPEED, 2, "reached"),
        (SPEED, 5, "aim reached"),
        (MEMORY, 500, "reached"),
        (MEMORY, 501, "MISSED"),
    ],
)
def test_marks(target: Target, measured: float, mark: str) -> None:
    assert target.mark(measured) == mark


def test_lines() -> None:
    rows = [measured_row("reading", SPEED, 3, "1 s"), measured_row("memory", MEMORY, 600), skipped_row("peer", "none")]
    assert table_lines(rows) == [
        "| work    | must reach | aim      | measured     |         |",
        "|---------|------------|----------|--------------|---------|",
        "| reading | ≥ 2 MB/s   | ≥ 5 MB/s | 3 MB/s (1 s) | reached |",
        "| memory  | ≤ 500 MB   |          | 600 MB       | MISSED  |",
        "| peer    |            |          | none         | skipped |",
    ]
