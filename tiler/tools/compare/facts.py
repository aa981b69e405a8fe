"""Facts of a comparison, and the sentence that it begins with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tilescope.tiler.count_text import count_text
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.tools.answer import Answer, Fact, values_of
from tilescope.tiler.tools.compare.changes import CHANGES, Changes
from tilescope.tiler.tools.compare.side import ComparedSide
from tilescope.tiler.tools.figures import Figures

# Whether means per step or totals are compared.
Per = Literal["step", "total"]


def comparison_facts(
    title: str, changes: Changes, sides: Sequence[ComparedSide], per: Per, per_note: str
) -> list[Fact]:
    """Facts of a comparison; `title`: what its rows are; `per_note`: why sums are compared so."""
    new, base = sides[0], sides[1]
    of_mean = f"the mean of {len(sides) - 1} runs" if len(sides) > 2 else ""
    what = "per step" if per == "step" else "in total"
    classes = changes.classes

    def total(column: str, *, is_new: bool) -> int:
        return int(changes.numerators(column, new=is_new).sum())

    def rounded(numerator: int) -> int:
        return (2 * numerator + changes.denominator) // (2 * changes.denominator)

    self_new, self_base = total("self_busy", is_new=True), total("self_busy", is_new=False)
    busy_new, busy_base = total("busy", is_new=True), total("busy", is_new=False)
    ratio = (self_new - self_base) / self_base if self_base else None
    facts = [
        Fact("per", "Compared", what, "text", per_note),
        Fact("delta", "Delta", rounded(self_new - self_base), "ps", "of self time: the sum of those of all rows"),
        Fact("ratio", "Delta / before", ratio, "fraction", "" if self_base else "there was no time before"),
        Fact("self", "Self time", rounded(self_new), "ps", what),
        Fact("base_self", "Self time before", rounded(self_base), "ps", of_mean),
        Fact("total_delta", "Delta of total", rounded(busy_new - busy_base), "ps", "slices in slices count again"),
        Fact("total", "Total", rounded(busy_new), "ps", what),
        Fact("base_total", "Total before", rounded(busy_base), "ps", of_mean),
        Fact("rows", title, len(changes), "count"),
        Fact("changed", "Changed", int((classes != CHANGES.index("same")).sum()), "count"),
        *(
            Fact(name, name.capitalize(), int((classes == number).sum()), "count")
            for number, name in enumerate(CHANGES)
        ),
        Fact("runs", "Runs before", len(sides) - 1, "count"),
    ]
    if per == "step":
        facts += [_steps_fact("steps", "Steps", new), _steps_fact("base_steps", "Steps before", base)]
    facts += _span_facts("", new) + _span_facts("base_", base)
    if changes.denominator > 1:
        note = "changes are exact as their columns “× denominator” divided by it; what is shown is rounded"
        facts.append(Fact("denominator", "Denominator", changes.denominator, "count", note))
    return facts


def _steps_fact(name: str, label: str, side: ComparedSide) -> Fact:
    numbers = side.steps or []
    return Fact(name, label, len(numbers), "count", f"{numbers[0]} to {numbers[-1]}" if numbers else "")


def _span_facts(prefix: str, side: ComparedSide) -> list[Fact]:
    tick_ps = side.scope.reader.tick_ps
    before = " before" if prefix else ""
    note = "since the origin of that run" if prefix else "since the origin of the run"
    return [
        Fact(f"{prefix}start", f"Start{before}", side.span.start * tick_ps, "ps", note),
        Fact(f"{prefix}end", f"End{before}", side.span.stop * tick_ps, "ps", note),
    ]


def compare_sentence(answer: Answer, tick_ps: int) -> str:
    """The change of the whole, and the row that makes most of it."""
    figures = Figures(answer, tick_ps)
    table = answer.table("changes")
    if not figures.count("rows"):
        return "No event starts or runs in these ranges"
    delta = int(figures.value("delta") or 0)
    per = "Per step, " if figures.value("per") == "per step" else ""
    deltas = [int(value or 0) for value in values_of(table.column("delta"))]
    changed = figures.count("changed")
    if not delta and not any(deltas):
        counts = "nothing differs" if not changed else f"no time differs, and the counts of {count_text(changed)} do"
        text = f"{per}{counts}: {figures.text('self') or '0 ps'} of self time"
        return text[0].upper() + text[1:]
    ratio = figures.value("ratio")
    share = f", {'+' if delta > 0 else ''}{percent_text(float(ratio))}" if ratio is not None else ""
    whole = (
        f"self time changed by {signed_text(delta)} (from {figures.text('base_self')} to {figures.text('self')}{share})"
    )
    if not delta:
        whole = f"self time is {figures.text('self') or '0 ps'} as before"
    if not any(deltas):
        return f"{per}{whole}"
    name = next(column.id for column in table.columns if column.kind == "name")
    row = next(number for number, value in enumerate(deltas) if value)
    where = figures.cell("changes", "place", row)
    label = figures.cell("changes", name, row) or "what has no name"
    most = f"the greatest change is in “{label}”: {signed_text(deltas[row])}"
    most += f", in {where}" if where else ""
    text = f"{per}{whole}; {most}; {count_text(changed)} of {figures.text('rows')} differ"
    return text[0].upper() + text[1:]


def signed_text(ps: int) -> str:
    """A change in words: "+1.5 ms"."""
    return f"{'+' if ps > 0 else ''}{duration_text(ps, 1)}"
