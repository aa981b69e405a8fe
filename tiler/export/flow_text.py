"""Flow ends beside their slice, where the file that is written has ids of its own for them."""

from __future__ import annotations

from collections.abc import Iterator

from tilescope.tiler.export.event_row import EventRow
from tilescope.tiler.export.flow_marks import FlowMark
from tilescope.tiler.export.times import Times


def with_flows(event: str, row: EventRow, ids: str, times: Times, *, is_first: bool) -> Iterator[str]:
    """The text of a slice and, before and after it, its flow ends.

    `is_first`: no slice of its thread before it begins when it does. An end before its slice binds to
    the next one that begins; one after it to the innermost around its time.
    """
    ahead = [flow.is_incoming and flow.tick <= row.start and is_first for flow in row.flows]
    for flow, is_ahead in zip(row.flows, ahead, strict=True):
        if is_ahead:
            yield _text(flow, ids, times, "")
    yield event
    for flow, is_ahead in zip(row.flows, ahead, strict=True):
        if not is_ahead:
            yield _text(flow, ids, times, ',"bp":"e"')


def _text(flow: FlowMark, ids: str, times: Times, bound: str) -> str:
    phase = f'"f"{bound}' if flow.is_incoming else '"s"'
    return f'{{"ph":{phase},"name":"flow","cat":"flow","id":"{flow.id}"{ids}{times.ts_member(flow.tick)}}}'
