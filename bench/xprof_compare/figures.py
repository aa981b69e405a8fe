"""A figure that both have, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

# Ratios are doubles that were computed in another order.
CLOSE = 5e-7

# By what a figure is of: an instruction, a step.
Values = Mapping[Any, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """`why`: why ours differs on purpose, where the key is in `differing`, or everywhere when that is None.

    `more`: why ours has what theirs has not. `truth`: what is known of the run; ours must be that wherever it differs
    from theirs.
    """

    tool: str
    name: str
    theirs: Values
    ours: Values
    why: str = ""
    differing: frozenset[Any] | None = None
    truth: Values = field(default_factory=dict)
    more: str = ""

    @property
    def verdict(self) -> str:
        """`agrees (n)`, `differs: why (n of m)`, or `DIFFERS`, with the first that does."""
        if not self.theirs and not self.ours:
            return "none"
        beyond = [key for key in self.ours if key not in self.theirs]
        apart = [key for key in (*self.theirs, *([] if self.more else beyond)) if not self._agrees(key)]
        more = f"; ours has {len(beyond)} more: {self.more}" if self.more and beyond else ""
        if not apart:
            return f"agrees ({len(self.theirs)}){more}"
        unexplained = [key for key in apart if not self._is_explained(key)]
        if unexplained:
            key = unexplained[0]
            theirs, ours = self.theirs.get(key), self.ours.get(key)
            return f"DIFFERS: {key}: xprof {theirs!r}, ours {ours!r} ({len(unexplained)} of {len(self.theirs)})"
        return f"differs: {self.why} ({len(apart)} of {len(self.theirs)}){more}"

    @property
    def is_explained(self) -> bool:
        return not self.verdict.startswith("DIFFERS")

    def _agrees(self, key: Any) -> bool:
        return key in self.theirs and key in self.ours and is_same(self.ours[key], self.theirs[key])

    def _is_explained(self, key: Any) -> bool:
        meant = bool(self.why) and (self.differing is None or key in self.differing)
        return meant and (key not in self.truth or is_same(self.ours.get(key), self.truth[key]))


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same: integers and texts exactly, nothing is 0, ratios as far as they are printed."""
    if isinstance(one, str) or isinstance(other, str):
        return (one or "") == (other or "")
    if isinstance(one, int) and isinstance(other, int):
        return one == other
    return math.isclose(float(one or 0), float(other or 0), rel_tol=CLOSE, abs_tol=1e-12)


def rows(table: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The rows of a table of xprof, by the ids of its columns."""
    ids = [column["id"] for column in table["cols"]]
    for row in table["rows"]:
        yield dict(zip(ids, [None if cell is None else cell["v"] for cell in row["c"]], strict=True))
