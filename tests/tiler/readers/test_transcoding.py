"""Text in UTF-16 and UTF-32: as UTF-8 whatever the size of reads, and nothing else is taken for it."""

from __future__ import annotations

import codecs
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.readers.test_compression import drain, source_of
from tilescope.tiler.readers.recognise import open_trace
from tilescope.tiler.readers.transcoding import ENCODING_BYTES, transcoder_of

MARKS = {
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
EVENTS = [{"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "name": name} for name in ("a", "né", "名前", "𝄞")]


@pytest.mark.parametrize("codec", MARKS)
@pytest.mark.parametrize("has_mark", [True, False])
@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
    begin=st.sampled_from(["{", "[", "\r\n  [", '{"a":', "[\t"]),
    most=st.integers(1, 40),
    n=st.integers(1, 100),
)
def test_is_delivered_as_utf8(codec: str, has_mark: bool, text: str, begin: str, most: int, n: int) -> None:
    text = begin + " " + text
    stored = (MARKS[codec] if has_mark else b"") + text.encode(codec)
    for data in (stored, gzip.compress(stored)):
        with source_of(data, most) as source:
            assert drain(source, n).decode() == text
            assert (source.problem, source.encoding) == (None, codec[:6].upper())
            assert source.file_descriptor() is None


@pytest.mark.parametrize(
    "head",
    [
        *(
            b"",
            b"[",
            b"{",
            b"[]",
            b"[\n",
            b"\n\0",
            b"\n\0\n\0\n\0",
            b"\0",
            b"\xff",
            b"\xfe",
            b"\0\0\0\0",
            b"{\0",
            b"[\0\0{",
        ),
        *(b"\n\0\n\0\x12\0", b"[\0\xff\xff", bytes([10, 0]) * 40),
    ],
)
def test_nothing_else_is_taken_for_it(head: bytes) -> None:
    assert transcoder_of(head) is None


@given(st.binary(max_size=ENCODING_BYTES))
def test_no_head_is_too_odd(head: bytes) -> None:
    transcoder_of(head)


@pytest.mark.parametrize("codec", MARKS)
@pytest.mark.parametrize("packed", [False, True])
def test_a_trace_is_read(tmp_path: Path, codec: str, packed: bool) -> None:
    text = json.dumps({"traceEvents": EVENTS}, ensure_ascii=False)
    for mark in (b"", MARKS[codec]):
        path = tmp_path / "t.json"
        stored = mark + text.encode(codec)
        path.write_bytes(gzip.compress(stored) if packed else stored)
        reader = open_trace(path)
        list(reader.chunks())
        summary = reader.summary()
        reader.close()
        assert (summary.names, summary.warnings) == (["a", "né", "名前", "𝄞"], [])


def test_half_a_character_at_the_end_is_said(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(json.dumps(EVENTS).encode("utf-16")[:-1])
    reader = open_trace(path)
    list(reader.chunks())
    reader.close()
    first, second = reader.summary().warnings
    assert first == (
        "the text in UTF-16 is cut short: it ends within a character: what could be read was kept, 4 whole events"
    )
    assert second.startswith("the closing ] is missing")


def test_bytes_in_messages_are_those_of_the_text_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(json.dumps(EVENTS).encode("utf-16")[:-40])
    reader = open_trace(path)
    list(reader.chunks())
    reader.close()
    (warning,) = reader.summary().warnings
    at = json.dumps(EVENTS).rindex("{")
    assert f"the file ends inside an event (byte {at:,}, counted in the text as UTF-8)" in warning


def test_what_is_no_character_is_replaced() -> None:
    stored = codecs.BOM_UTF16_LE + '["'.encode("utf-16-le") + b"\x00\xd8" + '"]'.encode("utf-16-le")
    with source_of(stored) as source:
        assert drain(source).decode() == '["\ufffd"]'
        assert source.problem is None
