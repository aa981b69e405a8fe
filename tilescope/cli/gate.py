"""A gate: rules over a run and those before it, each fine, failed, or not to be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Final, Literal

from tilescope.cli.gate_rules import Bound, GateRule, RowFigure, ToolFigure
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.tools import Answer, Value, values_of

Verdict = Literal["fine", "failed", "unknown"]

# Kinds whose values can be compared, and the unit that their amounts have.
_UNITS: Final[Mapping[str, str]] = {"ticks": "ps", "ps": "ps", "fraction": "%", "count": "", "bytes": "", "flops": ""}
_PLAIN: Final = ("number", "rate", "count", "bytes", "flops")

# Answer of a tool about the new run (0) or one before it (from 1 on); and that of `compare` by a kind of rows.
AskTool = Callable[[str, int], Answer]
AskRows = Callable[[str, int], Answer]


@dataclass(frozen=True, slots=True)
class Amount:
    """A figure of one run; times in picoseconds. None: it is not recorded, and `why` says so."""

    value: Fraction | None
    unit: str
    why: str = ""

    @property
    def text(self) -> str:
        """The figure as people read it."""
        if self.value is None:
            return "not recorded"
        return amount_text(self.value, self.unit)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a rule: its verdict, the figure of the new run and of those before, and a line about them."""

    rule: GateRule
    verdict: Verdict
    new: Amount
    bases: Sequence[Amount]
    line: str

    @property
    def base(self) -> Fraction | None:
        """The mean of the runs before; None where one of them has no figure."""
        return _mean(self.bases)


def amount_text(value: Fraction, unit: str) -> str:
    """A figure with its unit: picoseconds as a duration, a share in percent."""
    if unit == "ps":
        return duration_text(round(value), 1)
    if unit == "%":
        return percent_text(float(value))
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):,.6g}"


class RunGate:
    """The figures of runs, asked for once each."""

    def __init__(self, bases: int, tick_ps: Sequence[int], ask_tool: AskTool, ask_rows: AskRows) -> None:
        """`tick_ps`: of the new run, and of those before."""
        self._bases = bases
        self._tick_ps = tick_ps
        self._ask_tool = ask_tool
        self._ask_rows = ask_rows

    def outcome(self, rule: GateRule) -> Outcome:
        """The outcome of a rule. Raises UsageError for a bound of another unit than its figure."""
        figure = rule.figure
        if isinstance(figure, RowFigure):
            pairs = [self._row(figure, base) for base in range(self._bases)]
            new, bases = pairs[0][0], [base for _, base in pairs]
        else:
            new, *bases = (self._tool_figure(figure, run) for run in range(self._bases + 1))
        unknown = next((amount for amount in (new, *bases) if amount.value is None), None)
        if new.value is None or (unknown is not None and any(b.is_change or b.amount is None for b in rule.bounds)):
            why = unknown.why if unknown is not None else new.why
            return Outcome(rule, "unknown", new, bases, f"cannot tell: {why}")
        failed = all(self._is_passed(rule, bound, new, bases) for bound in rule.bounds)
        return Outcome(rule, "failed" if failed else "fine", new, bases, _line(new, bases))

    def _is_passed(self, rule: GateRule, bound: Bound, new: Amount, bases: Sequence[Amount]) -> bool:
        assert new.value is not None
        values = [amount.value for amount in bases if amount.value is not None]
        if bound.amount is None:
            return new.value > max(values) if bound.is_above() else new.value < min(values)
        relative = bound.unit == "%" and bound.is_change
        if not relative and {"pp": "%"}.get(bound.unit, bound.unit) != new.unit:
            units = {"ps": "a duration", "%": "a share", "": "a number"}
            raise UsageError(f"--fail-if {rule.text!r}: the figure is {units[new.unit]}, and its bound is not")
        if not bound.is_change:
            return bound.passes(new.value)
        mean = sum(values, Fraction()) / len(values)
        if not relative:
            return bound.passes(new.value - mean)
        if not mean:  # new: more than any share of nothing
            return bool(new.value) and (new.value > 0) == bound.is_above()
        return bound.passes((new.value - mean) / abs(mean))

    def _row(self, figure: RowFigure, base: int) -> tuple[Amount, Amount]:
        """The figure of a row in the new run, and in one before it."""
        answer = self._ask_rows(figure.kind, base)
        table = answer.table("changes")
        names = values_of(next(column for column in table.columns if column.kind == "name"))
        rows = [row for row, name in enumerate(names) if name == figure.text]
        unit = "ps" if figure.column in ("total", "self", "mean", "p50") else "%" if figure.column == "share" else ""
        if not answer.is_complete:
            return Amount(None, unit, "a run is incomplete"), Amount(None, unit, "a run is incomplete")
        if not rows:
            why = f"no {figure.kind} is called {figure.text!r} in either run"
            why += "; did you mean {!r}?".format(*near) if (near := _near(figure.text, names)) else ""
            return Amount(None, unit, why), Amount(None, unit, why)

        def amount(prefix: str) -> Amount:
            if figure.column in ("mean", "p50"):
                if len(rows) > 1:
                    return Amount(None, unit, f"several rows are called {figure.text!r}, which have no {figure.column}")
                value = values_of(table.column(prefix + figure.column))[rows[0]]
                return _amount(value, unit, f"it does not start in {'the run before' if prefix else 'the new run'}")
            column = "total" if figure.column == "share" else figure.column
            values = values_of(table.column(prefix + column))
            total = sum((Fraction(values[row] or 0) for row in rows), Fraction())
            if column == "count":  # as often as per step, where steps are compared
                total /= int(_fact(answer, f"{prefix}steps") or 1)
            if figure.column == "share":
                whole = Fraction(_fact(answer, f"{prefix}total") or 0)
                return Amount(total / whole, unit) if whole else Amount(None, unit, "there is no time in all")
            return Amount(total, unit)

        return amount(""), amount("base_")

    def _tool_figure(self, figure: ToolFigure, run: int) -> Amount:
        where = "the new run" if run == 0 else f"run {run} before it"
        try:
            answer = self._ask_tool(figure.tool, run)
        except NotAvailable as error:
            return Amount(None, "", f"{where}: {error}")
        if not answer.is_complete:
            return Amount(None, "", f"{where} is incomplete")
        if figure.table is None:
            facts = {fact.id: fact for fact in answer.facts}
            if figure.id not in facts:
                return Amount(None, "", f"{where}: {figure.tool} has no fact {figure.id!r}{_meant(figure.id, facts)}")
            fact = facts[figure.id]
            return self._of_kind(fact.kind, fact.value, run, f"{where}: {fact.note or 'it is not recorded'}")
        table = next((table for table in answer.tables if table.id == figure.table), None)
        if table is None:
            return Amount(None, "", f"{where}: {figure.tool} has no table {figure.table!r}")
        columns = {column.id: column for column in table.columns}
        if figure.id not in columns:
            why = f"{where}: {figure.tool}.{figure.table} has no column {figure.id!r}{_meant(figure.id, columns)}"
            return Amount(None, "", why)
        column = columns[figure.id]
        total: Value = (table.totals or {}).get(figure.id)
        if total is None and table.rest is None and column.total != "none":
            values = [value for value in values_of(column) if isinstance(value, int | float)]
            reduce: Callable[[list[int | float]], int | float] = {"max": max, "min": min}.get(column.total, sum)
            total = reduce(values) if values else None
        return self._of_kind(column.kind, total, run, f"{where}: {figure.table}.{figure.id} comes to nothing")

    def _of_kind(self, kind: str, value: Value, run: int, why: str) -> Amount:
        if kind not in _UNITS and kind not in _PLAIN:
            raise UsageError(f"a figure of kind {kind!r} cannot be compared with a bound")
        factor = self._tick_ps[run] if kind == "ticks" else 1
        amount = _amount(value, _UNITS.get(kind, ""), why)
        return amount if amount.value is None else Amount(amount.value * factor, amount.unit)


def _amount(value: Value, unit: str, why: str) -> Amount:
    if value is None or value != value or isinstance(value, str):
        return Amount(None, unit, why)
    return Amount(Fraction(value), unit)


def _fact(answer: Answer, name: str) -> Value:
    return next((fact.value for fact in answer.facts if fact.id == name), None)


def _mean(amounts: Sequence[Amount]) -> Fraction | None:
    values = [amount.value for amount in amounts if amount.value is not None]
    return sum(values, Fraction()) / len(values) if values and len(values) == len(amounts) else None


def _line(new: Amount, bases: Sequence[Amount]) -> str:
    """The figures in words: "12.3 ms, before 11.8 ms: +0.5 ms, +4.2 %"."""
    mean = _mean(bases)
    if mean is None or new.value is None:
        return new.text
    change = new.value - mean
    sign = "+" if change > 0 else ""
    text = f"{new.text}, before {amount_text(mean, new.unit)}: {sign}{amount_text(change, new.unit)}"
    if new.unit == "%":
        return f"{new.text}, before {amount_text(mean, new.unit)}: {sign}{float(100 * change):.2f} pp"
    return f"{text}, {sign}{percent_text(float(change / abs(mean)))}" if mean else f"{text}, new" if change else text


def _near(name: str, names: Sequence[Value]) -> list[str]:
    return get_close_matches(name, [str(each) for each in names[:10_000]], 1)


def _meant(name: str, names: Mapping[str, object]) -> str:
    near = get_close_matches(name, names, 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return f"{meant}: there are {', '.join(names) or 'none'}"
