"""Searches for names that the TypeScript client makes in archives: those of the tool on the same stores."""

from __future__ import annotations

import json
import random
import urllib.parse
from pathlib import Path
from typing import Any

import pytest

from tests.client.archive_host import SOME_TRACES, answers_of_both, archive_of, ask_archive, comparable
from tests.corpus import corpus_path
from tests.demo import DEMO_TRACE
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.store import open_run_store

SEARCHES = 16


def random_searches(store_path: Path, seed: int) -> list[dict[str, str]]:
    """Parts of names, whole names and categories, in random spans, listed from either end and from random places."""
    store = open_run_store(store_path)
    end, tracks = int(store.internals()["public"]["end"]), len(store.internals()["tracks"])
    record = store.get(NAMES, 0)
    assert record is not None
    names = [(name, category) for name, category in json.loads(decompress(record)) if name.isascii() and name.strip()]
    store.close()
    rng = random.Random(seed)
    chosen_questions = []
    for _ in range(SEARCHES):
        name, category = rng.choice(names)
        exact = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        [word, *_] = name.split()
        part = "".join(letter for letter in word[: rng.randrange(2, 9)] if letter.isalnum() or letter in "_.") or "a"
        query = rng.choice((exact, part, part.upper(), f'{part} cat:"{category}"' if '"' not in category else part))
        question = {"query": query, "limit": str(rng.choice((0, 1, 20))), "names": str(rng.choice((0, 2, 100)))}
        if rng.random() < 0.5:
            start, stop = sorted(rng.randrange(end + 2) for _ in range(2))
            question |= {"start": str(start), "end": str(stop)}
        if rng.random() < 0.6:
            question["after"] = f"{rng.randrange(end + 1)},{rng.randrange(tracks)},{rng.randrange(100)}"
        if rng.random() < 0.5:
            question["backward"] = "true"
        if rng.random() < 0.3:
            question["totals"] = "false"
        chosen_questions.append(question)
    return chosen_questions


def without_more(answer: dict[str, Any]) -> dict[str, Any]:
    """The tool may say that there is more where there is not."""
    return {**answer, "tables": [{**table, "more": None} for table in answer["tables"]]}


def check_searches(store_path: Path, folder: Path) -> None:
    for question, answer, of_tool in answers_of_both(store_path, folder, random_searches(store_path, 49), "search"):
        events, of_tool_events = (
            next(table for table in body["tables"] if table["id"] == "events") for body in (answer, of_tool)
        )
        assert events["columns"] == of_tool_events["columns"], question  # in order
        assert events["more"] in (None, of_tool_events["more"]), question
        assert comparable(without_more(answer)) == comparable(without_more(of_tool)), question


@pytest.mark.parametrize("name", SOME_TRACES)
def test_searches_in_real_traces_are_those_of_the_tool(name: str, tmp_path: Path) -> None:
    build_store([corpus_path(name)], tmp_path / "real.store")
    check_searches(tmp_path / "real.store", tmp_path)


def test_searches_in_the_demo_are_those_of_the_tool(tmp_path: Path) -> None:
    build_store([DEMO_TRACE], tmp_path / "demo.store")
    check_searches(tmp_path / "demo.store", tmp_path)


def random_views(store_path: Path, seed: int) -> list[dict[str, str]]:
    """Views of some tracks, rollups among them, with hits of a search."""
    store = open_run_store(store_path)
    end, tracks = int(store.internals()["public"]["end"]), len(store.internals()["tracks"])
    store.close()
    rng = random.Random(seed)
    chosen_questions = []
    for search in random_searches(store_path, seed)[:8]:
        start, stop = sorted(rng.randrange(end + 2) for _ in range(2))
        named = ",".join(map(str, sorted(rng.sample(range(tracks), min(5, tracks)))))
        px = str(rng.choice((10, 400, 3000)))
        view = {"query": search["query"], "px": px, "tracks": named, "by": "lane"}
        chosen_questions.append(view | ({"start": str(start), "end": str(stop)} if rng.random() < 0.7 else {}))
    return chosen_questions


@pytest.mark.parametrize("name", ["xplane/gpu_v100x8_bert.xplane.pb", "kineto/h100_gpt_stack.pt.trace.json.gz"])
def test_hits_in_bins_are_those_of_the_tool(name: str, tmp_path: Path) -> None:
    path = tmp_path / "real.store"
    build_store([corpus_path(name)], path)
    both = list(answers_of_both(path, tmp_path, random_views(path, 49), "hit_bins"))
    assert any(answer["tables"][0]["columns"][0]["values"] for _, answer, _ in both)
    for question, answer, of_tool in both:
        assert comparable(answer) == comparable(of_tool), question


def test_upper_and_lower_case_are_folded_as_unicode_says(tmp_path: Path) -> None:
    names = ["Straße", "STRASSE", "ΣΊΣΥΦΟΣ", "σίσυφος", "Ünder"]
    events = [{"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": k, "dur": 1} for k, name in enumerate(names)]
    (tmp_path / "t.json").write_text(json.dumps(events))
    build_store([tmp_path / "t.json"], tmp_path / "t.store")
    questions = [{"query": query} for query in ("strasse", "ΣΊΣΥΦΟΣ", "ünder")]
    for question, answer, of_tool in answers_of_both(tmp_path / "t.store", tmp_path, questions, "search"):
        assert comparable(answer) == comparable(of_tool), question


def test_searches_that_take_a_server_are_named_with_the_command(tmp_path: Path) -> None:
    build_store([DEMO_TRACE], tmp_path / "demo.store")
    queries = ["arg:a=1", "/fusion.*/", "fusion dur>1ms"]
    paths = [f"/tools/search?{urllib.parse.urlencode({'query': query})}" for query in queries]
    for answer in ask_archive(archive_of(tmp_path / "demo.store", tmp_path), paths):
        assert answer["status"] == 422
        assert "tilescope view https://files.example/run.tsarc" in answer["body"]["error"]["message"]
