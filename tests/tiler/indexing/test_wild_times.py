"""Wild times: what does not lie with the others is set aside, counted and named, and costs the others nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tiler.readers import wire_writer as w
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.run_store import RunStore, open_run_store
from tilescope.tiler.store.store import need
from tilescope.tiler.verify import verify_store

Json = dict[str, Any]

THREAD = {"pid": 1, "tid": 2}
HONEST: list[Json] = [
    THREAD | {"ph": "X", "ts": 1.0005, "dur": 2.000001, "name": "a", "args": {"k": 1}},
    THREAD | {"ph": "B", "ts": 4, "name": "b"},
    THREAD | {"ph": "E", "ts": 5, "name": "b"},
    THREAD | {"ph": "i", "ts": 4, "name": "i"},
    THREAD | {"ph": "C", "ts": 2, "name": "c", "args": {"x": 1, "y": 2}},
    THREAD | {"ph": "b", "ts": 2, "name": "q", "cat": "k", "id": 7},
    THREAD | {"ph": "e", "ts": 3, "name": "q", "cat": "k", "id": 7},
    THREAD | {"ph": "s", "ts": 1.5, "name": "f", "cat": "k", "id": 9},
    THREAD | {"ph": "f", "ts": 4.5, "name": "f", "cat": "k", "id": 9, "bp": "e"},
]
EVENTS_OF_HONEST = {"slices": 2, "instants": 1, "counter_samples": 1, "async_slices": 1, "flow_ends": 2}
EARLIEST, LATEST = "-9223372036854775.807", "9223372036854775.807"  # a float would be beyond


def files_of(tmp_path: Path, *files: list[Json] | bytes) -> list[Path]:
    paths = []
    for number, content in enumerate(files):
        path = tmp_path / (f"h{number}.xplane.pb" if isinstance(content, bytes) else f"h{number}.json")
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        paths.append(path)
    return paths


def index(tmp_path: Path, *files: list[Json] | bytes, name: str = "store") -> RunStore:
    build_store(files_of(tmp_path, *files), tmp_path / name)
    verify_store(tmp_path / name)
    return open_run_store(tmp_path / name)


def shown(store: RunStore) -> list[Json]:
    """All events by their tracks, with arguments and flows."""
    tracks = json.loads(decompress(need(store, TRACKS)))["tracks"]
    found = []
    for track in tracks:
        if track["kind"] != "rollup":
            for ordinal in range(int(track["events"])):
                event = event_details(store, track["id"], ordinal)
                assert event is not None
                found.append(
                    {
                        "on": track["name"].split(" #")[0],
                        **{k: v for k, v in event.items() if k not in ("track", "flows")},
                    }
                )
    return found


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(
    ("wild", "set_aside"),
    [
        ([{"ph": "X", "ts": LATEST, "name": "w"}], 1),
        ([{"ph": "X", "ts": EARLIEST, "dur": 1, "name": "w", "args": {"z": 1}}], 1),
        ([{"ph": "X", "ts": 2, "dur": 9e15, "name": "w"}], 1),
        ([{"ph": "i", "ts": LATEST, "name": "w"}, {"ph": "i", "ts": EARLIEST, "name": "w", "s": "p"}], 2),
        ([{"ph": "C", "ts": LATEST, "name": "c", "args": {"x": 5, "y": 6, "new": 7}}], 1),
        ([{"ph": "E", "ts": LATEST, "name": "w"}], 1),
        ([{"ph": "s", "ts": LATEST, "name": "w"}, {"ph": "f", "ts": EARLIEST, "name": "f", "cat": "k", "id": 9}], 2),
        ([{"ph": "e", "ts": LATEST, "name": "q", "cat": "k", "id": 7}], 1),
        ([{"ph": "X", "ts": 8e15, "dur": 1, "name": "w", "bind_id": 5, "flow_out": True}], 1),
        ([{"ph": "X", "ts": 1e14, "dur": 1, "name": "w"}], 1),  # three years: it would cost the picoseconds
        ([{"ph": "X", "ts": 2, "dur": 1e14, "name": "w"}], 1),
    ],
)
def test_the_others_are_as_if_it_were_not_there(tmp_path: Path, wild: list[Json], set_aside: int, first: bool) -> None:
    wild = [THREAD | event for event in wild]
    plain = index(tmp_path, HONEST, name="plain")
    store = index(tmp_path, wild + HONEST if first else HONEST + wild)
    about, expected = store.manifest(), plain.manifest()
    assert {key: about[key] for key in ("tick_ps", "origin_ns", "end", "flows")} == {
        key: expected[key] for key in ("tick_ps", "origin_ns", "end", "flows")
    }
    assert about["tick_ps"] == 1
    assert sorted(map(repr, shown(store))) == sorted(map(repr, shown(plain)))
    counts = {kind: int(count) for kind, count in about["events"].items()}
    assert counts == EVENTS_OF_HONEST | {"total": 9 + len(wild), "other": set_aside}
    assert about["ignored"] == {"outside_window": str(set_aside)}
    (warning,) = about["warnings"]
    assert warning.startswith(f"{set_aside} event{'s are' if set_aside > 1 else ' is'} set aside")
    assert "from 1,000 to 5,000 ns" in warning
    assert "Process 1 / " in warning
    for one in (plain, store):
        one.close()


def test_a_pair_that_leaves_the_window_is_open(tmp_path: Path) -> None:
    store = index(tmp_path, [*HONEST, THREAD | {"ph": "B", "ts": 4.5, "name": "p"}, THREAD | {"ph": "E", "ts": 9e15}])
    manifest = store.manifest()
    assert manifest["ignored"] == {"outside_window": "1"}
    assert any("no end" in warning for warning in manifest["warnings"])
    assert (manifest["end"], manifest["events"]["slices"]) == ("4000000", "3")
    store.close()


def test_a_file_whose_times_are_all_wild(tmp_path: Path) -> None:
    late = [event | {"ts": event["ts"] + 9e15} for event in HONEST[:4]]
    store = index(tmp_path, HONEST, late)
    manifest = store.manifest()
    assert (manifest["tick_ps"], manifest["ignored"]) == (1, {"outside_window": "4"})
    assert "h1.json: Process 1 / Thread 2 (3: at 9,000,000,000,000,00" in manifest["warnings"][0]
    store.close()


def test_hosts_a_year_apart_are_one_run(tmp_path: Path) -> None:
    late = [event | {"ts": event["ts"] + 3e13} for event in HONEST]
    store = index(tmp_path, HONEST, late)
    manifest = store.manifest()
    assert (manifest["tick_ps"], manifest["ignored"], manifest["events"]["slices"]) == (1000, {}, "4")
    assert any("picoseconds" in warning for warning in manifest["warnings"])
    store.close()


def xline(*events: bytes, timestamp_ns: int = 1000, name: str = "line") -> bytes:
    return w.message(3, w.data(2, name), w.number(3, timestamp_ns), *events)


def xevent(offset_ps: int, duration_ps: int, *stats: bytes) -> bytes:
    return w.message(4, w.number(1, 1), w.number(2, offset_ps), w.number(3, duration_ps), *stats)


def flow(number: int, *, out: bool) -> tuple[bytes, ...]:
    """The stats of a flow's start or end."""
    kinds = (1, 2) if out else (3, 4)
    return tuple(
        w.message(4, w.number(1, kind), w.number(3, value)) for kind, value in zip(kinds, (1, number), strict=True)
    )


STATS = tuple(w.stat_metadata(k, name) for k, name in enumerate(("_pt", "_p", "_ct", "_c"), 1))
LINE = (xevent(5, 7, *flow(8, out=True)), xevent(20, 1_000_001), xevent(40, 4, *flow(8, out=False)))


@pytest.mark.parametrize(
    ("lines", "set_aside"),
    [
        ([xline(*LINE, xevent(2**63 - 1, 5))], 1),
        ([xline(*LINE, xevent(30, 2**63 - 1, *flow(8, out=False)))], 1),
        ([xline(*LINE), xline(*LINE, timestamp_ns=2**62)], 3),
        ([xline(*LINE), xline(xevent(0, 0), xevent(2**63 - 1, 0), timestamp_ns=-(2**62))], 2),
        ([xline(xevent(-(2**63), 1, *flow(8, out=True)), *LINE)], 1),
    ],
)
def test_xspace(tmp_path: Path, lines: list[bytes], set_aside: int) -> None:
    def space(*of: bytes) -> bytes:
        return w.message(1, w.data(2, "p"), *of, *STATS, w.event_metadata(1, "n"))

    plain = index(tmp_path, space(xline(*LINE)), name="plain")
    store = index(tmp_path, space(*lines))
    about, expected = store.manifest(), plain.manifest()
    for key in ("tick_ps", "origin_ns", "end", "flows"):
        assert about[key] == expected[key], key
    assert shown(store) == shown(plain)
    assert about["ignored"] == {"outside_window": str(set_aside)}
    assert (about["events"]["slices"], about["events"]["other"]) == ("3", str(set_aside))
    assert "p / line" in about["warnings"][0]
    for one in (plain, store):
        one.close()
