"""Questions that rows of a table stand for: a tool, and the fields of its question that a row fills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

# Fields that a row does not fill: a question has the range of the answer that it is asked from.
RANGE_FIELDS: Final[frozenset[str]] = frozenset({"start", "end", "steps"})


@dataclass(frozen=True, slots=True)
class RowQuestion:
    """A question to `tool`: `columns` has, by field, the column whose value of the row it is, `values` fixed texts.

    A row that lacks one of these values leads nowhere. Raises ValueError for a field of the range, or one named twice.
    """

    tool: str
    label: str  # "Kernels that it launches"
    columns: Mapping[str, str]
    values: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        wrong = (RANGE_FIELDS & (self.columns.keys() | self.values.keys())) | (self.columns.keys() & self.values.keys())
        if wrong:
            raise ValueError(f"a row that opens {self.tool} fills {sorted(wrong)}: of the range, or twice")
