"""Damaged XSpaces: read or refused with a clear error, never a crash."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.tiler.readers import wire_writer as w
from tests.tiler.readers.xspace.xspace_rows import read
from tilescope.tiler.errors import DamagedTrace, TraceError
from tilescope.tiler.readers import open_trace
from tilescope.tiler.readers.xspace import XSpaceReader

pytestmark = pytest.mark.slow

EVENT = w.message(
    4, w.number(1, 1), w.number(2, 1_000), w.number(3, 500), w.message(4, w.number(1, 2), w.data(5, "value"))
)
PLANE = w.message(
    1,
    w.number(1, 1),
    w.data(2, "/device:TPU:0"),
    w.message(3, w.number(1, -5), w.data(2, "XLA Ops"), w.number(3, 77), EVENT * 4),
    w.event_metadata(1, "%fusion", "fusion"),
    w.stat_metadata(2, "source") + w.stat_metadata(3, "_p") + w.stat_metadata(4, "_pt"),
)
SPACE = PLANE + w.data(4, "host0") + PLANE


def refusal(tmp_path: Path, raw: bytes) -> DamagedTrace:
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(raw)
    with pytest.raises(DamagedTrace) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.advice
    return caught.value


EVENT_ENDS = [at + len(EVENT) for at in range(len(SPACE)) if SPACE.startswith(EVENT, at)]
NAME = w.event_metadata(1, "%fusion", "fusion")
FIRST_NAME_END = SPACE.index(NAME) + len(NAME)
SECOND_NAME_END = SPACE.rindex(NAME) + len(NAME)
SEAMS = {0, len(PLANE), len(PLANE) + len(w.data(4, "host0")), len(SPACE)}  # no cut can be seen there


@pytest.mark.parametrize("packed", [False, True])
def test_cut_at_every_byte_keeps_all_whole_events(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("host.xplane.pb.gz" if packed else "host.xplane.pb")
    for size in range(len(SPACE)):
        path.write_bytes(gzip.compress(SPACE[:size]) if packed else SPACE[:size])
        kept = sum(end <= size for end in EVENT_ENDS)
        if not kept and size not in SEAMS:
            with pytest.raises(DamagedTrace, match=r"the file ends inside an? .*, and no whole event is before that"):
                read(path)
            continue
        space = read(path)
        warnings, names = space.summary.warnings, [event.name for event in space.events]
        assert len(names) == kept
        nameless = kept if size < FIRST_NAME_END else max(0, kept - 4) if size < SECOND_NAME_END else 0
        assert names == ["fusion"] * (kept - nameless) + ["[event 1]"] * nameless
        if size in SEAMS:
            assert not any("cut short" in warning for warning in warnings)
        else:
            inflated = ", counted in the inflated data" if packed else ""
            assert warnings[0].startswith(f"the file is cut short at byte {size}{inflated}")
            assert f"{kept} whole events are kept" in warnings[0]
            assert ("called [event N]" in warnings[0]) is (nameless > 0)


def test_what_is_cut_is_named(tmp_path: Path) -> None:
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(SPACE[: EVENT_ENDS[5] + 3])
    space = read(path)
    assert space.summary.warnings == [
        f"the file is cut short at byte {EVENT_ENDS[5] + 3}, inside the plane /device:TPU:0: 6 whole events are kept, "
        "what came behind them is missing (also names: an event whose name is missing is called [event N], by its "
        "number in the file)"
    ]
    assert [track.name for track in space.summary.tracks] == ["XLA Ops", "XLA Ops"]
    assert space.summary.hostname == "host0"


def test_damage_before_the_cut_is_still_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, SPACE[:20] + b"\x00" + SPACE[21:-3]).offset == 20


def test_a_length_that_is_wrong_is_no_cut(tmp_path: Path) -> None:
    """It would reach to the end of the file, but what lies behind the plane does not belong into one."""
    assert "has field 1 with the wrong wire type 2" in refusal(tmp_path, b"\x0a\xff\x7f" + PLANE[3:] + PLANE).what


def test_every_byte_flipped(tmp_path: Path) -> None:
    path = tmp_path / "host.xplane.pb"
    outcomes = {True: 0, False: 0}
    for at in range(len(SPACE)):
        for flip in (0x01, 0x07, 0x80, 0xFF):
            raw = bytearray(SPACE)
            raw[at] ^= flip
            path.write_bytes(raw)
            try:
                read(path)
                outcomes[True] += 1
            except TraceError:
                outcomes[False] += 1
    assert min(outcomes.values()) > 100


def test_random_bytes(tmp_path: Path) -> None:
    generator = random.Random(3)
    path = tmp_path / "host.xplane.pb"
    for _ in range(500):
        path.write_bytes(
            generator.choice([b"", b"\n", b"\n\x20\x1a\x10"]) + generator.randbytes(generator.randrange(200))
        )
        try:
            read(path)
        except TraceError:
            continue


@pytest.mark.parametrize(
    ("raw", "offset", "what"),
    [
        (w.varint(1 << 3) + w.varint(5), 1, "a trace has field 1 with the wrong wire type 0"),
        (w.message(1, w.number(2, 5)), 3, "a plane has field 2 with the wrong wire type 0"),
        (w.message(1, w.message(3, w.data(3, "x"))), 5, "a line has field 3 with the wrong wire type 2"),
        (w.message(1, w.message(3, w.message(4, w.data(1, "")))), 7, "an event has field 1 with the wrong wire type 2"),
        (b"\x28" + b"\xff" * 10 + b"\x01", 1, "a trace has a varint of more than 10 bytes"),
        (w.message(1, b"\x1a\x7f"), 3, "a plane has a line that reaches beyond it: 0 of its 127 bytes are there"),
        (b"\x00\x00", 0, "a trace has a field of number 0 or above 2**29"),
        (w.varint(9 << 3 | 6), 1, "a trace has a field of a wire type that does not exist"),
        (w.varint(9 << 3 | 4), 1, "a trace has a field of a wire type that does not exist"),
        (w.varint(9 << 3 | 3) * 101, 100, "a trace has groups nested more than 100 deep"),
        (w.varint(9 << 3 | 3) + w.varint(10 << 3 | 4), 1, "a trace has a group that ends as another"),
        (w.varint(9 << 3 | 3), 0, "the file ends inside a field of a trace, and no whole event is before that"),
        (b"\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 0, "the file ends inside a plane"),
    ],
)
def test_what_and_where(tmp_path: Path, raw: bytes, offset: int, what: str) -> None:
    error = refusal(tmp_path, raw)
    assert what in error.what
    assert error.offset == offset


def test_damaged_metadata_is_found_when_it_is_used(tmp_path: Path) -> None:
    bad_entry = w.message(4, w.number(1, 1), w.data(2, b"\x12\x7fabc"))
    line = w.message(3, w.message(4, w.number(1, 1)))
    error = refusal(tmp_path, w.message(1, line, bad_entry))
    assert "an event metadata has a name that reaches beyond it" in error.what


def test_damaged_arguments_do_not_lose_the_event(tmp_path: Path) -> None:
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(w.message(1, w.message(3, w.message(4, w.data(4, b"\x08\x01\x2a\x7fx")))))
    (event,) = read(path).events
    assert event.args == [("[damaged]", "cut short")]


def test_text_conversion_is_named() -> None:
    reader = open_trace(corpus_path("invalid/tpu_utf8_mangled.xplane.pb"))
    with pytest.raises(DamagedTrace, match=r"byte 1: a text conversion has destroyed this file.*as binary data"):
        list(reader.chunks())
    reader.close()


def test_gzip_cut_short_keeps_what_can_be_inflated(tmp_path: Path) -> None:
    whole = corpus_path("xplane/tpu_v6e_4core.xplane.pb")
    events = len(read(whole).events)
    stored = gzip.compress(whole.read_bytes())
    path = tmp_path / "host.xplane.pb.gz"
    for size, least, most in ((len(stored) // 2, events // 5, events - 1), (len(stored) - 1, events, events)):
        path.write_bytes(stored[:size])
        space = read(path)
        assert least <= len(space.events) <= most
        assert "the file is cut short at byte" in space.summary.warnings[0]
        assert "counted in the inflated data" in space.summary.warnings[0]


def test_gzip_that_is_damaged_is_refused(tmp_path: Path) -> None:
    stored = bytearray(gzip.compress(SPACE))
    stored[-6] ^= 1  # of its checksum
    path = tmp_path / "host.xplane.pb.gz"
    path.write_bytes(stored)
    reader = XSpaceReader.open(path)
    with pytest.raises(DamagedTrace, match="the gzip stream is damaged"):
        list(reader.chunks())
    reader.close()
