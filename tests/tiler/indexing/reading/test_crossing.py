"""Annotations that overlap Python frames partly: they lie on a track above their thread."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tilescope.tiler.columns import EventChunk, Phase
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.reading import crossing
from tilescope.tiler.indexing.reading.crossing import cross
from tilescope.tiler.query import QueryReader, Reading
from tilescope.tiler.query.events import EVERYTHING, Events
from tilescope.tiler.store.run_store import open_run_store
from tilescope.tiler.verify import verify_store

Json = dict[str, Any]
Span = tuple[int, int]

THREAD = "python 7"
ABOVE = f"{THREAD} · annotations"
STACK = "kineto/h100_gpt_stack.pt.trace.json.gz"

SPAN = st.tuples(st.integers(0, 30), st.integers(0, 12))
SPANS = st.lists(SPAN, max_size=8)


class Slice(NamedTuple):
    name: str
    start: int
    stop: int
    row: int


def x(name: str, category: str, start: int, stop: int) -> Json:
    return {"ph": "X", "name": name, "cat": category, "pid": 5, "tid": 7, "ts": start, "dur": stop - start}


def frame(start: int, stop: int, name: str = "frame") -> Json:
    return x(name, "python_function", start, stop)


def annotation(start: int, stop: int, name: str = "ProfilerStep#1") -> Json:
    return x(name, "user_annotation", start, stop)


def tracks_of(reader: QueryReader) -> dict[str, list[Slice]]:
    """The slices of each track, in the order of the screen."""
    return {
        track.name: [
            Slice(reader.names[name].text, start, start + duration, row)
            for events in _events(reader, track.id)
            for name, start, duration, row in zip(
                *(column.tolist() for column in (events.name, events.start, events.duration, events.row)), strict=True
            )
        ]
        for track in reader.tree.tracks
        if track.kind == "slice"
    }


def _events(reader: QueryReader, track: int) -> list[Events]:
    plan = reader.plan(track, EVERYTHING)
    return list(Reading(reader).events(plan, plan.leaf_runs))


def indexed(folder: Path, events: Sequence[Json]) -> dict[str, list[Slice]]:
    named = {"ph": "M", "name": "thread_name", "pid": 5, "tid": 7, "args": {"name": "thread 7 (python 7)"}}
    (folder / "trace.json").write_text(json.dumps([named, *events]))
    build_store([folder / "trace.json"], folder / "store")
    verify_store(folder / "store")
    with closing(open_run_store(folder / "store")) as store:
        return tracks_of(QueryReader(store))


def crosses(a: Span, b: Span) -> bool:
    return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]


def chunk(spans: Sequence[Span], names: Sequence[int]) -> EventChunk:
    n = len(spans)
    start, stop = (np.array([span[k] for span in spans], np.int64) for k in (0, 1))
    none = np.zeros(0, np.uint8)
    phase, flags, args_end = np.full(n, Phase.COMPLETE, np.uint8), np.zeros(n, np.uint8), np.zeros(n, np.int64)
    name = np.array(names, np.int32)
    track = np.zeros(n, np.int32)
    return EventChunk(
        track, phase, start, None, stop - start, None, name, None, None, flags=flags, args_end=args_end, args=none
    )


def test_steps_of_a_recorded_stack_lie_above_all_that_they_contain(tmp_path: Path) -> None:
    """No slice overlaps another one partly any more: each step is drawn over the whole of what runs in it."""
    build_store([corpus_path(STACK)], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        assert not any("overlap" in warning for warning in store.manifest()["warnings"])
        tracks = tracks_of(QueryReader(store))
    names = list(tracks)
    above = [name for name in names if name.endswith(" · annotations")]
    assert above == ["python3 458 · annotations"]
    thread = names[names.index(above[0]) + 1]
    assert thread == "python3 458"
    steps = [piece for piece in tracks[above[0]] if piece.name.startswith("ProfilerStep#")]
    assert [(step.name, step.row) for step in steps] == [(f"ProfilerStep#{number}", 0) for number in (3, 4, 5, 6)]
    assert len(tracks[above[0]]) == 24
    assert not any(piece.name.startswith("ProfilerStep#") for piece in tracks[thread])
    for step in steps:
        inside = [piece for piece in tracks[thread] if step.start <= piece.start and piece.stop <= step.stop]
        assert len(inside) > 2000


def test_a_step_that_begins_and_ends_in_frames_is_above_its_thread(tmp_path: Path) -> None:
    events = [frame(0, 100, "main"), frame(10, 20, "enter"), annotation(15, 85), frame(30, 60, "work"), frame(80, 90)]
    tracks = indexed(tmp_path, events)
    assert list(tracks) == [ABOVE, THREAD]
    assert [(piece.name, piece.row) for piece in tracks[ABOVE]] == [("ProfilerStep#1", 0)]
    assert [(piece.name, piece.row) for piece in tracks[THREAD]] == [
        ("main", 0),
        ("enter", 1),
        ("work", 1),
        ("frame", 1),
    ]


@pytest.mark.parametrize(
    "events",
    [
        [frame(0, 100), annotation(10, 90), frame(10, 90), frame(20, 30)],
        [annotation(0, 100), frame(0, 100), frame(100, 110)],
        [annotation(5, 15), x("aten::add", "cpu_op", 10, 20)],  # no stack was recorded
        [frame(5, 15), frame(10, 20)],
        [frame(5, 15), x("overhead", "overhead", 10, 20), annotation(20, 30)],
    ],
)
def test_other_slices_stay_on_their_thread(tmp_path: Path, events: list[Json]) -> None:
    assert list(indexed(tmp_path, events)) == [THREAD]


def test_threads_are_looked_at_one_by_one(tmp_path: Path) -> None:
    """A track that nothing moves to is none, and those behind it move up."""
    others = [{**event, "tid": tid} for tid in (1, 3, 9) for event in (frame(0, 50), annotation(5, 45))]
    crossing_ones = [
        {**event, "tid": tid} for tid in (2, 7) for event in (frame(0, 50), annotation(5, 55, f"step {tid}"))
    ]
    tracks = indexed(tmp_path, [*others, *crossing_ones])
    assert list(tracks) == [
        "Thread 1", "Thread 2 · annotations", "Thread 2", "Thread 3", "Thread 9", ABOVE, THREAD,
    ]  # fmt: skip
    assert [piece.name for name in tracks if "annotations" in name for piece in tracks[name]] == ["step 2", "step 7"]


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frames=SPANS, annotations=SPANS)
def test_nothing_is_lost_and_what_does_not_cross_stays(
    tmp_path_factory: pytest.TempPathFactory, frames: list[Span], annotations: list[Span]
) -> None:
    """Annotations are above frames if any of them crosses one, and then no annotation is left between the frames."""
    inner, outer = ([(start, start + length) for start, length in spans] for spans in (frames, annotations))
    events = [*(frame(*span) for span in inner), *(annotation(*span) for span in outer)]
    if not events:
        return
    tracks = indexed(tmp_path_factory.mktemp("crossing"), events)
    is_above = any(crosses(a, b) for a in inner for b in outer)
    assert list(tracks) == ([ABOVE, THREAD] if is_above else [THREAD])
    origin = min(start for start, _ in [*inner, *outer])
    lying = {
        name: sorted((piece.name, *(round(tick / 1000) + origin for tick in piece[1:3])) for piece in slices)
        for name, slices in tracks.items()
    }
    spans = {"frame": inner, "ProfilerStep#1": outer}
    named = {name: [(name, *span) for span in sorted(spans[name])] for name in spans}
    expected = (
        {ABOVE: named["ProfilerStep#1"], THREAD: named["frame"]}
        if is_above
        else {THREAD: sorted([*named["ProfilerStep#1"], *named["frame"]])}
    )
    assert lying == expected


@given(
    frames=SPANS, annotations=st.lists(SPAN, max_size=40), cut=st.integers(0, 48), at_once=st.sampled_from([1, 1 << 20])
)
def test_crossing_is_what_plain_python_says(
    frames: list[Span], annotations: list[Span], cut: int, at_once: int
) -> None:
    """All annotations of all pieces are compared with all frames."""
    spans = [(start, start + length) for start, length in [*frames, *annotations]]
    names = [0] * len(frames) + [1] * len(annotations)
    order = random.Random(cut).sample(range(len(spans)), len(spans))
    pieces = [chunk([spans[k] for k in part], [names[k] for k in part]) for part in (order[:cut], order[cut:])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crossing, "_SPANS_AT_ONCE", at_once)
        result = cross(pieces, np.array([False, True, False]), np.array([True, False, False]))
    outer = spans[len(frames) :]
    assert result == any(crosses(span, annotated) for span in spans[: len(frames)] for annotated in outer)


def test_the_last_of_many_annotations_decides(tmp_path: Path) -> None:
    inside = [annotation(10 * k + 1, 10 * k + 3, f"inside {k}") for k in range(100)]
    tracks = indexed(tmp_path, [frame(0, 2000), *inside, annotation(1900, 2100, "last"), frame(2050, 2200)])
    assert [piece.name for piece in tracks[ABOVE]] == [*(f"inside {k}" for k in range(100)), "last"]
