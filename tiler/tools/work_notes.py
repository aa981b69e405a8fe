"""Notes on how kinds of work were told: by which rules, and how much time no rule explains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts import Device
from tilescope.tiler.facts.unnamed_work import UnnamedWork, unnamed_work
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Fact, Note
from tilescope.tiler.windows import WindowsOf
from tilescope.tiler.work_rules import WorkRules

_MATTERS: Final = 0.05  # of the time of devices
_NAME_CHARS: Final = 64


def work_facts(reader: QueryReader, devices: Sequence[Device], windows_of: WindowsOf) -> Interruptible[list[Fact]]:
    """By which rules the work of devices was told, and what none of them names; none without devices."""
    if not devices:
        return []
    unnamed = yield from unnamed_work(reader, devices, windows_of)
    facts = [Fact("work_rules", "Kinds of work by", _rules(reader.work_rules), "text")]
    if unnamed.by_name:
        facts.append(Fact("unnamed_work", "Unknown names", unnamed.ticks, "ticks", _unnamed(reader, unnamed)))
    return facts


def work_notes(reader: QueryReader, devices: Sequence[Device], windows_of: WindowsOf) -> Interruptible[list[Note]]:
    """Note on work that no rule names, where it takes enough time to change figures of communication."""
    unnamed = yield from unnamed_work(reader, devices, windows_of)
    if not unnamed.whole or unnamed.ticks < _MATTERS * unnamed.whole:
        return []
    text = f"No rule knows {_unnamed(reader, unnamed)}. A rule of yours can say what it is: --work-rules."
    return [Note("info", text)]


def _rules(rules: WorkRules) -> str:
    if not rules.rules:
        return "built-in table"
    count = len(rules.rules)
    return f"{plural(count, 'rule', 'rules')} of {rules.name}, then the built-in table"


def _unnamed(reader: QueryReader, unnamed: UnnamedWork) -> str:
    count, text = len(unnamed.by_name), reader.names[unnamed.longest].text
    short = text if len(text) <= _NAME_CHARS else f"{text[: _NAME_CHARS - 1]}…"
    share = percent_text(unnamed.ticks / unnamed.whole)
    names = f"{count:,} names, {short} first" if count > 1 else short
    return f"{share} of the work, in {names}: computation by default"
