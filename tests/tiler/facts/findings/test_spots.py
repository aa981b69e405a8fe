"""Places of findings in the timeline: a slice that the sentence names, on its track, within what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tilescope.tiler.facts.findings import Spot
from tilescope.tiler.facts.findings.where import SEPARATOR
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import QueryReader

# The innermost slice of the culprit's thread; of a copy, that on the device.
LAST, COPY = -1, 1


def is_named(reader: QueryReader, place: Spot, where: str, part: int) -> bool:
    """True if the event of a place is a part of the words, and lies in the time of the place."""
    assert place.ordinal is not None
    event = event_details(reader.store, place.track, place.ordinal)
    assert event is not None
    start, stop = int(event["start"]), int(event["start"]) + int(event["duration"])
    return where.split(SEPARATOR)[part] == event["name"] and start < place.stop and stop > place.start


@pytest.mark.parametrize(
    ("name", "part"),
    [("value_in_the_step", LAST), ("input_of_a_rank", LAST), ("drawn_charts", LAST), ("states_to_host", COPY)],
)
def test_the_named_slice_is_the_event(tmp_path: Path, name: str, part: int) -> None:
    with reading(write_ranks(run(PLANTED[name]), tmp_path), tmp_path) as reader:
        first = findings(reader).rows[0]
        assert first.place is not None, first
        assert is_named(reader, first.place, first.where, part), (first.where, first.place)
        assert first.place.event == f"{first.place.track}.{first.place.ordinal}"


def test_a_device_as_a_whole_is_no_event(tmp_path: Path) -> None:
    with reading(write_ranks(run(PLANTED["slow_device"]), tmp_path), tmp_path) as reader:
        rows = findings(reader).rows
        assert rows[0].place is not None, text(rows)
        assert rows[0].place.event is None


def test_the_named_slice_of_a_real_trace_is_the_event(tmp_path: Path) -> None:
    with reading([corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz")], tmp_path) as reader:
        first = findings(reader).rows[0]
        assert first.place is not None
        assert is_named(reader, first.place, first.where, LAST), (first.where, first.place)
