"""Names that contain a word, against a look at each."""

from __future__ import annotations

import pytest

from tests.example import Example
from tilescope.tiler.query import finish


@pytest.mark.parametrize("word", ["", "e", "E", "name", "no such word", "[no"])
def test_names_that_contain_a_word(example: Example, word: str) -> None:
    names = example.reader.names
    found = finish(names.containing(word))
    assert found.tolist() == [word in "[no name]", *(word in names[name].text for name in range(names.count))]
