"""Zip: names, sizes and methods that lie, cuts, foreign members, archives in archives."""

from __future__ import annotations

import struct
import zipfile
from functools import partial

from tests.hostile.archive_bytes import case, gz, tarred, zipped
from tests.hostile.case import Case, Indexed, Refused
from tests.hostile.json_text import A, B, array
from tests.hostile.xspace_bytes import SPACE
from tests.hostile.xspace_bytes import kept as space_kept

JSON = array(A, B).encode()
PLAIN = zipped([("host0.json", JSON)], method=zipfile.ZIP_STORED)
DAMAGED = Refused(
    "damaged archive|archive is damaged|cannot be read from the archive|no known trace format|contains no trace"
)
NO_TRACE = Refused("is an archive that contains no trace")
ONE = Indexed(2, 1, (), None)


def _two(said: tuple[str, ...] = ()) -> Indexed:
    return Indexed(4, 2, said)


def _replace(data: bytes, at: int, value: bytes) -> bytes:
    return data[:at] + value + data[at + len(value) :]


def _central(data: bytes, into: int, value: bytes) -> bytes:
    """The same archive with a field of its first central entry changed."""
    return _replace(data, data.index(b"PK\1\2") + into, value)


def _local(data: bytes, into: int, value: bytes) -> bytes:
    return _replace(data, into, value)


def _set(info: zipfile.ZipInfo, **fields: object) -> None:
    for name, value in fields.items():
        setattr(info, name, value)


# How a member may be called.
_NAMES = {
    "dots-before": "./host0.json",
    "double-slash": "a//host0.json",
    "absolute": "/etc/host0.json",
    "backslash": "a\\host0.json",
    "no-utf8": "h\udcffst.json",
    "new-line": "a\nb.json",
    "escape-sequence": "\x1b[31m.json",
    "unicode": "größe-😀.json",
    "space": " .json",
    "no-suffix": "trace",
    "very-long": "d/" * 500 + "host0.json",
    "percent": "%2e%2e%2fhost0.json",
}


def _named(name: str, member: str) -> Case:
    raw = member.encode("utf-8", "surrogateescape")
    data = zipped([("n" * len(raw), JSON)]).replace(b"n" * len(raw), raw)
    if not raw.isascii() and "\udcff" not in member:
        data = _central(_local(data, 6, b"\0\x08"), 8, b"\0\x08")
    accepted = Refused("very long name") if len(raw) > 1000 else ONE
    return case(f"zip/name-{name}", "a name as no tool should write it", "a.zip", data, accepted)


def _overlapping() -> bytes:
    """One local member that 1,000 central entries name."""
    local = zipped([("h.json", JSON)])
    begin, end = local.index(b"PK\1\2"), local.index(b"PK\5\6")
    entries = b"".join(_replace(local[begin:end], 46, b"%06d" % k) for k in range(1000))
    return local[:begin] + entries + struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1000, 1000, len(entries), begin, 0)


def _nested(depth: int) -> bytes:
    data = JSON
    for _ in range(depth):
        data = zipped([("inner.zip", data)])
    return data


FOREIGN = {
    "types": ("types.json", b'[{"id":1,"kind":"t"}]'),
    "package": ("package.json", b'{"name":"x","version":"1"}'),
    "text": ("readme.txt", b"hello\n"),
    "random": ("blob.bin", bytes(range(256)) * 8),
    "empty": ("empty.json", b""),
    "cut-xspace": ("host1.xplane.pb", SPACE[:60]),
    "cut-json": ("host1.json", JSON[:70]),
    "text-as-pb": ("host1.xplane.pb", b"<html>404</html>"),
    "cut-gzip": ("host1.json.gz", gz(JSON)[:6]),
    "nested-zip": ("inner.zip", zipped([("x.json", JSON)])),
}


def _foreign(kind: str, member: tuple[str, bytes], *, first: bool) -> Case:
    """A member that is no trace, or a damaged one, beside a whole trace: the run is indexed, the member named."""
    members = [("host0.json", JSON), member]
    some = [Indexed(2, 1), Indexed(2, 1, (member[0].replace(".", r"\.") + "|ends inside|cut|damaged|empty|gzip",))]
    if kind in ("cut-xspace", "cut-json"):
        some = [Indexed(events, tracks, (r"host1|ends inside|cut",)) for events in (2, 3) for tracks in (1, 2, 3)]
    if kind == "nested-zip":
        some.append(_two())
    return case(
        f"zip/foreign-{kind}-{'first' if first else 'last'}",
        "one member must not fail all",
        "a.zip",
        zipped(members[::-1] if first else members),
        *some,
    )


CASES = [
    *(_named(name, member) for name, member in _NAMES.items()),
    *(_foreign(kind, member, first=first) for kind, member in FOREIGN.items() for first in (True, False)),
    case("zip/plain", "as it should be", "a.zip", PLAIN, Indexed(2, 1, ())),
    case("zip/two-hosts", "files of one run", "a.zip", zipped([("host0.json", JSON), ("host1.json", JSON)]), _two()),
    case(
        "zip/order",
        "by their names",
        "a.zip",
        zipped([("host10.json", JSON), ("host9.json", JSON), ("host1.json", JSON)]),
        Indexed(6, 3),
    ),
    case(
        "zip/name-length-0",
        "a member whose name has no characters",
        "a.zip",
        zipped([("", JSON)]),
        ONE,
        NO_TRACE,
        DAMAGED,
    ),
    case(
        "zip/name-length-0-beside",
        "a member without a name beside another",
        "a.zip",
        zipped([("", JSON), ("host0.json", JSON)]),
        ONE,
        _two(),
        Indexed(2, 1, ("name|left out|no name",)),
    ),
    case(
        "zip/name-leads-out",
        "nothing is read outside of the archive",
        "a.zip",
        zipped([("../secret.json", JSON), ("a/../../secret.json", JSON)]),
        NO_TRACE,
        ONE,
        _two(),
    ),
    case(
        "zip/name-dots",
        "a name that is only dots",
        "a.zip",
        zipped([("..", JSON), (".", JSON), ("host0.json", JSON)]),
        ONE,
        Indexed(2, 1, ("left out",)),
    ),
    case(
        "zip/names-equal",
        "two members of one name",
        "a.zip",
        zipped([("host0.json", JSON), ("other.json", JSON)]).replace(b"other.json", b"host0.json"),
        Indexed(2, 1, ("host0.json is left out: it is there a second time",)),
    ),
    case(
        "zip/name-differs",
        "the name before the data is another one",
        "a.zip",
        _local(PLAIN, 30, b"hostX.json"),
        ONE,
        DAMAGED,
        Indexed(2, 1, ("name",)),
    ),
    case(
        "zip/hidden",
        "what file managers leave",
        "a.zip",
        zipped([("__MACOSX/._host0.json", b"\0\5\x16\7"), (".DS_Store", b"\0\0\0\1Bud1"), ("host0.json", JSON)]),
        ONE,
    ),
    case("zip/folders-only", "nothing in it", "a.zip", zipped([("a/", b""), ("a/b/", b"")]), NO_TRACE),
    case("zip/empty", "nothing in it", "a.zip", zipped([]), NO_TRACE),
    case("zip/empty-cut", "the end of an empty one", "a.zip", zipped([])[:10], DAMAGED, NO_TRACE),
    *(
        case(f"zip/cut-{name}", "cut short", "a.zip", PLAIN[:size], DAMAGED)
        for name, size in (
            ("in-head", 20),
            ("in-data", 60),
            ("before-central", PLAIN.index(b"PK\1\2")),
            ("in-central", PLAIN.index(b"PK\1\2") + 20),
            ("in-end", len(PLAIN) - 5),
        )
    ),
    case("zip/front-cut", "the beginning is gone", "a.zip", PLAIN[40:], Indexed(2, 1, ("^77 × trailing_bytes",))),
    case(
        "zip/garbage-before",
        "self-extracting",
        "a.zip",
        b"#!/bin/sh\n" * 50 + PLAIN,
        Refused("is text|no known trace format"),
        ONE,
    ),
    case("zip/garbage-behind", "more behind its end", "a.zip", PLAIN + b"garbage" * 10, ONE, DAMAGED),
    case("zip/comment", "a long comment", "a.zip", PLAIN[:-2] + b"\xff\xff" + b"c" * 65535, ONE),
    case(
        "zip/comment-like-an-end",
        "a comment that looks like the end of an archive",
        "a.zip",
        PLAIN[:-2] + struct.pack("<H", 22) + b"PK\5\6" + bytes(18),
        ONE,
        DAMAGED,
        NO_TRACE,
    ),
    case(
        "zip/encrypted",
        "says so",
        "a.zip",
        _central(_local(PLAIN, 6, b"\1\0"), 8, b"\1\0"),
        Refused("encrypted|password|cannot be read|without a trace"),
    ),
    *(
        case(
            f"zip/method-{method}",
            "a method that there is no reader for",
            "a.zip",
            _central(_local(PLAIN, 8, struct.pack("<H", method)), 10, struct.pack("<H", method)),
            Refused("method|not supported|is not read|cannot be read|damaged|without a trace"),
        )
        for method in (1, 9, 93, 99, 65535)
    ),
    *(
        case(
            f"zip/{name}",
            "other methods that tools offer",
            "a.zip",
            partial(zipped, [("host0.json", JSON)], method=method),
            ONE,
        )
        for name, method in (("bzip2", zipfile.ZIP_BZIP2), ("lzma", zipfile.ZIP_LZMA))
    ),
    case(
        "zip/wrong-checksum",
        "what can be read is read, and told",
        "a.zip",
        _central(PLAIN, 16, b"\1\2\3\4"),
        Indexed(2, 1, ("archive is damaged|CRC|checksum",)),
        Refused("CRC|damaged|checksum"),
    ),
    case(
        "zip/size-too-small",
        "a size that is not that of the data",
        "a.zip",
        _central(PLAIN, 24, struct.pack("<L", 60)),
        *(Indexed(n, 1, ("damaged|ends inside|cut|CRC",)) for n in (1, 2)),
        Refused("damaged|CRC|size"),
        Indexed(1, 1, ("damaged|CRC", "ends inside|missing")),
    ),
    case(
        "zip/size-4-gb",
        "a size that is not that of the data",
        "a.zip",
        _central(PLAIN, 24, struct.pack("<L", 0xFFFF_FFFE)),
        ONE,
        Refused("damaged|CRC|size"),
        Indexed(2, 1, ("damaged|size|cut",)),
        Indexed(2, 1, ("damaged|size|cut", "× ")),
    ),
    case(
        "zip/compressed-size-4-gb",
        "more data than there are",
        "a.zip",
        _central(PLAIN, 20, struct.pack("<L", 0xFFFF_FFFE)),
        DAMAGED,
        Indexed(2, 1, ("damaged|cut|EOF", "× |trailing|behind")),
        Indexed(2, 1, ("damaged|cut|EOF",)),
        ONE,
    ),
    case(
        "zip/offset-beyond",
        "data that lie beyond the file",
        "a.zip",
        _central(PLAIN, 42, struct.pack("<L", 0x7FFF_FFFF)),
        DAMAGED,
    ),
    case(
        "zip/offset-inside", "data that lie in another's", "a.zip", _central(PLAIN, 42, struct.pack("<L", 7)), DAMAGED
    ),
    case(
        "zip/entries-65535",
        "more entries than there are",
        "a.zip",
        _replace(PLAIN, len(PLAIN) - 14, b"\xfe\xff\xfe\xff"),
        ONE,
        DAMAGED,
    ),
    case(
        "zip/central-size-4-gb",
        "an index larger than the file",
        "a.zip",
        _replace(PLAIN, len(PLAIN) - 10, b"\xfe\xff\xff\xff"),
        DAMAGED,
    ),
    case(
        "zip/extra-garbage",
        "extra fields that are none",
        "a.zip",
        zipped([("host0.json", JSON)], change=lambda info: _set(info, extra=b"\1\0\xff\xff\0")),
        ONE,
        DAMAGED,
    ),
    case(
        "zip/zip64-garbage",
        "a large size that is cut short",
        "a.zip",
        _central(
            zipped([("host0.json", JSON)], change=lambda info: _set(info, extra=b"\1\0\2\0ab")), 24, b"\xff\xff\xff\xff"
        ),
        ONE,
        DAMAGED,
    ),
    case(
        "zip/symbolic-link",
        "a link is no trace",
        "a.zip",
        zipped(
            [("link.json", b"/etc/passwd"), ("host0.json", JSON)],
            change=lambda info: _set(
                info, create_system=3, external_attr=(0o120777 << 16) if info.filename == "link.json" else 0
            ),
        ),
        ONE,
        Indexed(2, 1, ("link",)),
    ),
    case(
        "zip/overlapping",
        "a thousand entries over the same data",
        "a.zip",
        _overlapping,
        Indexed(2000, 1000),
        Refused("overlap|damaged|inflated|cannot be read"),
        *(Indexed(2, 1, ("overlap|damaged",)) for _ in (1,)),
    ),
    case("zip/in-zip", "an archive in an archive", "a.zip", _nested(2), NO_TRACE, ONE, Refused("archive")),
    case("zip/in-zip-50", "fifty archives in one another", "a.zip", partial(_nested, 50), NO_TRACE, Refused("archive")),
    case(
        "zip/tar-inside",
        "a tar in a zip",
        "a.zip",
        zipped([("t.tar", tarred(("x.json", JSON)))]),
        NO_TRACE,
        ONE,
        Refused("archive"),
    ),
    case("zip/in-gzip", "a zip in a gzip", "a.zip.gz", gz(PLAIN), ONE, Refused("archive|gzip|zip|no known")),
    case("zip/gzip-inside", "compressed twice", "a.zip", zipped([("host0.json.gz", gz(JSON))]), ONE),
    case("zip/xspace", "content decides", "a.zip", zipped([("host0", SPACE)]), space_kept()),
    case(
        "zip/mixed",
        "an XSpace and the JSON of another host",
        "a.zip",
        zipped([("host0.xplane.pb", SPACE), ("host1.trace.json", JSON)]),
        Indexed(5, 3),
        Indexed(5, 3, ("host1",)),
    ),
    case(
        "zip/copy-of-the-same-host",
        "the JSON beside the XSpace of a host is its copy",
        "a.zip",
        zipped(
            [
                ("run/host0.xplane.pb", SPACE),
                ("run/host0.trace.json.gz", gz(JSON)),
                ("run/perfetto_trace.json.gz", gz(JSON)),
            ]
        ),
        space_kept((r"host0\.trace\.json\.gz", r"perfetto_trace\.json\.gz")),
    ),
    case("zip/as-json", "content decides", "t.json", PLAIN, ONE),
]
