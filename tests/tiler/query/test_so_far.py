"""A build as one question sees it: what makes an answer incomplete."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import UNSET

from tests.server.fakes import FakeGrowingStore
from tilescope.tiler.errors import NotBuilt, StoredLast
from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.so_far import StoreSoFar
from tilescope.tiler.records.arguments import ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.schema import SETTLED_LAST, TRACK_FIGURES, RunManifest, TreeTrack

READS: dict[str, tuple[Callable[[StoreSoFar], object], bool]] = {
    "names that are there": (lambda store: store.get(NAMES, 0), False),
    "names that may come": (lambda store: store.get(NAMES, 9), True),
    "a block that is done": (lambda store: store.get(SHAPE, 0), False),
    "a block that is not done": (lambda store: store.get(SHAPE, 1), True),
    "arguments of a track that is built": (lambda store: store.at_most(ARGUMENTS, 0, 3), False),
    "a record that is stored last": (lambda store: store.get(ARGUMENT_TABLES, 0), True),
    "all records of a kind": (lambda store: store.scan(ARGUMENTS), True),
    "what is written, final or not": (lambda store: store.ungated().get(NAMES, 0), True),
}


@pytest.mark.parametrize(("read", "is_incomplete"), READS.values(), ids=READS.keys())
def test_reading_something_that_is_not_final_makes_the_answer_incomplete(
    read: Callable[[StoreSoFar], object], is_incomplete: bool
) -> None:
    growing = FakeGrowingStore()
    growing.is_done = True
    store = StoreSoFar(growing)
    assert not store.is_incomplete
    try:
        read(store)
    except NotBuilt:
        assert is_incomplete
    assert store.is_incomplete is is_incomplete


def question(*, is_done: bool) -> QueryReader:
    """A reader of a growing build, whose only block is done or not."""
    growing = FakeGrowingStore()
    growing.is_done = is_done
    return QueryReader(growing)


@pytest.mark.parametrize("name", [name for name in TreeTrack.__struct_fields__ if name in TRACK_FIGURES])
def test_figures_of_a_track_that_is_not_built_are_not_read_unnoticed(name: str) -> None:
    reader = question(is_done=False)
    (track,) = reader.tree.tracks
    assert (track.id, track.kind, track["name"]) == (0, "slice", "ops")
    assert not reader.is_incomplete
    (built,) = question(is_done=True).tree.tracks
    if getattr(built, name) is UNSET:
        with pytest.raises(NotBuilt, match=r"^track 0 is not built yet$"):
            getattr(track, name)
    else:
        assert getattr(track, name) == getattr(built, name)
    assert reader.is_incomplete


@pytest.mark.parametrize("read", [TreeTrack.__getitem__, TreeTrack.get], ids=["item", "get"])
@pytest.mark.parametrize("name", ["events", "first"])
def test_figures_that_are_read_by_name_are_not_read_unnoticed_either(
    name: str, read: Callable[[TreeTrack, str], object]
) -> None:
    reader = question(is_done=False)
    if name == "first":
        with pytest.raises(NotBuilt, match=r"^track 0 is not built yet$"):
            read(reader.tree.tracks[0], name)
    else:
        assert read(reader.tree.tracks[0], name) == "7"
    assert reader.is_incomplete


def test_a_track_that_is_not_built_has_the_names_of_one_that_is() -> None:
    (track,), (built,) = (question(is_done=is_done).tree.tracks for is_done in (False, True))
    assert dict(track) == dict(built)


def test_figures_of_a_track_that_is_built_are_final() -> None:
    reader = question(is_done=True)
    (track,) = reader.tree.tracks
    assert (track.events, track.busy, track.rows) == (7, 644, 2)
    assert not reader.is_incomplete


@pytest.mark.parametrize("name", [name for name in RunManifest.__struct_fields__ if name in SETTLED_LAST])
def test_what_the_manifest_says_last_is_not_read_unnoticed(name: str) -> None:
    reader = question(is_done=True)
    assert (reader.manifest.tick_ps, reader.manifest.names.count) == (reader.tick_ps, 2)
    assert not reader.is_incomplete
    with pytest.raises(StoredLast, match=rf"its {name} are not known yet$"):
        getattr(reader.manifest, name)
    assert reader.is_incomplete
