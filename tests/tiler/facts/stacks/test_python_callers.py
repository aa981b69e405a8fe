"""Callers of frames of Python by their ids, against plain Python: on other threads, in circles, with gaps, and deep."""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tilescope.tiler.facts.stacks import python_callers
from tilescope.tiler.facts.stacks.frame_kinds import PYTHON_FRAMES, frame_threads
from tilescope.tiler.facts.stacks.python_callers import MOST_CALLERS, Callers, ChainEnd, linked, python_frames
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer

# Thread, id and parent id of each frame; ids are few, so that some are equal and some are those of no frame.
IDS = st.none() | st.integers(0, 12) | st.sampled_from([-(2**63), 2**63 - 1])
FRAMES = st.lists(st.tuples(st.integers(0, 3), IDS, IDS), max_size=16)


def plain_callers(frames: list[tuple[int, int | None, int | None]], place: int) -> tuple[list[int], ChainEnd]:
    """Places of the callers of a frame, the nearest first, and how they end; frames are in order."""
    first: dict[int, int] = {}
    for other, (_, number, _) in enumerate(frames):
        if number is not None:
            first.setdefault(number, other)
    callers: list[int] = []
    while (parent := frames[callers[-1] if callers else place][2]) is not None:
        if parent not in first:
            return callers, ChainEnd.NOT_RECORDED
        if first[parent] in (place, *callers):
            return callers, ChainEnd.CIRCLE
        callers.append(first[parent])
    return callers, ChainEnd.TOP


def columns(frames: list[tuple[int, int | None, int | None]]) -> Any:
    """As they are read: ordinals count on each thread."""
    counts: Counter[int] = Counter()
    listed = []
    for thread, number, parent in frames:
        listed.append(
            [thread, 3 * counts[thread], number or 0, int(number is not None), parent or 0, int(parent is not None)]
        )
        counts[thread] += 1
    return np.array(listed, np.int64).reshape(-1, 6).T


@given(FRAMES, st.randoms(use_true_random=False))
def test_callers_are_those_of_a_walk(frames: list[tuple[int, int | None, int | None]], rng: random.Random) -> None:
    frames.sort(key=lambda frame: frame[0])
    every = columns(frames)
    order = list(range(len(frames)))
    rng.shuffle(order)
    linked_frames = finish(linked(every[:, order]))
    places = [(int(track), int(ordinal)) for track, ordinal in every[:2].T]
    for place, (track, ordinal) in enumerate(places):
        callers, end = plain_callers(frames, place)
        assert linked_frames.callers(track, ordinal) == ([places[other] for other in callers], 0, end)
        assert linked_frames.callers(track, ordinal + 1) == ([], 0, ChainEnd.TOP)
    numbers = Counter(number for _, number, _ in frames if number is not None)
    assert linked_frames.doubled == sum(numbers.values()) - len(numbers)


def test_a_million_frames_in_each_other() -> None:
    count = 1_000_000
    number = np.arange(count)
    there = np.ones(count, np.int64)
    frames = finish(linked(np.stack([number % 2, number // 2, number, there, number - 1, np.minimum(number, 1)])))
    last = frames.callers(1, count // 2 - 1)
    assert last.listed == [(k % 2, k // 2) for k in range(count - 2, count - 2 - MOST_CALLERS, -1)]
    assert (last.more, last.end) == (count - 1 - MOST_CALLERS, ChainEnd.TOP)
    # The first is called by the last.
    circle = finish(linked(np.stack([number % 2, number // 2, number, there, (number - 1) % count, there])))
    assert len(circle.callers(0, 0).listed) == MOST_CALLERS
    assert circle.callers(0, 0).end == ChainEnd.CIRCLE


def frame(thread: int, start: int, stop: int, name: str, number: object, parent: object) -> dict[str, Any]:
    return {
        **{"ph": "X", "cat": "python_function", "name": name, "pid": 1, "tid": thread, "ts": start},
        **{"dur": stop - start, "args": {"Python id": number, "Python parent id": parent}},
    }


def stored(path: Path, events: list[dict[str, Any]]) -> Path:
    path.mkdir()
    (path / "trace.json").write_text(json.dumps(events))
    build_store([path / "trace.json"], path / "store")
    return path / "store"


def nesting(reader: QueryReader, name: str) -> Answer:
    """The answer about the only slice of a name."""
    (row,) = rows(answer(reader, "events", name=name, columns="event"), "events")
    track, ordinal = map(int, row["event"].split("."))
    return answer(reader, "nesting", track=track, ordinal=ordinal)


def callers_of(reader: QueryReader, name: str) -> list[tuple[str, str]]:
    """Names and threads of the callers of the slice of a name."""
    return [
        (row["name"], reader.tree.tracks[row["track"]].name.split()[-1])
        for row in rows(nesting(reader, name), "callers")
    ]


def notes_of(reader: QueryReader, name: str) -> list[str]:
    return [note.text for note in nesting(reader, name).notes]


def test_frames_of_another_thread_are_above_what_they_called(tmp_path: Path) -> None:
    """A backward in Python, on a thread of its own. Ids of another process are others."""
    events = [
        frame(1, 0, 1000, "train.py(1): main", 1, None),
        frame(1, 10, 900, "train.py(9): step", 2, 1),
        {"ph": "X", "cat": "cpu_op", "name": "MulBackward", "pid": 1, "tid": 2, "ts": 100, "dur": 500},
        frame(2, 110, 500, "train.py(20): backward", 3, 2),
        frame(2, 120, 480, "train.py(30): scale", 4, 3),
        {"ph": "X", "cat": "cpu_op", "name": "aten::mul", "pid": 1, "tid": 2, "ts": 130, "dur": 50},
        frame(3, 0, 50, "lost.py(1): f", 9, 77),
        frame(4, 0, 50, "odd.py(1): f", 5, 5),
        frame(5, 0, 50, "again.py(1): f", 4, None),
        frame(1, 0, 50, "other.py(1): main", 2, None) | {"pid": 2},
    ]
    with closing(open_run_store(stored(tmp_path / "t", events))) as store:
        reader = QueryReader(store)
        above = [("train.py(9): step", "1"), ("train.py(1): main", "1")]
        for name in ("aten::mul", "train.py(30): scale", "train.py(20): backward"):
            assert callers_of(reader, name) == above
        for name in ("MulBackward", "train.py(9): step", "train.py(1): main", "other.py(1): main"):
            assert callers_of(reader, name) == []
            assert notes_of(reader, name) == []
        doubled = "1 frame of Python has the id of another: the first of each counts as the caller."
        assert notes_of(reader, "aten::mul") == [doubled]
        assert notes_of(reader, "lost.py(1): f")[0].endswith("called by one that was not recorded.")
        assert notes_of(reader, "odd.py(1): f")[0].startswith("By their ids frames of Python call each other in a circ")


def test_too_many_frames_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_callers, "MOST_FRAMES", 2)
    events = [frame(k, 0, 10, f"f.py({k}): f", k, k - 1 or None) for k in (1, 2, 3)]
    with closing(open_run_store(stored(tmp_path / "t", events))) as store:
        reader = QueryReader(store)
        assert callers_of(reader, "f.py(3): f") == []
        (note,) = notes_of(reader, "f.py(3): f")
        assert note.startswith("More than ")


def test_frames_of_a_real_run(tmp_path: Path) -> None:
    """8,536 frames of four threads, of which each but the outermost is called on its thread: as times say, but one."""
    build_store([corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz")], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        threads = finish(frame_threads(reader, PYTHON_FRAMES))
        frames = finish(python_frames(reader, reader.tree.tracks[threads[0]].group))
        assert (len(frames), frames.doubled, int((frames.caller < 0).sum())) == (8536, 0, 4)
        called = np.flatnonzero(frames.caller >= 0)
        assert (frames.track[called] == frames.track[frames.caller[called]]).all()
        others = 0
        rng = random.Random(7)
        for row in rng.sample(range(len(frames)), 60):
            track, ordinal = int(frames.track[row]), int(frames.ordinal[row])
            around = answer(reader, "nesting", track=track, ordinal=ordinal)
            by_time = [each["event"] for each in rows(around, "parents") if each["category"] == "python_function"]
            by_id: Callers = frames.callers(track, ordinal)
            assert (by_id.more, by_id.end) == (0, ChainEnd.TOP)
            others += by_time != [f"{caller}.{number}" for caller, number in by_id.listed]
            assert rows(around, "callers") == []
        assert others <= 1
