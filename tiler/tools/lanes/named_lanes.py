"""Derived lanes that a question names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.lane import DerivedLane, LaneSource
from tilescope.tiler.tools.lanes import lane_of_id
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
    for name in dict.fromkeys(filter(None, (names or "").split(","))):
        source, tool, lane = yield from lane_of_id(scope, name)
        lanes.append(ChosenLane(name, source, tool, lane))
    return lanes
