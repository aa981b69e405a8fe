"""Rules of the table, and rules in their order as regular expressions that are searched at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from typing import Generic, TypeVar

from tilescope.tiler.facts.work.kinds import Work
from tilescope.tiler.work_rules import PATTERN_MEMORY_BYTES


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table: names of this kind, by who gives them.

    `pattern` is a regular expression of RE2, searched in the name (of a kernel: in that of its function). `source`: the
    public project where such names are found, and its part.
    """

    library: str
    kind: Work
    pattern: str
    source: str
    examples: tuple[str, ...]


Kind = TypeVar("Kind", bound=IntEnum)


class OrderedPatterns(Generic[Kind]):
    """Patterns of which the first that matches says the kind. Neighbours of one kind are searched together."""

    def __init__(self, patterns: Sequence[tuple[Kind, str]]) -> None:
        # Names of hosts, of which a run may have 100,000, match none: one search instead of one for each kind.
        self._is_any = searcher([pattern for _, pattern in patterns])
        self._searches: list[tuple[Kind, Callable[[bytes], bool]]] = [
            (kind, searcher([pattern for _, pattern in group]))
            for kind, group in groupby(patterns, key=lambda pair: pair[0])
        ]

    def kind(self, text: bytes) -> Kind | None:
        """The kind of the first pattern that matches; None: none does."""
        if self._is_any(text):
            for kind, is_in in self._searches:
                if is_in(text):
                    return kind
        return None


def searcher(patterns: list[str]) -> Callable[[bytes], bool]:
    """Tells whether any of some patterns is in a text, in time that is linear in the text."""
    import re2  # when it is needed: it costs some milliseconds at the start

    options = re2.Options()
    options.max_mem = PATTERN_MEMORY_BYTES * (len(patterns) + 1)
    options.log_errors = False
    search = re2.compile("|".join(f"(?:{pattern})" for pattern in patterns).encode(), options).search
    return lambda text: search(text) is not None
