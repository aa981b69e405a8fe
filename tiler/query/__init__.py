"""Questions to a store: the events of a span, what they are made of, where a name occurs, which pages show a view."""

from tilescope.tiler.query.events import EVERYTHING, EventPlan, Events, LeafRun, join, no_events
from tilescope.tiler.query.find import FindQuery, Found, Match, Occurrence, Place, find
from tilescope.tiler.query.names import Name, Names
from tilescope.tiler.query.reader import QueryReader
from tilescope.tiler.query.reading import Reading
from tilescope.tiler.query.stats import Stats, stats
from tilescope.tiler.query.steps import Steps, finish
from tilescope.tiler.query.store import QueryStore
from tilescope.tiler.query.tracks import SLICE_KINDS, TrackTree

__all__ = [
    "EVERYTHING",
    "SLICE_KINDS",
    "EventPlan",
    "Events",
    "FindQuery",
    "Found",
    "LeafRun",
    "Match",
    "Name",
    "Names",
    "Occurrence",
    "Place",
    "QueryReader",
    "QueryStore",
    "Reading",
    "Stats",
    "Steps",
    "TrackTree",
    "find",
    "finish",
    "join",
    "no_events",
    "stats",
]
