"""Closed sets of words that the client takes and returns."""

from __future__ import annotations

from typing import Literal

EventKind = Literal["slice", "async", "instant", "counter"]
TrackKind = Literal["slice", "async", "instant", "counter", "rollup"]
Match = Literal["contains", "exact"]
RunState = Literal["new", "queued", "indexing", "ready", "failed"]

# Of indexing: start, wait, read, build and publish; otherwise as the state.
Phase = Literal["new", "queued", "start", "wait", "read", "build", "publish", "ready", "failed"]
