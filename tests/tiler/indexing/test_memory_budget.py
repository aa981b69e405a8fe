"""Files with more tracks or names than there is memory for: refused at once, with the limit; others are indexed."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from tests.tiler.readers import wire_writer as w
from tilescope.tiler.errors import TooMany
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers.memory_budget import FLOW_END_BYTES, OPEN_SLICE_BYTES, PROCESS_BYTES, TRACK_BYTES, Room
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow

LEAST = Room(0).bytes
EVENT = w.message(4, w.number(1, 1), w.number(2, 5), w.number(3, 5))
LINE = w.message(3, w.number(1, 1), EVENT)
LINES = LEAST // TRACK_BYTES
PLANES = LEAST // PROCESS_BYTES


def plane(*parts: bytes) -> bytes:
    return w.message(1, w.data(2, "p"), *parts)


def names(count: int) -> bytes:
    """A plane whose events each have a name of their own."""
    events = b"".join(w.message(4, w.number(1, k), w.number(2, k)) for k in range(count))
    return plane(w.message(3, w.number(1, 1), events))


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("too many lines", plane(LINE * (LINES + 1))),
        ("too many planes", plane() * (PLANES + 1)),
        ("too many planes", b"\x0a\x00" * (PLANES + 1)),
        ("too many stats of planes", plane(w.message(6, w.number(1, 1)) * 100_000)),
        ("too many stat metadata", plane(w.stat_metadata(1, "a") * 100_000)),
        ("too many event metadata", plane(b"\x22\x00" * 800_000)),
        ("too many host names", plane(LINE) + w.data(4, "h") * 100_000),
        ("too many messages", plane(LINE) + w.data(2, "h") * 100_000),
        ("names of events", names(100_000)),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_too_much_of_something(tmp_path: Path, what: str, content: bytes, packed: bool) -> None:
    trace = tmp_path / "host.xplane.pb"
    trace.write_bytes(gzip.compress(content, 1) if packed else content)
    with pytest.raises(TooMany) as caught:
        build_store([trace], tmp_path / "store", memory_bytes=1)
    assert what in str(caught.value)
    assert "more than there is room for in 67 MB of memory (give more with --memory: 6 kB a track" in str(caught.value)
    assert not (tmp_path / "store").exists()


def test_as_many_as_there_is_room_for(tmp_path: Path) -> None:
    lines = 2_000
    trace = tmp_path / "host.xplane.pb"
    trace.write_bytes(plane(LINE * lines))
    build_store([trace], tmp_path / "store", memory_bytes=1)
    store = open_run_store(tmp_path / "store")
    assert store.manifest()["events"]["total"] == str(lines)
    store.close()


def test_threads_of_a_json_trace(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps([{"ph": "X", "pid": 1, "tid": k, "ts": k, "dur": 1} for k in range(LINES + 1)]))
    with pytest.raises(TooMany, match=r"trace\.json: has 10,9\d\d tracks"):
        build_store([trace], tmp_path / "store", memory_bytes=1)


def test_files_that_are_too_many_together(tmp_path: Path) -> None:
    traces = [tmp_path / f"{k}.xplane.pb" for k in range(2)]
    for trace in traces:
        trace.write_bytes(plane(LINE * (LINES // 2 + 1)))
    with pytest.raises(TooMany, match="2 processes"):
        build_store(traces, tmp_path / "store", memory_bytes=1)


@pytest.mark.parametrize(("names", "chars"), [(200_000, 0), (20_000, 1_000)])
def test_names_of_a_json_trace_are_counted_while_it_is_read(tmp_path: Path, names: int, chars: int) -> None:
    """With their texts. The file goes on behind the last name that there is room for."""
    trace = tmp_path / "trace.json"
    padding = "n" * chars
    event = '{{"ph":"X","pid":1,"tid":1,"ts":{0},"dur":1,"name":"{1}{0}"}}'
    trace.write_text(f"[{','.join(event.format(k, padding) for k in range(names))}]")
    with pytest.raises(TooMany, match=r"trace\.json: has [\d,]+ names, more than there is room for in 67 MB") as caught:
        build_store([trace], tmp_path / "store", memory_bytes=1)
    found = re.search(r"has ([\d,]+) names", caught.value.what)
    assert found is not None
    assert 0.3 * names < int(found[1].replace(",", "")) < names
    assert not (tmp_path / "store").exists()


def test_flow_ends_of_a_json_trace(tmp_path: Path) -> None:
    """Refused while it is read."""
    most = LEAST // FLOW_END_BYTES
    trace = tmp_path / "trace.json"
    event = '{"ph":"s","id":%d,"ts":%d,"pid":1}'
    trace.write_text(f"[{','.join(event % (k, k) for k in range(2 * most))}]")
    with pytest.raises(TooMany, match=r"has [\d,]+ flow ends, more than there is room for") as caught:
        build_store([trace], tmp_path / "store", memory_bytes=1)
    assert "96 bytes a flow end" in str(caught.value)
    assert f"{2 * most:,}" not in str(caught.value)


@pytest.mark.parametrize(("number", "what"), [(5, "has 1,200,000 flow ends"), (1 << 60, "flow ends of ids beyond")])
def test_flow_ends_of_an_xspace(tmp_path: Path, number: int, what: str) -> None:
    stats = b"".join(w.message(4, w.number(1, key), w.number(3, number)) for key in (1, 2))
    flows = w.stat_metadata(1, "_pt") + w.stat_metadata(2, "_p")
    event = w.message(4, w.number(1, 1), w.number(2, 5), stats)
    trace = tmp_path / "host.xplane.pb"
    trace.write_bytes(plane(w.message(3, w.number(1, 1), event * 1_200_000), flows))
    with pytest.raises(TooMany, match=what):
        build_store([trace], tmp_path / "store", memory_bytes=1)


@pytest.mark.parametrize("ph", "sb")
def test_ids_of_a_json_trace(tmp_path: Path, ph: str) -> None:
    """Texts are counted; numbers are none."""
    trace = tmp_path / "trace.json"
    event = '{"ph":"%s","cat":"c","id":"%s%d","ts":%d,"pid":1}'
    for prefix, count in (("id ", 500_000), ("0x", 1000)):
        trace.write_text(f"[{','.join(event % (ph, prefix, k, k) for k in range(count))}]")
        if count == 1000:
            build_store([trace], tmp_path / "store", memory_bytes=1)
            continue
        with pytest.raises(TooMany, match="ids that are no numbers, more than there is room for in 67 MB"):
            build_store([trace], tmp_path / "store", memory_bytes=1)


@pytest.mark.parametrize(("pids", "what"), [(1, "threads"), (1 << 60, "processes and [\\d,]+ threads")])
def test_threads_that_only_metadata_names(tmp_path: Path, pids: int, what: str) -> None:
    trace = tmp_path / "trace.json"
    event = '{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":"t"}}'
    trace.write_text(f"[{','.join(event % (k % pids, k) for k in range(300_000))}]")
    with pytest.raises(TooMany, match=rf"trace\.json: has [\d,]+ {what}, more than there is room for"):
        build_store([trace], tmp_path / "store", memory_bytes=1)


def open_at_once(count: int, *more: bytes) -> bytes:
    """A line of slices in one another."""
    events = b"".join(
        w.message(4, w.number(1, 1), w.number(2, k), w.number(3, 4 * count - 2 * k)) for k in range(count)
    )
    return plane(w.message(3, w.data(2, "deep"), events, *more))


def test_more_slices_open_at_once_than_there_is_room_for(tmp_path: Path) -> None:
    trace = tmp_path / "host.xplane.pb"
    trace.write_bytes(open_at_once(LEAST // OPEN_SLICE_BYTES + 1))
    what = r"host.xplane.pb: track p / deep has 419,431 slices open at once, more than .* 67 MB of memory \(.*160 bytes"
    with pytest.raises(TooMany, match=what):
        build_store([trace], tmp_path / "store", memory_bytes=1)
    assert not (tmp_path / "store").exists()


def test_as_many_open_at_once_as_there_is_room_for(tmp_path: Path) -> None:
    trace = tmp_path / "host.xplane.pb"
    trace.write_bytes(open_at_once(200_000))
    build_store([trace], tmp_path / "store", memory_bytes=1)
    verify_store(tmp_path / "store")


def test_fewer_that_are_bins_of_many_levels(tmp_path: Path) -> None:
    """They are far shorter than the run: a bin of each is in the tiles of every level."""
    trace = tmp_path / "host.xplane.pb"
    far = w.message(4, w.number(1, 1), w.number(2, 1 << 52), w.number(3, 1))
    trace.write_bytes(open_at_once(200_000, far))
    with pytest.raises(TooMany, match=r"track p / deep has too many slices at one time, more than there is room for"):
        build_store([trace], tmp_path / "store", memory_bytes=1)
    assert not (tmp_path / "store").exists()
