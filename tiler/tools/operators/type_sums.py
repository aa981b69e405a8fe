"""Times of operators by type and core, of all tables together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.operator_families import CORE_TYPES, CPU_RUNS
from tilescope.tiler.facts.ascend.operator_groups import OperatorGroups
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.table_figures import counts_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.operators.choice import ChosenOperators
from tilescope.tiler.tools.run_sum import RunSum

TypeKey = tuple[str, str]  # type, core

_AT_ONCE: Final = 1 << 16


def type_sums(chosen: Sequence[ChosenOperators], *, everything: bool = False) -> Interruptible[dict[TypeKey, RunSum]]:
    """Sums of the operators that are chosen, or of all that count."""
    sums: dict[TypeKey, RunSum] = defaultdict(RunSum)
    for part in chosen:
        which = np.full(len(part.groups), part.counted.is_summed) if everything else part.are_summed
        for key, added in (yield from _sums_of(part.groups, which)).items():
            sums[key].add(added)
    return sums


def _sums_of(groups: OperatorGroups, which: NDArray[np.bool_]) -> Interruptible[dict[TypeKey, RunSum]]:
    width = len(groups.cores.words)
    keys, places = distinct((groups.types.codes * width + groups.cores.codes)[which])
    size = len(keys)
    has_count = counts_of(places, groups.has_count[which], size) > 0
    has_total = counts_of(places, groups.has_total[which], size) > 0
    yield
    columns = [
        sums.take(which).regrouped(places, size).integers() for sums in (groups.count, groups.total, groups.timed)
    ]
    sums: dict[TypeKey, RunSum] = defaultdict(RunSum)
    figures = zip(keys.tolist(), *columns, has_count.tolist(), has_total.tolist(), strict=True)
    for number, (key, count, total, timed, counted, recorded) in enumerate(figures):
        texts = groups.types.words[key // width], groups.cores.words[key % width]
        sums[texts].add(RunSum(count if counted else None, total if recorded else None, timed if recorded else 0))
        if number % _AT_ONCE == 0:
            yield
    return sums


def insight_shares(chosen: Sequence[ChosenOperators]) -> Interruptible[dict[TypeKey, float]]:
    """The shares that MindSpore Insight shows, where a core has a single file of MindSpore.

    Of AI Cores the share in the time of all types; of AI CPUs that of the mean in the sum of the means.
    """
    shares: dict[TypeKey, float] = {}
    summed = [part for part in chosen if part.counted.is_summed]
    families = Counter(part.counted.table.entry.family for part in summed)
    for part in summed:
        family = part.counted.table.entry.family
        if families[family] > 1 or family not in (CORE_TYPES, CPU_RUNS):
            continue
        sums = yield from _sums_of(part.groups, np.ones(len(part.groups), np.bool_))
        runs = {key: each.timed if family == CPU_RUNS else 1 for key, each in sums.items()}
        figures = {
            key: each.total / runs[key] for key, each in sums.items() if each.total is not None and runs[key] > 0
        }
        whole = sum(figures.values())
        shares |= {key: figure / whole for key, figure in figures.items() if whole}
    return shares


def cores_table(sums: Mapping[TypeKey, RunSum], whole: int, tick_ps: int) -> Table:
    """Cores, the one with most time first."""
    cores: dict[str, RunSum] = defaultdict(RunSum)
    for (_, core), added in sums.items():
        cores[core].add(added)
    types = Counter(core for _, core in sums)
    order = sorted(cores, key=lambda core: (-(cores[core].total or 0), core))
    columns = [
        Column("core", "Core", "text", order),
        Column("types", "Types", "count", [types[core] for core in order], total="none"),
        Column("count", "Runs", "count", [cores[core].count for core in order]),
        Column("total", "Time", "ticks", [cores[core].ticks(tick_ps) for core in order]),
        Column("share", "Share", "fraction", [_share(cores[core], whole) for core in order]),
    ]
    return Table("cores", "By core", columns)


def types_table(
    sums: Mapping[TypeKey, RunSum],
    all_sums: Mapping[TypeKey, RunSum],
    shares: Mapping[TypeKey, float],
    limit: int,
    tick_ps: int,
) -> Table:
    """Types, the one with most time first. Shares are of all that there is, chosen or not."""
    wholes: dict[str, int] = defaultdict(int)
    for (_, core), each in all_sums.items():
        wholes[core] += each.total or 0
    whole = sum(wholes.values())
    order = sorted(sums, key=lambda key: (-(sums[key].total or 0), key))[:limit]
    core_shares = [_share(sums[key], wholes[key[1]]) for key in order]
    columns = [
        Column("type", "Type", "name", [name or None for name, _ in order]),
        Column("core", "Core", "text", [core or None for _, core in order]),
        Column("count", "Runs", "count", [sums[key].count for key in order]),
        Column("total", "Time", "ticks", [sums[key].ticks(tick_ps) for key in order]),
        Column("mean", "Mean", "ticks", [sums[key].mean(tick_ps) for key in order], total="none"),
        Column("share", "Share", "fraction", [_share(sums[key], whole) for key in order]),
        Column("core_share", "Share of its core", "fraction", core_shares, total="none"),
        Column("insight_share", "Like MindInsight", "fraction", [shares.get(key) for key in order], "", "none"),
    ]
    return Table("types", "By type", columns)


def _share(part: RunSum, whole: int) -> float | None:
    return None if part.total is None or not whole else part.total / whole
