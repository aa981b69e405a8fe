"""Notes on what is not as it should be in a file: how often, and where first."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

_MOST_KINDS: Final = 20


class _Fault(Struct):
    single: str
    several: str
    line: int
    column: int
    count: int = 0


class Faults:
    """Faults of a file."""

    def __init__(self) -> None:
        self._faults: dict[str, _Fault] = {}

    def add(self, single: str, several: str, line: int, column: int, count: int = 1) -> None:
        """Counts some of a kind, which is called so. Line and column count from 1."""
        if single in self._faults or len(self._faults) < _MOST_KINDS:
            self._faults.setdefault(single, _Fault(single, several, line, column)).count += count

    def notes(self) -> list[str]:
        """A line for each kind."""
        return [
            f"{fault.count:,} {fault.single if fault.count == 1 else fault.several} "
            f"({'' if fault.count == 1 else 'first '}line {fault.line:,}, column {fault.column:,})"
            for fault in self._faults.values()
        ]
