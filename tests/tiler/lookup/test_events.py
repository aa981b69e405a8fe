"""One event with all that a store has of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.run_store import RunStore, open_run_store
from tilescope.tiler.store.store import need

EVENTS = busy_events(4)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    build_store([write_trace(folder / "trace.json", EVENTS)], folder / "store")
    return folder / "store"


@pytest.fixture
def store(path: Path) -> Iterator[RunStore]:
    store = open_run_store(path)
    yield store
    store.close()


def tracks(store: RunStore) -> list[dict[str, object]]:
    tree: dict[str, list[dict[str, object]]] = json.loads(decompress(need(store, TRACKS)))
    return tree["tracks"]


def test_every_slice_is_that_of_the_file(store: RunStore) -> None:
    for track in tracks(store):
        if track["kind"] != "slice":
            continue
        tid = int(str(track["name"]).removeprefix("Thread "))
        written = [e for e in EVENTS if e["ph"] == "X" and e["tid"] == tid]
        written.sort(key=lambda e: (e["ts"], -e["dur"]))
        assert track["events"] == str(len(written))
        for ordinal in range(0, len(written), 37):
            event = event_details(store, int(str(track["id"])), ordinal)
            assert event is not None
            assert event["name"] == written[ordinal]["name"]
            assert event["start"] == str(written[ordinal]["ts"] * 1000)
            assert event["duration"] == str(written[ordinal]["dur"] * 1000)
            number = written[ordinal].get("args", {}).get("number")
            assert event["args"] == ([] if number is None else [{"name": "number", "value": number}])


def test_samples_and_instants(store: RunStore) -> None:
    kinds = {str(track["kind"]): int(str(track["id"])) for track in tracks(store)}
    samples = sorted((e for e in EVENTS if e["ph"] == "C"), key=lambda e: int(e["ts"]))
    event = event_details(store, kinds["counter"], 700)
    assert event is not None
    assert (event["kind"], event["value"]) == ("counter", samples[700]["args"]["bytes"])
    event = event_details(store, kinds["instant"], 3)
    assert event is not None
    assert event["name"].startswith("mark")


def test_events_that_there_are_not(store: RunStore) -> None:
    rollup = [track["kind"] for track in store.internals()["tracks"]].index("rollup")
    for track, ordinal in ((-1, 0), (99, 0), (1, -1), (1, 10**9), (rollup, 0)):
        assert event_details(store, track, ordinal) is None


def test_a_damaged_page_is_an_error_not_a_wrong_answer(path: Path, tmp_path: Path) -> None:
    altered = AlteredStore.copy_of(path, tmp_path / "store")
    altered.put({PAGE.key(*key[:4]): page[:100] + b"\x00" + page[101:] for key, page in altered.pages().items()})
    store = open_run_store(altered.path)
    with pytest.raises(DamagedStore):
        event_details(store, 1, 5)
    store.close()


def test_arguments_are_as_the_file_has_them_where_every_client_can_read_them(tmp_path: Path) -> None:
    args = '{"small":[1,-2],"text":"1","edge":9007199254740991,"large":9007199254740992,"deep":{"n":-9007199254740993}}'
    path = tmp_path / "trace.json"
    path.write_text(f'[{{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1,"args":{args}}}]')
    build_store([path], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    event = event_details(store, 0, 0)
    store.close()
    assert event is not None
    assert {arg["name"]: arg["value"] for arg in event["args"]} == {
        "small": [1, -2],
        "text": "1",
        "edge": 9007199254740991,
        "large": "9007199254740992",
        "deep": {"n": "-9007199254740993"},
    }
