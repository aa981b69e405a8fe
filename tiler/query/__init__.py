"""What questions to a store are answered from: its tracks, names, events and pages."""

from tilescope.tiler.query.events import EVERYTHING, EventPlan, Events, LeafRun, join, no_events
from tilescope.tiler.query.names import Name, Names, NameSet
from tilescope.tiler.query.place import Place
from tilescope.tiler.query.reader import QueryReader
from tilescope.tiler.query.reading import Reading
from tilescope.tiler.query.steps import Steps, finish
from tilescope.tiler.query.store import QueryStore
from tilescope.tiler.query.tracks import SLICE_KINDS, TrackTree

__all__ = [
    "EVERYTHING",
    "SLICE_KINDS",
    "EventPlan",
    "Events",
    "LeafRun",
    "Name",
    "NameSet",
    "Names",
    "Place",
    "QueryReader",
    "QueryStore",
    "Reading",
    "Steps",
    "TrackTree",
    "finish",
    "join",
    "no_events",
]
