"""What a watcher is told, and when: the state machine alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tilescope.server.runs.run import FoundRun, IndexProgress, RunState, RunStatus
from tilescope.server.watch.messages import MAX_BLOCKS
from tilescope.server.watch.news import PROGRESS_INTERVAL_S, News

FOUND = FoundRun("r", "r", "r", (), 0, (), 0, 0, Path("store"))
READING = IndexProgress("read", 0.25, 10, build="b1")
SHOWN = replace(READING, revision=1)


def indexing(progress: IndexProgress) -> RunStatus:
    build = progress.build if progress.revision else None
    return RunStatus(FOUND, RunState.INDEXING, build=build, progress=progress)


def told(news: News, status: RunStatus, built: list[int], now_s: float) -> list[dict[str, Any]]:
    """All messages that are due."""
    messages = []
    while (message := news.next_message(status, built, now_s)) is not None:
        messages.append(json.loads(message))
    return messages


def kinds(messages: list[dict[str, Any]]) -> list[str]:
    return [message["type"] for message in messages]


def test_the_first_progress_comes_at_once_and_has_everything() -> None:
    progress = IndexProgress("build", 0.5, 2**60, 7, 2**61, 9, 1, 3, 4.5, "b1", 2)
    (message,) = told(News(), indexing(progress), [], 0.0)
    assert message == {
        "type": "progress",
        "state": "indexing",
        "build": "b1",
        "revision": 2,
        "phase": "build",
        "fraction": 0.5,
        "bytes_read": "7",
        "bytes_total": str(2**61),
        "events": str(2**60),
        "tracks": 9,
        "blocks_done": 1,
        "blocks": 3,
        "seconds_left": 4.5,
    }


def test_a_run_that_waits_says_so() -> None:
    news = News()
    for state in (RunState.NEW, RunState.QUEUED):
        (message,) = told(news, RunStatus(FOUND, state), [], 0.0)
        assert (message["state"], message["phase"], message["build"]) == (state, state, None)
        assert told(news, RunStatus(FOUND, state), [], 5.0) == []


def test_progress_is_told_ten_times_a_second_and_nothing_twice() -> None:
    news = News()
    assert len(told(news, indexing(READING), [], 0.0)) == 1
    further = indexing(replace(READING, events=20))
    assert told(news, further, [], 0.01) == []
    assert news.is_progress_due
    assert abs(news.progress_wait_s(0.01) - (PROGRESS_INTERVAL_S - 0.01)) < 1e-9
    (message,) = told(news, further, [], PROGRESS_INTERVAL_S)
    assert message["events"] == "20"
    assert told(news, further, [], 9.0) == []
    assert not news.is_progress_due


def test_a_new_revision_and_a_new_phase_do_not_wait() -> None:
    news = News()
    told(news, indexing(READING), [], 0.0)
    assert told(news, indexing(SHOWN), [], 0.001)[0]["revision"] == 1
    assert told(news, indexing(replace(SHOWN, revision=2)), [], 0.002)[0]["revision"] == 2
    assert told(news, indexing(replace(SHOWN, revision=2, phase="build")), [], 0.003)[0]["phase"] == "build"


def test_blocks_do_not_wait_and_are_told_once() -> None:
    news = News()
    built = [4, 2]
    messages = told(news, indexing(SHOWN), built, 0.0)
    assert kinds(messages) == ["progress", "blocks"]
    assert messages[1] == {"type": "blocks", "build": "b1", "blocks": [4, 2]}
    built.append(7)
    assert told(news, indexing(replace(SHOWN, events=20)), built, 0.001) == [
        {"type": "blocks", "build": "b1", "blocks": [7]}
    ]
    assert news.is_progress_due


def test_many_blocks_come_in_several_messages() -> None:
    messages = told(News(), indexing(SHOWN), list(range(2 * MAX_BLOCKS + 1)), 0.0)
    assert [len(message["blocks"]) for message in messages[1:]] == [MAX_BLOCKS, MAX_BLOCKS, 1]


def test_another_build_starts_with_no_blocks_told() -> None:
    news = News()
    told(news, indexing(SHOWN), [0, 1], 0.0)
    assert kinds(told(news, RunStatus(FOUND, RunState.FAILED, error="no room"), [], 1.0)) == ["failed"]
    assert told(news, RunStatus(FOUND, RunState.FAILED, error="no room"), [], 2.0) == []
    assert kinds(told(news, RunStatus(FOUND, RunState.QUEUED), [], 3.0)) == ["progress"]
    messages = told(news, indexing(replace(SHOWN, build="b2")), [1], 4.0)
    assert messages[1] == {"type": "blocks", "build": "b2", "blocks": [1]}


def test_what_is_ready_is_told_once_for_each_build() -> None:
    news = News()
    told(news, indexing(SHOWN), [0], 0.0)
    ready = RunStatus(FOUND, RunState.READY, build="b1")
    assert told(news, ready, [], 0.01) == [{"type": "ready", "build": "b1"}]
    assert told(news, ready, [], 9.0) == []
    assert told(news, replace(ready, build="b2"), [], 9.1) == [{"type": "ready", "build": "b2"}]
