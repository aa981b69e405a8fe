"""A figure that both have, and whether they agree, and with the truth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

# Ratios are doubles that were computed in another order.
CLOSE = 5e-7

# By what a figure is of: an instruction, a step.
Values = Mapping[Any, Any]

_NAMED = 3  # rows that one side alone has, by name


class Printed:
    """A number as xprof prints it, with a unit or without: what it was before is known as far as it is printed."""

    def __init__(self, text: str, scale: float = 1.0) -> None:
        number = Decimal(text.rstrip("%"))
        exponent = number.as_tuple().exponent
        self.value = float(number)
        self._unit = 10.0**exponent if isinstance(exponent, int) else 0.0  # nan has none
        self._scale = 100.0 if text.endswith("%") else scale
        self._text = text

    def is_of(self, value: Any) -> bool:
        """True if this is the value that was printed."""
        return self.value == 0 if value is None else abs(float(value) * self._scale - self.value) <= 0.501 * self._unit

    def __repr__(self) -> str:
        return self._text


@dataclass(frozen=True, slots=True)
class Reason:
    """Reason why ours differs on purpose, where the key is in `keys`, or everywhere when that is None."""

    why: str
    keys: frozenset[Any] | None = None

    def is_for(self, key: Any) -> bool:
        """True if it explains why ours has another value."""
        return self.keys is None or key in self.keys


@dataclass(frozen=True, slots=True)
class Figure:
    """`more`: why ours has rows that theirs has not. That theirs has others is never meant.

    `truth`: what is known of a synthetic run. Ours must be that wherever it is known, and it must be known wherever
    ours differs. None: nothing is known, of a real run.
    """

    tool: str
    name: str
    theirs: Values
    ours: Values
    reasons: Sequence[Reason] = ()
    truth: Values | None = None
    more: Reason | None = None

    @property
    def apart(self) -> list[Any]:
        """The rows of both in which they differ."""
        both = (key for key in self.theirs if key in self.ours)
        return [key for key in both if not is_same(self.ours[key], self.theirs[key])]

    @property
    def beyond(self) -> list[Any]:
        """The rows that ours alone has."""
        return [key for key in self.ours if key not in self.theirs]

    @property
    def lacking(self) -> list[Any]:
        """The rows that theirs alone has."""
        return [key for key in self.theirs if key not in self.ours]

    @property
    def untrue(self) -> list[Any]:
        """The rows of ours that are not as they are known to be, and those that differ and nobody knows."""
        if self.truth is None:
            return []
        differing = {*self.apart, *self.beyond}
        return [
            key
            for key, value in self.ours.items()
            if (not is_same(value, self.truth[key]) if key in self.truth else key in differing)
        ]

    @property
    def unexplained(self) -> list[Any]:
        """The rows that differ and nobody says why."""
        return [
            *(key for key in self.apart if not any(reason.is_for(key) for reason in self.reasons)),
            *(key for key in self.beyond if self.more is None or not self.more.is_for(key)),
            *self.lacking,
        ]

    @property
    def is_explained(self) -> bool:
        return not self.untrue and not self.unexplained

    @property
    def verdict(self) -> str:
        """Number of values that agree and that differ; `DIFFERS` or `UNTRUE` with the first that does so without a
        reason.
        """
        for keys, word in ((self.untrue, "UNTRUE"), (self.unexplained, "DIFFERS")):
            if keys:
                return f"{word}: {self._values_text(keys[0])} ({len(keys)} of {len({**self.theirs, **self.ours})})"
        both = len(self.theirs) - len(self.lacking)
        if self.apart:
            return f"differs ({len(self.apart)} of {both})"
        return f"agrees ({both})" if both else "ours alone" if self.theirs or self.ours else "none"

    @property
    def whys(self) -> list[str]:
        """Reasons why some differ, and values that one side alone has."""
        if not self.is_explained:
            return []
        apart = self.apart
        reasons = [reason.why for reason in self.reasons if any(reason.is_for(key) for key in apart)]
        if self.beyond and self.more:
            reasons.append(f"only ours has {_names(self.beyond)}: {self.more.why}")
        return reasons

    @property
    def unknown(self) -> int:
        """Number of values that are 0 in xprof and unknown in ours."""
        return sum(self.ours[key] is None and is_nothing(self.theirs[key]) for key in self.theirs if key in self.ours)

    @property
    def true(self) -> int | None:
        """Number of values that are as they are known to be; None: nothing is known of the run."""
        return None if self.truth is None else sum(key in self.truth for key in self.ours) - len(self.untrue)

    def _values_text(self, key: Any) -> str:
        values = {"xprof": self.theirs.get(key), "ours": self.ours.get(key)}
        if self.truth is not None:
            values["truth"] = self.truth.get(key)
        return f"{_name(key)}: " + ", ".join(f"{whose} {value!r}" for whose, value in values.items())


def _names(keys: Sequence[Any]) -> str:
    named = ", ".join(map(_name, keys[:_NAMED]))
    return f"{named} and {len(keys) - _NAMED} more" if len(keys) > _NAMED else named


def _name(key: Any) -> str:
    """The last part tells it from others."""
    text = str(key[-1] if isinstance(key, tuple) and key else key) or "the whole"
    return text if len(text) <= 60 else f"{text[:59]}…"


def is_same(value: Any, other: Any) -> bool:
    """True if two values are the same: integers and texts exactly, nothing is 0, ratios as far as they are printed."""
    if isinstance(other, Printed):
        return other.is_of(value)
    if isinstance(value, str) or isinstance(other, str):
        return (value or "") == (other or "")
    if isinstance(value, int) and isinstance(other, int):
        return value == other
    return math.isclose(float(value or 0), float(other or 0), rel_tol=CLOSE, abs_tol=1e-12)


def is_nothing(theirs: Any) -> bool:
    """True if xprof says 0."""
    return bool((theirs.value if isinstance(theirs, Printed) else theirs) == 0)


def scaled(value: Any, factor: float) -> float | None:
    """In another unit; None stays what is not known."""
    return None if value is None else float(value) * factor


def rows(table: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The rows of a table of xprof, by the ids of its columns."""
    ids = [column["id"] for column in table["cols"]]
    for row in table["rows"]:
        yield dict(zip(ids, [None if cell is None else cell["v"] for cell in row["c"]], strict=True))
