"""Details of events that the TypeScript client reads of archives: those that Python has of the same stores."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.client.archive_host import archive_of, ask_archive
from tests.corpus import corpus_path
from tests.demo import DEMO_TRACE
from tests.run_kinds import build_run_kinds
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.store import open_run_store

EVENTS = 60


def chosen_events(store_path: Path, seed: int) -> list[tuple[int, int]]:
    """Some events of each track, the first and the last among them."""
    store = open_run_store(store_path)
    tracks = [(k, track["events"]) for k, track in enumerate(store.internals()["tracks"]) if track["kind"] != "rollup"]
    store.close()
    rng = random.Random(seed)
    events: list[tuple[int, int]] = []
    for track, count in tracks:
        ordinals = {0, count - 1, *(rng.randrange(count) for _ in range(4))} if count else set()
        events += [(track, ordinal) for ordinal in sorted(ordinals)]
    return rng.sample(events, min(EVENTS, len(events)))


def as_python_has_it(store_path: Path, events: list[tuple[int, int]]) -> list[dict[str, Any] | None]:
    store = open_run_store(store_path)
    details = [event_details(store, track, ordinal) for track, ordinal in events]
    store.close()
    return details


def check_events(store_path: Path, folder: Path) -> None:
    events = chosen_events(store_path, 49)
    answers = ask_archive(archive_of(store_path, folder), [f"/events/{t}/{o}" for t, o in events])
    for event, answer, expected in zip(events, answers, as_python_has_it(store_path, events), strict=True):
        assert answer["status"] == 200, (event, answer["body"])
        assert answer["body"] == expected, event
        assert answer["requests"] <= 3, event


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return dict(build_run_kinds(tmp_path_factory.mktemp("kinds")))


def test_events_of_runs_of_all_kinds_are_those_of_python(kinds: dict[str, Path], tmp_path: Path) -> None:
    for path in kinds.values():
        check_events(path, tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "xplane/gpu_v100x8_bert.xplane.pb",
        "xplane/tpu_v6e_4core.xplane.pb",
        "xplane/jax_cpu_10steps.xplane.pb",
        "chrome/flow.json",
        "chrome/devtools_116.json",
        "chrome/viztracer_multi_process_pool.json",
        "kineto/ns_resolution.pt.trace.json.gz",
        "kineto/h100_gpt_stack.pt.trace.json.gz",
        "kineto/mtia_inference_rank_0.json.gz",
    ],
)
def test_events_of_real_traces_are_those_of_python(name: str, tmp_path: Path) -> None:
    build_store([corpus_path(name)], tmp_path / "real.store")
    check_events(tmp_path / "real.store", tmp_path)


def test_events_of_the_demo_are_those_of_python(tmp_path: Path) -> None:
    build_store([DEMO_TRACE], tmp_path / "demo.store")
    check_events(tmp_path / "demo.store", tmp_path)


def test_an_archive_without_arguments_says_so(tmp_path: Path) -> None:
    build_store([DEMO_TRACE], tmp_path / "demo.store")
    [answer] = ask_archive(archive_of(tmp_path / "demo.store", tmp_path, ("arguments",)), ["/events/0/0"])
    [argument] = answer["body"]["args"]
    assert argument["name"] == "[unreadable]"
    assert "made --without arguments" in argument["value"]


def test_events_that_there_are_not_are_refused(tmp_path: Path) -> None:
    build_store([DEMO_TRACE], tmp_path / "demo.store")
    answers = ask_archive(archive_of(tmp_path / "demo.store", tmp_path), ["/events/0/999999", "/events/99/0"])
    assert [answer["status"] for answer in answers] == [404, 404]
