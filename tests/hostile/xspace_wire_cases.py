"""XSpace: cut anywhere, and wire format that is none."""

from __future__ import annotations

import gzip

from tests.hostile.case import Case, Indexed, Refused
from tests.hostile.xspace_bytes import DEVICE, HOST, NAME, OPS, SPACE, case, event, kept, line, plane
from tests.tiler.readers import wire_writer as w

CUT = ("cut|ends inside",)
DAMAGE = r"byte [\d,]+: .*(wire type|varint|reaches beyond|group|field of number 0|nested)|no known trace format"


def _at(data: bytes, part: bytes, into: int) -> int:
    return data.index(part) + into


_SECOND = len(DEVICE)
_B = event(2, 4000)

# Where a file ends: bytes that are there, and the events that are whole.
_CUTS = {
    "plane-length": (1, 0),
    "plane-name": (8, 0),
    "metadata": (_at(SPACE, w.event_metadata(2, "b"), 5), 0),
    "line-header": (_at(SPACE, OPS, 1), 0),
    "line-name": (_at(SPACE, b"XLA Ops", 3), 0),
    "line-start": (_at(SPACE, b"XLA Ops", 8), 0),
    "first-event": (_at(SPACE, event(1, 0), 3), 0),
    "between-events": (_at(SPACE, _B, 0), 1),
    "event-length": (_at(SPACE, _B, 1), 1),
    "event-value": (_at(SPACE, _B, 5), 1),
    "event-last-byte": (_at(SPACE, _B, len(_B) - 1), 1),
    "second-plane-tag": (_SECOND + 1, 2),
    "second-plane-name": (_SECOND + 6, 2),
    "second-plane-metadata": (_SECOND + 20, 2),
    "second-plane-event": (_SECOND + len(HOST) - 2, 2),
    "host-name": (len(SPACE) - 2, 3),
}


def _cut(name: str, data: bytes, whole: int, file: str = "h.xplane.pb") -> Case:
    """What is whole before the cut is kept, with a warning; refused where there is nothing."""
    said = (*CUT, "no events") if whole == 0 else CUT
    spans = (("a", 0, 2000), ("b", 4000, 2000), ("c", 1000, 1000))[:whole]
    some = [Indexed(whole, tracks, said, spans) for tracks in range(4)]
    nothing: list[Indexed | Refused] = (
        [Refused("the file ends inside|cut short"), Refused("is empty"), Indexed(0, 0, ("empty",), ())]
        if whole == 0
        else []
    )
    return case(f"xspace-cut/{name}", f"{whole} whole events before the cut", data, *some, *nothing, file=file)


_LATE = plane("/device:TPU:0", OPS) + w.message(
    1, w.data(2, "/host:CPU"), line("python", event(3, 1000, 1000)) + w.event_metadata(3, "c")
)


def _gzip_cuts() -> list[Case]:
    """Stored, not squeezed: a place in the compressed file is one in the file."""
    stored = gzip.compress(SPACE, 0, mtime=0)
    begin = stored.index(SPACE)
    cuts = [
        _cut(f"gzip-{name}", stored[: begin + _CUTS[name][0]], _CUTS[name][1], "h.xplane.pb.gz")
        for name in ("event-value", "second-plane-event", "host-name")
    ]
    trailer = case(
        "xspace-cut/gzip-trailer",
        "everything is there but the checksum",
        stored[:-4],
        kept(("cut|checksum|damaged",)),
        file="h.xplane.pb.gz",
    )
    wrong = bytearray(stored)
    wrong[-6] ^= 1
    return [
        *cuts,
        trailer,
        case(
            "xspace-cut/gzip-checksum",
            "the checksum is wrong",
            bytes(wrong),
            Refused("gzip|checksum|damaged"),
            kept(("checksum|damaged|gzip",)),
            file="h.xplane.pb.gz",
        ),
    ]


# Bytes that are damaged, not cut: after a whole plane they could mean anything.
_DAMAGE = {
    "space-wire-type": w.varint(1 << 3) + w.varint(5),
    "plane-wire-type": w.message(1, w.number(2, 5)),
    "line-wire-type": w.message(1, w.message(3, w.data(3, "x"))),
    "event-wire-type": w.message(1, w.message(3, w.message(4, w.data(1, "")))),
    "varint-of-11-bytes": b"\x28" + b"\xff" * 10 + b"\x01",
    "line-beyond-plane": w.message(1, b"\x1a\x7f") + NAME * 30,
    "event-beyond-line": w.message(1, w.message(3, b"\x22\x20")) + NAME * 30,
    "field-0": b"\x00\x00",
    "field-beyond-2-29": w.varint(1 << 32 | 0) + b"\x00",
    "wire-type-6": w.varint(9 << 3 | 6),
    "wire-type-7": w.varint(9 << 3 | 7),
    "group-never-begun": w.varint(9 << 3 | 4),
    "group-ends-as-another": w.varint(9 << 3 | 3) + w.varint(10 << 3 | 4),
    "groups-101-deep": w.varint(9 << 3 | 3) * 101 + w.varint(9 << 3 | 4) * 101,
    "metadata-name-beyond": w.message(
        1, w.data(2, "x"), line("l", event(1)), w.message(4, w.number(1, 1), w.data(2, b"\x12\x7fabc"))
    ),
}

# Wire format that is odd, but right: nothing is lost.
_ODD = {
    "long-varints": w.varint(4 << 3 | 2)[:0] + DEVICE + HOST + b"\xa2\x80\x80\x00" + b"\x85\x80\x00" + b"host0",
    "unknown-fields": w.number(900, 7)
    + w.double(901, 1.5)
    + w.data(902, b"\xff")
    + w.varint(903 << 3 | 5)
    + b"abcd"
    + SPACE,
    "unknown-group": SPACE + w.varint(9 << 3 | 3) + w.number(1, 5) + w.varint(9 << 3 | 4),
    "groups-100-deep": SPACE + w.varint(9 << 3 | 3) * 99 + w.varint(9 << 3 | 4) * 99,
    "host-name-first": NAME + DEVICE + HOST,
    "fields-between-planes": DEVICE + NAME + w.number(77, 1) + HOST,
    "name-behind-lines": w.message(
        1, OPS, w.event_metadata(1, "a"), w.event_metadata(2, "b"), w.data(2, "/device:TPU:0")
    )
    + HOST
    + NAME,
}

CASES = [
    *(_cut(name, SPACE[:size], whole) for name, (size, whole) in _CUTS.items()),
    *_gzip_cuts(),
    case(
        "xspace-cut/names-behind-the-cut",
        "events whose names were cut off stay, without a name",
        _LATE[:-4],
        *(Indexed(3, tracks, CUT, (("[event 3]", 1000, 1000), ("a", 0, 2000), ("b", 4000, 2000))) for tracks in (2,)),
        *(Indexed(3, 2, CUT, (("a", 0, 2000), ("b", 4000, 2000), ("c", 1000, 1000))) for _ in (1,)),
    ),
    case(
        "xspace-cut/between-planes",
        "cannot be seen in this format",
        DEVICE,
        Indexed(2, 1, (), (("a", 0, 2000), ("b", 4000, 2000))),
    ),
    case(
        "xspace-cut/length-of-4-gb",
        "a plane that says it is larger than any file",
        DEVICE + b"\x0a\xff\xff\xff\xff\x0f" + HOST[2:],
        *(Indexed(2, tracks, CUT) for tracks in (1, 2)),
        *(Indexed(3, 2, CUT) for _ in (1,)),
        Refused("the file ends inside"),
    ),
    case(
        "xspace-cut/length-of-2-63",
        "a length that no integer holds",
        DEVICE + b"\x0a" + b"\xff" * 9 + b"\x01" + HOST[2:],
        *(Indexed(2, tracks, CUT) for tracks in (1, 2)),
        Indexed(3, 2, CUT),
        Refused("the file ends inside"),
    ),
    *(
        case(f"xspace-wire/{name}", "damaged: refused with the byte", DEVICE + data, Refused(DAMAGE))
        for name, data in _DAMAGE.items()
    ),
    case(
        "xspace-wire/text-conversion",
        "bytes replaced by U+FFFD",
        SPACE.replace(b"\x88", b"").decode("utf-8", "replace").replace("\x0f", "\ufffd\ufffd").encode()
        + b"\xef\xbf\xbd" * 40,
        Refused("text conversion|no known trace format|wire type|ends inside|reaches beyond|varint"),
        *(Indexed(n, t, CUT) for n in (0, 1, 2) for t in (0, 1, 2)),
    ),
    case(
        "xspace-wire/line-in-plane-length-0",
        "a line without anything",
        plane("p", w.message(3)) + NAME,
        Indexed(0, 1, ("no events",), ()),
    ),
    case("xspace-wire/empty-plane", "a plane without anything", w.message(1) + SPACE, kept()),
    case(
        "xspace-wire/empty-event",
        "an event without anything",
        plane("p", line("l", w.message(4))),
        Indexed(1, 1, (), (("[no name]", 0, 0),)),
    ),
    case("xspace-wire/one-byte", "as little as can be", b"\x0a", Indexed(0, 0, ("empty",), ()), Refused("")),
]
