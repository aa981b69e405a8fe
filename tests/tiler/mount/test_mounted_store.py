"""A mounted run answers as one that was indexed in one piece."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.hlo_protos import hlo_plane, small_program
from tests.memory_trace import random_plane
from tests.pods import threads, write_pod
from tests.tiler.mount.placed_answers import answered_alike, places
from tests.tpu_trace import random_core, random_gpu, write_trace
from tilescope.tiler.errors import DamagedStore, NoStore, StoreError, StoreVersion
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.tiles import page_content
from tilescope.tiler.mount import is_run, keep_merge, open_run, open_run_build
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.catalogue import RECORDS, record_of
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.shards.folder import shard_path
from tilescope.tiler.shards.sharded_run import ShardedRun
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.attachments import attachments_of, content
from tilescope.tiler.verify import verify_store

HOSTS = 3

# Of the manifest: how a run is laid out and stored.
OF_THE_STORE = frozenset({"build", "tracks", "blocks", "created_ns", "store_bytes"})


def _tpu_pod(folder: Path) -> list[Path]:
    folder.mkdir()
    files = []
    for host in range(HOSTS):
        planes = [random_plane(random.Random(7 + host), 100)]
        planes += [random_core(random.Random(7 * host + core), core) for core in range(2)]
        planes += [random_gpu(random.Random(host), 0), hlo_plane({"jit_f(7)": small_program()})]
        files.append(write_trace(folder / f"host{host}.xplane.pb", planes))
    return files


class Both:
    """The same files, in one piece and as shards."""

    def __init__(self, folder: Path, files: list[Path]) -> None:
        self.folder = folder / "run"
        self.run = build_shards(files, self.folder, threads, progress=lambda _: None)
        build_store(files, folder / "whole")
        self.whole = QueryReader(open_run(folder / "whole"))
        keep_merge(self.folder, self.run)
        self.mounted = QueryReader(open_run(self.folder))


@pytest.fixture(scope="module", params=["synthetic", "tpu"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp(request.param)
    files = write_pod(folder / "pod", HOSTS, events=400) if request.param == "synthetic" else _tpu_pod(folder / "pod")
    pair = Both(folder, files)
    with closing(pair.whole.store), closing(pair.mounted.store):
        yield pair


def test_the_manifest(both: Both) -> None:
    whole, mounted = both.whole.store.manifest(), both.mounted.store.manifest()
    assert whole.keys() == mounted.keys()
    assert {name: value for name, value in whole.items() if name not in OF_THE_STORE} == {
        name: value for name, value in mounted.items() if name not in OF_THE_STORE
    }


def test_vacant_tracks_are_not_counted(both: Both) -> None:
    counts = []
    for shard in both.run.shards:
        with closing(open_run_store(shard_path(both.folder, shard.name))) as store:
            counts.append(store.manifest()["tracks"])
    assert both.mounted.store.manifest()["tracks"] == sum(counts) < len(both.mounted.tree.tracks)


def test_every_track_is_there_and_no_other(both: Both) -> None:
    whole, mounted = both.whole.tree, both.mounted.tree
    facts = [
        {
            (place, track.detail): (track.rows, track.events, track.busy, track.first, track.last, track.min, track.max)
            for track, place in zip(tree.tracks, places(reader).values(), strict=True)
            if track.events
        }
        for tree, reader in ((whole, both.whole), (mounted, both.mounted))
    ]
    run_rollup = {key: value for key, value in facts[0].items() if key not in facts[1]}
    assert [key[0] for key in run_rollup] == [f"{HOSTS} hosts / rollup"]
    assert facts[1].items() <= facts[0].items()
    vacant = [track for track in mounted.tracks if not track.events and track.name == ""]
    assert all(track.kind == "rollup" for track in vacant)
    assert not {group.rollup for group in mounted.groups} & {track.id for track in vacant}


def test_each_tool_answers_the_same(both: Both) -> None:
    assert answered_alike(both.whole, both.mounted, 1) > 30


@pytest.mark.parametrize("both", [pytest.param("synthetic", marks=pytest.mark.deep), "tpu"], indirect=True)
def test_all_questions_are_answered_the_same(both: Both) -> None:
    assert answered_alike(both.whole, both.mounted, None) > 500


def test_pages_pass_through(both: Both) -> None:
    stored: set[bytes] = set()
    for shard in both.run.shards:
        with closing(open_run(shard_path(both.folder, shard.name))) as store:
            stored.update(value for _, value in store.scan(PAGE))
    pages = list(both.mounted.store.scan(PAGE))
    assert {value for _, value in pages} == stored
    for numbers, _ in pages:
        assert page_content(both.mounted.store, PageKey(*numbers))


def test_records_are_in_order_and_found_one_by_one(both: Both) -> None:
    store = both.mounted.store
    keys = []
    for key, value in store.records():
        record = record_of(key)
        assert record is not None
        numbers = record.numbers_in(key)
        assert store.get(record, *numbers) == value
        if numbers:
            assert store.at_most(record, *numbers) == (numbers, value)
        keys.append(key)
    assert keys == sorted(set(keys))
    for record in RECORDS:
        everything = list(store.scan(record))
        for start in (1, TRACKS_PER_BLOCK + 1):
            if record.numbers:
                assert list(store.scan(record, start=start)) == [e for e in everything if e[0][0] >= start]


def test_attachments(both: Both) -> None:
    whole, mounted = (attachments_of(reader.store) for reader in (both.whole, both.mounted))
    assert whole == mounted
    for entry in whole:
        assert b"".join(content(both.whole.store, entry)) == b"".join(content(both.mounted.store, entry))


def test_a_flow_that_leaves_its_file_counts_as_in_one_piece(tmp_path: Path) -> None:
    files = []
    for host, phases in enumerate(("s", "fs", "f")):
        slices = [{"ph": "X", "pid": 1, "tid": 1, "ts": 10 * n, "dur": 5, "name": "work"} for n in range(2)]
        ends = [
            {"ph": phase, "bp": "e", "id": 7 + host - (phase == "f"), "pid": 1, "tid": 1, "ts": 10 * n, "name": "flow"}
            for n, phase in enumerate(phases)
        ]
        files.append(tmp_path / f"host{host}.trace.json")
        files[-1].write_text(json.dumps({"traceEvents": [*slices, *ends]}))
    both = Both(tmp_path, files)
    with closing(both.whole.store), closing(both.mounted.store):
        flows = both.whole.store.manifest()["flows"]
        assert both.mounted.store.manifest()["flows"] == flows
        assert (flows["starts_without_end"], flows["ends_without_start"], flows["edges"]) == ("2", "2", "0")


def test_each_shard_is_proven(both: Both) -> None:
    for shard in both.run.shards:
        verify_store(shard_path(both.folder, shard.name))


def build(tmp_path: Path, hosts: int = 2) -> tuple[Path, ShardedRun]:
    files = write_pod(tmp_path / "pod", hosts, events=500)
    return tmp_path / "run", build_shards(files, tmp_path / "run", threads, progress=lambda _: None)


def rewrite(folder: Path, **members: Any) -> None:
    path = folder / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def test_a_shard_that_is_missing_is_named(tmp_path: Path) -> None:
    folder, run = build(tmp_path)
    with closing(open_run(folder)) as store:
        complete = store.build
    shutil.rmtree(shard_path(folder, run.shards[0].name))
    with closing(open_run(folder)) as store:
        manifest = store.manifest()
        assert manifest["hosts"] == ["synthetic"]
        assert manifest["warnings"][0].startswith("host0.xplane.pb is missing: ")
        assert store.build != complete
    with pytest.raises(NoStore, match="there is no build"):
        open_run_build(folder, complete)


def test_a_shard_of_another_axis_is_left_out(tmp_path: Path) -> None:
    folder, run = build(tmp_path)
    store = shard_path(folder, run.shards[1].name)
    shutil.rmtree(store)
    build_store([Path(run.shards[1].files[0])], store)
    with closing(open_run(folder)) as mounted:
        assert "host1.xplane.pb is missing: " in mounted.manifest()["warnings"][0]
        assert "another time axis" in mounted.manifest()["warnings"][0]


def test_a_run_without_shards(tmp_path: Path) -> None:
    folder, _ = build(tmp_path)
    shutil.rmtree(folder / "shards")
    assert is_run(folder)
    with pytest.raises(StoreError, match="no shard of the run can be read: host0"):
        open_run(folder)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"store_version": 1}, "its shards are of store version 1, this is version"),
        (
            {"version": 3},
            r"run\.json: is of version 3, this reads version 2 \(index the run again: its shards are kept\)",
        ),
        ({"version": "2"}, r"run\.json: makes no sense: .*version"),
        ({"unknown": 1}, r"run\.json: makes no sense: .*unknown"),
        ({"axis": "../.."}, r"run\.json: makes no sense: .*axis"),
        ({"shards": [{"name": "../../../etc", "files": [], "state": "ready"}]}, r"makes no sense: .*shards.*name"),
        ({"shards": [{"name": "a" * 16, "files": [], "state": "ready"}] * 2}, "names shard a{16} more than once"),
        ({"shards": [{"name": "a" * 16, "files": [], "state": "ready"}] * 5000}, "makes no sense: .*4096"),
    ],
)
def test_a_run_file_that_makes_no_sense(tmp_path: Path, members: dict[str, Any], message: str) -> None:
    folder, _ = build(tmp_path, hosts=1)
    rewrite(folder, **members)
    with pytest.raises((DamagedStore, StoreVersion), match=message) as caught:
        open_run(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"[" * 100_000, b"\xff", b"null"])
def test_a_run_file_that_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(DamagedStore, match=r"run\.json: makes no sense"):
        open_run(tmp_path)


def test_a_run_file_of_a_gigabyte_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "run.json").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(DamagedStore, match="has more than 67,108,864 bytes"):
        open_run(tmp_path)
