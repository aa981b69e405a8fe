"""Communication of ranks by their timelines alone: of each step what nothing hides on a device, transfers and waits.

As in findings: communication takes what it takes on the rank that waits least, all that is more is waiting for others.
Rows of planes say more; what PyTorch and the first timelines of MindSpore have on the streams of devices says this.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.communication.exact_figures import from_ticks
from tilescope.tiler.facts.ascend.communication.transfers import (
    ChosenPart,
    Communication,
    CommunicationSource,
    RankStep,
)
from tilescope.tiler.facts.device_parts import Parts, parts_of
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches import launched_steps
from tilescope.tiler.facts.operators_end import operators_end
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_steps import StepRows
from tilescope.tiler.resolver import TickRange

_RANK: Final = re.compile(r"rank ([0-9]{1,9})(?: .*)?")  # as hosts are called: "rank 3 · GPU 0"
_EXPOSED: Final = [field.name for field in fields(Parts)].index("exposed_communication")
_STEPS_AT_ONCE: Final = 1 << 12  # some milliseconds, then others have their turn
_ALONE: Final = "steps that a single rank has, so that nothing tells its waits"


class ExposedSteps(CommunicationSource):
    """Steps of the devices of several ranks."""

    title = "communication on the timelines of devices"
    remark = (
        "transfers and waits are an estimate, by the rule of findings: communication that nothing hides takes in each "
        "step what it takes on the rank that waits least, the rest is waiting for others; their sum is exact. No file "
        "says which links and operators it is of"
    )
    is_estimate = True

    def is_in(self, reader: QueryReader) -> bool:
        ranks = {group.name for group in reader.tree.groups if _RANK.fullmatch(group.name)}
        return len(ranks) > 1 and bool(reader.steps.series)

    def read(self, reader: QueryReader, chosen: ChosenPart) -> Interruptible[Communication]:
        launched = yield from launched_steps(reader, reader.steps)
        times: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)  # by pass and number of the step, by rank
        for device in (yield from devices_of(reader)):
            host = "" if device.host is None else reader.tree.groups[device.host].name
            match, series = _RANK.fullmatch(host), reader.steps.of_track(device.tracks[0].track)
            rows = launched.times.get(device.group, None if series is None else series.rows)
            if match is None or rows is None:
                continue
            rows = rows.take((yield from _chosen(chosen, host, rows)))
            rows = rows.take(rows.stop <= (yield from operators_end(reader, device)))
            if len(rows):
                within = TickRange(int(rows.start.min()), int(rows.stop.max()))
                parts = yield from parts_of(reader, device, rows.windows(), rows, within)
                steps = zip(rows.pass_.tolist(), rows.number.tolist(), parts.steps[_EXPOSED].tolist(), strict=True)
                for place, (pass_, number, ticks) in enumerate(steps):
                    by_rank = times[pass_, number]
                    by_rank[int(match[1])] = by_rank.get(int(match[1]), 0) + ticks
                    if place % _STEPS_AT_ONCE == 0:
                        yield
        return (yield from _split(times, reader.tick_ps))


def _chosen(chosen: ChosenPart, host: str, rows: StepRows) -> Interruptible[NDArray[np.bool_]]:
    """True for the steps of a host that are asked for."""
    are_chosen = np.zeros(len(rows), np.bool_)
    for first in range(0, len(rows), _STEPS_AT_ONCE):
        numbers = rows.number[first : first + _STEPS_AT_ONCE].tolist()
        are_chosen[first : first + _STEPS_AT_ONCE] = [chosen.has_step(host, number) for number in numbers]
        yield
    return are_chosen


def _split(times: dict[tuple[int, int], dict[int, int]], tick_ps: int) -> Interruptible[Communication]:
    communication = Communication()
    for place, ((_, number), by_rank) in enumerate(sorted(times.items())):
        if place % _STEPS_AT_ONCE == 0:
            yield
        if not any(by_rank.values()):
            continue
        if len(by_rank) < 2:
            communication.problems[_ALONE] += 1
            continue
        least = min(by_rank.values())
        for rank, ticks in sorted(by_rank.items()):
            transfer, wait = from_ticks(least, tick_ps), from_ticks(ticks - least, tick_ps)
            communication.steps.append(RankStep(rank, number, transfer, wait, transfer + wait))
    return communication
