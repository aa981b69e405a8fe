"""Communication as MindSpore's first profiler writes it: `hccl_raw_N.csv`, a row for each step with cells of JSON.

A link is named `source-destination`. Rows of a mean, `-`, are left out: sums of steps are exact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from tilescope.tiler.facts.ascend.communication.exact_figures import KILOBYTE, SCALE, exact
from tilescope.tiler.facts.ascend.communication.transfers import (
    ChosenPart,
    Communication,
    CommunicationSource,
    LinkTransfer,
    OperatorCost,
    RankStep,
)
from tilescope.tiler.facts.ascend.table_places import firsts_of_places, left_out
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible, QueryReader

_FAMILY: Final = "hccl_raw"
_COLUMNS: Final = ("step_num", "communication_cost", "wait_cost", "link_info", "communication_operator_cost")
_LINK: Final = re.compile(r"(\d{1,9})-(\d{1,9})", re.ASCII)
_STEP: Final = re.compile(r"\d{1,18}", re.ASCII)

_ROWS: Final = "rows of hccl_raw without times, or with cells that are not the JSON of links and operators"
_LINKS: Final = "links of hccl_raw without ranks, time and size"
_OPERATORS: Final = "operators of hccl_raw without cost and wait"


class FirstGeneration(CommunicationSource):
    """`hccl_raw` of each rank."""

    title = "hccl_raw files of MindSpore's profiler"

    def is_in(self, reader: QueryReader) -> bool:
        return bool(run_tables(reader, _FAMILY))

    def left_out(self, reader: QueryReader) -> str:
        return left_out(reader, (_FAMILY,))

    def read(self, reader: QueryReader, chosen: ChosenPart) -> Interruptible[Communication]:
        communication = Communication()
        for table in firsts_of_places(reader, _FAMILY):
            if not all(name in table for name in _COLUMNS):
                communication.problems[_ROWS] += len(table)
                continue
            for cells in _rows(table):
                if (step := cells[0]) is not None and _STEP.fullmatch(step):
                    if chosen.has_step(table.entry.host, int(step)):
                        _add_row(communication, table.entry.rank, int(step), cells)
                elif step != "-":
                    communication.problems[_ROWS] += 1
                yield
        return communication


def _rows(table: RunTable) -> Iterator[tuple[str | None, ...]]:
    for columns in table.chunks(_COLUMNS):
        yield from zip(*(column.texts() for column in columns), strict=True)


def _add_row(communication: Communication, rank: int | None, step: int, cells: tuple[str | None, ...]) -> None:
    transfer, wait = exact(cells[1]), exact(cells[2])
    links, operators = _object(cells[3]), _object(cells[4])
    if transfer is None or wait is None or links is None or operators is None:
        communication.problems[_ROWS] += 1
        return
    communication.steps.append(RankStep(rank, step, transfer, wait))
    for name, transports in links.items():
        match = _LINK.fullmatch(name)
        for transport, figures in transports.items() if isinstance(transports, dict) else ():
            time, size, speed = _link_figures(figures)
            if match is None or time is None or size is None:
                communication.problems[_LINKS] += 1
                continue
            source, destination = int(match[1]), int(match[2])
            link = LinkTransfer(rank, step, source, destination, transport, time, size, bandwidth=speed)
            communication.add_link(link)
    for name, figures in operators.items():
        operator = _operator(rank, step, name, figures)
        if operator is None:
            communication.problems[_OPERATORS] += 1
        else:
            communication.add_operator(operator)


def _operator(rank: int | None, step: int, name: str, figures: Any) -> OperatorCost | None:
    if not isinstance(figures, list) or len(figures) < 4 or not isinstance(figures[3], dict):
        return None
    transfer, wait = exact(figures[1]), exact(figures[2])
    sizes = [
        _link_figures(link)[1]
        for transports in figures[3].values()
        for link in (transports.values() if isinstance(transports, dict) else ())
    ]
    if transfer is None or wait is None:
        return None
    return OperatorCost(rank, step, name, transfer, wait, sum(size for size in sizes if size is not None))


def _link_figures(figures: Any) -> tuple[int | None, int | None, float | None]:
    """Time, size, and bandwidth as it is written: of KB a second."""
    if not isinstance(figures, list) or len(figures) < 2:
        return None, None, None
    speed = exact(figures[2], KILOBYTE) if len(figures) > 2 else None
    return exact(figures[0]), exact(figures[1], KILOBYTE), None if speed is None else speed / SCALE


def _object(cell: str | None) -> dict[str, Any] | None:
    """A cell of JSON, whose numbers keep their digits; None where it is no object."""
    try:
        value = json.loads(cell or "{}", parse_float=Decimal, parse_int=Decimal, parse_constant=Decimal)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
