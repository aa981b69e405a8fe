"""Names that differ: of several that are the same, all but the first have numbers."""

from __future__ import annotations

from collections import Counter


class DistinctNames:
    """Gives each name a number where another has it already: `vm`, `vm (2)`, `vm (3)`."""

    def __init__(self) -> None:
        self._numbers: Counter[str] = Counter()  # the last that was given, by name
        self._taken: set[str] = set()

    def add(self, name: str) -> str:
        """The name, or with the next number for which nobody else is called so."""
        distinct = name
        while not self._numbers[name] or distinct in self._taken:
            self._numbers[name] += 1
            distinct = name if self._numbers[name] == 1 else f"{name} ({self._numbers[name]})"
        self._taken.add(distinct)
        return distinct
