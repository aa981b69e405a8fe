"""Async ends in other processes: paired by time, whatever the order of the file; against a plain reference."""

from __future__ import annotations

import json
import random
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.readers.trace_event.trace_event_file import source_of
from tilescope.tiler.columns import EventFlag, TrackKind
from tilescope.tiler.details.json_args import decode
from tilescope.tiler.errors import TooMany
from tilescope.tiler.indexing.reading import async_ends
from tilescope.tiler.indexing.reading.async_ends import move_async_ends
from tilescope.tiler.indexing.reading.gather import Gatherer
from tilescope.tiler.indexing.reading.timed import FileAxis
from tilescope.tiler.indexing.reading.timeline import Timeline
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.layout import lay_out
from tilescope.tiler.indexing.tracks.track_data import make_slices
from tilescope.tiler.readers.trace_event import TraceEventReader

END_NS = 10**9


class Slice(NamedTuple):
    process: str
    category: str
    start: int
    end: int | None  # None: it is open
    begun_by: object  # numbers of the events, in their arguments
    ended_by: object


def indexed(events: list[dict[str, Any]]) -> tuple[list[Slice], int, list[tuple[str, str]]]:
    """The slices, how many ends are alone, and the tracks that are shown, as (process, category)."""
    reader = TraceEventReader(source_of(json.dumps(events).encode()))
    gathered = Gatherer()
    for chunk in reader.chunks():
        gathered.add(chunk)
    summary = reader.summary()
    move_async_ends(gathered, summary)
    placed = lay_out([summary], lambda _, track: gathered.rows_of(track)).tracks
    shown = [(track.group, track.name) for track in placed if track.kind == TrackKind.ASYNC]
    assert len(shown) == len(set(shown))
    names = np.append(np.arange(len(summary.names), dtype=np.int32), np.int32(-1))
    axis = FileAxis(Timeline(0, 1000, END_NS, False), 0, names)
    found, alone = [], 0
    for number, track in enumerate(summary.tracks):
        taken = gathered.take(number, axis, Scratch())
        if taken is None:
            continue
        made = make_slices(taken, END_NS, Scratch())
        alone += made.malformed.ends_without_begin
        data = made.data
        stops = data.args_end.tolist()
        for k in range(len(data)):
            args = [value for name, value in decode(data.args[([0, *stops])[k] : stops[k]].tobytes()) if name == "n"]
            is_open = bool(data.flags[k] & EventFlag.OPEN)
            end = None if is_open else int(data.start[k] + data.duration[k])
            process = summary.processes[track.process].name
            found.append(Slice(process, track.name, int(data.start[k]), end, args[0], None if is_open else args[-1]))
    return sorted(found, key=repr), alone, sorted((summary.processes[0].name, name) for _, name in shown)


def reference(events: list[dict[str, Any]]) -> tuple[list[Slice], int]:
    """The rules of docs/formats.md, for events of different times and of one name."""
    open_of: dict[tuple[Any, ...], dict[int, list[dict[str, Any]]]] = {}
    slices, alone = [], 0
    for event in sorted(events, key=lambda event: event["ts"]):
        identity = ("legacy" if event["ph"] in "SF" else "nestable", event["cat"], event["id"])
        of = open_of.setdefault(identity, {})
        own = event["pid"]
        if event["ph"] in "bS":
            of.setdefault(own, []).append(event)
            continue
        # Last in `last` is what began last; a process counts from its last begin on, even if that has ended.
        waiting = [pid for pid, stack in of.items() if stack]
        if not waiting:
            alone += 1
            continue
        pid = own if of.get(own) else max(waiting, key=lambda pid: last_begin(events, identity, pid, event["ts"]))
        begin = of[pid].pop()
        slices.append(made(begin, event))
    for of in open_of.values():
        slices += [made(begin, None) for stack in of.values() for begin in stack]
    return sorted(slices, key=repr), alone


def last_begin(events: list[dict[str, Any]], identity: tuple[Any, ...], pid: int, before: int) -> int:
    begun: list[int] = [
        e["ts"]
        for e in events
        if e["ph"] in "bS"
        and ("legacy" if e["ph"] == "S" else "nestable", e["cat"], e["id"]) == identity
        and e["pid"] == pid
        and e["ts"] < before
    ]
    return max(begun)


def made(begin: dict[str, Any], end: dict[str, Any] | None) -> Slice:
    return Slice(
        f"Process {begin['pid']}",
        begin["cat"],
        begin["ts"] * 1000,
        None if end is None else end["ts"] * 1000,
        begin["args"]["n"],
        None if end is None else end["args"]["n"],
    )


EVENT = st.tuples(st.sampled_from("beSFbe"), st.integers(1, 3), st.integers(1, 2), st.sampled_from(["k", "l"]))


@given(st.lists(EVENT, max_size=24), st.randoms(use_true_random=False))
def test_the_order_in_the_file_changes_nothing(drawn: list[tuple[str, int, int, str]], rng: random.Random) -> None:
    events = [
        {"ph": ph, "pid": pid, "tid": 1, "id": key, "cat": cat, "name": "a", "ts": ts, "args": {"n": ts}}
        for ts, (ph, pid, key, cat) in enumerate(drawn)
    ]
    expected = reference(events)
    for _ in range(3):
        assert indexed(events)[:2] == expected
        rng.shuffle(events)


def async_event(ph: str, pid: int, ts: int, **more: Any) -> dict[str, Any]:
    return {"ph": ph, "id": "1", "cat": "x", "name": "a", "pid": pid, "tid": pid, "ts": ts, "args": {"n": ts}} | more


@pytest.mark.parametrize(("begin", "end"), [("S", "F"), ("b", "e")])
def test_an_end_that_stands_before_its_begin(begin: str, end: str) -> None:
    events = [async_event(end, 2, 20), async_event(begin, 1, 10)]
    one = [Slice("Process 1", "x", 10_000, 20_000, 10, 20)]
    for order in (events, events[::-1]):
        found, alone, shown = indexed(order)
        assert (found, alone, len(shown)) == (one, 0, 1)


def test_the_rule_for_equal_times() -> None:
    # In its own process an end that stands before the begin of its time is alone; that of another process comes behind.
    begin, own, other = async_event("b", 1, 5), async_event("e", 1, 5), async_event("e", 2, 5)
    assert indexed([own, begin])[1] == 1
    for order in ([begin, other], [other, begin]):
        assert indexed(order)[:2] == ([Slice("Process 1", "x", 5000, 5000, 5, 5)], 0)
    assert indexed([begin, own, other])[1] == indexed([other, begin, own])[1] == 1


def test_local_ids_stay_in_their_process() -> None:
    local = {"id2": {"local": "1"}}
    events = [async_event("e", 2, 20, **local), async_event("b", 1, 10, **local)]
    for event in events:
        del event["id"]
    assert indexed(events)[1] == 1


def test_an_id_of_many_processes() -> None:
    n = 4_000
    events = [async_event("b", k, k) for k in range(n)] + [async_event("e", n + 1, n + k) for k in range(n)]
    found, alone, _ = indexed(events)
    assert (len(found), alone) == (n, 0)
    assert all(one.end is not None and one.start // 1000 + one.end // 1000 == 2 * n - 1 for one in found)


def many_ends(ids: int, count: int) -> list[dict[str, Any]]:
    """Begins and ends all over three processes."""
    rng = random.Random(3)
    return [async_event(rng.choice("be"), rng.randint(1, 3), ts, id=rng.randrange(ids)) for ts in range(count)]


def test_ids_that_are_looked_at_in_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    events = many_ends(200, 2000)
    whole = indexed(events)
    assert any(s.ended_by for s in whole[0])
    monkeypatch.setattr(async_ends, "SHARED_ASYNC_BYTES", (1 << 62) // 400)
    assert indexed(events) == whole == (*reference(events), whole[2])


def test_an_id_that_there_is_no_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(async_ends, "SHARED_ASYNC_BYTES", (1 << 62) // 400)
    with pytest.raises(TooMany, match="ids of async slices in several processes, more than 400 times"):
        indexed(many_ends(1, 1000))
