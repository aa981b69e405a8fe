"""The range of steps that a question is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from tilescope.tiler.errors import UsageError

PATTERN: Final = r"^[0-9]{1,18}((-|\.\.)[0-9]{1,18})?$"

_SPELT: Final = re.compile(r"([0-9]{1,18})(?:(?:-|\.\.)([0-9]{1,18}))?", re.ASCII)


class StepRange(tuple[int, int]):
    """Steps by their numbers in the trace: the first and the last, both included."""

    __slots__ = ()

    @property
    def first(self) -> int:
        return self[0]

    @property
    def last(self) -> int:
        return self[1]

    @classmethod
    def parse(cls, text: str) -> StepRange:
        """`5-9`, `5..9`, or one step, `5`. Raises UsageError."""
        match = _SPELT.fullmatch(text)
        if match is None:
            raise UsageError(f"steps must be a number or a range, as in 5 or 5-9, not {text[:40]!r}")
        return cls.from_bounds(int(match[1]), int(match[2] or match[1]))

    @classmethod
    def from_bounds(cls, first: int, last: int) -> StepRange:
        """Raises UsageError for numbers that make no range."""
        if not 0 <= first <= last < 10**18:
            raise UsageError(
                f"steps {first} to {last} are not a range: the first must not be greater than the last, or below 0"
            )
        return cls((first, last))

    of = from_bounds  # as in version 0.2: tools of other packages call it

    @classmethod
    def convert(cls, value: Any) -> StepRange:
        """From what a client gives: text, a number, or the first and the last. Raises UsageError."""
        if isinstance(value, str):
            return cls.parse(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return cls.from_bounds(value, value)
        if isinstance(value, range) and value.step == 1 and value:
            return cls.from_bounds(value.start, value.stop - 1)
        is_pair = isinstance(value, Sequence) and len(value) == 2
        if is_pair and all(isinstance(step, int) and not isinstance(step, bool) for step in value):
            return cls.from_bounds(*value)
        raise UsageError("steps are a number, the first and the last of them, or a text such as 5-9")

    def text(self) -> str:
        """As `parse` reads it."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
