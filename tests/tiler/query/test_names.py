"""Names that contain a word, against a look at each."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.example import Example
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress
from tilescope.tiler.query import finish
from tilescope.tiler.query.names import Names
from tilescope.tiler.records.record import Record

# What might be taken for the end of a name in JSON, and a half of a pair that no UTF-8 has.
ODD = ('"],["', '\\"],["', "],[", '"', "\\", "\ud800", "[[", "]]")


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


class _Pages:
    """A store of names alone."""

    location = "memory"
    is_growing = False
    fetch = None

    def __init__(self, pages: list[bytes], count: int, page_size: int) -> None:
        self._pages, self._about = pages, {"count": count, "page_size": page_size}

    def manifest(self) -> dict[str, object]:
        return {"names": self._about}

    def get(self, _record: Record, page: int) -> bytes | None:
        return compress(self._pages[page]) if page < len(self._pages) else None


@given(
    st.lists(st.tuples(st.text(max_size=6) | st.sampled_from(ODD), st.sampled_from(("", '"', "c"))), min_size=1),
    st.integers(1, 5),
    st.sampled_from(((",", ":"), (", ", ":"))),
    st.data(),
)
def test_texts_of_a_few_names_of_a_page(
    of: list[tuple[str, str]], page_size: int, separators: tuple[str, str], data: st.DataObject
) -> None:
    parts = [of[first : first + page_size] for first in range(0, len(of), page_size)]
    pages = [json.dumps(part, separators=separators).encode() for part in parts]
    names = Names(_Pages(pages, len(of), page_size))  # type: ignore[arg-type]
    ids = np.array(data.draw(st.lists(st.integers(0, len(of) - 1))), np.int64)
    assert names.texts(ids) == [of[name][0] for name in ids.tolist()]
    with pytest.raises(DamagedStore):
        names.texts(np.array([len(of)]))
