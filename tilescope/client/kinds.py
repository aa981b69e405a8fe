"""Closed sets of words that the client takes and returns."""

from __future__ import annotations

from typing import Literal

from tilescope.tiler.schema import TrackKind as TrackKind
from tilescope.tiler.tools.stats import StatsBy as StatsBy

EventKind = Literal["slice", "async", "instant", "counter"]
Match = Literal["contains", "exact"]
RunState = Literal["new", "queued", "indexing", "ready", "failed"]

# Of indexing: start, wait, read, build and publish; otherwise as the state.
Phase = Literal["new", "queued", "start", "wait", "read", "build", "publish", "ready", "failed"]
