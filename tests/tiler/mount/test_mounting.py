"""Mounting: what is kept opens as what is merged anew, shards are opened lazily, and what is missing is named."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs, to_builtins

from tests.pods import threads, write_pod
from tilescope.tiler.errors import DamagedStore, NoStore
from tilescope.tiler.mount import MountedStore, check_merge, is_outdated, keep_merge, mounting, open_run
from tilescope.tiler.mount.in_time import InTime
from tilescope.tiler.mount.shard_place import read_places
from tilescope.tiler.mount.shard_store import ShardHandles, ShardStore
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.records.overview import OVERVIEW
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.shards.folder import MERGED, shard_path
from tilescope.tiler.shards.sharded_run import ShardedRun
from tilescope.tiler.store.generation import current
from tilescope.tiler.tools import Answer, Scope, answer_json, ask, from_text, tool, values_of

HOSTS = 3


class Run:
    """A run of shards whose merge is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "run"
        files = write_pod(folder / "pod", HOSTS, events=300)
        self.shards = build_shards(files, self.folder, threads, progress=lambda _: None)
        keep_merge(self.folder, self.shards)

    def store(self, host: int) -> Path:
        """The folder of a shard."""
        return shard_path(self.folder, self.shards.shards[host].name)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def answer_of(folder: Path, id: str, **values: str) -> Answer:
    with closing(open_run(folder)) as store:
        chosen = tool(id)
        return finish(ask(chosen, Scope(QueryReader(store)), from_text(chosen.question, values)))


def overview(folder: Path) -> Answer:
    return answer_of(folder, "overview")


def test_what_is_kept_is_what_is_merged(run: Run) -> None:
    with closing(open_run(run.folder)) as kept:
        (run.folder / MERGED).unlink()
        with closing(open_run(run.folder)) as merged:
            assert kept.build == merged.build
            assert kept.manifest() == merged.manifest()
            assert kept.internals() == merged.internals()
            assert list(kept.records()) == list(merged.records())


def test_a_first_picture_opens_no_shard(run: Run) -> None:
    with closing(open_run(run.folder)) as store:
        for host in range(HOSTS):
            (current(run.store(host)) / "data.mdb").rename(run.store(host) / "aside")
        assert store.manifest()["hosts"]
        assert store.get(TRACKS) is not None
        assert store.get(OVERVIEW, 0) is not None
        with pytest.raises(NoStore):
            store.get(SHAPE, 0)


@pytest.mark.parametrize("content", [b"", b"TSARC", b"\0" * 4096])
def test_a_kept_merge_that_is_damaged_is_made_anew(run: Run, content: bytes) -> None:
    with closing(open_run(run.folder)) as store:
        manifest = store.manifest()
    (run.folder / MERGED).write_bytes(content)
    with closing(open_run(run.folder)) as store:
        assert store.manifest() == manifest


def _remove(run: Run) -> None:
    shutil.rmtree(run.store(1))


def _cut(run: Run) -> None:
    file = current(run.store(1)) / "data.mdb"
    file.write_bytes(file.read_bytes()[:5000])


def _empty(run: Run) -> None:
    (current(run.store(1)) / "data.mdb").write_bytes(b"")


@pytest.mark.parametrize("harm", [_remove, _cut, _empty])
def test_a_missing_shard_stays_in_the_run(run: Run, harm: Any) -> None:
    with closing(open_run(run.folder)) as store:
        before = QueryReader(store).tree
        complete = store.manifest()
    harm(run)
    with closing(open_run(run.folder)) as store:
        manifest, reader = store.manifest(), QueryReader(store)
        groups = json.loads(_tree(store))["groups"]
        assert [missing["name"] for missing in manifest["missing"]] == ["synthetic (2)"]
        assert manifest["missing"][0]["reason"]
        assert manifest["hosts"] == ["synthetic", "synthetic (3)"]
        assert manifest["build"] != complete["build"]
        (group,) = [group for group in groups if "missing" in group]
        assert (group["name"], group["missing"]) == ("synthetic (2)", manifest["missing"][0]["reason"])
        # Tracks of the others have the numbers that they had.
        assert len(reader.tree.tracks) == len(before.tracks)
        third = [track for track in before.tracks if track.id >= 4 * 32]
        assert [(track.id, track.name, track.events) for track in reader.tree.tracks[4 * 32 :]] == [
            (track.id, track.name, track.events) for track in third
        ]
        assert store.get(SHAPE, 2) is None
        assert list(store.scan(PAGE, 2)) == []
        assert store.get(SHAPE, 4) is not None


def _tree(store: Any) -> bytes:
    from tilescope.tiler.pages import decompress

    return decompress(store.get(TRACKS))


def test_answers_name_who_is_missing(run: Run) -> None:
    assert overview(run.folder).is_complete
    _remove(run)
    answer = overview(run.folder)
    assert not answer.is_complete
    assert not answer.is_growing
    assert list(answer.missing) == ["synthetic (2)"]
    assert any("without synthetic (2)" in note.text for note in answer.notes)
    assert answer_json.decode(answer_json.encode(answer)).missing == ("synthetic (2)",)


def test_a_heat_map_has_the_hosts_that_are_there(run: Run) -> None:
    def busy() -> dict[str, Any]:
        answer = answer_of(run.folder, "heat_map", level="host", counted="tracks")
        columns = {column.id: values_of(column) for column in answer.table("rows").columns}
        return dict(zip(map(str, columns["name"]), columns["busy"], strict=True))

    complete = busy()
    assert list(complete) == ["synthetic", "synthetic (2)", "synthetic (3)"]
    _remove(run)
    del complete["synthetic (2)"]
    assert busy() == complete


def test_a_shard_that_comes_back_is_there_again(run: Run) -> None:
    run.store(1).rename(run.folder.parent / "aside")
    with closing(open_run(run.folder)) as store:
        assert store.manifest()["missing"]
    (run.folder.parent / "aside").rename(run.store(1))
    assert overview(run.folder).is_complete


def test_damage_within_a_shard_is_named_when_it_is_read(run: Run) -> None:
    file = current(run.store(1)) / "data.mdb"
    content = file.read_bytes()
    file.write_bytes(b"\xff" * len(content))
    with closing(open_run(run.folder)) as store, pytest.raises(DamagedStore, match=run.shards.shards[1].name):
        list(store.scan(PAGE, 2))


def test_few_shards_are_open_at_a_time(run: Run) -> None:
    handles = ShardHandles(2)
    stores = [ShardStore.published(run.store(host), handles) for host in range(HOSTS)]
    assert len(handles) == 2
    wanted = [list(store.records()) for store in stores]

    def read(number: int) -> bool:
        host = number % HOSTS
        return list(stores[host].records()) == wanted[host] and stores[host].get(SHAPE, 0) is not None

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(60)))
    assert len(handles) == 2
    scan = stores[0].scan(PAGE)
    next(scan)
    for store in stores[1:] * 2:
        store.manifest()
    assert len(list(scan)) == sum(1 for _ in stores[0].scan(PAGE)) - 1
    handles.close()
    assert len(handles) == 0


def test_what_takes_too_long_is_not_waited_for() -> None:
    gate = threading.Event()

    def work(number: int) -> int:
        if number == 1:
            gate.wait()
        return number * number

    both = InTime(work, [0, 1, 2], 0.2)
    assert both.results == {0: 0, 2: 4}
    assert not both.is_late_done()
    gate.set()
    _until(both.is_late_done)
    assert not InTime(work, [], 0.0).is_late_done()
    with pytest.raises(ZeroDivisionError):
        InTime(lambda number: 1 // number, [0], 5.0)


def _until(condition: Any) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A disk on which the second shard cannot be read until the event is set."""
    gate, read = threading.Event(), mounting._read

    def slow(path: Path, axis: str, handles: Any, places: Any, shard: Any) -> Any:
        if shard.files[0].endswith("host1.xplane.pb"):
            gate.wait()
        return read(path, axis, handles, places, shard)

    monkeypatch.setattr(mounting, "_read", slow)
    yield gate
    gate.set()


def test_a_late_shard_fills_in(run: Run, slow_disk: threading.Event) -> None:
    (run.folder / MERGED).unlink()
    with closing(open_run(run.folder, wait_seconds=1.0)) as store:
        (missing,) = store.manifest()["missing"]
        assert missing == {"name": "host1.xplane.pb", "reason": "it could not be opened within 1 s"}
        assert not is_outdated(store)
        slow_disk.set()
        _until(lambda: is_outdated(store))
    with closing(open_run(run.folder)) as store:
        assert store.manifest()["missing"] == []
        assert isinstance(store, MountedStore)
        assert not is_outdated(store)


def test_a_merge_of_another_run_is_not_taken(run: Run) -> None:
    other: ShardedRun = structs.replace(run.shards, id="0" * 24, notes=["another"])
    (run.folder / "run.json").write_text(
        json.dumps({**json.loads((run.folder / "run.json").read_text()), "id": other.id, "notes": ["another"]})
    )
    with closing(open_run(run.folder)) as store:
        assert "another" in store.manifest()["warnings"]


def test_places_that_make_no_sense_are_not_taken(run: Run) -> None:
    with closing(open_run(run.folder)) as store:
        internals = store.internals()
    places = read_places(internals)
    harmed: list[dict[str, Any]] = [
        {"blocks": 1 << 40},
        {"blocks": -1},
        {"bases": structs.replace(places[0].bases, block=-1)},
        {"bases": structs.replace(places[0].bases, file=1 << 40)},
    ]
    for members in harmed:
        shards = to_builtins([structs.replace(places[0], **members), *places[1:]])
        with pytest.raises(ValueError, match="does not lie before the next one"):
            read_places({**internals, "shards": shards})


def test_a_missing_shard_without_known_numbers_is_another_build(run: Run) -> None:
    _remove(run)
    with closing(open_run(run.folder)) as store:
        build = store.build
    (run.folder / MERGED).unlink()
    with closing(open_run(run.folder)) as store:
        assert store.build != build


def test_a_merge_that_is_damaged_is_no_proof(run: Run) -> None:
    assert check_merge(run.folder, run.shards)
    (run.folder / MERGED).write_bytes(b"")
    with pytest.raises(DamagedStore, match=r"merged\.tsarc: is damaged"):
        check_merge(run.folder, run.shards)
    (run.folder / MERGED).unlink()
    assert check_merge(run.folder, run.shards) is None


def test_a_disk_that_hangs_does_not_hold_a_run_that_is_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    monkeypatch.setattr(mounting, "_is_as_kept", lambda path, place: gate.wait())
    with closing(open_run(run.folder, wait_seconds=0.5)) as store:
        assert len(store.manifest()["hosts"]) == HOSTS
        assert isinstance(store, MountedStore)
    gate.set()


def test_a_failure_lets_nothing_more_begin() -> None:
    begun: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        time.sleep(0.01)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        InTime(work, range(1000), None)
    assert len(begun) < 500
