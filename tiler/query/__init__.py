"""Reading of a store for questions: its tracks, names, events and pages."""

from tilescope.tiler.query.arguments import ArgumentReader, TextsOfSome, ValuesOfSome
from tilescope.tiler.query.events import EVERYTHING, EventPlan, Events, LeafRun, join, no_events
from tilescope.tiler.query.interruptible import Interruptible, finish
from tilescope.tiler.query.names import NO_NAME, FoldedNames, Name, Names, NameSet
from tilescope.tiler.query.outliers import RunOutliers
from tilescope.tiler.query.place import Place
from tilescope.tiler.query.reader import QueryReader
from tilescope.tiler.query.reading import Reading
from tilescope.tiler.query.steps import Steps
from tilescope.tiler.query.tracks import EVENT_KINDS, SLICE_KINDS, TrackTree
from tilescope.tiler.query.view import ROW_KINDS, RowKind, ViewRows, ViewTile, first_of_each, view_tiles

__all__ = [
    "EVENT_KINDS",
    "EVERYTHING",
    "NO_NAME",
    "ROW_KINDS",
    "SLICE_KINDS",
    "ArgumentReader",
    "EventPlan",
    "Events",
    "FoldedNames",
    "Interruptible",
    "LeafRun",
    "Name",
    "NameSet",
    "Names",
    "Place",
    "QueryReader",
    "Reading",
    "RowKind",
    "RunOutliers",
    "Steps",
    "TextsOfSome",
    "TrackTree",
    "ValuesOfSome",
    "ViewRows",
    "ViewTile",
    "finish",
    "first_of_each",
    "join",
    "no_events",
    "view_tiles",
]
