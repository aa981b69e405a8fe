"""Notes on outliers: the events that an answer leaves out, and its figures with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Name, QueryReader
from tilescope.tiler.schema import Kind, Outlier, Outliers
from tilescope.tiler.tools.answer import Answer, Fact, Note, Value

_MOST_FIGURES: Final = 8
_NAME_CHARS: Final = 60
_KINDS: Final = frozenset({"ticks", "fraction", "count"})


def outlier_texts(reader: QueryReader, outliers: Outliers) -> list[tuple[str, Outlier]]:
    """A clause for each reason, with its longest event: "1 event (main) lies 56.9 years before all else"."""
    tick_ps = reader.tick_ps
    longest: dict[str, Outlier] = {}
    for event in outliers.events:
        if event.reason not in longest or _length(event) > _length(longest[event.reason]):
            longest[event.reason] = event
    names = reader.names.by_id([event.name for event in longest.values()])
    later = sum(int(event.later) for event in outliers.events)
    texts = []
    counts = {
        "before": int(outliers.before),
        "after": int(outliers.after),
        "too_long": int(outliers.too_long),
        "overrun": int(outliers.overruns),
    }
    for reason, event in longest.items():
        n = counts[reason]
        what = _what(n, names[event.name])
        length = duration_text(_length(event), tick_ps)
        if reason == "before":
            away = duration_text(int(outliers.start) - int(event.start), tick_ps)
            text = f"{what} {_verb(n, 'lie')} {away} before all else"
        elif reason == "after":
            away = duration_text(int(event.start) - int(outliers.end), tick_ps)
            text = f"{what} {_verb(n, 'lie')} {away} after all else"
        elif reason == "too_long":
            text = f"{what} {_verb(n, 'last')} {length}, far longer than all else"
        else:
            text = f"{what} of {length} {_verb(n, 'last')} beyond the starts of {later:,} later ones of the same stream"
        texts.append((text, event))
    return texts


def _what(n: int, name: Name) -> str:
    noun = "kernel" if name.category.lower() == "kernel" else "event"
    example = f"{name.text[:_NAME_CHARS]}…" if len(name.text) > _NAME_CHARS else name.text
    return f"1 {noun} ({example})" if n == 1 else f"{n:,} events (such as {example})"


def _verb(n: int, verb: str) -> str:
    return f"{verb}s" if n == 1 else verb


def outlier_notes(reader: QueryReader, outliers: Outliers, without: Answer, whole: Answer) -> Sequence[Note]:
    """Note on the events that an answer leaves out, and its figures that differ with them; none if none does."""
    tick_ps = reader.tick_ps
    figures = [
        f"{fact.label.lower()} {_text(fact.kind, fact.value, tick_ps)} without, "
        f"{_text(other.kind, other.value, tick_ps)} with"
        for fact, other in _pairs([*without.facts, *_totals(without)], [*whole.facts, *_totals(whole)])
        if fact.value != other.value
    ]
    if not figures:
        return []
    clauses = outlier_texts(reader, outliers)
    more = ["…"] if len(figures) > _MOST_FIGURES else []
    text = f"{'; '.join(clause for clause, _ in clauses)}: left out here, counted with outliers"
    text += f" ({'; '.join([*figures[:_MOST_FIGURES], *more])})"
    event = clauses[0][1]
    return [Note("warning", text, int(event.start), int(event.end), event.track)]


def _totals(answer: Answer) -> list[Fact]:
    """The totals of its tables as figures, but for those that a fact has."""
    labels = {fact.label.lower() for fact in answer.facts}
    return [
        Fact(f"{table.id}.{column.id}", f"{table.title}: {column.title}", table.totals[column.id], column.kind)
        for table in answer.tables
        if table.totals is not None
        for column in table.columns
        if column.id in table.totals and column.total == "sum" and column.title.lower() not in labels
    ]


def _pairs(without: Sequence[Fact], whole: Sequence[Fact]) -> list[tuple[Fact, Fact]]:
    """The figures of both."""
    others = {fact.id: fact for fact in whole}
    return [(fact, others[fact.id]) for fact in without if fact.kind in _KINDS and fact.id in others]


def _text(kind: Kind, value: Value, tick_ps: int) -> str:
    if not isinstance(value, int | float):
        return "nothing"
    if kind == "fraction":
        return percent_text(value)
    return duration_text(int(value), tick_ps) if kind == "ticks" else f"{int(value):,}"


def _length(event: Outlier) -> int:
    return int(event.end) - int(event.start)
