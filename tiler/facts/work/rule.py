"""Rules of the table, and rules in their order as regular expressions that are searched at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate, groupby
from typing import Generic, Protocol, TypeVar

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
        every = [pattern for _, pattern in patterns]
        self._is_any = searcher(every)
        self._in_any_line = _search(every, "(?m)")
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

    def kinds(self, texts: Sequence[bytes]) -> list[Kind | None]:
        """That of each text. Texts that match nothing are passed over together."""
        kinds: list[Kind | None] = [None] * len(texts)
        joined = b"\n".join(texts)
        ends = list(accumulate(len(text) + 1 for text in texts))
        begin = 0
        while texts and begin <= len(joined) and (match := self._in_any_line(joined, begin)) is not None:
            # A match may reach into the next text, or lie at a line's end within one: it is only where to look.
            place = bisect_right(ends, match.start())
            kinds[place] = self.kind(texts[place])
            begin = ends[place]
        return kinds


class _Match(Protocol):
    def start(self) -> int: ...


class _Search(Protocol):
    def __call__(self, text: bytes, begin: int = 0, /) -> _Match | None: ...


def searcher(patterns: Sequence[str]) -> Callable[[bytes], bool]:
    """Tells whether any of some patterns is in a text, in time that is linear in the text."""
    search = _search(patterns)
    return lambda text: search(text) is not None


def _search(patterns: Sequence[str], flags: str = "") -> _Search:
    """Search for the first place in a text where any of the patterns matches, from a place on."""
    import re2  # when it is needed: it costs some milliseconds at the start

    options = re2.Options()
    options.max_mem = PATTERN_MEMORY_BYTES * (len(patterns) + 1)
    options.log_errors = False
    search: _Search = re2.compile((flags + "|".join(f"(?:{pattern})" for pattern in patterns)).encode(), options).search
    return search
