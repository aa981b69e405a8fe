"""Parts of a run as tables: its names, tracks and processes, and itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from tilescope.tiler.query import QueryReader
from tilescope.tiler.tables.column import integer, real, text
from tilescope.tiler.tables.made_rows import Row, made_table
from tilescope.tiler.tables.table import TablePart


def _names(reader: QueryReader, part: TablePart) -> Iterator[Row]:
    for number in range(reader.manifest.names.count):
        name = reader.names[number]
        if part.names is None or name.text in part.names:
            yield number, name.text, name.category


def _tracks(reader: QueryReader, part: TablePart) -> Iterator[Row]:
    tree = reader.tree
    chosen = range(len(tree.tracks)) if part.tracks is None else sorted(set(part.tracks))
    for number in chosen:
        tree.kind(number)  # raises where there is no such track
        track = tree.tracks[number]
        limits = (None if value is UNSET else value for value in (track.min, track.max, track.first, track.last))
        path = " / ".join(_path(reader, track.group))
        yield (
            track.id, track.kind, track.name, track.detail, path, track.group, track.rows, track.events, track.busy,
            *limits,
        )  # fmt: skip


def _processes(reader: QueryReader, _: TablePart) -> Iterator[Row]:
    for group in reader.tree.groups:
        yield group.id, group.kind, group.name, group.detail, " / ".join(_path(reader, group.id)), group.parent


def _path(reader: QueryReader, group: int | None) -> list[str]:
    """The names of the groups around something, outermost first."""
    names: list[str] = []
    seen: set[int] = set()
    while group is not None and group not in seen:
        seen.add(group)
        names.insert(0, reader.tree.groups[group].name)
        group = reader.tree.groups[group].parent
    return names


def _runs(reader: QueryReader, _: TablePart) -> Iterator[Row]:
    run = reader.manifest
    hosts = ", ".join(run.hosts)
    yield (
        run.build, run.format, hosts, run.tick_ps, run.origin_ns, run.start, run.end, run.tracks, run.events.total,
        run.events.slices, run.events.instants, run.events.counter_samples,
    )  # fmt: skip


NAMES: Final = made_table(
    "names",
    "names of events, each with its category",
    (integer("id", "number of the name"), text("name", "its text"), text("category", "its category")),
    _names,
    has_names=True,
)
TRACKS: Final = made_table(
    "tracks",
    "tracks: what slices, instants and counters are on",
    (
        integer("id", "what other tables call `track`"),
        text("kind", "slice, async, instant, counter or rollup"),
        text("name", "its name"),
        text("detail", "what more is known of it"),
        text("path", "names of the processes around it, outermost first, with / between"),
        integer("process", "id of the process that it is of", is_nullable=True),
        integer("rows", "depth of nesting"),
        integer("events", "number of its events; of a rollup of all that it sums"),
        integer("busy", "ticks: sum of the durations; null where 64 bits are too few", is_nullable=True),
        real("min", "of counters: least value", is_nullable=True),
        real("max", "of counters: greatest value", is_nullable=True),
        integer("first", "ticks: start of its first event", is_nullable=True),
        integer("last", "ticks: end of the event that ends last", is_nullable=True),
    ),
    _tracks,
    has_tracks=True,
)
PROCESSES: Final = made_table(
    "processes",
    "processes and hosts, and the run around them",
    (
        integer("id", "what tracks call `process`"),
        text("kind", "run, host or process"),
        text("name", "its name"),
        text("detail", "what more is known of it"),
        text("path", "names from the outermost on, its own last, with / between"),
        integer("parent", "id of the process or host that it is in", is_nullable=True),
    ),
    _processes,
)
RUNS: Final = made_table(
    "runs",
    "the run itself: one row",
    (
        text("build", "the index that is read"),
        text("format", "of its files"),
        text("hosts", "their names, with commas between"),
        integer("tick_ps", "picoseconds of a tick"),
        integer("origin_ns", "nanoseconds from 1970 to tick 0, where the trace says when it was taken"),
        integer("start", "ticks: first of any event"),
        integer("end", "ticks: last of any event"),
        integer("tracks", "number of tracks"),
        integer("events", "number of events"),
        integer("slices", "number of slices as the files have them"),
        integer("instants", "number of instants as the files have them"),
        integer("counter_samples", "number of samples as the files have them"),
    ),
    _runs,
)
