"""Runs of shards that somebody else has written: what makes no sense costs its shard, and leads nowhere else."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.pods import threads, write_pod
from tests.remote.static_server import Behaviour, static_server
from tests.tiler.mount.test_mounted_store import rewrite
from tests.tiler.mount.test_own_axes import START_US, trace
from tests.tiler.mount.test_own_axes import build as build_traces
from tests.tiler.verify.altered_store import AlteredStore
from tests.tpu_trace import random_core, write_trace
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.mount import keep_merge, open_run
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.shards.folder import shard_path
from tilescope.tiler.store.clocks import clock_shifts
from tilescope.tiler.tools import Scope, ask, from_text, tool


def build(tmp_path: Path, hosts: int = 2) -> list[Path]:
    """The stores of the shards of `run`, whose merge is not kept."""
    run = build_shards(
        write_pod(tmp_path / "pod", hosts, events=300), tmp_path / "run", threads, progress=lambda _: None
    )
    return [shard_path(tmp_path / "run", shard.name) for shard in run.shards]


def alter_manifest(store: Path, change: Callable[[dict[str, Any]], object]) -> None:
    altered = AlteredStore(store)
    key = MANIFEST.key()
    manifest = json.loads(decompress(altered.records(key)[key]))
    change(manifest)
    altered.put({key: compress(json.dumps(manifest).encode())})


def names_who_is_missing(folder: Path, reason: str) -> None:
    """Asserts that the second shard is missing for this reason, and that all else is there and is answered."""
    with closing(open_run(folder)) as store:
        manifest = store.manifest()
        assert len(manifest["hosts"]) == 1
        (missing,) = manifest["missing"]
        assert reason in missing["reason"]
        assert "\n" not in missing["reason"]
        chosen = tool("stats")
        answer = finish(ask(chosen, Scope(QueryReader(store)), from_text(chosen.question, {})))
    assert list(answer.missing) == [missing["name"]]
    assert answer.table("names").columns


PUBLIC_FAULTS: dict[str, Any] = {
    "tick_ps": "1000",
    "root_level": None,
    "end": 5,
    "events": {},
    "hosts": "vm",
    "outliers": {"start": "0"},
    "blocks": -1,
    "warnings": [5],
}


@pytest.mark.parametrize("member", PUBLIC_FAULTS)
def test_a_manifest_that_makes_no_sense_costs_its_shard(tmp_path: Path, member: str) -> None:
    stores = build(tmp_path)
    alter_manifest(stores[1], lambda manifest: manifest["public"].update({member: PUBLIC_FAULTS[member]}))
    names_who_is_missing(tmp_path / "run", "a record is invalid")


@pytest.mark.parametrize("member", ["tick_ps", "end", "names", "warnings"])
def test_a_manifest_that_lacks_something_costs_its_shard(tmp_path: Path, member: str) -> None:
    stores = build(tmp_path)
    alter_manifest(stores[1], lambda manifest: manifest["public"].pop(member))
    names_who_is_missing(tmp_path / "run", "a record is invalid")


@pytest.mark.parametrize(("member", "values"), [("tick_ps", (1, 1000)), ("root_level", (3, 4))])
def test_other_ticks_and_tiles_cost_a_shard(tmp_path: Path, member: str, values: tuple[int, int]) -> None:
    def harm(manifest: dict[str, Any]) -> None:
        public = manifest["public"]
        public[member] = next(value for value in values if value != public[member])

    stores = build(tmp_path)
    alter_manifest(stores[1], harm)
    names_who_is_missing(tmp_path / "run", "its ticks or tiles are not those of the run")


@pytest.mark.parametrize("version", [1, 999])
def test_a_shard_of_another_version_is_missing(tmp_path: Path, version: int) -> None:
    stores = build(tmp_path)
    alter_manifest(stores[1], lambda manifest: manifest.update(version=version))
    names_who_is_missing(tmp_path / "run", f"written as store version {version}, this is version")


def test_a_shard_that_is_something_else_is_missing(tmp_path: Path) -> None:
    stores = build(tmp_path)
    shutil.rmtree(stores[1])
    stores[1].write_bytes(b"neither a store nor an archive")
    names_who_is_missing(tmp_path / "run", stores[1].name)


def test_no_address_in_a_run_is_asked(tmp_path: Path) -> None:
    """Files of shards are names for people: what is read lies below the folder of the run."""
    build(tmp_path)
    behaviour = Behaviour({"/trace": b"secret"})
    with static_server(behaviour) as origin:
        run_file = tmp_path / "run" / "run.json"
        shards = json.loads(run_file.read_text())["shards"]
        files = [f"{origin}/trace", "/etc/passwd", "s3://bucket/trace", "../../outside"]
        rewrite(tmp_path / "run", shards=[shard | {"files": files} for shard in shards])
        names = [f"{origin}/trace", "../other", "/etc", ".", "a" * 15, "A" * 16]
        with closing(open_run(tmp_path / "run")) as store:
            assert len(store.manifest()["hosts"]) == 2
        for name in names:
            rewrite(tmp_path / "run", shards=[shards[0] | {"name": name}])
            with pytest.raises(DamagedStore, match=r"run\.json: makes no sense"):
                open_run(tmp_path / "run")
    assert behaviour.requests == []


OWN_FAULTS: dict[str, Any] = {
    "an unknown member": {"address": "http://127.0.0.1/"},
    "a time that is none": {"away_ns": "1e9"},
    "a time of 21 digits": {"away_ns": "1" * 21},
    "a number": {"shift_ps": 5},
    "an end before the run": {"end": "-1"},
    "no rounding": {"rounds": "yes"},
}


@pytest.mark.parametrize("fault", OWN_FAULTS)
def test_an_axis_of_its_own_that_makes_no_sense(tmp_path: Path, fault: str) -> None:
    entries = _with_own_axis(tmp_path)
    entries[1]["own"] |= OWN_FAULTS[fault]
    rewrite(tmp_path / "run", shards=entries, id="1" * 24)
    with pytest.raises(DamagedStore, match=r"run\.json: makes no sense: .*own") as caught:
        open_run(tmp_path / "run")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_shift_by_more_than_a_run_is_long_costs_its_shard(tmp_path: Path, sign: str) -> None:
    entries = _with_own_axis(tmp_path)
    entries[1]["own"]["shift_ps"] = f"{sign}99999999999999999999"
    entries[1]["own"]["away_ns"] = f"{sign}99999999999999999999"
    rewrite(tmp_path / "run", shards=entries, id="1" * 24)
    names_who_is_missing(tmp_path / "run", "its run shifts it by more than a run is long")


def test_shifts_of_an_archive_that_make_no_sense(tmp_path: Path) -> None:
    store, _ = build(tmp_path)
    for shift in (str(1 << 63), "1e9", "9" * 5000, 5, None):
        shifts = {"shifts": [{"host": "synthetic", "shift": shift, "origin": "by_hand"}]}
        alter_manifest(store, lambda manifest, shifts=shifts: manifest["public"].update(shifts))  # type: ignore[misc]
        with pytest.raises(DamagedStore, match="a record is invalid"), closing(open_run(store)) as opened:
            clock_shifts(store, opened.manifest())


def test_hosts_of_equal_names_stay_apart(tmp_path: Path) -> None:
    files = []
    for number, name in enumerate(("vm", "vm", "vm (2)")):
        folder = tmp_path / str(number)
        folder.mkdir()
        files.append(write_trace(folder / f"{name}.xplane.pb", [random_core(random.Random(number), 0)]))
    keep_merge(tmp_path / "run", build_shards(files, tmp_path / "run", threads, progress=lambda _: None))
    with closing(open_run(tmp_path / "run")) as store:
        hosts = store.manifest()["hosts"]
        groups = [group.name for group in QueryReader(store).tree.groups if group.kind == "host"]
    assert hosts == groups == ["vm", "vm (2)", "vm (2) (2)"]


def _with_own_axis(tmp_path: Path) -> list[dict[str, Any]]:
    """The entries of a run of two shards, of which the second has an axis of its own."""
    starts = START_US, START_US - 100
    files = [trace(tmp_path / f"host{k}.trace.json", start, length_us=8.0005) for k, start in enumerate(starts)]
    build_traces(tmp_path / "run", files[:1])
    build_traces(tmp_path / "run", files)
    entries: list[dict[str, Any]] = json.loads((tmp_path / "run" / "run.json").read_text())["shards"]
    assert entries[1]["own"]["shift_ps"] == "-100000000"
    return entries
