"""A host whose file is cut short has lost the time of its capture, and still stands beside the other hosts."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from tests.tiler.readers import wire_writer as w
from tilescope.tiler.indexing import build_store
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify import verify_store

START_NS = 1_750_000_000_000_000_000
EVENTS = 5
CUT = 4  # bytes


def line(*timestamps_ns: int) -> bytes:
    event = w.message(4, w.number(1, 1), w.number(2, 1_000), w.number(3, 500_001))
    return b"".join(w.message(3, w.number(1, k), w.number(3, at), event * EVENTS) for k, at in enumerate(timestamps_ns))


def device(*timestamps_ns: int) -> bytes:
    return w.message(1, w.data(2, "/device:TPU:0"), line(*timestamps_ns), w.event_metadata(1, "%fusion", "fusion"))


def clock(start_ns: int) -> bytes:
    time = w.message(6, w.number(1, 1), w.number(3, start_ns))
    return w.message(1, w.data(2, "Task Environment"), w.stat_metadata(1, "profile_start_time"), time)


def index(folder: Path, **files: bytes) -> dict[str, Any]:
    """The manifest. The store is verified."""
    paths = []
    for name, content in files.items():
        paths.append(folder / name.replace("_", "."))
        packed = name.endswith("gz")
        # Stored, so that what is cut off of the gzip is cut off of the file.
        paths[-1].write_bytes(gzip.compress(content, 0)[: -8 - CUT] if packed else content)
    build_store(paths, folder / "store")
    verify_store(folder / "store")  # raises for whatever is wrong
    store = open_run_store(folder / "store")
    try:
        return store.manifest()
    finally:
        store.close()


WHOLE = device(100, 200) + clock(START_NS)
CUT_SHORT = device(1_000_000_100, 50) + clock(START_NS + 77)[:-CUT]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b_xplane_pb", CUT_SHORT),
        ("b_xplane_pb_gz", device(1_000_000_100, 50) + clock(START_NS + 77)),
        ("b_xplane_pb", device(1_000_000_100, 50)),  # cut between two planes, which cannot be seen
    ],
)
def test_a_cut_host_begins_with_the_earliest_of_the_others(tmp_path: Path, name: str, content: bytes) -> None:
    later = device(300) + clock(START_NS + 400)
    found = index(tmp_path, a_xplane_pb=later, **{name: content}, c_xplane_pb=WHOLE)
    assert found["events"]["slices"] == str(5 * EVENTS)
    assert found["ignored"] == {}
    assert (found["origin_ns"], found["tick_ps"]) == (str(START_NS + 51), 1)
    assert int(found["end"]) == 1_000_000_050_000 + 500_001
    assert found["warnings"][-1] == (
        f"{name.replace('_', '.')}: the host's clock is missing, which stands at the end of the file "
        "(profile_start_time): its times are set as if its capture had begun with that of c.xplane.pb"
    )


def test_a_single_cut_file_stays_as_it_is(tmp_path: Path) -> None:
    found = index(tmp_path, b_xplane_pb=CUT_SHORT)
    assert found["origin_ns"] == "51"
    assert not any("clock" in warning for warning in found["warnings"])


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("times since the epoch", device(START_NS + 500)),
        ("some of its times are", device(100, START_NS + 500)),
        ("no events", w.message(1, w.data(2, "/device:TPU:0"))),
        ("a clock that is no time", device(100) + clock(-5)),
    ],
)
def test_hosts_that_keep_their_times(tmp_path: Path, what: str, content: bytes) -> None:
    found = index(tmp_path, a_xplane_pb=WHOLE, b_xplane_pb=content)
    assert not any("clock is missing" in warning for warning in found["warnings"]), what


def test_hosts_that_have_all_lost_it(tmp_path: Path) -> None:
    found = index(tmp_path, a_xplane_pb=CUT_SHORT, b_xplane_pb=CUT_SHORT)
    assert found["origin_ns"] == "51"
    assert not any("clock is missing" in warning for warning in found["warnings"])


def test_a_far_event_of_a_cut_host_is_set_aside(tmp_path: Path) -> None:
    event = w.message(4, w.number(1, 1), w.number(2, 5_000))
    far = w.message(1, w.data(2, "/device:TPU:0"), w.message(3, w.number(3, -(1 << 62)), event), line(100, 200, 300))
    found = index(tmp_path, a_xplane_pb=WHOLE, b_xplane_pb=far)
    assert found["events"]["slices"] == str(5 * EVENTS)
    assert found["ignored"] == {"outside_window": "1"}
    assert found["origin_ns"] == str(START_NS + 101)
