"""Reports of a gate: for people, for programs, as a comment in Markdown, and as JUnit for pages of CI systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from tilescope.cli.gate import Outcome
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.printable_text import printable, printable_json
from tilescope.tiler.tools import Answer, values_of

MOST_NAMES: Final = 10

_WORDS: Final = {"fine": "fine", "failed": "FAILED", "unknown": "CANNOT TELL"}


@dataclass(frozen=True, slots=True)
class NamedChange:
    """A name that made a change: of its self time, in picoseconds."""

    name: str
    change: str
    delta_ps: int
    place: str

    @property
    def text(self) -> str:
        """One line: "all-reduce +1.5 ms (slower, in GPU 0 › stream 7)"."""
        where = f", in {self.place}" if self.place else ""
        sign = "+" if self.delta_ps > 0 else ""
        return printable(f"{self.name[:120]} {sign}{duration_text(self.delta_ps, 1)} ({self.change}{where})")


@dataclass(frozen=True, slots=True)
class GateReport:
    """All that is reported: outcomes, the sentence of the comparison, names with most change, and what leads there."""

    outcomes: Sequence[Outcome]
    headline: str
    names: Sequence[NamedChange]
    link: str

    def text(self) -> str:
        """Lines for a terminal."""
        lines = [printable(self.headline)] if self.headline else []
        lines += [f"{_WORDS[o.verdict]}: {printable(o.rule.text)}: {printable(o.line)}" for o in self.outcomes]
        lines += [f"  {change.text}" for change in self._shown_names()]
        return "\n".join([*lines, f"  {printable(self.link)}", ""])

    def json(self) -> str:
        """An object with each rule's figures, exact as texts of fractions."""
        rules = [
            {
                "rule": outcome.rule.text,
                "verdict": outcome.verdict,
                "unit": outcome.new.unit,
                "new": None if outcome.new.value is None else str(outcome.new.value),
                "base": None if outcome.base is None else str(outcome.base),
                "text": outcome.line,
            }
            for outcome in self.outcomes
        ]
        names = [
            {"name": n.name, "change": n.change, "delta_ps": str(n.delta_ps), "place": n.place} for n in self.names
        ]
        report = {"headline": self.headline, "rules": rules, "names": names, "link": self.link}
        return printable_json(report) + "\n"

    def markdown(self) -> str:
        """A comment: names of traces are quoted, so that nothing in them is markup."""
        lines = [f"**{_quoted(self.headline)}**", ""] if self.headline else []
        if self.outcomes:
            lines += ["| | rule | figures |", "|---|---|---|"]
            lines += [f"| {_WORDS[o.verdict]} | {_quoted(o.rule.text)} | {_quoted(o.line)} |" for o in self.outcomes]
            lines.append("")
        lines += [f"* {_quoted(change.text)}" for change in self._shown_names()]
        return "\n".join([*lines, "", _quoted(self.link), ""])

    def junit(self) -> str:
        """A suite with a case for each rule: one that failed is a failure, one that cannot be told an error."""
        counts = {verdict: sum(o.verdict == verdict for o in self.outcomes) for verdict in _WORDS}
        suite = Element(
            "testsuite",
            name="tilescope compare",
            tests=str(len(self.outcomes)),
            failures=str(counts["failed"]),
            errors=str(counts["unknown"]),
        )
        details = "\n".join([*(change.text for change in self._shown_names()), printable(self.link)])
        for outcome in self.outcomes:
            case = SubElement(suite, "testcase", classname="tilescope", name=printable(outcome.rule.text))
            if outcome.verdict == "fine":
                SubElement(case, "system-out").text = printable(outcome.line)
            else:
                kind = "failure" if outcome.verdict == "failed" else "error"
                SubElement(case, kind, message=printable(outcome.line)).text = details
        return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suite, "unicode") + "\n"

    def _shown_names(self) -> Sequence[NamedChange]:
        is_fine = bool(self.outcomes) and all(outcome.verdict == "fine" for outcome in self.outcomes)
        return () if is_fine else self.names


def named_changes(answer: Answer) -> list[NamedChange]:
    """The names with most change of a comparison by name; none while a run is still being indexed."""
    if answer.is_growing:
        return []
    columns = {column.id: values_of(column) for column in answer.table("changes").columns}
    places = columns.get("place", [""] * len(columns["name"]))
    rows = zip(columns["name"], columns["change"], columns["delta"], places, strict=True)
    changes = [NamedChange(str(n or ""), str(c), int(d or 0), str(p or "")) for n, c, d, p in rows]
    return [change for change in changes if change.delta_ps][:MOST_NAMES]


def _quoted(text: str) -> str:
    """A text as code in a line of Markdown, or in a cell of a table."""
    plain = printable(text).replace("`", "'").replace("|", "¦")
    return f"`{plain}`"
