"""The names of a run."""

from __future__ import annotations

import json

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
