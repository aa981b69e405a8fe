"""Arguments of many events as columns, against decoding them one by one."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.tiler.details.packed_metadata import tables_of
from tilescope.tiler.details import json_args, stat_values
from tilescope.tiler.details.codec import ArgsCodec
from tilescope.tiler.details.values import ValueKind, first_of
from tilescope.tiler.details.xstat_tables import EventMetadata, PlaneNames, XStatTables
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVENT_KINDS, ArgumentReader, QueryReader
from tilescope.tiler.store import open_run_store

pytestmark = pytest.mark.slow


def told(value: object) -> object:
    """A value with its type, as an event shows it."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(str(value))
    return repr(value)


def unclear_of(codec: ArgsCodec, raws: Sequence[bytes], names: Sequence[str], tables: Any = b"") -> int:
    """How many values have to be decoded one by one; all others must be what decoding tells."""
    assert codec.values is not None
    ends = np.cumsum([len(raw) for raw in raws], dtype=np.int64)
    args = np.frombuffer(b"".join(raws), np.uint8)
    unclear = 0
    for at in (np.arange(len(raws)), np.arange(0, len(raws), 2)):
        columns = codec.values(ends, args, at, names, tables)
        for name, values in zip(names, columns, strict=True):
            for row, event in enumerate(at.tolist()):
                value, is_there = first_of(codec.decode(raws[event], tables) if raws[event] else [], name)
                if values.kind[row] == ValueKind.UNCLEAR:
                    unclear += 1
                    continue
                assert (values.kind[row] != ValueKind.ABSENT) == is_there, (name, raws[event])
                assert told(values.value(row)) == told(value), (name, raws[event])
    return unclear


def test_plain_json_is_never_unclear() -> None:
    values: list[object] = [
        0,
        -0,
        7,
        -(2**63),
        2**63 - 1,
        2**63,
        2**64 - 1,
        1.5,
        1e300,
        5e-324,
        0.1,
        1 / 3,
        -2.5e-7,
        123456789012345.6,
    ]
    values += [True, False, None, "", "text", "Ä€😀", 'a"b'[:1]]
    texts = [json.dumps(value, ensure_ascii=False) for value in values] + [
        "1E2",
        "1.50",
        "100000000000000000.0",
        "6.371401723269369e+16",
    ]
    raws = [f'{{"args": {{"k": {text}, "o": [1, {{}}]}}, "cat": "c"}}'.encode() for text in texts] + [b"", b"{}"]
    assert unclear_of(json_args.CODEC, raws, ["k", "cat", "nothing"]) == 0


@pytest.mark.parametrize(
    "text",
    [
        '{"args": {"k": 1, "k": 2}}',
        '{"args": {"k": 1}}{"args": {"k": 2}}',
        '{"args": {"k": 1}, "k": 3}',
        '{"args": {"\\u006b": 1}}',
        '{"args": {"k": "a\\nb"}}',
        '{"args": {"k": 18446744073709551616}}',
        '{"args": {"k": 1e999}}',
        '{"args": {"k": NaN}}',
        '{"args": {"k": +100}}',
        '{"args": {"k": [1, 2]}}',
        '{"args": 5, "k": 1}',
        '{"args": {"k": 1}, "args": {"j": 1}}',
        '{"args": {"k": 1}} x',
        '{"args": {"k": 1}',
        "[1]",
        "{k: 1}",
    ],
)
def test_what_needs_care_is_left_to_the_decoder(text: str) -> None:
    unclear_of(json_args.CODEC, [text.encode(), b'{"args": {"k": 4}}', text.encode()], ["k", "args", "j"])


NUMERALS = st.from_regex(r"-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,22})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
SCALARS = (
    st.integers(-(2**65), 2**65).map(json.dumps)
    | st.floats().map(json.dumps)
    | NUMERALS
    | st.text(max_size=6).map(lambda text: json.dumps(text, ensure_ascii=False))
    | st.sampled_from(["true", "null", "NaN", "+1", "050", "x", "{}", "[[]]", '{"k":1}'])
)
MEMBERS = st.lists(st.tuples(st.sampled_from(["k", "j", "é", "args", "[unreadable]"]), SCALARS), max_size=4)


@given(st.lists(st.tuples(MEMBERS, MEMBERS, st.sampled_from(["", "}", "{", " ", '{"args":{"k":1}}'])), max_size=4))
def test_any_json(events: list[tuple[list[tuple[str, str]], list[tuple[str, str]], str]]) -> None:
    def members(pairs: list[tuple[str, str]]) -> str:
        return ",".join(f'"{name}": {text}' for name, text in pairs)

    raws = []
    for arguments, others, rest in events:
        beside = f",{members(others)}" if others else ""
        raws.append((f'{{"args":{{{members(arguments)}}}{beside}}}{rest}').encode("utf-8", "replace"))
    unclear_of(json_args.CODEC, raws, ["k", "é", "args", "[unreadable]"])


def tables() -> XStatTables:
    names = {1: "own", 2: "both", 3: "ref", 4: "", 5: "long_name", 6: "own"}
    shared = [b"", stat(2, b"\x20\x07") + stat(5, b"\x2a\x01s"), stat(9, b"\x18\x05"), b"\x2a\x7f"]
    entries = [EventMetadata(0, k, "a long name" if k == 3 else "", "", raw) for k, raw in enumerate(shared)]
    return tables_of([PlaneNames("plane", names)], entries, [-1] * 4)


def stat(number: int, value: bytes) -> bytes:
    message = bytes([0x08, number]) + value
    return bytes([0x22, len(message)]) + message


STATS = st.tuples(
    st.sampled_from([1, 2, 3, 4, 5, 6, 9]),
    st.sampled_from([b"\x20\x07", b"\x18\x05", b"\x20" + b"\xff" * 9 + b"\x01", b"\x18" + b"\xff" * 9 + b"\x01"])
    | st.floats().map(lambda value: b"\x11" + struct.pack("<d", value))
    | st.sampled_from(
        [b"", b"\x2a\x02hi", b"\x2a\x01\xff", b"\x32\x01x", b"\x38\x03", b"\x38\x0b", b"\x10\x01", b"\x19"]
    )
    | st.binary(max_size=4),
)


@given(st.lists(st.tuples(st.integers(0, 3), st.lists(STATS, max_size=4), st.binary(max_size=2)), max_size=5))
def test_any_stats(events: list[tuple[int, list[tuple[int, bytes]], bytes]]) -> None:
    raws = [bytes([metadata]) + b"".join(stat(*of) for of in own) + rest for metadata, own, rest in events]
    names = ["own", "both", "ref", "long_name", "[stat 4]", "[stat 9]", "[damaged]", "", "[stat 1]"]
    unclear_of(stat_values.CODEC, [*raws, b""], names, tables())


@given(st.lists(st.tuples(st.booleans(), st.lists(STATS, max_size=4), st.binary(max_size=2)), min_size=1, max_size=6))
def test_any_stats_that_events_share(shared: list[tuple[bool, list[tuple[int, bytes]], bytes]]) -> None:
    """Of two planes, whose stats of the same numbers have other names; no event has any of its own."""
    planes = [PlaneNames("a", {1: "own", 2: "both", 3: "ref"}), PlaneNames("b", {1: "both", 2: "own", 9: "ref"})]
    entries = [
        EventMetadata(int(second), k, "", "", b"".join(stat(*of) for of in some) + rest)
        for k, (second, some, rest) in enumerate(shared)
    ]
    of_file = tables_of(planes, entries, [-1] * len(entries))
    for second in (0, 1):  # the events of one track are of one plane
        raws = [bytes([k]) for k, entry in enumerate(entries) if entry.plane == second]
        names = ["own", "both", "ref", "[stat 9]", "[damaged]"]
        # Several values of one name, of which each is one of the event's.
        given = [[name for name, _ in stat_values.CODEC.decode(raw, of_file)] for raw in raws]
        twice = [sum(event.count(name) > 1 for name in names) for event in given]
        assert unclear_of(stat_values.CODEC, raws, names, of_file) == sum(twice) + sum(twice[::2])


def test_plain_stats_are_never_unclear() -> None:
    own = [stat(1, b"\x20\x07"), stat(2, b"\x2a\x02hi"), stat(3, b"\x38\x01"), stat(1, b""), b""]
    raws = [bytes([metadata]) + raw for metadata in range(3) for raw in own]
    assert unclear_of(stat_values.CODEC, raws, ["own", "both", "ref", "[stat 9]"], tables()) == 0


@pytest.mark.parametrize(
    "name",
    [
        "kineto/nccl_data.json.gz",
        "kineto/resnet50_workers4.pt.trace.json.gz",
        "xplane/jax_cpu_pytracer_400steps.xplane.pb",
    ],
)
def test_real_traces(tmp_path: Path, name: str) -> None:
    build_store([corpus_path(name)], tmp_path / "s")
    store = open_run_store(tmp_path / "s")
    tracks = QueryReader(store).tree
    reader = ArgumentReader(store)
    values = quick = 0
    for track in tracks.leaves(None, EVENT_KINDS):
        ordinals = np.arange(tracks.tracks[track].events)[::3]
        decoded = list(reader.decoded(track, ordinals.tolist()))
        raws: list[bytes] = []
        braces: list[int] = []
        for texts in reader.texts(track, ordinals):
            ends = zip(texts.begin.tolist(), texts.end.tolist(), strict=True)
            raws += [texts.text[begin:end].tobytes() for begin, end in ends]
            braces += texts.counts(ord("{")).tolist()
        assert raws + [b""] * (len(ordinals) - len(raws)) == list(reader.raw(track, ordinals.tolist()))
        assert braces == [raw.count(b"{") for raw in raws]
        names = sorted({name for arguments in decoded for name, _ in arguments})[:40]
        for some in reader.values(track, ordinals, names):
            for row, arguments in enumerate(decoded[some.which]):
                quick += row not in some.decoded
                for name, column in zip(names, some.values, strict=True):
                    value, is_there = first_of(arguments, name)
                    values += is_there
                    assert (column.kind[row] != ValueKind.ABSENT) == is_there
                    assert told(column.value(row)) == told(value)
    assert values > 1000
    assert quick > 1000
    store.close()
