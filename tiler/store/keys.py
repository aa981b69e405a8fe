"""Keys of the store: big-endian, so that byte order is scan order. The first byte is the kind."""

from __future__ import annotations

import struct

from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey

_PAGE = struct.Struct(">cIBQB")
_ONE = struct.Struct(">cI")
_FLOW_TILES = struct.Struct(">cIBQ")
_DETAILS = struct.Struct(">cIQ")
_TWO = struct.Struct(">cII")
_HISTOGRAM = struct.Struct(">cIBQ")

MANIFEST = b"M"
TRACKS = b"T"
STORED_ROWS = b"C"  # prefix of its chunks
STEPS = b"W"  # prefix of all records of steps
ATTACHMENTS = b"I"

_ONLY = {MANIFEST: "the manifest", TRACKS: "the track tree", ATTACHMENTS: "the list of attachments"}

_ONE_OF = {
    b"S": "the shape record of block",
    b"a": "the tracks of block",
    b"N": "the page of names",
    b"O": "the page of the overview",
    b"A": "the table of arguments of file",
    STORED_ROWS: "the rows of metadata, chunk",
    b"K": "the kinds of operations of track",
    b"Y": "the sums of operations of track",
    b"Z": "the sums in steps of the operations of track",
}
_OF_TILE = {b"H": "its histogram", b"Q": "its spread", b"G": "its flow tile, and those after it"}
_OF_BLOCK = {
    b"J": "its histogram",
    b"R": "its spread",
    b"U": "the sums of its tracks",
    b"V": "the spread of its tracks",
}
_FROM_EVENT = {b"D": "arguments", b"F": "flows", b"X": "operations", STEPS: "steps"}


def page(key: PageKey) -> bytes:
    """Key of a page."""
    return _PAGE.pack(b"P", key.block, key.level, key.index, key.slot)


def page_key(key: bytes) -> PageKey:
    """The name of the page with this key."""
    _, block, level, index, slot = _PAGE.unpack(key)
    return PageKey(block, level, index, slot)


def shape(block: int) -> bytes:
    """Key of a block's shape record."""
    return _ONE.pack(b"S", block)


def block_tracks(block: int) -> bytes:
    """Key of the tracks of a block as the track tree has them in the end: until it is there."""
    return _ONE.pack(b"a", block)


def names(page_number: int) -> bytes:
    """Key of a page of names."""
    return _ONE.pack(b"N", page_number)


def overview(page_number: int) -> bytes:
    """Key of a page of the overview."""
    return _ONE.pack(b"O", page_number)


def args_tables(file: int) -> bytes:
    """Key of what is needed to decode the arguments of a file's events."""
    return _ONE.pack(b"A", file)


def args_pages(file: int, page: int) -> bytes:
    """Key of a page of these tables."""
    return _TWO.pack(b"E", file, page)


def stored_rows(chunk: int) -> bytes:
    """Key of a chunk of the rows of metadata."""
    return _ONE.pack(STORED_ROWS, chunk)


def attachment(number: int, chunk: int) -> bytes:
    """Key of a chunk of an attachment."""
    return _TWO.pack(b"B", number, chunk)


def pair(key: bytes) -> tuple[int, int]:
    """The numbers in a key of two numbers."""
    _, first, second = _TWO.unpack(key)
    return first, second


def histogram(track: int, level: int, index: int) -> bytes:
    """Key of the histogram of a tile."""
    return _HISTOGRAM.pack(b"H", track, level, index)


def spread(track: int, level: int, index: int) -> bytes:
    """Key of the spread of a tile, which belongs to its histogram."""
    return _HISTOGRAM.pack(b"Q", track, level, index)


def block_histogram(block: int, level: int, index: int, *, by_track: bool = False) -> bytes:
    """Key of the histogram of a tile of all tracks of a block: by name, or `by_track`."""
    return _HISTOGRAM.pack(b"U" if by_track else b"J", block, level, index)


def block_spread(block: int, level: int, index: int, *, by_track: bool = False) -> bytes:
    """Key of the spread that belongs to it."""
    return _HISTOGRAM.pack(b"V" if by_track else b"R", block, level, index)


def details(track: int, ordinal: int) -> bytes:
    """Key of the chunk of arguments that begins with this event."""
    return _DETAILS.pack(b"D", track, ordinal)


def details_of(track: int) -> bytes:
    """Prefix of a track's chunks."""
    return _ONE.pack(b"D", track)


def flow_ends(track: int, ordinal: int) -> bytes:
    """Key of the chunk of flow ends that begins with those of this slice."""
    return _DETAILS.pack(b"F", track, ordinal)


def flow_ends_of(track: int) -> bytes:
    """Prefix of a track's chunks of flow ends."""
    return _ONE.pack(b"F", track)


def page_names(block: int, first_page: int) -> bytes:
    """Key of the record of names on pages of a block from this page on."""
    return _TWO.pack(b"L", block, first_page)


def page_names_of(block: int) -> bytes:
    """Prefix of a block's records of page names."""
    return _ONE.pack(b"L", block)


def steps(track: int, ordinal: int) -> bytes:
    """Key of the record of steps that begins with this slice."""
    return _DETAILS.pack(b"W", track, ordinal)


def steps_key(key: bytes) -> tuple[int, int]:
    """Track and first slice of the record of steps with this key."""
    _, track, ordinal = _DETAILS.unpack(key)
    return track, ordinal


def kinds(track: int) -> bytes:
    """Key of the kinds of a track's operations."""
    return _ONE.pack(b"K", track)


def operation_sums(track: int) -> bytes:
    """Key of the sums of a track's operations."""
    return _ONE.pack(b"Y", track)


def step_sums(track: int) -> bytes:
    """Key of the sums of a track's operations in steps."""
    return _ONE.pack(b"Z", track)


def operations(track: int, ordinal: int) -> bytes:
    """Key of the record of operations that begins with this event."""
    return _DETAILS.pack(b"X", track, ordinal)


def flow_tiles(track: int, level: int, index: int) -> bytes:
    """Key of the chunk of flow tiles that begins with this one."""
    return _FLOW_TILES.pack(b"G", track, level, index)


def flow_tiles_of(track: int, level: int) -> bytes:
    """Prefix of a track's chunks of flow tiles of one level."""
    return _FLOW_TILES.pack(b"G", track, level, 0)[:-8]


def flow_tiles_key(key: bytes) -> tuple[int, int, int]:
    """Track, level and index of the first tile of the chunk with this key."""
    _, track, level, index = _FLOW_TILES.unpack(key)
    return track, level, index


def details_ordinal(key: bytes) -> int:
    """The first event of the chunk with this key."""
    return int(_DETAILS.unpack(key)[2])


def describe(key: bytes) -> str:
    """What is stored under a key, for people: track, level and tile."""
    try:
        return _describe(key)
    except struct.error:
        return f"a record of an unknown kind, {key[:40]!r}"


def _describe(key: bytes) -> str:
    kind = key[:1]
    if kind == b"P":
        page = page_key(key)
        track = page.block * TRACKS_PER_BLOCK + page.slot
        return f"track {track}, level {page.level}, tile {page.index}: the page that begins with it"
    if kind in _OF_TILE:
        _, track, level, index = _HISTOGRAM.unpack(key)
        return f"track {track}, level {level}, tile {index}: {_OF_TILE[kind]}"
    if kind in _OF_BLOCK:
        _, block, level, index = _HISTOGRAM.unpack(key)
        return f"block {block}, level {level}, tile {index}: {_OF_BLOCK[kind]}"
    if kind in _FROM_EVENT:
        _, track, ordinal = _DETAILS.unpack(key)
        return f"track {track}: {_FROM_EVENT[kind]} from event {ordinal} on"
    if kind in _ONE_OF:
        return f"{_ONE_OF[kind]} {_ONE.unpack(key)[1]}"
    if kind == b"L":
        block, first = pair(key)
        return f"block {block}: the names on its pages from number {first} on"
    if kind in (b"E", b"B"):
        first, second = pair(key)
        what = "the tables of arguments of file" if kind == b"E" else "attachment"
        return f"{what} {first}, {'page' if kind == b'E' else 'chunk'} {second}"
    if key in _ONLY:
        return _ONLY[key]
    raise struct.error
