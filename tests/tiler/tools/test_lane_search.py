"""Search in slices of derived lanes, against the states of devices in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.device_trace import DeviceTrace, of_kind, without
from tests.examples import examples
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.lanes import DeviceStates, LaneSlices, device_states
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.tools import Answer, Scope, ask, from_values, search, tool, values_of

SPANS = st.tuples(st.integers(0, 620_000), st.integers(0, 620_000)).map(lambda span: (min(span), max(span)))
NAMES = ("Computation", "Exposed communication", "Exposed copies", "Idle")

Slice = tuple[str, int, int]  # name, start, duration


def answer_of(reader: QueryReader, name: str, **values: Any) -> Answer:
    return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values)))


def rows(answer: Answer, table: str, *ids: str) -> list[tuple[Any, ...]]:
    return list(zip(*(values_of(answer.table(table).column(name)) for name in ids), strict=True))


def lane_of(devices: DeviceTrace, device: int) -> str:
    table = rows(answer_of(devices.reader, "lanes", source="overlap"), "lanes", "lane", "track")
    (lane,) = (str(name) for name, track in table if track == devices.track(device, 7))
    return lane


def slices_of(devices: DeviceTrace, device: int) -> list[Slice]:
    work = devices.work(device)
    everything, compute = of_kind(work), of_kind(work, "computation")
    talk = without(of_kind(work, "communication"), compute)
    copies = without(without(of_kind(work, "copies"), compute), of_kind(work, "communication"))
    states = [compute, talk, copies, without([(everything[0][0], everything[-1][1])], everything)]
    return sorted(
        ((name, start, stop - start) for name, spans in zip(NAMES, states, strict=True) for start, stop in spans),
        key=lambda row: row[1],
    )


@given(
    device=st.sampled_from([0, 1]),
    span=SPANS,
    words=st.sampled_from(
        ["exposed", '"Idle"', "/^Comp|copies$/", "o dur>=30ns", "dur<0.4ns", "dur>10.5ns dur<=200ns"]
    ),
    limit=st.integers(0, 30),
    backward=st.booleans(),
)
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_slices_are_those_of_plain_python(
    devices: DeviceTrace, device: int, span: tuple[int, int], words: str, limit: int, backward: bool
) -> None:
    start, end = span
    tests: dict[str, Any] = {
        "exposed": lambda name, _: name.startswith("Exposed"),
        '"Idle"': lambda name, _: name == "Idle",
        "/^Comp|copies$/": lambda name, _: name in ("Computation", "Exposed copies"),
        "o dur>=30ns": lambda name, length: name != "Idle" and length >= 30,
        "dur<0.4ns": lambda *_: False,
        "dur>10.5ns dur<=200ns": lambda _, length: 11 <= length <= 200,
    }
    selected = [row for row in slices_of(devices, device) if tests[words](row[0], row[2])]
    matches = [row for row in selected if start <= row[1] < end]
    reaching = [(name, a, a + length) for name, a, length in selected if a < end and a + length > start]
    lane = lane_of(devices, device)
    answer = answer_of(
        devices.reader, "search", query=words, start=start, end=end, lanes=lane, limit=limit, backward=backward
    )
    expected = {
        (lane, name): (
            sum(other == name for other, *_ in matches),
            sum(min(b, end) - max(a, start) for other, a, b in reaching if other == name),
        )
        for name in {name for name, *_ in reaching}
    }
    table = rows(answer, "lane_names", "lane", "name", "count", "busy")
    assert {(where, name): (count, busy) for where, name, count, busy in table} == expected
    listed = matches[::-1][:limit] if backward else matches[:limit]
    assert rows(answer, "lane_slices", "name", "start", "duration") == listed
    without_lanes = answer_of(
        devices.reader, "search", query=words, start=start, end=end, limit=limit, backward=backward
    )
    assert answer.facts == without_lanes.facts, "slices of lanes are no events"


@pytest.mark.parametrize(("device", "first", "last"), [(0, 8, 8), (1, 8, 9), (1, 7, 10)])
def test_steps_are_those_of_the_device(devices: DeviceTrace, device: int, first: int, last: int) -> None:
    steps, track = f"{first}-{last}", devices.track(device, 7)
    question = from_values(tool("search").question, {"query": "o", "steps": steps})
    windows = finish(Scope(devices.reader).windows(question)).on_track(track)
    spans = list(zip(windows.starts.tolist(), windows.stops.tolist(), strict=True))
    lane, slices = lane_of(devices, device), slices_of(devices, device)
    answer = answer_of(devices.reader, "search", query="o", steps=steps, lanes=lane, limit=400)
    work = [row for row in slices if row[0] != "Idle"]
    matches = [row for row in work if any(a <= row[1] < b for a, b in spans)]
    expected = {
        name: (
            sum(other == name for other, *_ in matches),
            sum(
                max(min(start + length, b) - max(start, a), 0)
                for other, start, length in work
                for a, b in spans
                if other == name
            ),
        )
        for name in NAMES[:3]
    }
    table = rows(answer, "lane_names", "name", "count", "busy")
    assert {name: (count, length) for name, count, length in table} == expected
    assert rows(answer, "lane_slices", "name", "start", "duration") == matches[:400]


def test_a_view_from_a_border_of_pieces_counts_what_starts_in_it(devices: DeviceTrace) -> None:
    (device, _) = finish(devices_of(devices.reader))
    states = finish(device_states(devices.reader, device))
    lane, slices = lane_of(devices, 0), slices_of(devices, 0)
    length = 20_000  # longer than each slice: all are in bins
    across = 0
    for border in states.borders[1:-1].tolist():
        answer = answer_of(devices.reader, "lane_bins", lane=lane, start=border, end=border + length, bins=1)
        within = [name for name, start, _ in slices if border <= start < border + length]
        across += sum(start < border < start + ticks for _, start, ticks in slices)
        assert {name: count for name, count in rows(answer, "bins", "name", "count") if count} == Counter(within)
    assert across


@given(span=SPANS)
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_slices_are_whole_whatever_piece_they_begin_in(devices: DeviceTrace, span: tuple[int, int]) -> None:
    (device, _) = finish(devices_of(devices.reader))
    states = finish(device_states(devices.reader, device))
    slices, (start, stop) = slices_of(devices, 0), span
    pieces = [piece for piece in states.slices(devices.reader, start, stop) if piece is not None]
    ours = [
        (piece.names[name], a, b - a)
        for piece in pieces
        for name, a, b in zip(piece.name.tolist(), piece.start.tolist(), piece.stop.tolist(), strict=True)
    ]
    assert ours == [row for row in slices if row[1] < stop and row[1] + row[2] > start]


def test_a_long_state_is_followed_once(devices: DeviceTrace, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = QueryReader(devices.store)
    (device, _) = finish(devices_of(reader))
    name, start, length = max(slices_of(devices, 0), key=lambda row: row[2])
    borders = np.linspace(start - 5, start + length + 5, 101).astype(np.int64)
    counts = [0]
    kept_piece = DeviceStates._kept_piece

    def counted(self: DeviceStates, of_run: QueryReader, number: int) -> Any:
        counts[0] += 1
        return kept_piece(self, of_run, number)

    monkeypatch.setattr(DeviceStates, "_kept_piece", counted)
    for begin in (0, start + length // 2):
        counts[0] = 0
        parts = [part for part in DeviceStates(device, borders).slices(reader, begin, reader.end) if part is not None]
        rows_of_parts = [
            (part.names[state], a, b - a)
            for part in parts
            for state, a, b in zip(part.name.tolist(), part.start.tolist(), part.stop.tolist(), strict=True)
        ]
        assert [row for row in rows_of_parts if row[1] == start] == [(name, start, length)]
        assert counts[0] <= 4 * len(borders)


def test_a_list_ends_where_it_is_full_and_pages_of_events_have_none(
    devices: DeviceTrace, monkeypatch: pytest.MonkeyPatch
) -> None:
    lane, slices = lane_of(devices, 0), slices_of(devices, 0)
    monkeypatch.setattr(search, "MAX_LANE_HITS", 7)
    answer = answer_of(devices.reader, "search", query="o", lanes=lane, limit=8)
    assert len(rows(answer, "lane_slices", "name")) == 7
    assert [note.severity for note in answer.notes if "no more than 7 slices" in note.text] == ["info"]
    few = answer_of(devices.reader, "search", query="o", lanes=lane, limit=7)
    assert not few.notes
    page = answer_of(devices.reader, "search", query="o", lanes=lane, limit=7, after="9,0,0")
    assert "lane_slices" not in [table.id for table in page.tables]
    # The first hit alone, of the first piece alone.
    counts = [0]
    pieces = DeviceStates.slices

    def counted(self: DeviceStates, reader: QueryReader, start: int, stop: int) -> Iterator[LaneSlices | None]:
        for piece in pieces(self, reader, start, stop):
            counts[0] += piece is not None
            yield piece

    monkeypatch.setattr(DeviceStates, "slices", counted)
    first = answer_of(devices.reader, "search", query="o", lanes=lane, limit=1, totals=False)
    name, start, duration = next(row for row in slices if row[0] != "Idle")
    assert rows(first, "lane_slices", "name", "start", "duration") == [(name, start, duration)]
    assert "lane_names" not in [table.id for table in first.tables]
    assert counts == [1]
    answer_of(devices.reader, "search", query="o", lanes=lane, limit=1)
    assert counts[0] > 2


def test_a_lane_that_a_growing_run_lacks_is_left_out(devices: DeviceTrace, monkeypatch: pytest.MonkeyPatch) -> None:
    lane = lane_of(devices, 0)
    monkeypatch.setattr(type(devices.reader.store), "is_growing", True)
    answer = answer_of(devices.reader, "search", query="idle", lanes=f"{lane},overlap.9000", limit=0)
    assert {name for (name,) in rows(answer, "lane_names", "lane")} == {lane}
    assert not answer.is_complete
    assert [note.severity for note in answer.notes if "overlap.9000" in note.text] == ["info"]
    with pytest.raises(UsageError, match="there is no lane"):
        answer_of(devices.reader, "search", query="idle", lanes="stats.1", limit=0)


def test_terms_about_events_alone_select_no_slice(devices: DeviceTrace) -> None:
    lane = lane_of(devices, 0)
    for words, count in {
        "idle cat:kernel": 0,
        "idle arg:stream=7": 0,
        'idle track:"thread 8"': 0,
        'idle track:"thread 7" process:"GPU 0"': 1,
    }.items():
        answer = answer_of(devices.reader, "search", query=words, lanes=lane, limit=0)
        assert len(rows(answer, "lane_names", "name")) == count, words
    queue = rows(answer_of(devices.reader, "lanes", source="queues"), "lanes", "lane")[0][0]
    assert not rows(answer_of(devices.reader, "search", query="a", lanes=queue), "lane_names", "name")
    with pytest.raises(UsageError, match="there is no lane"):
        answer_of(devices.reader, "search", query="a", lanes="overlap.x")
