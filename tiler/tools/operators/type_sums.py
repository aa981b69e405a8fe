"""Times of operators by type and core, of all tables together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.ascend.operator_families import CORE_TYPES, CPU_RUNS
from tilescope.tiler.facts.ascend.operator_groups import OperatorGroups
from tilescope.tiler.facts.ascend.operator_tables import written_shares
from tilescope.tiler.facts.tables import Ints
from tilescope.tiler.facts.wide_sums import WideSums, counts_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.operators.choice import ChosenOperators
from tilescope.tiler.tools.run_sum import RunSum

TypeKey = tuple[str, str]  # type, core

MOST_CORES: Final = 100  # that are listed: devices have about ten kinds, but a damaged file may name any number

_AT_ONCE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class SumColumns:
    """Columns of sums of runs, of shape (n,); times are picoseconds, nothing where they are not recorded."""

    count: WideSums
    total: WideSums
    timed: WideSums  # runs with a time
    has_count: NDArray[np.bool_]
    has_total: NDArray[np.bool_]

    def regrouped(self, groups: Ints, size: int) -> SumColumns:
        """Sums of these, by group."""
        has_count, has_total = (counts_of(groups, has, size) > 0 for has in (self.has_count, self.has_total))
        return SumColumns(
            _where(has_count, self.count.regrouped(groups, size)),
            _where(has_total, self.total.regrouped(groups, size)),
            _where(has_total, self.timed.regrouped(groups, size)),
            has_count,
            has_total,
        )

    def run_sums(self, places: Ints) -> list[RunSum]:
        """Some of them."""
        columns = [sums.take(places).integers() for sums in (self.count, self.total, self.timed)]
        has_count, has_total = self.has_count[places].tolist(), self.has_total[places].tolist()
        return [
            RunSum(count if counted else None, total if recorded else None, timed)
            for count, total, timed, counted, recorded in zip(*columns, has_count, has_total, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class TypeSums:
    """The sums of each type of a core, once."""

    keys: Sequence[TypeKey]
    sums: SumColumns

    def longest_sums(self, limit: int) -> list[tuple[TypeKey, RunSum]]:
        """Keys and sums of those with most time, in the order of `longest`."""
        places = self.longest(limit)
        sums = self.sums.run_sums(np.array(places, np.int64))
        return list(zip((self.keys[place] for place in places), sums, strict=True))

    def longest(self, limit: int) -> list[int]:
        """The places of those with most time, the first by text of several."""
        near = -self.sums.total.doubles()  # equal or in the order of the sums themselves
        if limit < len(near):
            near_longest = np.flatnonzero(near <= np.partition(near, limit)[limit])
        else:
            near_longest = np.arange(len(near))
        totals = self.sums.total.take(near_longest).integers()
        keyed = zip(totals, near_longest.tolist(), strict=True)
        return [
            place for _, _, place in nsmallest(limit, ((-total, self.keys[place], place) for total, place in keyed))
        ]

    def all(self) -> RunSum:
        """All of them together: nothing without any."""
        (whole,) = self.sums.regrouped(np.zeros(len(self.keys), np.int64), 1).run_sums(np.zeros(1, np.int64))
        return whole if self.keys else RunSum(0, 0)


def type_sums(chosen: Sequence[ChosenOperators]) -> Interruptible[TypeSums]:
    """Sums of the operators that are chosen. Yields between columns."""
    places: dict[TypeKey, int] = {}
    codes: list[Ints] = [np.zeros(0, np.int64)]
    parts: list[SumColumns] = []
    for part in chosen:
        keys, sums = yield from _sums_of(part.groups, part.are_summed)
        types, cores = part.groups.types.words, part.groups.cores.words
        own = np.zeros(len(keys), np.int64)
        for first in range(0, len(keys), _AT_ONCE):
            texts = [
                (types[key // len(cores)], cores[key % len(cores)]) for key in keys[first : first + _AT_ONCE].tolist()
            ]
            own[first : first + len(texts)] = [places.setdefault(text, len(places)) for text in texts]
            yield
        codes.append(own)
        parts.append(sums)
    nothing, no_marks = WideSums.nothing(), np.zeros(0, np.bool_)
    joined = SumColumns(
        WideSums.joined([nothing, *(sums.count for sums in parts)]),
        WideSums.joined([nothing, *(sums.total for sums in parts)]),
        WideSums.joined([nothing, *(sums.timed for sums in parts)]),
        np.concatenate([no_marks, *(sums.has_count for sums in parts)]),
        np.concatenate([no_marks, *(sums.has_total for sums in parts)]),
    )
    return TypeSums(list(places), joined.regrouped(np.concatenate(codes), len(places)))


def core_times(chosen: Sequence[ChosenOperators]) -> Interruptible[dict[str, int]]:
    """Picoseconds of each core, of all that counts, chosen or not."""
    times: dict[str, int] = defaultdict(int)
    for part in chosen:
        if part.counted.is_summed:
            keys, sums = yield from _sums_of(part.groups, np.ones(len(part.groups), np.bool_))
            cores = part.groups.cores.words
            for core, time in zip(cores, sums.total.regrouped(keys % len(cores), len(cores)).integers(), strict=True):
                times[core] += time
            yield
    return times


def _sums_of(groups: OperatorGroups, which: NDArray[np.bool_]) -> Interruptible[tuple[Ints, SumColumns]]:
    """Sums of some operators by type * cores + core, ascending."""
    keys, places = distinct((groups.types.codes * len(groups.cores.words) + groups.cores.codes)[which])
    yield
    sums = SumColumns(
        groups.count.take(which),
        groups.total.take(which),
        groups.timed.take(which),
        groups.has_count[which],
        groups.has_total[which],
    )
    yield
    sums = sums.regrouped(places, len(keys))
    yield
    return keys, sums


def insight_shares(
    chosen: Sequence[ChosenOperators], listed: Collection[TypeKey]
) -> Interruptible[dict[TypeKey, float]]:
    """The shares that MindSpore Insight shows of some types, where a core has a single file of MindSpore.

    Of AI Cores the share that the file has, or else that in the time of all types; of AI CPUs that of the mean in the
    sum of the means.
    """
    shares: dict[TypeKey, float] = {}
    summed = [part for part in chosen if part.counted.is_summed]
    families = Counter(part.counted.table.entry.family for part in summed)
    listed_types = {name for name, _ in listed}
    for part in summed:
        family = part.counted.table.entry.family
        if families[family] > 1 or family not in (CORE_TYPES, CPU_RUNS):
            continue
        keys, sums = yield from _sums_of(part.groups, np.ones(len(part.groups), np.bool_))
        runs = sums.timed.doubles() if family == CPU_RUNS else np.ones(len(keys))
        is_recorded = sums.has_total & (runs > 0)
        figures = np.divide(sums.total.doubles(), runs, out=np.zeros(len(keys)), where=is_recorded)
        whole = float(figures.sum())
        types, cores = part.groups.types.words, part.groups.cores.words
        written = (yield from written_shares(part.counted.table)) if family == CORE_TYPES else {}
        is_listed = np.array([word in listed_types for word in types], np.bool_)[keys // len(cores)] & is_recorded
        for key, figure in zip(keys[is_listed].tolist(), figures[is_listed].tolist(), strict=True):
            name = types[key // len(cores)]
            share = written.get(name) if written else figure / whole if whole else None
            if share is not None:
                shares[name, cores[key % len(cores)]] = share
        yield
    return shares


def cores_table(sums: TypeSums, whole: int, tick_ps: int) -> Table:
    """Cores, the one with most time first, at most MOST_CORES."""
    places: dict[str, int] = {}
    codes = np.array([places.setdefault(core, len(places)) for _, core in sums.keys], np.int64)
    by_core = TypeSums([("", core) for core in places], sums.sums.regrouped(codes, len(places)))
    order = np.array(by_core.longest(MOST_CORES), np.int64)
    types = np.bincount(codes, minlength=len(places))[order].tolist()
    names = [by_core.keys[place][1] for place in order.tolist()]
    rows = list(zip(names, by_core.sums.run_sums(order), types, strict=True))
    columns = [
        Column("core", "Core", "text", [core or None for core, _, _ in rows]),
        Column("types", "Types", "count", [own_types for _, _, own_types in rows], total="none"),
        Column("count", "Runs", "count", [own.count for _, own, _ in rows]),
        Column("total", "Time", "ticks", [own.ticks(tick_ps) for _, own, _ in rows]),
        Column("share", "Share", "fraction", [_share(own, whole) for _, own, _ in rows]),
    ]
    return Table("cores", "By core", columns)


def types_table(
    listed: Sequence[tuple[TypeKey, RunSum]],
    core_wholes: Mapping[str, int],
    shares: Mapping[TypeKey, float],
    tick_ps: int,
) -> Table:
    """Types. Shares are of all that there is, chosen or not."""
    whole = sum(core_wholes.values())
    core_shares = [_share(own, core_wholes.get(core, 0)) for (_, core), own in listed]
    columns = [
        Column("type", "Type", "name", [name or None for (name, _), _ in listed]),
        Column("core", "Core", "text", [core or None for (_, core), _ in listed]),
        Column("count", "Runs", "count", [own.count for _, own in listed]),
        Column("total", "Time", "ticks", [own.ticks(tick_ps) for _, own in listed]),
        Column("mean", "Mean", "ticks", [own.mean(tick_ps) for _, own in listed], total="none"),
        Column("share", "Share", "fraction", [_share(own, whole) for _, own in listed]),
        Column("core_share", "Share of its core", "fraction", core_shares, total="none"),
        Column("insight_share", "Like MindInsight", "fraction", [shares.get(key) for key, _ in listed], "", "none"),
    ]
    return Table("types", "By type", columns)


def _where(has: NDArray[np.bool_], sums: WideSums) -> WideSums:
    return WideSums(sums.high * has, sums.low * has)


def _share(part: RunSum, whole: int) -> float | None:
    return None if part.total is None or not whole else part.total / whole
