"""Derived lanes that a question names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.lane import DerivedLane, LaneSource
from tilescope.tiler.tools.lanes import lane_of_id, lane_tools
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import AnyTool

# Ids with commas between, as in overlap.2,queues.3.
LaneIds = Annotated[str, Meta(min_length=1, max_length=2000)]


@dataclass(frozen=True, slots=True)
class ChosenLane:
    """A lane of a question. `name` is its whole id."""

    name: str
    source: LaneSource
    tool: AnyTool
    lane: DerivedLane


def chosen_lanes(scope: Scope, names: str | None) -> Interruptible[list[ChosenLane]]:
    """Lanes of a run by their ids with commas between, each once. Raises UsageError for one that there is not."""
    lanes = []
    for name in _each(names):
        lanes.append((yield from _chosen(scope, name)))
    return lanes


def lanes_so_far(scope: Scope, names: str) -> Interruptible[tuple[list[ChosenLane], list[Note]]]:
    """As `chosen_lanes`; while a run is being indexed those that it has, and notes on those that it may yet have."""
    lanes, missing = [], []
    for name in _each(names):
        try:
            lanes.append((yield from _chosen(scope, name)))
        except UsageError as error:
            if not scope.reader.store.is_growing or name.partition(".")[0] not in lane_tools():
                raise
            missing.append(Note("info", f"{error}, as far as it is indexed"))
    return lanes, missing


def _each(names: str | None) -> list[str]:
    return list(dict.fromkeys(filter(None, (names or "").split(","))))


def _chosen(scope: Scope, name: str) -> Interruptible[ChosenLane]:
    source, tool, lane = yield from lane_of_id(scope, name)
    return ChosenLane(name, source, tool, lane)
