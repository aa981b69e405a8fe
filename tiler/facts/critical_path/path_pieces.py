"""Pieces of a critical path with the slices that they are of, and the slack of all work of its lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.critical_path.graph import GraphPath
from tilescope.tiler.facts.critical_path.kinds import PathKind, WaitKind
from tilescope.tiler.facts.critical_path.lane_work import LaneWork
from tilescope.tiler.query import Interruptible

Ints = NDArray[np.int64]

NO_EVENT: Final = -1


@dataclass(frozen=True, slots=True)
class PathPieces:
    """Pieces that follow one another, columns of shape (n,), ticks. Their lengths add up to the span."""

    start: Ints
    stop: Ints
    kind: Ints  # PathKind
    wait: Ints  # WaitKind: how it follows the piece before
    track: Ints  # -1: none
    ordinal: Ints  # of the slice that it is, or whose begin it waits for; NO_EVENT: none
    name: Ints  # name id of that, -1 none
    source_track: Ints  # the track that is left, where another comes before; else -1

    def __len__(self) -> int:
        return len(self.start)

    @property
    def ticks(self) -> Ints:
        """Lengths."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class SlackSpans:
    """Work by the innermost slice, on the path and beside it; columns of shape (n,), ticks."""

    start: Ints
    stop: Ints
    kind: Ints
    track: Ints
    ordinal: Ints
    name: Ints
    slack: Ints  # ticks by which it could end later without the end of the path; ENDLESS: nothing waits for it


def path_pieces(lanes: Sequence[LaneWork], graph: GraphPath) -> Interruptible[PathPieces]:
    """The pieces of a graph's path with what they are of; those of one slice that follow one another are one."""
    count = len(graph.start)
    kind = np.full(count, PathKind.NOTHING, np.int64)
    track, ordinal, name = (np.full(count, NO_EVENT) for _ in range(3))
    by_order, is_gap = graph.kind == WaitKind.ORDER, graph.span < 0
    rows = np.argsort(graph.lane, kind="stable")
    first = np.searchsorted(graph.lane[rows], np.arange(len(lanes) + 1))
    yield
    for number, lane in enumerate(lanes):
        here = rows[first[number] : first[number + 1]]
        track[here] = lane.track
        works = here[~is_gap[here] & (by_order[here] | (not lane.is_device))]
        span = graph.span[works]
        kind[works] = np.where(lane.waits[span] | ~by_order[works], PathKind.SYNCHRONISATION, lane.kind[span])
        ordinal[works], name[works] = lane.slices.ordinal[lane.place[span]], lane.slices.name[lane.place[span]]
        gaps = here[is_gap[here]]
        if lane.is_device:
            follows = np.searchsorted(lane.start, graph.stop[gaps])
            has_work = follows < len(lane)
            kind[gaps[has_work]] = PathKind.STREAM
            gaps, follows = gaps[has_work], follows[has_work]
            ordinal[gaps], name[gaps] = (
                column[lane.place[follows]] for column in (lane.slices.ordinal, lane.slices.name)
            )
        else:
            kind[gaps] = PathKind.BETWEEN
        yield
    kind[graph.kind == WaitKind.LAUNCH] = PathKind.LAUNCH
    places = np.array([*(lane.track for lane in lanes), NO_EVENT], np.int64)
    source = np.where(by_order, NO_EVENT, places[graph.source_lane])
    columns = np.stack([kind, graph.kind, track, ordinal, name, source])
    begins = np.append(True, (np.diff(columns, axis=1) != 0).any(axis=0) | ~by_order[1:])[:count]
    yield
    firsts = np.flatnonzero(begins)
    stop = np.append(graph.start[firsts[1:]], graph.stop[-1:])
    merged = columns[:, firsts]
    return PathPieces(graph.start[firsts], stop, merged[0], merged[1], *merged[2:])


def slack_spans(lanes: Sequence[LaneWork], graph: GraphPath) -> Interruptible[SlackSpans]:
    """All work; calls that wait for a device are none."""
    none = np.zeros(0, np.int64)
    parts = [(none,) * 7]
    for lane, slack in zip(lanes, graph.slack, strict=True):
        rows = np.flatnonzero(~lane.waits)
        place = lane.place[rows]
        parts.append(
            (
                lane.start[rows],
                lane.stop[rows],
                lane.kind[rows],
                np.full(len(rows), lane.track),
                lane.slices.ordinal[place],
                lane.slices.name[place],
                slack[rows],
            )
        )
        yield
    return SlackSpans(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
