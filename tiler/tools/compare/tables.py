"""Changes as a table: the greatest first, with what leads into both timelines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tilescope.tiler.tools.answer import Column, Table, Value, Values
from tilescope.tiler.tools.compare.changes import CHANGES, Changes, Exact, row_medians
from tilescope.tiler.tools.compare.sums import Ints, Key
from tilescope.tiler.tools.compare.track_paths import path_text
from tilescope.tiler.words import Words


@dataclass(frozen=True, slots=True)
class RowTexts:
    """Columns that name rows, and those that lead to them; the place of each row, or none at all."""

    title: str
    names: Sequence[Column]
    links: Sequence[Column] = ()
    places: Sequence[Key] = ()


def changes_table(changes: Changes, listed: Ints, texts: RowTexts) -> Table:
    """A table of the listed rows, in this order, with what all come to and what is not listed."""
    numerators = _numerators(changes)
    figures = {name: changes.rounded(values[listed]) for name, values in numerators.items()}
    exact = _exact(changes) if changes.denominator > 1 else {}
    columns = [
        *texts.names,
        Column("change", "Change", "text", Words(changes.classes[listed], CHANGES)),
        Column("delta", "Delta", "ps", figures["delta"]),
        Column("ratio", "Delta / before", "fraction", _ratios(numerators, listed), total="none"),
        Column("self", "Self", "ps", figures["self"]),
        Column("base_self", "Self before", "ps", figures["base_self"]),
        Column("count", "Count", "count", changes.counts(new=True)[listed]),
        Column("base_count", "Count before", "count", changes.counts(new=False)[listed]),
        Column("total", "Total", "ps", figures["total"]),
        Column("base_total", "Total before", "ps", figures["base_total"]),
        Column("total_delta", "Delta of total", "ps", figures["total_delta"]),
        Column("mean", "Mean", "ps", changes.means(listed, new=True), total="none"),
        Column("base_mean", "Mean before", "ps", changes.means(listed, new=False), total="none"),
        Column("p50", "p50 ±1%", "ps", changes.medians(listed, new=True), total="none"),
        Column("base_p50", "p50 before ±1%", "ps", changes.medians(listed, new=False), total="none"),
    ]
    if len(texts.places) == len(listed) > 0:
        columns.append(Column("place", "Most of it in", "text", list(map(path_text, texts.places))))
    if changes.bases > 1:
        columns += _spread(changes, listed)
    columns += [Column(name, _EXACT[name], "count", values[listed]) for name, values in exact.items()]
    columns += texts.links
    totals = _totals(changes, numerators, exact, slice(None))
    rest: dict[str, Value] | None = None
    if len(listed) < len(changes):
        left_out = np.setdiff1d(np.arange(len(changes)), listed)
        rest = _totals(changes, numerators, exact, left_out)
    return Table("changes", texts.title, columns, totals=totals, rest=rest)


_EXACT: Final = {
    "exact_delta": "Delta × denominator",
    "exact_total_delta": "Delta of total × denominator",
    "exact_count_delta": "Delta of count × denominator",
}


def _numerators(changes: Changes) -> dict[str, Exact]:
    """Columns that are rounded, before they are."""
    return {
        "delta": changes.delta,
        "self": changes.numerators("self_busy", new=True),
        "base_self": changes.numerators("self_busy", new=False),
        "total": changes.numerators("busy", new=True),
        "base_total": changes.numerators("busy", new=False),
        "total_delta": changes.total_delta,
    }


def _exact(changes: Changes) -> Mapping[str, Exact]:
    return dict(zip(_EXACT, (changes.delta, changes.total_delta, changes.count_delta), strict=True))


def _totals(
    changes: Changes, numerators: Mapping[str, Exact], exact: Mapping[str, Exact], which: Any
) -> dict[str, Value]:
    """Sums of some rows, rounded once, and not row by row."""
    sums = {name: int(values[which].sum()) for name, values in numerators.items()}
    rounded = changes.rounded(np.array(list(sums.values()), object))
    totals: dict[str, Value] = dict(zip(sums, map(int, rounded), strict=True))
    totals |= {name: int(values[which].sum()) for name, values in exact.items()}
    totals["count"] = int(changes.counts(new=True)[which].sum())
    totals["base_count"] = int(changes.counts(new=False)[which].sum())
    return totals


def _ratios(numerators: Mapping[str, Exact], listed: Ints) -> Values:
    """Change of self time as a share of what it was; None where there was none: the row is new."""
    pairs = zip(numerators["delta"][listed].tolist(), numerators["base_self"][listed].tolist(), strict=True)
    return [delta / base if base else None for delta, base in pairs]


def _spread(changes: Changes, listed: Ints) -> list[Column]:
    """The least, the greatest and the median of several runs, and whether the new figure lies outside of them."""
    each = [values[listed] for values in changes.each_base("self_busy")]
    new = changes.numerators("self_busy", new=True)[listed]
    least, greatest = np.minimum.reduce(each), np.maximum.reduce(each)
    is_outside = np.asarray((new < least) | (new > greatest), np.bool_)
    figures = {"least": least, "greatest": greatest, "median": row_medians(each)}
    titles = {"least": "Least before", "greatest": "Greatest before", "median": "Median before"}
    columns = [
        Column(name, titles[name], "ps", changes.rounded(values), total="none") for name, values in figures.items()
    ]
    return [*columns, Column("outside", "Outside of the spread", "flag", is_outside)]
