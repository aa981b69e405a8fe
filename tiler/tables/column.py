"""Columns that tables of a run have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ColumnType(StrEnum):
    """Types of values, by their names in Arrow."""

    INTEGER = "int64"
    REAL = "float64"
    FLAG = "bool"
    TEXT = "string"


@dataclass(frozen=True, slots=True)
class ColumnKind:
    """A column by its name, and what its values are. Times are ticks since the run's origin."""

    name: str
    type: ColumnType
    doc: str
    is_nullable: bool = False


def integer(name: str, doc: str, *, is_nullable: bool = False) -> ColumnKind:
    """A column of whole numbers of 64 bits."""
    return ColumnKind(name, ColumnType.INTEGER, doc, is_nullable)


def real(name: str, doc: str, *, is_nullable: bool = False) -> ColumnKind:
    """A column of doubles."""
    return ColumnKind(name, ColumnType.REAL, doc, is_nullable)


def flag(name: str, doc: str) -> ColumnKind:
    """A column that is true or false."""
    return ColumnKind(name, ColumnType.FLAG, doc)


def text(name: str, doc: str, *, is_nullable: bool = False) -> ColumnKind:
    """A column of texts."""
    return ColumnKind(name, ColumnType.TEXT, doc, is_nullable)
