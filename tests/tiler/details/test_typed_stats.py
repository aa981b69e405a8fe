"""Stats of one name are those among all stats."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.details.packed_metadata import tables_of
from tilescope.tiler.details.typed_stats import typed_stats
from tilescope.tiler.details.xstat_tables import EventMetadata, PlaneNames

NAMES = {0: "zero", 5: "wanted", 300: "other", 70_000: "wanted", -7: "negative"}


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def stat(number: int, text: str, value_first: bool) -> bytes:
    """An XStat message, in a field of the one around it."""
    parts = [b"\x08" + varint(number) if number else b"", b"\x2a" + varint(len(text)) + text.encode()]
    message = b"".join(reversed(parts) if value_first else parts)
    return b"\x22" + varint(len(message)) + message


@given(st.lists(st.tuples(st.sampled_from([*NAMES, 9]), st.sampled_from(["", "a", "\x08\x05"]), st.booleans())))
def test_those_of_a_name(stats: list[tuple[int, str, bool]]) -> None:
    raw = b"".join(stat(*one) for one in stats)
    plane = PlaneNames("/device:TPU:0", NAMES)
    tables = tables_of([plane], [EventMetadata(0, 1, "", "", raw)], [0])
    for name in ("wanted", "zero", "nowhere"):
        assert tables.stats_called(name, 0) == [one for one in typed_stats(raw, NAMES) if one.name == name]
