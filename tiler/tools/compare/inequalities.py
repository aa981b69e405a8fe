"""Inequalities of compared runs besides their times: machines, amounts, and what was lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilescope.tiler.count_text import count_text
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Column, Note, Table
from tilescope.tiler.tools.compare.side import ComparedSide
from tilescope.tiler.tools.environment import environment

# What makes two machines different ones.
_MACHINE = ("Device", "Devices", "Hosts")


def inequalities(new: ComparedSide, bases: Sequence[ComparedSide]) -> Interruptible[tuple[Table, list[Note]]]:
    """A row for each property in which a run differs from another one, and a note where machines do.

    Raises DamagedStore.
    """
    properties = []
    for side in (new, *bases):
        properties.append((yield from _properties(side)))
    mine, others = properties[0], properties[1:]
    theirs = {name: list(dict.fromkeys(other[name] for other in others)) for name in mine}
    unequal = [name for name in mine if theirs[name] != [mine[name]]]
    columns = [
        Column("property", "Property", "name", unequal),
        Column("new", "This run", "text", [mine[name] for name in unequal]),
        Column("base", "Compared with", "text", ["; ".join(theirs[name]) for name in unequal]),
    ]
    machine = [name.lower() for name in unequal if name in _MACHINE]
    notes = []
    if machine:
        notes.append(Note("warning", f"the runs are of different machines: they differ in {' and '.join(machine)}"))
    return Table("unequal", "What differs between the runs", columns), notes


def _properties(side: ComparedSide) -> Interruptible[Mapping[str, str]]:
    reader = side.scope.reader
    tracks = frozenset(reader.tree.leaves(None))
    run = yield from environment(reader, tracks)
    manifest = reader.manifest
    dropped = sum(host.dropped for host in run.hosts)
    return {
        "Device": ", ".join(run.kinds) or "CPU",
        "Devices": count_text(run.devices),
        "Hosts": count_text(len(run.hosts)),
        "Processes": count_text(manifest.processes),
        "Tracks": count_text(manifest.tracks),
        "Events": count_text(manifest.events.total),
        "Names": count_text(manifest.names.count),
        "Steps": "none" if manifest.steps is None else count_text(len(reader.steps.numbers)),
        "Lost events": count_text(dropped),
        "Ignored entries": count_text(sum(manifest.ignored.values())),
        "Files": count_text(len(manifest.files)),
        "Length": duration_text(manifest.end - manifest.start, reader.tick_ps),
        "Tick": duration_text(1, reader.tick_ps),
    }
