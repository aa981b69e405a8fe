"""A digest of a tool: a table of its answer that Overview shows too, with the way to its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope

Q = TypeVar("Q", bound=Question)

PREFIX: Final = "digest."  # of the id of the table on Overview: `digest.step_trace`


@dataclass(frozen=True, slots=True)
class Digest(Generic[Q]):
    """The table `table` with some of its columns, called `title`.

    `fields` gives what the question has beside what Overview was asked; None: the run has nothing to show there.
    `answer` gives the part of the answer that has the table and the warnings about it; None: all of it is needed.
    """

    title: str
    table: str
    columns: tuple[str, ...]
    fields: Callable[[Scope], Interruptible[Mapping[str, object] | None]]
    answer: Callable[[Scope, Q], Interruptible[Answer]] | None = None
