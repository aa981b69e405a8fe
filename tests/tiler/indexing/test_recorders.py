"""Recorders make each kind of record once, in the order of the catalogue, and the building names none of them."""

from __future__ import annotations

import inspect

from tilescope.tiler.indexing import builder
from tilescope.tiler.indexing.recorders import RECORDERS
from tilescope.tiler.records import catalogue
from tilescope.tiler.records.answers import ANSWERS
from tilescope.tiler.records.histogram import BLOCK_HISTOGRAM, HISTOGRAM, TRACK_SUMS
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.page_names import PAGE_NAMES
from tilescope.tiler.records.spread import BLOCK_SPREAD, SPREAD, TRACK_SUMS_SPREAD
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import BLOCK_TRACKS, TRACKS

# Blocks, and what a run is as a whole: the end of a block makes them, and the end of the build.
BUILT = {
    *(HISTOGRAM, BLOCK_HISTOGRAM, PAGE_NAMES, PAGE, SPREAD, BLOCK_SPREAD, SHAPE, TRACK_SUMS, TRACK_SUMS_SPREAD),
    *(BLOCK_TRACKS, MANIFEST, TRACKS),
}


def test_each_kind_of_record_is_made_by_one_recorder_or_by_the_building() -> None:
    made = [record for recorder in RECORDERS for record in recorder.records] + list(BUILT)
    made.append(ANSWERS)  # of archives alone
    assert sorted(map(repr, made)) == sorted(map(repr, catalogue.RECORDS))


def test_recorders_stand_in_the_order_of_the_catalogue() -> None:
    places = [catalogue.RECORDS.index(recorder.records[0]) for recorder in RECORDERS if recorder.records]
    assert places == sorted(places)
    assert all(recorder.records for recorder in RECORDERS[: len(places)])


def test_the_building_names_no_recorder() -> None:
    code = inspect.getsource(builder)
    assert [recorder.__name__ for recorder in RECORDERS if recorder.__name__ in code] == []
