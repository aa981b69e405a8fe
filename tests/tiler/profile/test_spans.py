"""Spans, the timeline that they give, and its summary."""

from __future__ import annotations

import threading

import pytest

from tilescope.tiler.profile.spans import (
    MOST_SPANS,
    ProfileSpan,
    SpanKind,
    WorkProfile,
    recording,
    stage,
    staged,
    unlocked,
    waiting,
)
from tilescope.tiler.profile.summary import ProfileSummary
from tilescope.tiler.profile.timeline import Moment, ThreadPiece, moments, spans_by_thread, thread_pieces

MS = 1_000_000


def profile_with(*spans: tuple[int, SpanKind, str, int, int, int], end_ms: int = 10) -> WorkProfile:
    """A profile from 0 to `end_ms`; each span with its thread, begin, end and processor time, in ms."""
    profile = WorkProfile()
    profile.begin_ns, profile.end_ns = 0, end_ms * MS
    for thread, kind, name, begin, end, cpu in spans:
        profile.add(ProfileSpan(thread, kind, name, begin * MS, end * MS, cpu * MS))
    return profile


def test_nothing_is_recorded_unless_it_is_asked_for() -> None:
    def work() -> int:
        return 7

    assert staged("a", work) is work
    profile = WorkProfile()
    with stage("a"), unlocked("b"), waiting("c"):
        pass
    assert not profile.spans


def test_threads_and_stages_are_recorded() -> None:
    profile = WorkProfile()
    with recording(profile):
        thread = threading.Thread(target=staged("tracks", threading.get_ident), name="worker")
        with stage("main"), waiting("the worker"):
            thread.start()
            thread.join()
    assert {(span.kind, span.name) for span in profile.spans} == {
        ("stage", "tracks"),
        ("stage", "main"),
        ("wait", "the worker"),
    }
    assert "worker" in profile.threads.values()
    assert all(profile.begin_ns <= span.begin_ns <= span.end_ns <= profile.end_ns for span in profile.spans)


def test_one_profile_at_a_time() -> None:
    with recording(WorkProfile()), pytest.raises(RuntimeError, match="already"), recording(WorkProfile()):
        pass


def test_more_spans_than_are_kept_are_counted() -> None:
    profile = WorkProfile()
    profile.spans = [ProfileSpan(1, "stage", "a", 0, 1, 0)] * MOST_SPANS
    profile.add(ProfileSpan(1, "stage", "a", 1, 2, 0))
    assert (len(profile.spans), profile.dropped) == (MOST_SPANS, 1)


def test_a_thread_is_in_its_innermost_stage() -> None:
    profile = profile_with(
        (1, "unlocked", "", 2, 4, 2),
        (1, "wait", "Python's lock", 4, 5, 0),
        (1, "call", "slice_tiles", 1, 5, 3),
        (1, "stage", "writing", 6, 8, 1),
        (1, "stage", "tracks", 1, 9, 6),
    )
    assert list(thread_pieces(spans_by_thread(profile)[1])) == [
        ThreadPiece(1 * MS, 2 * MS, "tracks", "python"),
        ThreadPiece(2 * MS, 4 * MS, "tracks", "unlocked"),
        ThreadPiece(4 * MS, 5 * MS, "tracks", "waiting"),
        ThreadPiece(5 * MS, 6 * MS, "tracks", "python"),
        ThreadPiece(6 * MS, 8 * MS, "writing", "python"),
        ThreadPiece(8 * MS, 9 * MS, "tracks", "python"),
    ]


def test_one_thread_at_a_time_is_in_python() -> None:
    profile = profile_with((1, "stage", "a", 0, 4, 2), (2, "stage", "b", 2, 6, 2), end_ms=8)
    assert list(moments(profile)) == [
        Moment(0, 2 * MS, {"a": 1.0}),
        Moment(2 * MS, 4 * MS, {"a": 0.5, "b": 0.5}),
        Moment(4 * MS, 6 * MS, {"b": 1.0}),
        Moment(6 * MS, 8 * MS, {}),
    ]


def test_the_summary_says_what_is_serial() -> None:
    profile = profile_with(
        (1, "stage", "a", 0, 4, 3),
        (1, "unlocked", "", 1, 4, 3),
        (2, "stage", "b", 2, 6, 4),
        (2, "unlocked", "", 2, 6, 4),
        end_ms=8,
    )
    summary = ProfileSummary.from_profile(profile)
    assert (summary.wall_ns, summary.cpu_ns) == (8 * MS, 7 * MS)
    assert (summary.running_ns, summary.serial_ns, summary.idle_ns) == (8 * MS, 6 * MS, 2 * MS)
    assert {stage.name: (stage.wall_ns, stage.cpu_ns, stage.serial_ns) for stage in summary.stages} == {
        "a": (4 * MS, 3 * MS, 2 * MS),
        "b": (4 * MS, 4 * MS, 2 * MS),
    }


def test_calls_that_keep_the_lock_are_named() -> None:
    profile = profile_with(
        (1, "unlocked", "", 2, 4, 2),
        (1, "call", "quick", 2, 4, 2),
        (1, "unlocked", "", 5, 6, 1),
        (1, "call", "slow", 4, 8, 3),
        (1, "call", "preempted", 8, 9, 0),
    )
    (held,) = ProfileSummary.from_profile(profile).held_calls
    assert (held.name, held.calls, held.held_ns, held.longest_ns) == ("slow", 1, 3 * MS, 3 * MS)
    assert any("slow keeps Python's lock" in line for line in ProfileSummary.from_profile(profile).lines())
