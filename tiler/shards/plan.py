"""ShardPlan of a run of shards: one axis for all files that fit on it, and that of each shard that does not."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct, structs

from tilescope.tiler.columns import Crowd, Length, Span
from tilescope.tiler.indexing.reading.axis import RunAxis
from tilescope.tiler.indexing.reading.names import RunNames
from tilescope.tiler.indexing.reading.timeline import FileTimes, Timeline
from tilescope.tiler.indexing.reading.window import Window
from tilescope.tiler.shards.own_axis import OwnAxis, own_axis
from tilescope.tiler.shards.survey import Survey
from tilescope.tiler.ticks import TICK_LIMIT

_SHORT_NS: Final = TICK_LIMIT // 2000  # half of an axis of picoseconds
_LONG_NS: Final = TICK_LIMIT // 2


class ShardPlan(Struct, frozen=True):
    """The axis of a run, and the shards that do not lie on it: those with an axis of their own, and all others."""

    axis: RunAxis
    own: Mapping[str, OwnAxis]
    too_long: frozenset[str] = frozenset()

    def axis_of(self, name: str) -> RunAxis | None:
        """The axis of a shard; None: it is too long for the tiles of the run."""
        if name in self.too_long:
            return None
        return self.own[name].axis(self.axis) if name in self.own else self.axis


def make_plan(surveys: Mapping[str, Survey], axis: RunAxis | None) -> ShardPlan:
    """The plan for these shards, in the order of the run. `axis`: the one that the run has already, which stays.

    Without one it is the finest that holds all shards, or the most events where not all fit.
    """
    whole = [survey for survey in surveys.values() if not survey.is_windowed]
    timeline = axis.timeline if axis else _timeline(whole or list(surveys.values()))
    names = axis.run_names() if axis else RunNames()
    run_id = axis.id if axis else os.urandom(12).hex()
    bare = RunAxis(run_id, timeline.origin_ns, timeline.tick_ps, timeline.end, timeline.rounds, ())
    apart = {name: own_axis(bare, survey) for name, survey in surveys.items() if not lies_on(timeline, survey)}
    own = {name: axis_of_shard for name, axis_of_shard in apart.items() if axis_of_shard is not None}
    too_long = frozenset(apart.keys() - own.keys())
    for name, survey in surveys.items():
        if name not in too_long:
            names.add([text for text, _ in survey.names], [category for _, category in survey.names])
    texts = [(text, names.category(name)) for name, text in enumerate(names)]
    return ShardPlan(structs.replace(bare, names=texts), own, too_long)


def lies_on(timeline: Timeline, survey: Survey) -> bool:
    """True if all events of a shard lie on an axis, with their picoseconds if they have any. So it does without events.

    An axis of nanoseconds that drops no picoseconds of others would drop those of this shard unsaid.
    """
    span = survey.span
    if span.first_ns is None:
        return True
    end_ps = (span.last_ns - timeline.origin_ns) * 1000 + span.last_ps
    loses_ps = span.any_ps and timeline.tick_ps == 1000 and not timeline.rounds
    is_within = span.first_ns >= timeline.origin_ns and end_ps // timeline.tick_ps <= timeline.end
    return is_within and not survey.is_windowed and not loses_ps


def _timeline(surveys: Sequence[Survey]) -> Timeline:
    files = [FileTimes(survey.span, 0, partial(_crowds, survey)) for survey in surveys]
    timeline = Timeline.from_files(files)
    window = timeline.window
    if window is None:
        return timeline
    # A window may cut a shard in two, whose axis is its own then: the others say how long this one is.
    within = [survey for survey in surveys if _is_within(survey.span, window)]
    return _timeline(within) if 0 < len(within) < len(surveys) else Timeline.from_files(files[:1])


def _is_within(span: Span, window: Window) -> bool:
    return span.first_ns is not None and window.first_ns <= span.first_ns and span.last_ns <= window.last_ns


def _crowds(survey: Survey) -> list[Crowd]:
    """The events of a shard as one crowd."""
    span = survey.span
    length_ns = span.last_ns - (span.first_ns or 0)
    length = Length.SHORT if length_ns < _SHORT_NS else Length.LONG if length_ns < _LONG_NS else Length.ENDLESS
    return [Crowd(length, span, survey.events)]
