"""Statistics that the TypeScript client adds up of archives: those of the tool on the same stores."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.client.archive_host import SOME_TRACES, answers_of_both, archive_of, ask_archive, comparable
from tests.corpus import corpus_path
from tests.demo import DEMO_TRACE
from tests.run_kinds import build_run_kinds
from tilescope.tiler.indexing import build_store
from tilescope.tiler.store import open_run_store

QUESTIONS = 12


def random_questions(store_path: Path, seed: int) -> list[dict[str, str]]:
    """The whole run by each grouping, and random spans of random tracks."""
    store = open_run_store(store_path)
    internals = store.internals()
    store.close()
    rng = random.Random(seed)
    end, tracks = int(internals["public"]["end"]), len(internals["tracks"])
    chosen_questions: list[dict[str, str]] = [{}, *({"by": by} for by in ("category", "track", "process", "host"))]
    for _ in range(QUESTIONS):
        start, stop = sorted(rng.randrange(end + 2) for _ in range(2))
        chosen = sorted(rng.sample(range(tracks), rng.randrange(1, min(8, tracks) + 1)))
        question = {"start": str(start), "end": str(stop), "by": rng.choice(("name", "category", "track", "process"))}
        chosen_questions.append(
            question | {"tracks": ",".join(map(str, chosen)), "limit": str(rng.choice((0, 3, 1000)))}
        )
    return chosen_questions


def check_stats(store_path: Path, folder: Path) -> None:
    for question, answer, expected in answers_of_both(store_path, folder, random_questions(store_path, 49), "stats"):
        assert comparable(answer) == comparable(expected), question


def test_statistics_of_runs_of_all_kinds_are_those_of_the_tool(tmp_path: Path) -> None:
    for path in build_run_kinds(tmp_path).values():
        store = open_run_store(path)
        has_events = not store.internals()["public"]["empty"]
        store.close()
        if has_events:
            check_stats(path, tmp_path)


@pytest.mark.parametrize(
    "name",
    [*SOME_TRACES, "kineto/nccl_data.json.gz"],
)
def test_statistics_of_real_traces_are_those_of_the_tool(name: str, tmp_path: Path) -> None:
    build_store([corpus_path(name)], tmp_path / "real.store")
    check_stats(tmp_path / "real.store", tmp_path)


def test_what_takes_a_server_is_named_with_the_command(tmp_path: Path) -> None:
    build_store([DEMO_TRACE], tmp_path / "demo.store")
    paths = ["/tools/stats?sum=bytes", "/tools/call_tree", "/export"]
    for answer in ask_archive(archive_of(tmp_path / "demo.store", tmp_path), paths):
        assert answer["status"] == 422
        assert answer["body"]["error"]["code"] == "not_available"
        assert "tilescope view https://files.example/run.tsarc" in answer["body"]["error"]["message"]
