"""Names of version 0.2 that tools of other packages call."""

from __future__ import annotations

import json

from tests.example import Example
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import Interruptible, Steps, finish, steps
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.store import need
from tilescope.tiler.tools import BuildRef, QuestionWindows, Scope, SpanQuestion, Tracks
from tilescope.tiler.tools.looked import Looked
from tilescope.tiler.tools.step_range import StepRange
from tilescope.tiler.windows import Windows


def spans(windows: QuestionWindows, track: int) -> tuple[list[int], list[int]]:
    """Starts and stops of the windows of a track, by the older name."""
    track_windows = windows.of(track)
    return track_windows.starts.tolist(), track_windows.stops.tolist()


def test_windows_of_a_span(example: Example) -> None:
    windows: Looked = finish(Scope(example.reader).windows(SpanQuestion(start=3, end=40)))
    assert isinstance(windows, Looked)
    assert spans(windows, example.reader.tree.leaves(None)[0]) == ([3], [40])


def test_windows_of_steps(example: Example) -> None:
    scope = Scope(example.reader)
    track = scope.leaves(None)[0]
    name = next(name.text for name in map(example.reader.names.__getitem__, range(9)) if name.text)
    windows = finish(scope.windows(SpanQuestion(steps=StepRange.from_bounds(0, 10**6), step_name=name)))
    on_track = windows.on_track(track)
    assert spans(windows, track) == (on_track.starts.tolist(), on_track.stops.tolist())
    assert len(on_track)


def test_the_scope_of_another_build(example: Example) -> None:
    build = BuildRef("run/build")
    scope = Scope(example.reader, {build: example.reader})
    assert scope.of(build) is scope.for_build(build)


def test_tracks_from_their_numbers() -> None:
    assert Tracks.of([8, 1, 8]) == Tracks.from_numbers([1, 8]) == (1, 8)


def test_steps_from_the_first_and_the_last() -> None:
    assert StepRange.of(3, 4) == StepRange.from_bounds(3, 4) == (3, 4)


def test_fields_of_a_question() -> None:
    assert SpanQuestion.known() == SpanQuestion.field_names()
    assert SpanQuestion.known()[:3] == ("start", "end", "tracks")


def test_tracks_and_groups_as_dicts(example: Example) -> None:
    scope = Scope(example.reader)
    stored = json.loads(decompress(need(example.store, TRACKS)))
    assert [dict(track) for track in scope.reader.tree.tracks] == stored["tracks"]
    assert [dict(group) for group in scope.reader.tree.groups] == stored["groups"]
    track = next(track for track in scope.reader.tree.tracks if track.events)
    assert (track["events"], track.get("busy"), track["group"]) == (str(track.events), str(track.busy), track.group)


def test_the_manifest_as_a_dict(example: Example) -> None:
    scope = Scope(example.reader)
    assert scope.manifest == example.store.manifest()
    assert int(scope.manifest["end"]) == scope.reader.manifest.end


def test_the_type_of_work_that_may_be_interrupted() -> None:
    assert Steps is steps.Steps is Interruptible
    assert steps.finish is finish


def test_windows_from_starts_and_stops() -> None:
    windows = Windows.of([8, 1], [9, 3])
    assert (windows.starts.tolist(), windows.stops.tolist()) == ([1, 8], [3, 9])
    older, window = Windows.one(1, 3), Windows.single(1, 3)
    assert older.starts.tolist() == window.starts.tolist() == [1]
    assert older.stops.tolist() == window.stops.tolist() == [3]


def test_names_by_their_ids(example: Example) -> None:
    names = example.reader.names
    assert names.of([1, 0, 1]) == names.by_id([0, 1])
    assert list(names.of([1, 0, 1])) == [0, 1]
