"""Makes the vectors in `archive/`: a small archive of made-up records, and what each of its records is.

Run it after a change of docs/archive.md: `python -m tests.vectors.make_archive`. The output is deterministic, and
does not change with the version of stores, which stands as 0 in the header.
"""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Final

import numpy as np

from tests.tiler.store.archive.altered_archive import AlteredArchive
from tests.tiler.store.archive.dict_store import DictStore, page_value
from tests.tiler.store.archive.plain_archive import read_archive
from tilescope.tiler.pages import compress
from tilescope.tiler.records.arguments import ARGUMENTS
from tilescope.tiler.records.histogram import HISTOGRAM
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.archive.directory import KEY_COLUMNS, MAX_RECORD_BYTES, DirectoryLevel, encode_directory
from tilescope.tiler.store.archive.writer import write_archive

FOLDER: Final = Path(__file__).parent / "archive"
ROOT_LEVEL: Final = 7
TOP_TILE: Final = (1 << 53) - 1  # the last that there can be


def records() -> dict[bytes, bytes]:
    """Records of two leaves: pages of four levels, and many short arguments."""
    rng = random.Random(49)
    values = {NAMES.key(0): compress(json.dumps([["fusion.1", ""]]).encode()), TRACKS.key(): compress(b'{"tracks":[]}')}
    for block in range(3):
        values[SHAPE.key(block)] = rng.randbytes(40)
        for level in range(4, ROOT_LEVEL + 1):
            for tile in (*range(4 ** (ROOT_LEVEL - level) // 4 + 1), TOP_TILE):
                page, residual = rng.randbytes(rng.randrange(20)), rng.randbytes(rng.choice((0, 12)))
                values[PAGE.key(block, level, tile, tile % 32)] = page_value(page, residual)
    for track in range(40):
        values[HISTOGRAM.key(track, ROOT_LEVEL, 0)] = rng.randbytes(8)
        for event in range(100):
            values[ARGUMENTS.key(track, 256 * event)] = rng.randbytes(rng.randrange(6))
    values[ARGUMENTS.key((1 << 32) - 1, (1 << 64) - 1)] = b"last"
    return values


def huge_record() -> bytes:
    """A leaf with one record, which is larger than any."""
    zero = np.zeros(1, np.int64)
    letters, sizes = np.array([SHAPE.letter[0]], np.int64), np.array([MAX_RECORD_BYTES + 1], np.int64)
    return encode_directory(DirectoryLevel.LEAF, letters, [zero] * len(KEY_COLUMNS), zero, sizes)


def vectors() -> dict[str, bytes]:
    """The files of the folder by name."""
    store = DictStore(records(), ROOT_LEVEL, manifest=compress(b'{"version":0}'))
    file = io.BytesIO()
    write_archive(store, file)
    data = AlteredArchive.parse(file.getvalue()).encode(store_version=0)
    pieces = read_archive(file.getvalue()).pieces
    entries = {key.hex(): value.hex() for key, value in pieces.items() if key[:1] != ARGUMENTS.letter}
    sample = {key.hex(): value.hex() for key, value in list(pieces.items())[::97]}
    absent = [PAGE.key(0, 3, 0, 0), PAGE.key(9, 7, 0, 0), ARGUMENTS.key(0, 1), NAMES.key(1), b"zzzz"]
    expected = {
        "build": store.build,
        "records": len(pieces),
        "manifest": MANIFEST.key().hex(),
        "values": entries | sample,
        "absent": [key.hex() for key in absent],
        "leaf_of_a_huge_record": huge_record().hex(),
    }
    return {"small.tsarc": data, "small.json": json.dumps(expected, indent=1).encode() + b"\n"}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, content in vectors().items():
        (FOLDER / name).write_bytes(content)
