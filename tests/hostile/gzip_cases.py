"""Gzip: heads, cuts, checksums, several members, what stands behind, and one inside the other."""

from __future__ import annotations

import zlib

from tests.hostile.archive_bytes import case, gz, gz_end
from tests.hostile.case import Case, Indexed, Refused
from tests.hostile.json_text import BOTH, SPAN_A, A, B, array, kept
from tests.hostile.xspace_bytes import SPACE
from tests.hostile.xspace_bytes import kept as space_kept

JSON = array(A, B).encode()
STORED = gz(JSON, level=0)
DATA_AT = STORED.index(JSON)
PROBLEM = "gzip stream is (cut short|damaged)|checksum"
ENDS = "ends inside an event|closing ] is missing"


def _part(name: str, about: str, data: bytes, said: tuple[str, ...], events: int) -> Case:
    spans = BOTH[:events]
    return case(
        f"gzip/{name}",
        about,
        "t.json.gz",
        data,
        Indexed(events, min(events, 1), said, spans),
        *((Refused("gzip|cut|damaged"),) if not events else ()),
    )


_FLAGS = {
    "name": (8, b"trace.json\0"),
    "comment": (16, b"a comment\0"),
    "extra": (4, b"\x05\0hello"),
    "text": (1, b""),
    "everything": (4 | 8 | 16, b"\0\0name\0comment\0"),
    "name-of-100-kb": (8, b"n" * 100_000 + b"\0"),
}

CASES = [
    *(
        case(f"gzip/head-{name}", "a head with more in it", "t.json.gz", gz(JSON, flags=flags, extra=extra), kept())
        for name, (flags, extra) in _FLAGS.items()
    ),
    case(
        "gzip/head-checksum",
        "a head with a checksum of its own",
        "t.json.gz",
        gz(JSON, flags=2, extra=(zlib.crc32(gz(JSON, flags=2)[:10]) & 0xFFFF).to_bytes(2, "little")),
        kept(),
    ),
    case(
        "gzip/head-reserved-flags",
        "flags that no standard has",
        "t.json.gz",
        gz(JSON, flags=0xE0),
        kept(),
        Refused("gzip|damaged"),
        Indexed(0, 0, (PROBLEM, "empty"), ()),
    ),
    case(
        "gzip/method-7",
        "a method that does not exist",
        "t.json.gz",
        gz(JSON, method=7),
        Refused("no known trace format|gzip"),
    ),
    *(_part(f"cut-head-{size}", "cut inside the head", gz(JSON)[:size], (PROBLEM, "empty"), 0) for size in (3, 5, 9)),
    case("gzip/cut-magic", "two bytes", "t.json.gz", b"\x1f\x8b", Refused("no known trace format|gzip")),
    _part(
        "cut-between-events",
        "what inflates is read",
        STORED[: DATA_AT + len(A) + 2],
        (PROBLEM, "closing ] is missing"),
        1,
    ),
    _part("cut-inside-event", "what inflates is read", STORED[: DATA_AT + len(A) + 9], (PROBLEM, ENDS), 1),
    _part("cut-checksum", "all but the end", STORED[:-6], (PROBLEM,), 2),
    _part("cut-size", "all but the end", STORED[:-1], (PROBLEM,), 2),
    _part("wrong-checksum", "what inflates is read", gz(JSON)[:-8] + b"\1\2\3\4" + gz(JSON)[-4:], (PROBLEM,), 2),
    _part("wrong-size", "what inflates is read", gz(JSON)[:-4] + b"\xff\xff\xff\x7f", (PROBLEM,), 2),
    _part(
        "second-member-cut",
        "what inflates is read",
        gz(JSON[: len(A) + 3]) + STORED[: DATA_AT + 10],
        (PROBLEM, "damaged|ends inside|missing"),
        1,
    ),
    case("gzip/two-members", "one file", "t.json.gz", gz(JSON[:30]) + gz(JSON[30:]), kept()),
    case(
        "gzip/member-per-byte", "one file", "t.json.gz", b"".join(gz(JSON[k : k + 1]) for k in range(len(JSON))), kept()
    ),
    case(
        "gzip/empty-members",
        "5,000 members of nothing around a trace",
        "t.json.gz",
        gz(b"") * 5000 + gz(JSON) + gz(b"") * 5000,
        kept(),
    ),
    case("gzip/only-empty-members", "nothing at all", "t.json.gz", gz(b"") * 100, Refused("is empty")),
    case("gzip/zeros-behind", "padding", "t.json.gz", gz(JSON) + bytes(10_000), kept()),
    case(
        "gzip/zeros-between", "padding between members", "t.json.gz", gz(JSON[:30]) + bytes(512) + gz(JSON[30:]), kept()
    ),
    case(
        "gzip/garbage-behind", "counted", "t.json.gz", gz(JSON) + b"garbage", kept(("^7 × trailing_compressed_bytes",))
    ),
    case(
        "gzip/json-behind",
        "counted, not read",
        "t.json.gz",
        gz(JSON) + JSON,
        kept((rf"^{len(JSON)} × trailing_compressed_bytes",)),
    ),
    case(
        "gzip/magic-behind",
        "three bytes of a member that is none",
        "t.json.gz",
        gz(JSON) + b"\x1f\x8b\x08",
        kept((PROBLEM,)),
        kept(("trailing_compressed_bytes",)),
    ),
    case(
        "gzip/in-gzip",
        "compressed twice",
        "t.json.gz",
        gz(gz(JSON)),
        kept(),
        Refused("gzip|compressed|twice|no known trace format"),
    ),
    case(
        "gzip/in-gzip-100",
        "compressed a hundred times",
        "t.json.gz",
        lambda: _nested(100),
        Refused("gzip|compressed|twice|no known trace format"),
    ),
    case("gzip/xspace", "content decides", "t.json.gz", gz(SPACE), space_kept()),
    case("gzip/xspace-as-pb", "content decides", "h.pb", gz(SPACE), space_kept()),
    case("gzip/xspace-members", "one file", "h.xplane.pb.gz", gz(SPACE[:50]) + gz(SPACE[50:]), space_kept()),
    case(
        "gzip/xspace-garbage-behind",
        "counted, or told",
        "h.xplane.pb.gz",
        gz(SPACE) + b"garbage",
        space_kept(("trailing_compressed_bytes|behind",)),
        space_kept(),
    ),
    case(
        "gzip/json-then-xspace",
        "two formats one after the other",
        "t.gz",
        gz(JSON) + gz(SPACE),
        kept(("damaged|trailing|stray",)),
        kept(("trailing_bytes",)),
    ),
    case("gzip/text", "no trace inside", "t.gz", gz(b"hello\n" * 100), Refused("is text")),
    case("gzip/random", "no trace inside", "t.gz", gz(bytes(range(256)) * 9), Refused("no known trace format")),
    case(
        "gzip/deflate-garbage",
        "nothing inflates",
        "t.json.gz",
        gz(JSON)[:10] + b"\x07\xff\xff" * 30,
        Refused("gzip|damaged"),
        Indexed(0, 0, (PROBLEM, "empty"), ()),
    ),
    case(
        "gzip/flip-inside",
        "what inflates before the damage is read",
        "t.json.gz",
        STORED[:DATA_AT] + JSON[: len(A) + 3] + b"\xff" * 10 + gz_end(JSON),
        Indexed(1, 1, (PROBLEM, "damaged|ends inside|missing", "× "), (SPAN_A,)),
        Indexed(1, 1, (PROBLEM, "damaged|ends inside|missing"), (SPAN_A,)),
        Indexed(2, 1, (PROBLEM, "damaged|ends inside|missing", "× "), None),
    ),
    case("gzip/zlib-head", "zlib, not gzip", "t.json.gz", zlib.compress(JSON), Refused("no known trace format|zlib")),
]


def _nested(times: int) -> bytes:
    data = JSON
    for _ in range(times):
        data = gz(data)
    return data
