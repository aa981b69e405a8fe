"""Notes on what was left out of an archive, a folder or a run, and why: a few lines, however much it is."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

_VERBS: Final = ("is ", "has ", "cannot ", "overlaps ")

_IS_LEFT_OUT: Final = " is left out: "
_ARE_LEFT_OUT: Final = " are left out: "

_IS_CUT: Final = "cut short"

NOT_DRAWN: Final = "its rows are a table, and not drawn: "  # a reason stands behind it


def tells_of_left_out(line: str) -> bool:
    """True if a line, of a run's notes or warnings, says that something was left out."""
    return _IS_LEFT_OUT in line or _ARE_LEFT_OUT in line


def tells_of_cut(line: str) -> bool:
    """True if a warning says that a file, or the stream in it, ends too early."""
    return _IS_CUT in line


class LeftOut(Struct):
    """Names the first few, and counts the others."""

    others: str  # what the others are: "more members are no traces"
    named: int = 3
    _lines: list[str] = field(default_factory=list)
    _count: int = 0

    def add(self, name: str, why: str) -> None:
        """`why` is a clause, or what follows the name in one: "is encrypted"."""
        self._count += 1
        if len(self._lines) < self.named:
            clause = f"it {why}" if why.startswith(_VERBS) else why
            self._lines.append(f"{name}{_IS_LEFT_OUT}{clause}")

    def notes(self) -> list[str]:
        """A line each."""
        more = self._count - len(self._lines)
        return [*self._lines, *([f"{more:,} {self.others}"] if more else [])]
