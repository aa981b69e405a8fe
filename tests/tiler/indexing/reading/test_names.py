"""The names of a run."""

from __future__ import annotations

import json
import random
from itertools import zip_longest

import numpy as np

from tilescope.tiler.indexing.reading.names import NAMES_PER_PAGE, RunNames
from tilescope.tiler.pages import decompress


def test_files_share_names_that_have_one_category() -> None:
    names = RunNames()
    assert names.add(["a", "b"], ["x", ""]).tolist() == [0, 1, -1]
    assert names.add(["c", "b", "a"], ["y", "", "w"]).tolist() == [2, 1, 3, -1]
    assert names.add(["a", "a", "b"], ["w", "x"]).tolist() == [3, 0, 1, -1]
    assert json.loads(decompress(next(names.pages()))) == [["a", "x"], ["b", ""], ["c", "y"], ["a", "w"]]


def test_namesakes() -> None:
    names = RunNames()
    names.add(["a", "b"], ["x", "y"])
    assert names.namesakes() is None
    names.add(["b", "a", "b"], ["", "x", "z"])
    namesakes = names.namesakes()
    assert namesakes is not None
    assert namesakes.text.tolist() == [0, 1, 1, 1]
    assert namesakes.has_category.tolist() == [1, 1, 0, 1]


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
    pairs: list[tuple[str, str]] = []
    for _ in range(200):
        some = [f"name {rng.randrange(300)}" for _ in range(rng.randrange(5))]
        of = [rng.choice("xyz") for _ in range(rng.randrange(7))]
        found = names.add(some, of)
        added = list(zip_longest(some, of[: len(some)], fillvalue=""))
        pairs += [pair for pair in dict.fromkeys(added) if pair not in pairs]
        assert found.dtype == np.int32
        assert found.tolist() == [*map(pairs.index, added), -1]
    assert [(text, names.category(k)) for k, text in enumerate(names)] == pairs


def test_pages_are_as_the_library_of_python_writes_them() -> None:
    texts = [chr(k) for k in range(0xD800)] + ['"', "\\", "日本語", "\U0001f600", "/", "</script>"]
    for some in (texts, ["half \ud800 of a pair", *texts]):
        names = RunNames()
        names.add(list(dict.fromkeys(some)), [])
        read = [entry for page in names.pages() for entry in json.loads(decompress(page))]
        assert read == [[name.encode("utf-8", "replace").decode(), ""] for name in names]
