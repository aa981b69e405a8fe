"""An op profile page that the Cloud TPU profiler saved, as the table of operations: what is shown without a trace."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from tilescope.tiler.facts.imports import SavedPage
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.imported.json_values import items, member, number, text, ticks, whole
from tilescope.tiler.tools.imported.profile_tree import layout_matrix_use, layout_padding, layout_text
from tilescope.tiler.tools.imported.saved_notes import saved_notes
from tilescope.tiler.tools.op_profile.matrix_columns import matrix_columns
from tilescope.tiler.tools.op_profile.tree import By
from tilescope.tiler.tools.operations import OF_PEAK

if TYPE_CHECKING:
    from tilescope.tiler.tools.op_profile import OpProfileQuestion

PAGE: Final = "op_profile"

# Trees of a page by what they are grouped by, with idle time and without.
_TREES: Final[Mapping[By, tuple[str, str]]] = {
    "program": ("byProgram", "byProgramExcludeIdle"),
    "category": ("byCategory", "byCategoryExcludeIdle"),
    "provenance": ("byProvenance", "byProvenanceExcludeIdle"),
}
_IDLE: Final = "IDLE"
_MAX_ROWS: Final = 100_000
_AT_ONCE: Final = 2000  # parts between two turns

_NO_CORES: Final = "the file does not say"
_NO_TIME: Final = "the file has shares of the time, and no times"
_NO_IDLE: Final = "the file lists no idle time"


@dataclass(frozen=True, slots=True)
class _Part:
    """A node of the file, or several that are listed as one. `flops` is of what the peak gives in all of the time."""

    name: str
    node: Any = None
    share: float | None = None  # of the time of the whole tree
    raw_ps: float | None = None
    flops: float | None = None

    @property
    def is_idle(self) -> bool:
        return self.name.upper() == _IDLE


@dataclass(frozen=True, slots=True)
class _Tree:
    """A tree of the file: `scale` is what its shares are multiplied by, `has_idle` whether they are of all time."""

    by: By
    root: _Part
    has_idle: bool
    scale: float


def saved_answer(reader: QueryReader, question: OpProfileQuestion, page: SavedPage, by: By) -> Interruptible[Answer]:
    """The operations as the file has them, of the whole capture."""
    parsed = yield from page.parsed(reader)
    notes = saved_notes(question)
    tree = _asked_tree(parsed, question, by)
    if tree is None:
        return Answer(notes=[*notes, Note("warning", "the file has no tree of operations")])
    if tree.by != by:
        notes.append(Note("warning", f"the file has no operations by {by}: these are by {tree.by}"))
    if question.with_idle and not tree.has_idle:
        notes.append(Note("info", f"{_NO_IDLE}: shares are of the time in which devices work"))
    rows: list[tuple[int, _Part]] = []
    for row in _rows(tree, question.limit, question.cover):
        if len(rows) % _AT_ONCE == 0:
            yield
        rows.append(row)
    facts = _facts(parsed, tree.by, reader.tick_ps)
    yield
    table = yield from _table(rows, tree.scale, reader.tick_ps)
    return Answer(facts, [table], notes=notes)


def _asked_tree(parsed: Any, question: OpProfileQuestion, wanted: By) -> _Tree | None:
    """The tree that is asked for, or else the first that the file has."""
    for by in (wanted, *(by for by in _TREES if by != wanted)):
        all_time, working = (_root(parsed, key) for key in _TREES[by])
        if all_time is not None and (question.with_idle or working is None):
            idle = _idle(all_time)
            if question.with_idle:
                return _Tree(by, all_time, has_idle=idle is not None, scale=1.0)
            return _Tree(by, all_time, has_idle=False, scale=_without(idle))
        if working is not None:
            return _Tree(by, working, has_idle=False, scale=1.0)
    return None


def _root(parsed: Any, key: str) -> _Part | None:
    """Old files have shares of the whole as times; newer ones have picoseconds beside them."""
    node = member(parsed, key)
    return _part(node, number(member(node, "metrics", "rawTime"))) if isinstance(node, dict) else None


def _part(node: Any, whole_ps: float | None) -> _Part:
    raw_ps = number(member(node, "metrics", "rawTime"))
    share = _ratio(raw_ps, whole_ps) if whole_ps else number(member(node, "metrics", "time"))
    return _Part(text(member(node, "name")) or "", node, share, raw_ps, number(member(node, "metrics", "flops")))


def _parts(part: _Part, whole_ps: float | None) -> list[_Part]:
    """The parts of one, those that take the most time first."""
    nodes = [node for node in items(member(part.node, "children")) if isinstance(node, dict)]
    return sorted((_part(node, whole_ps) for node in nodes), key=lambda inner: -(inner.share or 0.0))


def _idle(root: _Part) -> _Part | None:
    return next((part for part in _parts(root, root.raw_ps) if part.is_idle), None)


def _without(idle: _Part | None) -> float:
    """Factor from shares of all time to those of the time in which devices work."""
    return (None if idle is None or idle.share is None else _ratio(1, 1 - idle.share)) or 1.0


def _rows(tree: _Tree, limit: int, cover: int) -> Iterator[tuple[int, _Part]]:
    """The parts of all parts, parents first, and idle time last; of each the place of its parent, -1 none."""
    whole_ps = tree.root.raw_ps
    top = _parts(tree.root, whole_ps)
    waiting = [(-1, part) for part in reversed(_listed([part for part in top if not part.is_idle], limit, cover))]
    count = 0
    while waiting and count < _MAX_ROWS:
        parent, part = waiting.pop()
        yield parent, part
        waiting += [(count, inner) for inner in reversed(_listed(_parts(part, whole_ps), limit, cover))]
        count += 1
    if tree.has_idle:
        yield from ((-1, _Part("idle", None, part.share, part.raw_ps)) for part in top if part.is_idle)


def _listed(parts: list[_Part], limit: int, cover: int) -> list[_Part]:
    """The greatest parts, and one for all others together."""
    if cover < 100:
        total = sum(part.share or 0.0 for part in parts)
        before = accumulate((part.share or 0.0 for part in parts), initial=0.0)
        limit = min(limit, max(1, sum(so_far * 100 < total * cover for so_far, _ in zip(before, parts, strict=False))))
    others = parts[limit:]
    if not others:
        return parts
    rest = _Part(
        f"{len(others):,} more",
        None,
        _sum(part.share for part in others),
        _sum(part.raw_ps for part in others),
        _sum(part.flops for part in others),
    )
    return [*parts[:limit], rest]


def _facts(parsed: Any, by: By, tick_ps: int) -> list[Fact]:
    all_time, working = (_root(parsed, key) for key in _TREES[by])
    idle = None if all_time is None else _idle(all_time)
    span_ps = None if all_time is None or idle is None else all_time.raw_ps
    busy_ps = (working or all_time or _Part("")).raw_ps
    if working is None and span_ps is not None and idle is not None:
        busy_ps = span_ps - (idle.raw_ps or 0.0)
    flops = None if all_time is None else _sum(part.flops for part in _parts(all_time, all_time.raw_ps))
    no_flops = "" if flops is not None else "the file has no FLOPS of all time"
    why = "" if span_ps is not None else _NO_TIME if busy_ps is None else _NO_IDLE
    return [
        Fact("cores", "Devices", None, "count", _NO_CORES),
        Fact("span", "Device time", ticks(span_ps, 1, tick_ps), "ticks", why),
        Fact("busy", "Busy", ticks(busy_ps, 1, tick_ps), "ticks", "" if busy_ps is not None else _NO_TIME),
        Fact("idle_share", "Device idle", None if idle is None else idle.share, "fraction", "" if idle else _NO_IDLE),
        Fact("flops_utilisation", "FLOPS of peak", flops, "fraction", no_flops or "of all time in the file"),
    ]


def _table(rows: list[tuple[int, _Part]], scale: float, tick_ps: int) -> Interruptible[Table]:
    parts = [part for _, part in rows]
    shares = [_finite(None if part.share is None else part.share * scale) for part in parts]
    flops = [None if part.name == "idle" else _ratio(part.flops, part.share) for part in parts]
    yield
    hbm = [_hbm_used(part.node) for part in parts]
    wasted = [
        None if share is None or (f is None and h is None) else _finite(share * max(0.0, 1 - max(f or 0.0, h or 0.0)))
        for share, f, h in zip(shares, flops, hbm, strict=True)
    ]
    yield

    def texts(name: str, title: str, *keys: str) -> Column:
        return Column(name, title, "text", [text(member(part.node, "xla", *keys)) or None for part in parts])

    def metric(*keys: str) -> list[float | None]:
        return [number(member(part.node, "metrics", *keys)) for part in parts]

    columns = [
        Column("name", "Operation", "name", [part.name for part in parts]),
        Column("share", "Time", "fraction", shares),
        Column("self", "Self", "ticks", [ticks(part.raw_ps, 1, tick_ps) for part in parts]),
        Column("wasted", "Lost to low FLOPS", "fraction", wasted),
        Column("flops_used", "FLOPS", "fraction", flops, OF_PEAK, total="none"),
        texts("provenance", "Framework", "provenance"),
        Column("hbm_used", "HBM", "fraction", hbm, OF_PEAK, total="none"),
        Column(
            "count",
            "Count",
            "count",
            [whole(member(part.node, "metrics", "occurrences")) or None for part in parts],
        ),
    ]
    yield
    columns += [
        Column("mean", "Mean", "ticks", [ticks(ps or None, 1, tick_ps) for ps in metric("avgTimePs")], total="none"),
        Column("flops", "FLOPs", "flops", [_integer(amount) for amount in metric("rawFlops")]),
        Column("bytes", "HBM bytes", "bytes", [_hbm_bytes(part.node) for part in parts]),
        texts("category", "Category", "category"),
        texts("source", "Source", "sourceInfo", "fileName"),
    ]
    yield
    columns += [
        Column("layout", "Layout", "text", [layout_text(part.node) for part in parts]),
        Column(
            "padding",
            "Padding",
            "fraction",
            [layout_padding(part.node) for part in parts],
            "of the memory",
            total="none",
        ),
        *matrix_columns([layout_matrix_use(part.node) for part in parts]),
        texts("expression", "Expression", "expression"),
        Column("parent", "Parent", "id", [parent for parent, _ in rows]),
    ]
    return Table("operations", "By operation", columns, parent="parent", nested=("self", "flops", "bytes", "count"))


def _hbm_used(node: Any) -> float | None:
    """The share of the memory's peak; old files have it under another name."""
    utilisation = items(member(node, "metrics", "bandwidthUtils"))
    return number(utilisation[0] if utilisation else member(node, "metrics", "memoryBandwidth"))


def _hbm_bytes(node: Any) -> int | None:
    by_memory = items(member(node, "metrics", "rawBytesAccessedArray"))
    return _integer(number(by_memory[0] if by_memory else member(node, "metrics", "rawBytesAccessed")))


def _integer(amount: float | None) -> int | None:
    return ticks(amount, 1, 1)


def _sum(amounts: Iterator[float | None]) -> float | None:
    """The sum of those that are there; None: none is."""
    there = [amount for amount in amounts if amount is not None]
    return _finite(sum(there)) if there else None


def _ratio(part: float | None, of_all: float | None) -> float | None:
    return None if part is None or not of_all else _finite(part / of_all)


def _finite(amount: float | None) -> float | None:
    return amount if amount is not None and math.isfinite(amount) else None
