"""Parts that are read ahead change nothing: whatever the file, and however it is cut into blocks."""

from __future__ import annotations

import errno
import gzip
import json
import os
import random
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.corpus import corpus_manifest, corpus_path
from tests.tiler.json_traces import busy_events
from tests.tiler.readers.trace_event.trace_event_file import source_of
from tilescope.tiler import _native
from tilescope.tiler.columns import EventChunk
from tilescope.tiler.errors import ChangedTrace
from tilescope.tiler.readers import mapped
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.trace_event import TraceEventReader
from tilescope.tiler.readers.trace_event.blocks import read_blocks

JSON_FILES = sorted(name for name, entry in corpus_manifest().items() if entry["format"] == "chrome_json")
CORPUS_BYTES = 400_000  # of each file: enough to meet all it is made of

ROW_COLUMNS = ("track", "phase", "time_ns", "time_ps", "duration_ns", "duration_ps", "name", "key", "value", "flags")

# Of a stream: what feeds it, what takes rows from it, and how it was fed.
NOT_FOUND = ("feed", "finish", "pack_arguments", "take", "rows", "chunk_ready", "parts_taken")


def found(stream: _native.TraceEventStream) -> dict[str, Any]:
    """All that a stream has to say, chunks joined."""
    rows: list[tuple[Any, ...]] = []
    while stream.rows:
        chunk = stream.take()
        args_end, args = chunk[-2:]
        lists = [[None] * len(args_end) if column is None else column.tolist() for column in chunk[:-2]]
        missing = dict(zip(ROW_COLUMNS, (0, 0, 0, 0, 0, 0, 0, -1, None, 0), strict=True))
        texts = _texts(args_end.tolist(), args.tobytes())
        for row in zip(*lists, texts, strict=True):
            phase = row[1]
            plain = [missing[name] if value is None else value for name, value in zip(ROW_COLUMNS, row, strict=False)]
            if phase != 4:
                plain[8] = None  # the value of what is no counter means nothing
            rows.append((*plain, row[-1]))
    whole = {name: getattr(stream, name) for name in dir(stream) if not name.startswith("_") and name not in NOT_FOUND}
    return {"rows": rows} | {name: value() if callable(value) else value for name, value in whole.items()}


def _texts(ends: list[int], args: bytes) -> Iterator[bytes]:
    begin = 0
    for end in ends:
        yield args[begin:end]
        begin = end


def in_sequence(data: bytes) -> dict[str, Any]:
    """Read without parts."""
    stream = _native.TraceEventStream()
    try:
        stream.feed(data)
        stream.finish()
    except _native.NotTraceJson as error:
        return {"refused": error.args}
    return found(stream)


def in_parts(data: bytes, cuts: Iterable[int]) -> tuple[dict[str, Any], int]:
    """Read in blocks that end at these offsets; and how many parts were taken over."""
    stream = _native.TraceEventStream()
    ends = sorted({cut for cut in cuts if cut < len(data)} | {len(data)})
    try:
        for begin, end in zip([0, *ends], ends, strict=False):
            block = data[begin:end]
            stream.feed(block, _native.TraceEventPart(block))
        stream.finish()
    except _native.NotTraceJson as error:
        return {"refused": error.args}, stream.parts_taken
    return found(stream), stream.parts_taken


def assert_same(data: bytes, cuts: Iterable[int]) -> int:
    expected = in_sequence(data)
    result, taken = in_parts(data, cuts)
    assert result.keys() == expected.keys()
    for name, value in expected.items():
        assert result[name] == value, name
    return taken


def every(step: int, data: bytes) -> range:
    return range(step, len(data), step)


def eventful(seed: int, count: int = 60) -> list[str]:
    """Events of all kinds, whose tracks, ids and names come and go; with metadata, and with elements that are none."""
    rng = random.Random(seed)
    texts = []
    for k in range(count):
        event: dict[str, Any] = {
            "ph": rng.choice("XXXXBEiIPRCbbbeeenSTpFstfMNOv?"),
            "name": rng.choice(["a", "b", "näme", 'quo"te', "process_name", "thread_name", "thread_sort_index", ""]),
            "pid": rng.choice([1, "1", 2, 3.0, "main"]),
            "tid": rng.choice([1, 2, "2", "worker", None]),
            "ts": rng.choice([k, k + 0.5, f"{k}.000125", 1767225600006394.156, None, "soon"]),
        }
        if rng.random() < 0.7:
            event["dur"] = rng.choice([1, 2.25, -1, "3", 1e300, None])
        if rng.random() < 0.6:
            event["cat"] = rng.choice(["c", "d", "", "kernel", "cpu_op"])
        if rng.random() < 0.5:
            event["id"] = rng.choice([1, "0x2", 3, "0x02", "text", 1 << 60])
        elif rng.random() < 0.5:
            event["id2"] = rng.choice([{"local": "0x1"}, {"global": 2}, {}])
        if rng.random() < 0.2:
            event |= {"flow_in": rng.random() < 0.5, "flow_out": rng.random() < 0.5}
            event["bind_id"] = rng.choice(["0x9", 8, "nine"])
        if rng.random() < 0.3:
            event["s"] = rng.choice("gpt")
        if rng.random() < 0.6:
            args = [{"name": f"n{k}", "sort_index": k}, {"v": 1.5, "w": "x"}, {"deep": [{"ph": "X", "ts": 1}]}, {}]
            event["args"] = rng.choice([*args, {"device": k}])
        members = list(event.items())
        rng.shuffle(members)
        texts.append(json.dumps(dict(members), ensure_ascii=rng.random() < 0.5))
    return texts


LAYOUTS = {
    "array": ("[", ",", "]"),
    "lines": ("[\n", ",\n", "\n]\n"),
    "no end": ("[\n", ",\n", ",\n"),
    "object": ('{"otherData":{"v":[{"ph":"X","ts":0}]},"traceEvents": [', " , ", '],"baseTimeNanoseconds":5}'),
    "top": ("", "\n", "\n"),
}


@pytest.mark.parametrize("end", [b",{}]", b",{},null]", b",{},{}]", b",{}," + b'{"ph":"M","name":"x"}]', b",{}] "])
def test_an_empty_object_at_the_end_wherever_the_cut(end: bytes) -> None:
    data = b'[{"ph":"X","ts":1,"dur":2,"name":"a"},{"ph":"X","ts":3,"dur":2,"name":"b"}' + end
    expected = in_sequence(data)
    for cut in range(1, len(data)):
        assert in_parts(data, [cut])[0] == expected


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(4))
def test_every_size_of_blocks_gives_the_same(layout: str, seed: int) -> None:
    before, between, after = LAYOUTS[layout]
    data = (before + between.join(eventful(seed)) + after).encode()
    taken = 0
    for step in [*range(1, 40), 64, 100, 250, 333, 1000, 1 << 20]:
        taken += assert_same(data, every(step, data))
    assert taken > 40  # parts are what is tested


@given(seed=st.integers(0, 10_000), layout=st.sampled_from(sorted(LAYOUTS)), damage=st.randoms(use_true_random=False))
@example(seed=1, layout="array", damage=random.Random(1))
def test_damage_gives_the_same(seed: int, layout: str, damage: random.Random) -> None:
    before, between, after = LAYOUTS[layout]
    data = bytearray((before + between.join(eventful(seed, 25)) + after).encode())
    for _ in range(damage.randrange(5)):
        at = damage.randrange(len(data))
        match damage.randrange(4):
            case 0:
                data[at] = damage.randrange(256)
            case 1:
                data[at] = ord(damage.choice("{}[]\",:\\'/n\0"))
            case 2:
                del data[at : at + damage.randrange(40)]
            case _:
                data[at:at] = damage.choice(
                    [b"null,", b'{"a":1},', b"}", b"]", b'"', b"{", b'{"ph":"X","ts":1},', b"\0\0"]
                )
    text = bytes(data)
    assert_same(text, [damage.randrange(1, len(text) + 1) for _ in range(damage.randrange(1, 12))])
    assert_same(text, every(damage.randrange(20, 400), text))


@pytest.mark.parametrize("name", JSON_FILES or ["chrome"])
def test_real_files_give_the_same(name: str) -> None:
    raw = corpus_path(name).read_bytes()
    data = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)[:CORPUS_BYTES]
    for step in (1500, 40_000):
        assert_same(data, every(step, data))


def test_events_are_read_ahead_and_not_again() -> None:
    data = json.dumps({"traceEvents": busy_events(1)}).encode()
    for step in (10_000, 50_000):
        cuts = every(step, data)
        assert assert_same(data, cuts) >= len(cuts)


def test_a_part_that_began_in_an_argument_is_not_taken() -> None:
    args = '{"list":[' + ",".join(['{"ph":"X","ts":1,"name":"no event"}'] * 30) + "]}"
    event = f'{{"ph":"X","name":"event","pid":1,"tid":1,"ts":1,"dur":1,"args":{args}}}'
    data = ("[" + ",".join([event] * 6) + "]").encode()
    for step in range(50, 1500, 50):
        assert_same(data, every(step, data))


def test_the_place_of_an_error_counts_the_lines_of_parts() -> None:
    data = b'{"x":1}\n,[\n' + b'{"ph":"X","ts":1},\n' * 50 + b"  'foreign'"
    expected = in_sequence(data)
    assert expected["refused"][1:] == (len(data) - 9, 53, 3)
    for step in (5, 30, 100, 5000):
        assert in_parts(data, every(step, data))[0] == expected


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("compressed", [False, True])
def test_workers_and_blocks_change_nothing_of_a_file(tmp_path: Path, workers: int, compressed: bool) -> None:
    data = json.dumps({"traceEvents": busy_events(3)}).encode()
    path = tmp_path / "trace.json"
    path.write_bytes(gzip.compress(data) if compressed else data)
    stream = _native.TraceEventStream()
    reader = TraceEventReader.open(path)
    source = reader._source
    for block, part in read_blocks(source, workers, first_bytes=1000, largest_bytes=30_000):
        stream.feed(block, part)
    stream.finish()
    reader.close()
    assert stream.parts_taken > 10
    assert found(stream) == in_sequence(data)


def _mapped_file(tmp_path: Path) -> tuple[Path, bytes]:
    data = json.dumps({"traceEvents": busy_events(3)}).encode()
    path = tmp_path / "trace.json"
    path.write_bytes(data)
    return path, data


def test_a_file_that_grows_is_read_as_far_as_it_reached(tmp_path: Path) -> None:
    path, data = _mapped_file(tmp_path)
    with ByteSource.open(path) as source:
        stream = _native.TraceEventStream()
        for block, part in read_blocks(source, 2, first_bytes=1000, largest_bytes=30_000):
            with path.open("ab") as file:
                file.write(b"more")
            stream.feed(block, part)
        assert source.bytes_read == len(data)
    stream.finish()
    assert found(stream) == in_sequence(data)


def test_a_file_that_is_shortened_while_it_is_read_has_changed(tmp_path: Path) -> None:
    path, _ = _mapped_file(tmp_path)
    with ByteSource.open(path) as source:
        blocks = read_blocks(source, 1, first_bytes=4096, largest_bytes=1 << 16)
        next(blocks)
        os.truncate(path, 0)
        with pytest.raises(ChangedTrace):
            for _ in blocks:
                pass


def test_a_file_that_is_shortened_is_not_said_to_be_cut_short(tmp_path: Path) -> None:
    event = b'{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"text":"%s"}}' % (b"x" * 300)
    path = tmp_path / "trace.json"
    path.write_bytes(b"[" + b",".join([event] * 60_000) + b"]")  # seven blocks, of which three are read ahead
    reader = TraceEventReader(ByteSource.open(path), 1)
    chunks = reader.chunks()
    next(chunks)
    os.truncate(path, 100)
    with pytest.raises(ChangedTrace, match=str(path)):
        for _ in chunks:
            pass
    reader.close()


def test_a_file_that_cannot_be_mapped_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.ENODEV, "No such device")

    monkeypatch.setattr(mapped, "_map", refused)
    path, data = _mapped_file(tmp_path)
    with ByteSource.open(path) as source:
        stream = _native.TraceEventStream()
        for block, part in read_blocks(source, 2, first_bytes=1000, largest_bytes=30_000):
            stream.feed(block, part)
    stream.finish()
    assert found(stream) == in_sequence(data)


def test_a_reader_takes_no_more_threads_than_it_is_given(tmp_path: Path) -> None:
    path, _ = _mapped_file(tmp_path)
    reader = TraceEventReader(ByteSource.open(path), 5)
    reader.take_threads(1)
    for _ in reader.chunks():
        assert len([thread for thread in threading.enumerate() if thread.name.startswith("read-events")]) <= 1
    reader.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_packed_arguments_are_those_of_the_file(workers: int) -> None:
    events = [
        *busy_events(3),
        {"ph": "X", "ts": 1, "dur": 1, "args": {"text": "x" * 3000, "zeros": "007", "nul": "\x00"}},
        {"ph": "i", "ts": 2, "args": {"big": 12345678901234567890123, "last": 1}},
    ]
    data = json.dumps(events).replace("\\u0000", "\x00").encode()
    plain = [text for chunk in TraceEventReader(source_of(data)).chunks() for text in _args_of(chunk)]
    reader = TraceEventReader(source_of(data), workers)
    texts = reader.pack_arguments()
    packed = [(chunk.args_end, chunk.args) for chunk in reader.chunks()]
    unpacked = []
    for args_end, args in packed:
        lengths, body = texts.unpack(args_end, args, 0, 1 << 40, len(args_end))
        unpacked += list(_texts(np.cumsum(lengths).tolist(), body))
    assert unpacked == plain
    assert sum(len(args) for _, args in packed) < 0.7 * sum(map(len, plain))


def _args_of(chunk: EventChunk) -> Iterator[bytes]:
    return _texts(chunk.args_end.tolist(), chunk.args.tobytes())


def test_a_reader_that_is_left_early_ends_its_workers() -> None:
    data = json.dumps(busy_events(2)).encode()
    chunks = TraceEventReader(source_of(data)).chunks()
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]
