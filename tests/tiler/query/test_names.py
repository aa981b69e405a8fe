"""Names that contain a word, against a look at each."""

from __future__ import annotations

import numpy as np
import pytest

from tests.example import Example
from tilescope.tiler.query import finish


@pytest.mark.parametrize("word", ["", "e", "E", "name", "no such word", "[no"])
def test_names_that_contain_a_word(example: Example, word: str) -> None:
    names = example.reader.names
    found = finish(names.containing(word))
    assert found.tolist() == [word in "[no name]", *(word in names[name].text for name in range(names.count))]


@pytest.mark.parametrize("more", [(), ("no plain text",), tuple(f"absent{k}" for k in range(20))])
def test_numbers_of_texts_among_some_names(example: Example, more: tuple[str, ...]) -> None:
    names = example.reader.names
    among = np.arange(0, names.count, 2)
    texts = [*(names[name].text for name in range(0, names.count, 7)), *more]
    for some in (texts, texts[:1], [*more, "absent", texts[0].upper()]):
        plain = {names[name].text: name for name in among.tolist()}
        expected = {text: plain[text] for text in some if text in plain}
        assert names.numbers_of(some, np.concatenate([among[::-1], among])) == expected
