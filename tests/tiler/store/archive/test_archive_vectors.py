"""The vectors that readers in other languages are tested with are what this version writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.tiler.store.archive.plain_archive import KEYS, read_archive
from tests.vectors.make_archive import FOLDER, vectors


@pytest.mark.parametrize("name", ["small.tsarc", "small.json"])
def test_vectors_are_up_to_date(name: str) -> None:
    assert (FOLDER / name).read_bytes() == vectors()[name], "make them anew: python -m tests.vectors.make_archive"


def test_the_plain_decoder_reads_them() -> None:
    archive = read_archive((FOLDER / "small.tsarc").read_bytes())
    expected = json.loads((FOLDER / "small.json").read_text())
    assert len(archive.pieces) == expected["records"] > 4096
    assert archive.leaves == 2
    for key, value in expected["values"].items():
        assert archive.pieces[bytes.fromhex(key)].hex() == value
    for key in expected["absent"]:
        assert bytes.fromhex(key) not in archive.records


def test_the_typescript_reader_knows_all_keys() -> None:
    source = (Path(__file__).parents[4] / "viewer" / "client" / "src" / "archive" / "keys.ts").read_text()
    kinds = {
        letter: tuple(int(width) for width in widths.split(",") if width.strip())
        for letters, widths in re.findall(r'\.\.\.kinds\("(\w+)"((?:, \d)*)\)', source)
        for letter in letters
    }
    bytes_of = {"B": 1, "I": 4, "Q": 8}
    assert kinds == {letter: tuple(bytes_of[number] for number in formats) for letter, formats in KEYS.items()}
