"""Reading ahead in a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tilescope.tiler.indexing.reading.read_ahead import ahead


def test_items_come_in_order() -> None:
    assert list(ahead(iter(range(100)))) == list(range(100))


def test_an_error_comes_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("at the second")

    iterator = ahead(items())
    assert next(iterator) == 1
    with pytest.raises(ValueError, match="at the second"):
        next(iterator)


def test_the_thread_ends_when_the_consumer_stops_early() -> None:
    made = []

    def items() -> Iterator[int]:
        for k in range(1000):
            made.append(k)
            yield k

    iterator = ahead(items())
    assert next(iterator) == 0
    iterator.close()
    assert len(made) < 10
    assert not [thread for thread in threading.enumerate() if thread.name == "read-ahead"]
