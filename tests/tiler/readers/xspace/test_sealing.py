"""The metadata of a plane is read as soon as its lines have been surveyed, whatever becomes of the others."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tiler.readers import wire_writer as w
from tilescope.tiler import _native


def plane(name: str, *lines: bytes) -> bytes:
    return w.message(1, *lines, w.event_metadata(1, name))


def line(*ids: int) -> bytes:
    return w.message(3, *(w.message(4, w.number(1, key), w.number(2, 1000)) for key in ids))


def survey(file: _native.XSpaceFile, number: int) -> None:
    looked_at = file.survey(number)
    while looked_at.advance(looked_at.position + 1):
        pass
    file.surveyed(number, looked_at)
    file.settle(number, 0)


def test_planes_are_read_in_their_order_when_their_lines_are_known() -> None:
    raw = plane("first") + plane("second", line(1), line(1, 1)) + plane("third") + plane("fourth", line(1))
    file = _native.XSpaceFile(np.frombuffer(raw, np.uint8), 1 << 30, 0, 0, 0)
    assert not file.read_outline(len(raw))
    assert file.seal(0)  # the first has no lines
    assert not file.seal(0)
    survey(file, 0)
    assert not file.seal(1)
    survey(file, 1)
    assert file.seal(2)
    assert file.seal(2)
    assert not file.seal(2)
    survey(file, 2)
    assert not file.seal(3)
    assert file.names() == [("second", ""), ("fourth", "")]
    assert not file.seal(3)


def test_a_file_without_planes_is_complete_at_once() -> None:
    raw = w.data(4, "host")
    file = _native.XSpaceFile(np.frombuffer(raw, np.uint8), 1 << 30, 0, 0, 0)
    assert not file.read_outline(len(raw))
    assert not file.seal(0)
    assert file.names() == []


def test_tables_of_metadata_stay_when_the_places_of_its_messages_are_forgotten() -> None:
    raw = plane("first", line(1)) + plane("second", line(1)) + plane("first", line(1))
    file = _native.XSpaceFile(np.frombuffer(raw, np.uint8), 1 << 30, 0, 0, 0)
    file.read_outline(len(raw))
    with pytest.raises(ValueError, match="seal"):
        file.forget_messages()
    for number in range(3):
        survey(file, number)
    while file.seal(3):
        pass
    classes = np.zeros(3, np.int32)
    tables, late = file.metadata_tables(classes), file.metadata_tables(classes)
    while tables.advance(1):
        pass
    known = tables.columns()[3].tolist(), tables.stats(0, 10), tables.texts(0, 10)
    assert known[0] == [0, 1, 0]
    file.forget_messages()
    assert (tables.columns()[3].tolist(), tables.stats(0, 10), tables.texts(0, 10)) == known
    with pytest.raises(IndexError):
        late.advance(1)
