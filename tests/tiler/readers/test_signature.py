"""Formats are recognised by content."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.corpus import corpus_manifest, corpus_path
from tilescope.tiler.errors import UnknownFormat
from tilescope.tiler.readers.signature import HEAD_BYTES, recognise
from tilescope.tiler.readers.sources import open_source

PATH = Path("trace")
EXPECTED = {"xspace": "xspace", "chrome_json": "trace_event_json", "perfetto": "perfetto"}


@pytest.mark.parametrize("name", sorted(corpus_manifest()) or ["MANIFEST.json"])
def test_corpus(name: str) -> None:
    path = corpus_path(name)
    format_name = corpus_manifest()[name]["format"]
    with open_source(path) as source:
        head = source.peek(HEAD_BYTES)
    assert recognise(head, path).format.id == EXPECTED[format_name]


@pytest.mark.parametrize(
    "head",
    [
        b" \n\t",
        b"[]",
        b"\xef\xbb\xbf{}",
        b'\n{"traceEvents":[]}',
        b'\n\n{"traceEvents":[]}',
        b"{'single': 1}",
        b"// comment\n[]",
        b'"a string"',
        b'[\n{"name":"\x01\x02"}]',
    ],
)
def test_json(head: bytes) -> None:
    assert recognise(head, PATH).format.id == "trace_event_json"


def test_no_bytes_are_no_trace() -> None:
    with pytest.raises(UnknownFormat, match="is empty"):
        recognise(b"", PATH)


@pytest.mark.parametrize(
    "head",
    [
        b"\n\x00",
        b"\n\x7b\x08\x01\x12\x05/host" + b"\x1a\x70" + bytes(100),  # a length that looks like a brace
        b"\n\x7b\x22\x06\x08\x01\x12\x02\x08\x01",  # and a map entry that looks like a quote
        b"\n\x5b\x12\x04abcd",
        b"\x22\x04host\n\x02\x08\x01",
        b"\n\xa7\xf4\x06\x08\x02\x12\x0d/device:TPU:0",
    ],
)
def test_xspace(head: bytes) -> None:
    assert recognise(head, PATH).format.id == "xspace"


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"<html>", "HTML"),
        (b"hello", "neither a JSON object nor an array"),
        (b"\x04\x22\x4d\x18123", "LZ4"),
        (b"\x28\xb5\x2f\xfd123", "compressed twice, with zstd inside"),
        (b"\x7fELF\x02\x01\x01" + bytes(60), "no known trace format"),
        (bytes(100), "no known trace format"),
    ],
)
def test_other(head: bytes, what: str) -> None:
    with pytest.raises(UnknownFormat, match=what):
        recognise(head, PATH)


def test_random_bytes_are_unknown() -> None:
    generator = random.Random(20)
    taken = 0
    for _ in range(3_000):
        try:
            recognise(generator.randbytes(generator.randrange(16, 2_000)), PATH)
            taken += 1
        except UnknownFormat:
            pass
    assert taken <= 3
