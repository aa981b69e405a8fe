"""Attachments that are not what was stored, and lists that are not of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.attachments import ATTACHMENT_CHUNKS, ATTACHMENTS
from tilescope.tiler.store.attachments import CHUNK_BYTES
from tilescope.tiler.verify import verify_store


def listed(altered: AlteredStore) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(decompress(altered.records(b"I")[ATTACHMENTS.key()]))["attachments"]
    return entries


def record(entries: object) -> bytes:
    return compress(json.dumps({"attachments": entries}).encode())


def refused(altered: AlteredStore, records: dict[bytes, bytes | None], match: str) -> None:
    with altered.replaced(records), pytest.raises(DamagedStore, match=match):
        verify_store(altered.path)


def test_both_are_there(altered: AlteredStore) -> None:
    assert [entry["name"] for entry in listed(altered)] == ["json/otherData", "json/stackFrames"]
    report = verify_store(altered.path)
    assert report.attachments == 2
    assert report.attached_bytes == sum(int(entry["size_bytes"]) for entry in listed(altered)) > CHUNK_BYTES


def test_content_that_was_written_anew(altered: AlteredStore) -> None:
    for number, chunk in ((0, 0), (1, 0), (1, 1)):
        key = ATTACHMENT_CHUNKS.key(number, chunk)
        data = bytearray(decompress(altered.records(key)[key]))
        data[len(data) // 2] ^= 1
        refused(altered, {key: compress(bytes(data))}, f"attachment {number} .*its CRC-32 is")
        refused(altered, {key: compress(bytes(data[:-1]))}, f"attachment {number} .*chunk {chunk} has")


def test_chunks_that_change_places(altered: AlteredStore) -> None:
    first, second = ATTACHMENT_CHUNKS.key(1, 0), ATTACHMENT_CHUNKS.key(1, 1)
    records = altered.records(b"B")
    refused(altered, {first: records[second], second: records[first]}, "its CRC-32 is")


@pytest.mark.parametrize(
    ("field", "value", "match"),
    [
        ("size_bytes", "3", "chunk 0 has"),
        ("size_bytes", "-3", "makes no sense"),
        ("size_bytes", "999999999999999999999", "makes no sense"),
        ("crc32", "00000000", "its CRC-32 is"),
        ("id", 4, "out of order"),
        ("file", 7, "a file that is not there"),
        ("name", 7, "makes no sense"),
        ("name", "json/stackFrames", "twice"),
    ],
)
def test_lists_that_say_something_else(altered: AlteredStore, field: str, value: object, match: str) -> None:
    entries = listed(altered)
    entries[0][field] = value
    refused(altered, {ATTACHMENTS.key(): record(entries)}, match)


def test_lists_of_more_and_of_less(altered: AlteredStore) -> None:
    entries = listed(altered)
    refused(altered, {ATTACHMENTS.key(): record(entries[:1])}, "a record that should not be there")
    more = [*entries, {**entries[0], "id": 2, "name": "x"}]
    refused(altered, {ATTACHMENTS.key(): record(more)}, "attachment 2 .*chunk 0 is missing")
    refused(altered, {ATTACHMENTS.key(): None}, "the list of attachments is missing")
    for damaged in (b"[]", b"{}", b"null", b'{"attachments":[1]}', b"[" * 9999):
        refused(altered, {ATTACHMENTS.key(): compress(damaged)}, "the list of attachments is damaged")
