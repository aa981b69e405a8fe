"""The names of a run."""

from __future__ import annotations

import json
import random
from itertools import zip_longest

import numpy as np

from tilescope.tiler.indexing.reading.names import NAMES_PER_PAGE, RunNames
from tilescope.tiler.pages import decompress


def test_files_share_names_and_the_first_category_stays() -> None:
    names = RunNames()
    assert names.add(["a", "b"], ["x", ""]).tolist() == [0, 1, -1]
    assert names.add(["c", "b", "a"], ["y", "z", "w"]).tolist() == [2, 1, 0, -1]
    assert len(names) == 3
    assert json.loads(decompress(next(names.pages()))) == [["a", "x"], ["b", ""], ["c", "y"]]


def test_an_event_without_a_name_keeps_minus_one() -> None:
    assert RunNames().add(["a"], [])[-1] == -1


def test_pages() -> None:
    names = RunNames()
    names.add([f"name {k}" for k in range(NAMES_PER_PAGE + 1)], [])
    pages = [json.loads(decompress(page)) for page in names.pages()]
    assert [len(page) for page in pages] == [NAMES_PER_PAGE, 1]
    assert pages[1] == [[f"name {NAMES_PER_PAGE}", ""]]
    assert list(RunNames().pages()) == []


def test_names_of_many_files_are_as_when_each_is_looked_up_alone() -> None:
    rng = random.Random(3)
    names = RunNames()
    texts: list[str] = []
    categories: dict[str, str] = {}
    for _ in range(200):
        some = [f"name {rng.randrange(300)}" for _ in range(rng.randrange(5))]
        of = [rng.choice("xyz") for _ in range(rng.randrange(7))]
        found = names.add(some, of)
        for name, category in zip_longest(some, of[: len(some)], fillvalue=""):
            if name not in texts:
                texts.append(name)
                categories[name] = category
        assert found.dtype == np.int32
        assert found.tolist() == [*map(texts.index, some), -1]
    assert list(names) == texts
    assert [names.category(k) for k in range(len(texts))] == [categories[name] for name in texts]


def test_pages_are_as_the_library_of_python_writes_them() -> None:
    texts = [chr(k) for k in range(0xD800)] + ['"', "\\", "日本語", "\U0001f600", "/", "</script>"]
    for some in (texts, ["half \ud800 of a pair", *texts]):
        names = RunNames()
        names.add(list(dict.fromkeys(some)), [])
        read = [entry for page in names.pages() for entry in json.loads(decompress(page))]
        assert read == [[name.encode("utf-8", "replace").decode(), ""] for name in names]
