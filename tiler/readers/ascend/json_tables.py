"""JSON of Ascend profilers as tables: lists of objects are rows, members are columns, numbers stay as they are written.

Members of members are columns with a dot, `metrics.output_queue.length`; lists of values are cells of JSON. What has
neither becomes one row.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from tilescope.tiler.columns import SideTable
from tilescope.tiler.details.stepwise_json import deep_place, must_fit
from tilescope.tiler.errors import DamagedTrace, TooLarge
from tilescope.tiler.readers.ascend.families import rank_in_name, stem_of
from tilescope.tiler.readers.ascend.planned_memory import FAMILY, is_planned_memory, planned_tables
from tilescope.tiler.readers.layouts.ascend_names import device_place
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.side_tables import MAX_COLUMNS, MAX_NAME, SideTableWriter, TableSpill
from tilescope.tiler.readers.source import ByteSource

MAX_BYTES: Final = 256 << 20
MAX_TABLES: Final = 1000  # of a file

# A table has a place for each cell: rows that have few of many columns would take far more memory than the file.
MAX_EMPTY_CELLS: Final = 10_000_000
_MOST_COLUMNS_OF_A_MEMBER: Final = 20

# How the names of files begin that are read.
NAMES: Final = (
    "pipeline_profiling",
    "dynamic_shape_info",
    "flops_summary",
    "flops_scope",
    "minddata_cpu_utilization",
    "ascend_timeline_summary",
    "gpu_timeline_summary",
    "timeline_summary",
    "step_trace_point_info",
    "communication_matrix",
    "communication",
    "cluster_communication_matrix",
    "cluster_communication",
    "memory_usage_summary",
    "memory_usage_details",
    "parallel_strategy",
)

_MEMORY_SHARE: Final = 4  # rows of small objects take three times what their JSON does
_DEEPEST: Final = 100

# What is counted, and noted.
_TWICE: Final = "members left out, since another has the same name"
_CUT: Final = f"names of members that are cut to {MAX_NAME} characters"
_TOO_DEEP: Final = f"objects left out, since they lie in more than {_DEEPEST} others"
_NO_OBJECT: Final = "entries of a list of rows left out, since they are no objects"
_BESIDE: Final = "members left out, since they lie beside those of communication"
_MORE_KEYS: Final = "keys of objects left out, since no column is for them"
_MORE_COLUMNS: Final = f"columns left out, since a table has at most {MAX_COLUMNS:,}"

_TIMES: Final = "Communication Time Info"
_BANDWIDTHS: Final = "Communication Bandwidth Info"
_TRANSPORT: Final = "Transport Type"

_NAMED: Final = {"name", "value"}

Row = dict[str, str]
Losses = Counter[str]  # how often, by what


class JsonTables(NamedTuple):
    """Tables of a file, and a line for each kind of loss."""

    tables: list[SideTable]
    notes: list[str]


class _Number(str):
    """A number as the file has it."""


def json_family(stem: str) -> str:
    """The family of a file of this name; empty where it is none of these."""
    names = sorted(NAMES, key=len, reverse=True)
    return next((name for name in names if re.fullmatch(rf"{name}(?:_\d+)?", stem)), "")


def json_tables(source: ByteSource, scratch_dir: Path | None, room: Room) -> JsonTables:
    """The tables of a file. Raises DamagedTrace, with line and column, and TooLarge."""
    path, value = source.path, _parsed(source, room)
    family, place = json_family(stem_of(path)), device_place(path)
    tables: list[SideTable] = []
    losses: Losses = Counter()
    spill = TableSpill(scratch_dir)
    parts = _tables(value, losses)
    if family == FAMILY and is_planned_memory(value):
        parts = planned_tables(value, lambda member: _row(member, losses), _text)
    for name, rows in parts:
        if len(tables) == MAX_TABLES:
            raise TooLarge(path, f"is JSON with more than {MAX_TABLES:,} tables")
        columns = list(dict.fromkeys(column for row in rows for column in row))
        if not columns:
            continue
        if len(columns) > MAX_COLUMNS:
            losses[_MORE_COLUMNS] += len(columns) - MAX_COLUMNS
            columns = columns[:MAX_COLUMNS]
        if len(rows) * len(columns) > MAX_EMPTY_CELLS + _MOST_COLUMNS_OF_A_MEMBER * sum(map(len, rows)):
            raise TooLarge(path, f"is JSON whose rows have few of {len(columns):,} columns each")
        title = f"{path.name}/{name}" if name else path.name
        writer = SideTableWriter(spill, title, f"{family}.{name}" if name else family, columns)
        writer.add_rows([[row.get(column) for column in columns] for row in rows])
        tables.append(writer.table(rank_in_name(path), place.device, place.capture))
    return JsonTables(tables, [f"{what}: {count:,}" for what, count in losses.items()])


def _parsed(source: ByteSource, room: Room) -> Any:
    path, content = source.path, source.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise TooLarge(path, f"is JSON of more than {MAX_BYTES:,} bytes, and no timeline")
    if source.problem is not None:
        raise DamagedTrace(path, source.problem, advice="copy the original again")
    must_fit(content, path, room.bytes // _MEMORY_SHARE)
    try:
        text = content.decode("utf-8-sig")
        value = json.loads(text, parse_float=_Number, parse_int=_Number, parse_constant=_Number)
    except UnicodeDecodeError as error:
        raise DamagedTrace(path, "is not UTF-8", offset=error.start) from None
    except json.JSONDecodeError as error:
        what = f"is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        raise DamagedTrace(path, what, advice="copy the original again") from None
    except RecursionError:
        raise DamagedTrace(path, f"is JSON that is nested too deep{_deep_words(content)}") from None
    if not isinstance(value, dict | list):
        raise DamagedTrace(path, "is JSON, but neither an object nor a list")
    return value


def _deep_words(content: bytes) -> str:
    """The line and column of the first value that lies in more others than any file has."""
    offset = deep_place(content, _DEEPEST)
    if offset is None:
        return ""
    line, column = content.count(b"\n", 0, offset) + 1, offset - content.rfind(b"\n", 0, offset)
    return f" (line {line}, column {column})"


def _tables(value: Any, losses: Losses) -> Iterator[tuple[str, list[Row]]]:
    """Tables of a value: the name of each within the file, and its rows."""
    if isinstance(value, list):
        yield "", [_row(entry, losses) for entry in value if isinstance(entry, dict)]
        _count(losses, _NO_OBJECT, sum(not isinstance(entry, dict) for entry in value))
        return
    beside: Losses = Counter()
    if communication := list(_leaves(value, _TIMES, (), beside)):
        losses.update(beside)
        yield from _communication(communication, losses)
        return
    beside.clear()
    if links := list(_leaves(value, _TRANSPORT, (), beside)):
        losses.update(beside)
        names = (*_level_names(links)[:3], "link")
        yield "links", [_joined(_places(names, keys, losses), _row(leaf, losses), losses) for keys, leaf in links]
        return
    single: Row = {}
    samples: dict[str, list[Any]] = {}
    for name, member in _members(value, "", 0, losses):
        if isinstance(member, dict):  # of lists of objects, by key
            yield name, [row for key, entries in member.items() for row in _rows_of_key(key, entries, losses)]
        elif _are_objects(member):
            yield name, [_row(entry, losses) for entry in member]
        elif name in single or name in samples:
            losses[_TWICE] += 1
        elif isinstance(member, list) and member:
            samples[name] = member
        else:
            single[name] = _text(member)
    lengths = {len(values) for values in samples.values()}
    if len(samples) > 1 and len(lengths) == 1:
        series = [[_text(cell) for cell in values] for values in samples.values()]
        yield "samples", [dict(zip(samples, row, strict=True)) for row in zip(*series, strict=True)]
    else:
        single |= {name: _text(values) for name, values in samples.items()}
    if single:
        yield "", [single]


def _members(value: Mapping[str, Any], prefix: str, depth: int, losses: Losses) -> Iterator[tuple[str, Any]]:
    """The members of an object, and those of objects in it, by names with dots."""
    for key, member in value.items():
        name = _name(prefix, key, losses)
        if not isinstance(member, dict) or (not prefix and _are_rows_by_key(member)):
            yield name, member
        elif depth < _DEEPEST:
            yield from _members(member, f"{name}.", depth + 1, losses)
        else:
            losses[_TOO_DEEP] += 1


def _name(prefix: str, key: str, losses: Losses) -> str:
    """The name of a member, which is cut: in each object of many the whole would be written anew."""
    if len(prefix) + len(key) <= MAX_NAME:
        return prefix + key
    losses[_CUT] += 1
    return (prefix + key[:MAX_NAME])[:MAX_NAME]


def _are_rows_by_key(member: Mapping[str, Any]) -> bool:
    """True for lists of objects by numbers, such as those of steps."""
    return any(member.values()) and all(
        key.isdecimal() and (_are_entries(entries, dict) if isinstance(entries, list) else _are_lists_by_name(entries))
        for key, entries in member.items()
    )


def _are_lists_by_name(value: Any) -> bool:
    return isinstance(value, dict) and _are_entries(list(value.values()), list)


def _are_entries(values: list[Any], kind: type) -> bool:
    return all(isinstance(value, kind) for value in values)


def _rows_of_key(key: str, entries: Any, losses: Losses) -> Iterator[Row]:
    """Rows of a list of objects, or of lists of values by name."""
    if isinstance(entries, list):
        yield from (_joined({"key": key}, _row(entry, losses), losses) for entry in entries)
    else:
        for name, values in entries.items():
            yield {"key": key, "name": name, **{str(place): _text(value) for place, value in enumerate(values)}}


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


def _row(value: Mapping[str, Any], losses: Losses, deepest: int = _DEEPEST) -> Row:
    """The members of an object as cells."""
    row: Row = {}
    waiting = [("", value, 0)]
    while waiting:
        prefix, members, depth = waiting.pop()
        for key, member in members.items():
            name = _name(prefix, key, losses)
            if isinstance(member, dict) and member and depth < deepest:
                waiting.append((f"{name}.", member, depth + 1))
            elif _are_named_values(member) and depth < deepest:
                waiting += [(f"{name}.", {entry["name"]: entry["value"]}, depth + 1) for entry in reversed(member)]
            elif name in row:
                losses[_TWICE] += 1
            else:
                row[name] = _text(member)
    return row


def _are_named_values(value: Any) -> bool:
    """True for attributes as protobuf writes them, no two of a name: `[{"name": "op", "value": {"strVal": "a"}}]`."""
    if not _are_objects(value):
        return False
    names = [entry["name"] for entry in value if entry.keys() == _NAMED and isinstance(entry["name"], str)]
    return len(set(names)) == len(value)


def _joined(places: Row, row: Row, losses: Losses) -> Row:
    """A row behind the keys that lead to it."""
    _count(losses, _TWICE, len(places.keys() & row.keys()))
    return {**places, **row, **places}


def _count(losses: Losses, what: str, count: int) -> None:
    if count:
        losses[what] += count


def _leaves(
    value: Mapping[str, Any], mark: str, keys: tuple[str, ...], losses: Losses
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Objects that have a member of this name, with the keys that lead there. Counts what lies beside."""
    if mark in value:
        yield keys, value
    elif len(keys) < _DEEPEST:
        for key, member in value.items():
            if isinstance(member, dict):
                yield from _leaves(member, mark, (*keys, key), losses)
            else:
                losses[_BESIDE] += 1
    else:
        losses[_TOO_DEEP] += 1


def _level_names(leaves: Sequence[tuple[tuple[str, ...], Any]]) -> tuple[str, ...]:
    """Names of the levels of keys: a rank's file has steps first, that of a cluster groups of ranks."""
    first = leaves[0][0][0] if leaves[0][0] else ""
    return ("step", "kind", "operator") if first.startswith("step") else ("group", "step", "operator", "rank")


def _places(names: Sequence[str], keys: Sequence[str], losses: Losses) -> Row:
    """The keys above a leaf, by the names of their levels."""
    _count(losses, _MORE_KEYS, len(keys) - min(len(keys), len(names)))
    return dict(zip(names, keys, strict=False))


def _communication(leaves: Sequence[tuple[tuple[str, ...], Any]], losses: Losses) -> Iterator[tuple[str, list[Row]]]:
    names = _level_names(leaves)
    times: list[Row] = []
    bandwidths: list[Row] = []
    for keys, leaf in leaves:
        places = _places(names, keys, losses)
        _count(losses, _BESIDE, len(leaf.keys() - {_TIMES, _BANDWIDTHS}))
        for name in leaf.keys() & {_TIMES, _BANDWIDTHS}:
            _count(losses, _BESIDE, not isinstance(leaf[name], dict))
        if isinstance(leaf[_TIMES], dict):
            times.append(_joined(places, _row(leaf[_TIMES], losses), losses))
        transports = leaf.get(_BANDWIDTHS)
        for transport, figures in transports.items() if isinstance(transports, dict) else ():
            if isinstance(figures, dict):
                cells = _row(figures, losses, deepest=0)
                bandwidths.append(_joined({**places, "transport": transport}, cells, losses))
            else:
                losses[_BESIDE] += 1
    yield "times", times
    yield "bandwidths", bandwidths


def _text(value: Any) -> str:
    """A value as a cell: JSON, but of a text its characters, and of null none."""
    if value is None:
        return ""
    return str(value) if isinstance(value, str) else _dump(value)


def _dump(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{_dump(v)}" for key, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_dump, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
