"""Steps that are not slices of their tracks are noticed, whichever column is wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest
from msgspec import structs

from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.steps import STEPS, TrackSteps
from tilescope.tiler.verify import verify_store


def record(store: AlteredStore) -> tuple[bytes, int, TrackSteps]:
    ((key, value),) = store.records(STEPS.letter).items()
    track, _ = STEPS.numbers_in(key)
    return key, track, TrackSteps.decode(decompress(value), track)


@pytest.mark.parametrize("column", TrackSteps.__struct_fields__)
@pytest.mark.parametrize("value", [-7, 1, 1 << 40])
def test_a_wrong_value(altered: AlteredStore, column: str, value: int) -> None:
    key, track, steps = record(altered)
    values = getattr(steps, column).copy()
    values[2] = -1 if column == "number" else values[2] + value
    wrong = structs.replace(steps, **{column: values})
    if column == "source" and value == 1:  # another source that there is: no proof can tell
        return
    with (
        altered.replaced({key: compress(wrong.encode(track))}),
        pytest.raises(DamagedStore, match=r"track \d+ \('.*'\)"),
    ):
        verify_store(altered.path)


def test_steps_that_are_missing_or_there_twice(altered: AlteredStore) -> None:
    key, track, steps = record(altered)
    assert verify_store(altered.path).steps == len(steps) == 5
    for which in (slice(1, None), slice(0, -1), np.array([0, 1, 1, 2, 3, 4]), np.array([0, 2, 1, 3, 4])):
        with (
            altered.replaced({key: compress(steps.take(which).encode(track))}),
            pytest.raises(DamagedStore, match="steps"),
        ):
            verify_store(altered.path)
    with altered.replaced({key: None}), pytest.raises(DamagedStore, match="0 of its events are steps, at ingest 5"):
        verify_store(altered.path)


def test_a_track_that_has_no_slices(altered: AlteredStore) -> None:
    _, _, steps = record(altered)
    for track in (altered.tracks_of_kind("counter")[0], altered.tracks_of_kind("rollup")[0], 200):  # 200: none
        more = {STEPS.key(track, int(steps.ordinal[0])): compress(steps.encode(track))}
        with altered.replaced(more), pytest.raises(DamagedStore, match=re.escape("should not be there")):
            verify_store(altered.path)


def test_a_record_that_is_none_of_steps(altered: AlteredStore) -> None:
    key, track, steps = record(altered)
    for data in (b"spam", steps.encode(track + 1), steps.take(slice(0)).encode(track)):
        with altered.replaced({key: compress(data)}), pytest.raises(DamagedStore, match="are damaged"):
            verify_store(altered.path)
