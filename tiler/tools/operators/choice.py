"""Operators that a question is about, of each table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import CodedTexts, matches
from tilescope.tiler.facts.ascend.operator_groups import OperatorGroups, operator_groups
from tilescope.tiler.facts.ascend.operator_tables import CountedTable
from tilescope.tiler.query import Interruptible, QueryReader


@dataclass(frozen=True, slots=True)
class OperatorFilter:
    """Texts, all in small letters; None: any."""

    core: str | None
    types: Collection[str] | None
    without: Collection[str]
    contains: str | None
    names: Collection[str] | None = None
    without_names: Collection[str] = ()

    @property
    def is_empty(self) -> bool:
        """True if it leaves all operators."""
        leaves_types = self.core is None and self.types is None and not self.without and self.contains is None
        return leaves_types and not self.is_of_names

    @property
    def is_of_names(self) -> bool:
        """True if it chooses single operators: tables of types alone cannot tell which."""
        return self.names is not None or bool(self.without_names)


@dataclass(frozen=True, slots=True)
class ChosenOperators:
    """A table's operators, and which of them are in the sums by type, and in the list of operators."""

    counted: CountedTable
    groups: OperatorGroups
    are_summed: NDArray[np.bool_]
    are_listed: NDArray[np.bool_]


def chosen_operators(
    reader: QueryReader, counted: CountedTable, operator_filter: OperatorFilter
) -> Interruptible[ChosenOperators]:
    """The operators of a table that a filter leaves. Yields between columns.

    A text that stands in names alone chooses operators of a type: of a table that is not summed, since one of types has
    the same work, these are the sum. So do names that are listed.
    """
    groups = yield from operator_groups(reader, counted.table)
    allowed = allowed_types(groups.types, operator_filter)
    if operator_filter.core is not None:
        allowed &= _are_in(groups.cores, (operator_filter.core,))
    yield
    by_type = (yield from matches(groups.types.words, operator_filter.contains))[groups.types.codes]
    by_name = np.zeros(len(groups), np.bool_)
    if groups.has_names:
        by_name = (yield from matches(groups.names.words, operator_filter.contains))[groups.names.codes]
    are_listed = allowed & (by_type | by_name)
    if operator_filter.is_of_names:
        are_listed &= _allowed_names(groups, operator_filter)
    by_sum = np.zeros(len(groups), np.bool_) if operator_filter.is_of_names else by_type
    are_summed = are_listed if counted.is_summed else are_listed & ~by_sum
    if not (counted.is_listed and groups.has_names):
        are_listed = np.zeros(len(groups), np.bool_)
    return ChosenOperators(counted, groups, are_summed, are_listed)


def typed_operators(reader: QueryReader, counted: CountedTable) -> Interruptible[ChosenOperators]:
    """All operators of a table that is summed, for sums by type alone: none is listed."""
    groups = yield from operator_groups(reader, counted.table, are_named=False)
    return ChosenOperators(counted, groups, np.ones(len(groups), np.bool_), np.zeros(len(groups), np.bool_))


def allowed_types(types: CodedTexts, operator_filter: OperatorFilter) -> NDArray[np.bool_]:
    """True for rows whose type is in the filter's list, if it has any, and not in that of others."""
    allowed = ~_are_in(types, operator_filter.without)
    if operator_filter.types is not None:
        allowed &= _are_in(types, operator_filter.types)
    return allowed


def _allowed_names(groups: OperatorGroups, operator_filter: OperatorFilter) -> NDArray[np.bool_]:
    """True for rows whose name is chosen; for none where the table has no names."""
    if not groups.has_names:
        return np.zeros(len(groups), np.bool_)
    allowed = ~_are_in(groups.names, operator_filter.without_names)
    if operator_filter.names is not None:
        allowed &= _are_in(groups.names, operator_filter.names)
    return allowed


def _are_in(texts: CodedTexts, wanted: Collection[str]) -> NDArray[np.bool_]:
    """True for rows whose text is one of these, in any case."""
    if not wanted:
        return np.zeros(len(texts.codes), np.bool_)
    are_wanted: NDArray[np.bool_] = np.array([word.casefold() in wanted for word in texts.words], np.bool_)[texts.codes]
    return are_wanted
