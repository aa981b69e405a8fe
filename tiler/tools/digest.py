"""A digest of a tool: a table of its answer that Overview shows too, with the way to its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.scope import Scope

PREFIX: Final = "digest."  # of the id of the table on Overview: `digest.step_trace`


@dataclass(frozen=True, slots=True)
class Digest:
    """The table `table` with some of its columns, called `title`.

    `fields` gives what the question has beside what Overview was asked; None: the run has nothing to show there.
    """

    title: str
    table: str
    columns: tuple[str, ...]
    fields: Callable[[Scope], Interruptible[Mapping[str, object] | None]]
