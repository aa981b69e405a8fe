"""Takes note of what is read of a store, and changes what it returns."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import NumberedRecord, Store


def noted_reads(patch: pytest.MonkeyPatch, store: Store, *records: Record) -> list[tuple[int, ...]]:
    """The numbers under which any of these records is read one by one, from now on; the list grows."""
    numbers_read: list[tuple[int, ...]] = []
    get, at_most = store.get, store.at_most

    def noted_get(record: Record, *numbers: int) -> bytes | None:
        if record in records:
            numbers_read.append(numbers)
        return get(record, *numbers)

    def noted_at_most(record: Record, *numbers: int) -> NumberedRecord | None:
        if record in records:
            numbers_read.append(numbers)
        return at_most(record, *numbers)

    patch.setattr(store, "get", noted_get)
    patch.setattr(store, "at_most", noted_at_most)
    return numbers_read


def answer_with(patch: pytest.MonkeyPatch, store: Store, answer: Callable[..., bytes | None], *records: Record) -> None:
    """From now on `answer` returns any of these records; it is called with their numbers."""
    get = store.get

    def altered_get(record: Record, *numbers: int) -> bytes | None:
        return answer(*numbers) if record in records else get(record, *numbers)

    patch.setattr(store, "get", altered_get)


def refuse_reads(patch: pytest.MonkeyPatch, store: Store, *records: Record) -> None:
    """From now on the test fails if any of these records is read."""
    answer_with(patch, store, lambda *numbers: pytest.fail(f"record {numbers} was read"), *records)
