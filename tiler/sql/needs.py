"""Columns and parts of tables that a statement needs, from its plan."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tilescope.tiler.tables import TABLES
from tilescope.tiler.ticks import TICK_LIMIT

if TYPE_CHECKING:
    import duckdb

_NUMBER: Final = r"(\d{1,18})"
_EQUAL: Final = re.compile(rf"\(?(\w+) = {_NUMBER}\)?")
_IN: Final = re.compile(r"\(?(?:optional: )?\(?(\w+) IN \(((?:\d{1,18}(?:, )?)+)\)\)?\)?")
_BOUND: Final = re.compile(rf'\(?"?(\w+)"? (>=|>|<=|<) {_NUMBER}\)?')
_NAME: Final = re.compile(r"\(?name = '((?:[^']|'')*)'\)?")

# Tables whose rows the plan's bounds of `start` and `track` choose.
_BY_TIME: Final = frozenset({"slices", "instants", "counters"})


@dataclass(slots=True)
class Needs:
    """TablePart of a table: more than the statement takes, never less."""

    columns: list[str] = field(default_factory=list)
    scans: int = 0
    tracks: frozenset[int] | None = None
    first_track: int = 0
    last_track: int = sys.maxsize
    first: int = 0
    stop: int = TICK_LIMIT
    names: frozenset[str] | None = None


def needs_of(database: duckdb.DuckDBPyConnection, statement: str) -> dict[str, Needs]:
    """Needs of a statement by table. `database` is one for plans. Raises the errors of DuckDB."""
    ((_, text),) = database.execute(f"explain (format json) {statement}").fetchall()
    needs: dict[str, Needs] = {}
    for scan, scans in _scans(json.loads(text)):
        name = str(scan.get("Table", "")).rpartition(".")[2]
        if name not in TABLES:
            continue
        table = needs.setdefault(name, Needs())
        table.scans += scans
        filters = _texts(scan.get("Filters", ()))
        mentioned = [
            column
            for column in TABLES[name].column_names
            if column in _texts(scan.get("Projections", ())) or any(re.search(rf"\b{column}\b", f) for f in filters)
        ]
        table.columns += [column for column in mentioned if column not in table.columns]
        if table.scans == 1:
            _narrow(table, filters, by_time=name in _BY_TIME)
        else:  # it is read once for all
            needs[name] = Needs(table.columns, table.scans)
    for name, table in needs.items():
        table.columns = table.columns or TABLES[name].column_names[:1]  # rows are counted
    return needs


def _scans(plans: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Scans of a plan, each with how often it runs at least: what recurs runs again and again."""
    waiting = [(plan, 1) for plan in plans]
    while waiting:
        plan, scans = waiting.pop()
        name = plan.get("name", "")
        scans = 2 if name.startswith("REC") and "SCAN" not in name else scans  # RECURSIVE_CTE, of version 2 REC_CTE
        waiting += [(child, scans) for child in plan.get("children", ())]
        if "SCAN" in name:
            yield plan.get("extra_info", {}), scans


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(text) for text in value] if isinstance(value, list) else []


def _narrow(table: Needs, filters: Sequence[str], *, by_time: bool) -> None:
    """Takes conditions that all rows meet, where they are plain: others are DuckDB's alone."""
    if any(condition.count("'") % 2 for condition in filters):
        return  # plans have a line for each: with lines within a text, they do not say where a condition ends
    for text in (part for condition in filters for part in _conjunction(condition)):
        if (match := _EQUAL.fullmatch(text)) and match[1] == "track":
            table.tracks = _both(table.tracks, frozenset({int(match[2])}))
        elif (match := _IN.fullmatch(text)) and match[1] == "track":
            table.tracks = _both(table.tracks, frozenset(map(int, match[2].split(", "))))
        elif (match := _NAME.fullmatch(text)) and by_time:
            table.names = frozenset({match[1].replace("''", "'")})
        elif (match := _BOUND.fullmatch(text)) and by_time:
            _bound(table, match[1], match[2], int(match[3]))


def _bound(table: Needs, column: str, sign: str, number: int) -> None:
    match column, sign[0]:
        case "track", "<":
            table.last_track = min(table.last_track, number)
        case "track", ">":
            table.first_track = max(table.first_track, number)
        case "start", "<":
            table.stop = min(table.stop, number + (sign == "<="))
        case "start", ">":
            table.first = max(table.first, number)
        case "end", ">":
            table.first = max(table.first, number - 1)


def _conjunction(condition: str) -> list[str]:
    """Conditions that all hold: itself, or bounds with AND between. What lies within a function need not hold."""
    parts = [part.strip("()") for part in condition.split(" AND ")]
    return parts if len(parts) > 1 and all(map(_BOUND.fullmatch, parts)) else [condition]


def _both(tracks: frozenset[int] | None, more: frozenset[int]) -> frozenset[int]:
    return more if tracks is None else tracks & more
