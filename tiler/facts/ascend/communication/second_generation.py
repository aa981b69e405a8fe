"""Communication as newer profilers write it: `communication.json` has times, `communication_matrix.json` links.

A link is named `rank-peer`. SDMA of `communication.json` is the sum of the links that it drives.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from tilescope.tiler.facts.ascend.communication.exact_figures import GIGABYTE, MEGABYTE, SCALE, exact
from tilescope.tiler.facts.ascend.communication.transfers import (
    ChosenPart,
    Communication,
    CommunicationSource,
    LinkTransfer,
    OperatorCost,
    PacketSize,
    RankStep,
)
from tilescope.tiler.facts.ascend.table_places import firsts_of_places, left_out
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible, QueryReader

# Files of a cluster are made from those of its ranks: where both are there, the former have all.
_TIMES: Final = ("cluster_communication.times", "communication.times")
_BANDWIDTHS: Final = ("cluster_communication.bandwidths", "communication.bandwidths")
_LINKS: Final = ("cluster_communication_matrix.links", "communication_matrix.links")

_STEP: Final = re.compile(r"(?:step)?(\d{1,18})", re.ASCII)
_RANKS: Final = re.compile(r"(\d{1,9})-(\d{1,9})", re.ASCII)
_RANK: Final = re.compile(r"\d{1,9}", re.ASCII)
_GROUP: Final = re.compile(r"@\d+$")
_SUM: Final = re.compile(r"Total Op Info", re.IGNORECASE)
_TOTAL: Final = re.compile(r"-total(?:@|$)")
_TOTALS: Final = re.compile(r"-(?:top|middle|bottom|total|average)\d*(?:@|$)")
_NO_PACKETS: Final = "{}"
_SUM_OF_TRANSPORTS: Final = "SDMA"  # HCCS, PCIE and SIO, which it drives

_BAD_TIMES: Final = "operators of communication.json without transit and wait"
_BAD_SIZES: Final = "transports of communication.json whose sizes of packets are no list of counts and times"
_BAD_LINKS: Final = "links of communication_matrix.json without ranks, time and size"

_Cells = Mapping[str, str | None]


class SecondGeneration(CommunicationSource):
    """Files of msprof, torch_npu and MindSpore."""

    title = "communication files of the profiler"

    def is_in(self, reader: QueryReader) -> bool:
        return bool(run_tables(reader, *_TIMES, *_LINKS))

    def left_out(self, reader: QueryReader) -> str:
        families = {table.entry.family for names in (_TIMES, _BANDWIDTHS, _LINKS) for table in _first(reader, *names)}
        return left_out(reader, sorted(families))

    def read(self, reader: QueryReader, chosen: ChosenPart) -> Interruptible[Communication]:
        communication = Communication()
        sizes: dict[tuple[str, int | None, str], int] = defaultdict(int)
        has_links = bool(run_tables(reader, *_LINKS))
        for table in _first(reader, *_BANDWIDTHS):
            for row in _rows(table, chosen):
                _add_packets(communication, row, sizes)
                if not has_links:
                    _add_transport(communication, row)
                yield
        for table in _first(reader, *_TIMES):
            yield from _read_times(communication, table, chosen, sizes)
        for table in _first(reader, *_LINKS):
            yield from _read_links(communication, table, chosen)
        return communication

    def read_links(self, reader: QueryReader, chosen: ChosenPart) -> Interruptible[Communication]:
        links = _first(reader, *_LINKS)
        if not links:
            return (yield from self.read(reader, chosen))
        communication = Communication()
        for table in links:
            yield from _read_links(communication, table, chosen)
        return communication


def _first(reader: QueryReader, *families: str) -> list[RunTable]:
    """The tables of the first family that has any, one of each rank."""
    return next((tables for family in families if (tables := firsts_of_places(reader, family))), [])


class _Row:
    """A row of a table, with its place."""

    def __init__(self, table: RunTable, cells: _Cells) -> None:
        self.cells = cells
        match = _STEP.fullmatch(cells.get("step") or "")
        self.step = int(match[1]) if match else None
        rank = cells.get("rank") or ""
        self.rank = int(rank) if _RANK.fullmatch(rank) else table.entry.rank
        self.host = f"{table.entry.host} {rank}"
        self.operator = cells.get("operator") or ""

    @property
    def place(self) -> tuple[str, int | None, str]:
        """The operator in its step on its host."""
        return self.host, self.step, self.operator

    def time(self, name: str) -> int | None:
        """Scaled milliseconds."""
        return exact(self.cells.get(f"{name} Time(ms)") or "")


def _rows(table: RunTable, chosen: ChosenPart) -> Iterator[_Row]:
    for columns in table.chunks(table.columns):
        for cells in zip(*(column.texts() for column in columns), strict=True):
            row = _Row(table, dict(zip(table.columns, cells, strict=True)))
            if not _SUM.match(row.operator) and chosen.has_step(table.entry.host, row.step):
                yield row


def _read_times(
    communication: Communication,
    table: RunTable,
    chosen: ChosenPart,
    sizes: Mapping[tuple[str, int | None, str], int],
) -> Interruptible[None]:
    totals: dict[tuple[int | None, int | None], list[int]] = {}
    for row in _rows(table, chosen):
        transfer, wait, elapsed = row.time("Transit"), row.time("Wait"), row.time("Elapse")
        if transfer is None or wait is None:
            communication.problems[_BAD_TIMES] += 1
            continue
        name = _GROUP.sub("", row.operator)
        size = sizes.get(row.place)
        synchronization = row.time("Synchronization")
        communication.add_operator(
            OperatorCost(row.rank, row.step, name, transfer, wait, size, elapsed, synchronization)
        )
        total = totals.setdefault((row.rank, row.step), [0, 0, 0])
        for place, time in enumerate((transfer, wait, elapsed or 0)):
            total[place] += time
        yield
    communication.steps += [RankStep(*place, *total) for place, total in totals.items()]


def _add_packets(communication: Communication, row: _Row, sizes: dict[tuple[str, int | None, str], int]) -> None:
    transport = row.cells.get("transport") or ""
    size = exact(row.cells.get("Transit Size(MB)") or "", MEGABYTE)
    if size is not None and transport != _SUM_OF_TRANSPORTS:
        sizes[row.place] += size
    packets = _packets(row.cells.get("Size Distribution") or _NO_PACKETS)
    if packets is None:
        communication.problems[_BAD_SIZES] += 1
        return
    communication.add_packets(PacketSize(row.rank, row.step, transport, *packet) for packet in packets)


def _add_transport(communication: Communication, row: _Row) -> None:
    """All that a rank transferred by a transport: without a matrix, to whom is not recorded."""
    time, size = row.time("Transit"), exact(row.cells.get("Transit Size(MB)") or "", MEGABYTE)
    transport = row.cells.get("transport") or ""
    if time is None or size is None:
        communication.problems[_BAD_LINKS] += 1
    elif size and transport != _SUM_OF_TRANSPORTS:
        communication.add_link(LinkTransfer(row.rank, row.step, row.rank, None, transport, time, size))


def _packets(cell: str) -> list[tuple[int, int, int]] | None:
    """Size, count and time of the packets of each size; None where the cell does not say them."""
    if cell == _NO_PACKETS:
        return []
    try:
        value = json.loads(cell, parse_float=Decimal, parse_int=Decimal, parse_constant=Decimal)
    except (ValueError, RecursionError):
        return None
    packets = [_packet(size, figures) for size, figures in value.items()] if isinstance(value, dict) else [None]
    complete = [packet for packet in packets if packet is not None]
    return complete if len(complete) == len(packets) else None


def _packet(size: str, figures: Any) -> tuple[int, int, int] | None:
    if not isinstance(figures, list) or len(figures) != 2:
        return None
    packet, time = exact(size, MEGABYTE), exact(figures[1])
    if packet is None or time is None or exact(figures[0]) is None:
        return None
    return packet, int(figures[0]), time


def _read_links(communication: Communication, table: RunTable, chosen: ChosenPart) -> Interruptible[None]:
    """Links of the rows that are sums of all operators of a type; of all rows where there are no such."""
    has_totals = False
    for row in _rows(table, chosen):
        has_totals = has_totals or _TOTAL.search(row.operator) is not None
        yield
    for row in _rows(table, chosen):
        yield
        if has_totals and _TOTALS.search(row.operator) and not _TOTAL.search(row.operator):
            continue
        match = _RANKS.fullmatch(row.cells.get("link") or "")
        time, size = row.time("Transit"), exact(row.cells.get("Transit Size(MB)") or "", MEGABYTE)
        if match is None or time is None or size is None:
            communication.problems[_BAD_LINKS] += 1
            continue
        speed = exact(row.cells.get("Bandwidth(GB/s)") or "", GIGABYTE)
        communication.add_link(
            LinkTransfer(
                row.rank if row.rank is not None else int(match[1]),
                row.step,
                int(match[1]),
                int(match[2]),
                row.cells.get("Transport Type") or "",
                time,
                size,
                bandwidth=None if speed is None else speed / SCALE,
            )
        )
