"""Exact decimal text of integers: of single ones, and of columns at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.pod_run.wire import Cells

Ints = NDArray[np.int64]


def decimal(value: int, places: int, keep: int = 0) -> str:
    """`value` / 10**`places` without zeros at its end, of which `keep` places stay."""
    sign, digits = ("-" if value < 0 else ""), str(abs(value)).rjust(places + 1, "0")
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :]
    fraction = fraction.rstrip("0").ljust(keep, "0")
    return f"{sign}{whole}.{fraction}" if fraction else sign + whole


def milliseconds(ticks: int) -> str:
    return decimal(ticks, 5)


def choices(texts: Sequence[str], index: Ints) -> Cells:
    """A text in each row."""
    numbers = {content: number for number, content in enumerate(dict.fromkeys(texts))}
    encoded = [content.encode() for content in numbers]
    width = max(1, *map(len, encoded))
    table = np.array(encoded, f"S{width}").view(np.uint8).reshape(len(encoded), width)
    used = np.arange(width)[None, :] < np.array([len(content) for content in encoded])[:, None]
    chosen = np.array([numbers[content] for content in texts])[index]
    return Cells(table[chosen], used[chosen])


def decimals(values: Ints, places: int, keep: int = 0) -> Cells:
    """As `decimal`, of numbers that are not negative."""
    width = max(len(str(int(values.max(initial=0)))), places + 1)
    digits = _digits(values, width)
    whole, fraction = digits[:, : width - places], digits[:, width - places :]
    leading = np.maximum.accumulate(whole > 0, axis=1)
    leading[:, -1] = True
    trailing = np.maximum.accumulate(fraction[:, ::-1] > 0, axis=1)[:, ::-1]
    trailing[:, :keep] = True
    dot = trailing[:, :1] if places else np.zeros((len(values), 0), np.bool_)
    zero = np.uint8(ord("0"))
    cells = np.concatenate([whole + zero, np.full(dot.shape, ord("."), np.uint8), fraction + zero], axis=1)
    return Cells(cells, np.concatenate([leading, dot, trailing], axis=1))


def _digits(values: Ints, width: int) -> NDArray[np.uint8]:
    """The last digits of each number; nine at once, since divisions of 32 bits are faster than those of 64."""
    digits = np.empty((len(values), width), np.uint8)
    rest = values
    for end in range(width, 0, -9):
        rest, group = rest // 1_000_000_000, (rest % 1_000_000_000).astype(np.uint32)
        for place in range(end - 1, max(end - 10, -1), -1):
            tens = group // np.uint32(10)
            digits[:, place] = group - tens * np.uint32(10)
            group = tens
    return digits


def either(first: NDArray[np.bool_], cells: Cells | str, others: Cells | str) -> Cells:
    """Cells in the rows that are `first`, the others elsewhere."""
    count = len(first)
    return rows(cells, count=count).only(first).then(rows(others, count=count).only(~first))


def rows(*parts: Cells | str, count: int) -> Cells:
    """Columns side by side; a text is the same in each row."""
    columns = [Cells.constant(count, part.encode()) if isinstance(part, str) else part for part in parts]
    return columns[0].then(*columns[1:])
