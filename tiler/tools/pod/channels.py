"""The channels of a run: which core sends to which, how much, how fast, and how long the receiver waits for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.channels import Transfers, run_transfers
from tilescope.tiler.facts.channels.channel_kinds import TransferRole
from tilescope.tiler.facts.channels.transfers import CoreWindows
from tilescope.tiler.facts.core_places import CorePlace
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.query import Steps
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Note, Table, Value
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_times import AskedSteps

Ints = NDArray[np.int64]


def channels_table(
    scope: Scope, asked: AskedSteps, places: Sequence[CorePlace | None], limit: int, notes: list[Note]
) -> Steps[Table]:
    """A row for each channel between two cores, with the means of its transfers; the slowest first.

    A transfer takes from when it is sent until the other core has received it.
    """
    cores = {core.group: core for core in tpu_cores(scope.reader)}
    numbers = [None if of is None else of.number for of in places]
    are_numbered = None not in numbers and len(set(numbers)) == len(numbers)
    windows, rows = [], []
    for place, of in enumerate(asked.times):
        step = np.flatnonzero(asked.aligned.rows[:, place] >= 0)
        row = asked.aligned.rows[step, place]
        order = np.argsort(of.start[row], kind="stable")
        step, row = step[order], row[order]
        lasting = of.stop[row] > of.start[row]
        step, row = step[lasting], row[lasting]
        if of.group in cores:
            number = numbers[place] if are_numbered else place
            assert number is not None
            windows.append(CoreWindows(cores[of.group], number, of.start[row], of.stop[row], step))
            rows.append(place)
    found = yield from run_transfers(scope.reader, windows)
    yield
    notes += _notes(found, are_numbered=are_numbered)
    return _table(asked, found, np.array(rows, np.int64), limit)


def _table(asked: AskedSteps, of: Transfers, places: Ints, limit: int) -> Table:
    change = np.ones(len(of), np.bool_)
    change[1:] = (np.diff(of.channel) != 0) | (np.diff(of.source) != 0)
    first = np.flatnonzero(change)
    counts = np.diff(first, append=len(of))
    latency = of.end - of.begin
    if len(first):
        total, most = np.add.reduceat(latency, first), np.maximum.reduceat(latency, first)
        delay = nearest_mean(np.add.reduceat(of.send_delay, first), counts)
        mean = nearest_mean(total, counts)
    else:
        total = most = delay = mean = first
    # The row of the slowest transfer of each.
    slowest = np.flatnonzero(latency == np.repeat(most, counts))
    slowest = slowest[np.searchsorted(slowest, first)]
    order = np.lexsort((of.source[first], of.channel[first], -mean))[:limit]
    first, slowest = first[order], slowest[order]
    mean = mean[order]
    channels = [of.channels[place] for place in of.channel[first].tolist()]
    sizes: list[Value] = [one.bytes for one in channels]
    tick_s = asked.tick_ps * 1e-12
    rates: list[Value] = [
        None if one.bytes is None or ticks <= 0 else one.bytes / (ticks * tick_s)
        for one, ticks in zip(channels, mean.tolist(), strict=True)
    ]
    names = [[one.names.get(role) for role in (TransferRole.SEND, TransferRole.RECV_DONE)] for one in channels]
    columns = [
        Column("channel", "Channel", "text", [str(one.number) for one in channels]),
        Column("source", "Source core", "text", _names(asked, places, of.source[first])),
        Column("destination", "Destination core", "text", _names(asked, places, of.destination[first])),
        Column("data", "Data", "bytes", sizes, total="none"),
        Column("latency", "Latency, mean", "ticks", mean, total="max"),
        Column("longest", "Longest", "ticks", most[order], total="max"),
        Column("bandwidth", "Bandwidth", "rate", rates, "B/s", total="none"),
        Column("send_delay", "Send delay, mean", "ticks", delay[order], total="max"),
        Column("occurrences", "Occurrences", "count", counts[order]),
        Column("hlo", "HLO", "text", [", ".join(dict.fromkeys(one for one in of if one)) or None for of in names]),
        Column("program", "Program", "text", [one.program or None for one in channels]),
        query_column(one[0] for one in names),
        Column("start", "Start of the longest", "time", of.begin[slowest]),
        Column("end", "Its end", "time", of.end[slowest]),
        Column(
            "event",
            "Its event",
            "event",
            [
                f"{track}.{ordinal}"
                for track, ordinal in zip(of.track[slowest].tolist(), of.ordinal[slowest].tolist(), strict=True)
            ],
        ),
    ]
    return Table("channels", "Channels", columns)


def _names(asked: AskedSteps, places: Ints, cores: Ints) -> list[str]:
    return [asked.names[place] for place in places[cores].tolist()]


def _notes(found: Transfers, *, are_numbered: bool) -> list[Note]:
    notes = []
    if len(found) and not are_numbered:
        text = "the trace does not number cores: those of the programs' pairs are taken in the order of the list"
        notes.append(Note("warning", text))
    if found.unmatched:
        text = f"{found.unmatched:,} transfers end in no step that is looked at, and are left out of the channels"
        notes.append(Note("info", text))
    if found.unpaired:
        text = f"of {found.unpaired:,} channels between several cores the trace does not say which sends to which"
        notes.append(Note("info", text))
    return notes
