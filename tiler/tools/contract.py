"""Relations between the figures of a tool's answers, and with those of other tools, that hold for any question.

Declared beside each tool, and asked of all of them by the tests: of whole runs, spans, steps and parts of the tracks. A
figure is a fact (`"busy"`), or what a column comes to with all its rows, those that are left out too (`"names.count"`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

Figure = str


@dataclass(frozen=True, slots=True)
class AddedRows:
    """A table whose rows are about one thing each. Of parts of a span they add up to those of the whole, by `key`."""

    table: str
    key: tuple[str, ...]  # columns
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Same:
    """A figure, and that of another tool which is equal, or near enough to be the same double."""

    figure: Figure
    tool: str
    theirs: Figure


@dataclass(frozen=True, slots=True)
class Contract:
    """Promises of a tool: what is not declared is not promised. A figure that is not recorded counts as nothing.

    `added`: figures of a span, or of steps, that are the sums of those of its parts. `by_track`: those of tracks, too.
    `parts`: figures that are sums of others in the same answer. `lists`: tables that have as many rows, over all their
    pages, as a figure says.
    """

    added: tuple[Figure, ...] = ()
    by_track: bool = False
    rows: tuple[AddedRows, ...] = ()
    parts: Mapping[Figure, tuple[Figure, ...]] = field(default_factory=dict)
    lists: Mapping[str, Figure] = field(default_factory=dict)
    same: tuple[Same, ...] = ()


NOTHING_PROMISED: Final = Contract()
