"""Saved pages of the Cloud TPU profiler: which they are, that they are kept whole, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tilescope.tiler.errors import DamagedTrace, TooLarge, TraceError
from tilescope.tiler.readers.cloud_tpu import reader as cloud_tpu_reader
from tilescope.tiler.readers.cloud_tpu.signature import looks_like_page
from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.recognise import open_trace

TREE: dict[str, Any] = {"byCategory": {"name": "all", "metrics": {"time": 1}, "children": []}}
TABLE = [{"cols": [{"id": "stepnum", "label": "step", "type": "string"}], "rows": []}]


def kept(path: Path) -> tuple[str, bytes]:
    """Name and content of the only attachment of a file."""
    reader = open_trace(path)
    try:
        assert list(reader.chunks()) == []
        (attachment,) = reader.summary().attachments
        return attachment.name, b"".join(attachment.pieces())
    finally:
        reader.close()


@pytest.mark.parametrize("page", ["pod_viewer", "op_profile", "input_pipeline", "overview_page", "memory_viewer"])
def test_pages_are_kept_whole(page: str, tmp_path: Path) -> None:
    path = corpus_path(f"imports/{page}.json")
    assert kept(path) == (f"page/{page}", path.read_bytes())
    packed = tmp_path / "page.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert kept(packed) == (f"page/{page}", path.read_bytes())


@pytest.mark.parametrize(
    "content",
    [TREE, TABLE, {"hloModule": {}}, {"heapSizes": []}, {"maxHeap": []}, {"hloInfoMap": {}, "podStatsSequence": {}}],
)
def test_they_are_told_by_their_first_bytes(content: Any) -> None:
    for indent in (None, 4):
        text = json.dumps(content, indent=indent).encode()
        assert looks_like_page(b"\xef\xbb\xbf" + text) == looks_like_page(b" \n" + text) == Likeness.CERTAIN


@pytest.mark.parametrize(
    "content",
    [
        {"traceEvents": [], "byCategory": {}},
        {"byCategory": {}, "traceEvents": []},
        [{"ph": "X", "args": {"byCategory": 1}}],
        [{"cols": [{"id": "other"}]}],
        {"other": TREE},
        {},
        [],
    ],
)
def test_other_json_is_none(content: Any) -> None:
    assert looks_like_page(json.dumps(content).encode()) == Likeness.NONE


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"byCategory": {"name": ', "byte 24: is not JSON"),
        (b'{"byCategory": {"name": "\xff"}}', "byte 25: is not UTF-8"),
        (b'{"byCategory": 5}', "has not what one has"),
        (b'{"maxHeap": {}}', "has not what one has"),
        (b'{"byCategory":' + b"[" * 200_000, "nested more than 200"),
        (b'{"byCategory": {"a":' + b"[" * 300 + b"]" * 300 + b"}}", "nested more than 200"),
        (b'{"byCategory": {"a": ' + b"9" * 5000 + b"}}", "not JSON of a profiler"),
    ],
)
def test_damage_is_one_clear_line(content: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "page.json"
    path.write_bytes(content)
    with pytest.raises(DamagedTrace) as caught:
        kept(path)
    assert why in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_cut_gzip_and_large_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.json.gz"
    path.write_bytes(gzip.compress(json.dumps(TREE).encode())[:-12])
    with pytest.raises(TraceError):
        kept(path)
    monkeypatch.setattr(cloud_tpu_reader, "MAX_PAGE_BYTES", 10)
    path.write_bytes(json.dumps(TREE).encode())
    with pytest.raises(TooLarge, match="more than 10 bytes"):
        kept(path)
