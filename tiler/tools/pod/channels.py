"""The channels of a run: which core sends to which, how much, how fast, and how long the receiver waits for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.channels import Transfers, run_transfers
from tilescope.tiler.facts.channels.channel_kinds import TransferRole
from tilescope.tiler.facts.channels.transfers import CoreWindows
from tilescope.tiler.facts.core_places import CorePlace
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Note, Table, Value
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_times import AskedSteps

Ints = NDArray[np.int64]


def channels_table(
    scope: Scope, steps: AskedSteps, places: Sequence[CorePlace | None], limit: int, notes: list[Note]
) -> Interruptible[Table]:
    """A row for each channel between two cores, with the means of its transfers; the slowest first.

    A transfer takes from when it is sent until the other core has received it.
    """
    cores = {core.group: core for core in tpu_cores(scope.reader)}
    numbers = [None if place is None else place.number for place in places]
    are_numbered = None not in numbers and len(set(numbers)) == len(numbers)
    windows, rows = [], []
    for place, core_times in enumerate(steps.times):
        step = np.flatnonzero(steps.aligned.rows[:, place] >= 0)
        row = steps.aligned.rows[step, place]
        order = np.argsort(core_times.start[row], kind="stable")
        step, row = step[order], row[order]
        lasting = core_times.stop[row] > core_times.start[row]
        step, row = step[lasting], row[lasting]
        if core_times.group in cores:
            number = numbers[place] if are_numbered else place
            assert number is not None
            windows.append(
                CoreWindows(cores[core_times.group], number, core_times.start[row], core_times.stop[row], step)
            )
            rows.append(place)
    transfers = yield from run_transfers(scope.reader, windows)
    yield
    notes += _notes(transfers, are_numbered=are_numbered)
    return _table(steps, transfers, np.array(rows, np.int64), limit)


def _table(steps: AskedSteps, transfers: Transfers, places: Ints, limit: int) -> Table:
    change = np.ones(len(transfers), np.bool_)
    change[1:] = (np.diff(transfers.channel) != 0) | (np.diff(transfers.source) != 0)
    first = np.flatnonzero(change)
    counts = np.diff(first, append=len(transfers))
    latency = transfers.end - transfers.begin
    if len(first):
        total, most = np.add.reduceat(latency, first), np.maximum.reduceat(latency, first)
        delay = nearest_mean(np.add.reduceat(transfers.send_delay, first), counts)
        mean = nearest_mean(total, counts)
    else:
        total = most = delay = mean = first
    # The row of the slowest transfer of each.
    slowest = np.flatnonzero(latency == np.repeat(most, counts))
    slowest = slowest[np.searchsorted(slowest, first)]
    order = np.lexsort((transfers.source[first], transfers.channel[first], -mean))[:limit]
    first, slowest = first[order], slowest[order]
    mean = mean[order]
    channels = [transfers.channels[place] for place in transfers.channel[first].tolist()]
    sizes: list[Value] = [channel.bytes for channel in channels]
    tick_s = steps.tick_ps * 1e-12
    rates: list[Value] = [
        None if channel.bytes is None or ticks <= 0 else channel.bytes / (ticks * tick_s)
        for channel, ticks in zip(channels, mean.tolist(), strict=True)
    ]
    names = [[channel.names.get(role) for role in (TransferRole.SEND, TransferRole.RECV_DONE)] for channel in channels]
    columns = [
        Column("channel", "Channel", "text", [str(channel.number) for channel in channels]),
        Column("source", "Source core", "text", _names(steps, places, transfers.source[first])),
        Column("destination", "Destination core", "text", _names(steps, places, transfers.destination[first])),
        Column("data", "Data", "bytes", sizes, total="none"),
        Column("latency", "Latency, mean", "ticks", mean, total="max"),
        Column("longest", "Longest", "ticks", most[order], total="max"),
        Column("bandwidth", "Bandwidth", "rate", rates, "B/s", total="none"),
        Column("send_delay", "Send delay, mean", "ticks", delay[order], total="max"),
        Column("occurrences", "Occurrences", "count", counts[order]),
        Column(
            "hlo", "HLO", "text", [", ".join(dict.fromkeys(name for name in pair if name)) or None for pair in names]
        ),
        Column("program", "Program", "text", [channel.program or None for channel in channels]),
        query_column(pair[0] for pair in names),
        Column("start", "Start of the longest", "time", transfers.begin[slowest]),
        Column("end", "End of the longest", "time", transfers.end[slowest]),
        Column(
            "event",
            "Event of the longest",
            "event",
            [
                f"{track}.{ordinal}"
                for track, ordinal in zip(
                    transfers.track[slowest].tolist(), transfers.ordinal[slowest].tolist(), strict=True
                )
            ],
        ),
    ]
    return Table("channels", "Channels", columns)


def _names(steps: AskedSteps, places: Ints, cores: Ints) -> list[str]:
    return [steps.names[place] for place in places[cores].tolist()]


def _notes(transfers: Transfers, *, are_numbered: bool) -> list[Note]:
    notes = []
    if len(transfers) and not are_numbered:
        text = "the trace does not number cores: numbers in programs' pairs are taken as places in the list of cores"
        notes.append(Note("warning", text))
    if transfers.unmatched:
        ends = plural(transfers.unmatched, "transfer ends", "transfers end")
        text = f"{ends} in no step of the range: left out of the channels"
        notes.append(Note("info", text))
    if transfers.unpaired:
        channels = plural(transfers.unpaired, "channel", "channels")
        text = f"{channels} between several cores: the trace does not record which core sends to which"
        notes.append(Note("info", text))
    return notes
