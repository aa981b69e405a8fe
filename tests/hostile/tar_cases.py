"""Tar: forms, headers that lie, what is no file, cuts, a log directory."""

from __future__ import annotations

import tarfile

from tests.hostile.archive_bytes import TAR_END, case, gz, tar_head, tar_member, tarred, tgz, zipped
from tests.hostile.case import Case, Indexed, Refused
from tests.hostile.json_text import A, B, array
from tests.hostile.xspace_bytes import DEVICE, HOST, SPACE
from tests.hostile.xspace_bytes import kept as space_kept
from tests.hostile.zip_cases import FOREIGN
from tests.tiler.readers import wire_writer as w

JSON = array(A, B).encode()
MEMBER = tar_member(b"host0.json", JSON)
OTHER = tar_member(b"host1.json", JSON)
PLAIN = MEMBER + TAR_END
ONE = Indexed(2, 1)
TWO = Indexed(4, 2)
DAMAGED = Refused("damaged|cannot be read|cut short|no known trace format|contains no trace")
EMPTY = Indexed(0, 0, ("empty",))  # a header that says so of its member
NO_TRACE = Refused("is an archive that contains no trace")
TOLD = Indexed(2, 1, ("left out|cut|damaged|link|header|ends|size|empty|no trace",))


def _both(name: str, about: str, tar: bytes, *accepted: Indexed | Refused) -> list[Case]:
    """Plain, and compressed as tars mostly are."""
    return [
        case(f"tar/{name}", about, "a.tar", tar, *accepted),
        case(f"tgz/{name}", about, "a.tgz", tgz(tar), *accepted),
    ]


def _pax(records: bytes, kind: bytes = b"x") -> bytes:
    return tar_member(b"PaxHeader", records, kind)


# Headers of the PAX form before a member: read, or told, or refused in a line.
_PAX = {
    "garbage": b"\xff\xfe\x00garbage",
    "no-length": b"path=x\n",
    "length-0": b"0 path=x\n",
    "length-1": b"1 path=x\n",
    "length-beyond": b"999 path=x\n",
    "length-negative": b"-5 path=x\n",
    "length-huge": b"99999999999999999999 path=x\n",
    "length-word": b"ten path=x\n",
    "no-equals": b"8 pathx\n",
    "no-utf8": b"15 path=\xff\xfea.js\n",
    "size-negative": b"11 size=-5\n",
    "size-word": b"12 size=abc\n",
    "size-huge": b"30 size=99999999999999999999\n",
    "size-fraction": b"12 size=1.5\n",
    "mtime-nan": b"13 mtime=nan\n",
    "path-empty": b"8 path=\n",
    "path-leads-out": b"23 path=../../etc/x.js\n",
    "nul": b"12 path=a\0b\n",
    "sparse-map": b"28 GNU.sparse.map=0,9,x,y,z\n",
    "sparse-size": b"27 GNU.sparse.size=-10000\n",
    "empty": b"",
}

# Sizes as they are written in a header.
_SIZES = {
    "negative": b"-0000000005\0",
    "no-octal": b"0000000abc9\0",
    "empty": b"\0" * 12,
    "base-256-negative": b"\xff" * 12,
    "base-256-huge": b"\x80" + b"\x7f" * 11,
    "beyond-file": b"%011o\0" % 100_000_000,
}

_KINDS = {
    "hard-link": (b"1", b"host0.json"),
    "symbolic-link": (b"2", b"/etc/passwd"),
    "link-to-itself": (b"2", b"special.json"),
    "character-device": (b"3", b""),
    "block-device": (b"4", b""),
    "folder": (b"5", b""),
    "fifo": (b"6", b""),
    "unknown": (b"Z", b""),
    "volume": (b"V", b""),
    "multi-volume": (b"M", b""),
}


def _foreign(kind: str, member: tuple[str, bytes]) -> list[Case]:
    some = [Indexed(2, 1), Indexed(2, 1, (member[0].replace(".", r"\.") + "|ends inside|cut|damaged|empty|gzip",))]
    if kind in ("cut-xspace", "cut-json"):
        some = [Indexed(events, tracks, ("host1|ends inside|cut",)) for events in (2, 3) for tracks in (1, 2, 3)]
    if kind == "nested-zip":
        some.append(TWO)
    return _both(f"foreign-{kind}", "one member must not fail all", tarred(member, ("host0.json", JSON)), *some)


_RUN = "logs/plugins/profile/2026_01_31_10_00_00"
_B_SPACE = DEVICE + HOST + w.data(4, "host1")


def _log_directories() -> list[Case]:
    """What holds for folders holds in archives."""
    space, copy, perfetto = (
        (f"{_RUN}/host0.xplane.pb", SPACE),
        (f"{_RUN}/host0.trace.json.gz", gz(JSON)),
        (f"{_RUN}/perfetto_trace.json.gz", gz(JSON)),
    )
    named = (r"host0\.trace\.json\.gz", r"perfetto_trace\.json\.gz")
    other_json = (f"{_RUN}/host1.trace.json.gz", gz(JSON))
    return [
        *_both(
            "jax", "the JSON beside the XSpace of its host is a copy", tarred(space, copy, perfetto), space_kept(named)
        ),
        *_both("jax-copy-first", "whatever the order", tarred(perfetto, copy, space), space_kept(named)),
        *_both(
            "jax-other-host",
            "the JSON of another host is a part of the run",
            tarred(space, other_json),
            Indexed(5, 3),
            Indexed(5, 3, ("host1",)),
        ),
        *_both(
            "jax-two-hosts",
            "two XSpaces",
            tarred(space, (f"{_RUN}/host1.xplane.pb", _B_SPACE)),
            Indexed(6, 4, (), None, ("host0", "host1")),
        ),
        *_both(
            "jax-equal-hostnames",
            "two files that name the same host stay apart",
            tarred(space, (f"{_RUN}/host1.xplane.pb", SPACE)),
            Indexed(6, 4),
        ),
        *_both("jax-json-alone", "without an XSpace it is read", tarred(copy), ONE),
        *_both("jax-perfetto-alone", "without an XSpace it is read", tarred(perfetto), ONE),
        *_both(
            "jax-two-runs",
            "two runs are not one",
            tarred(space, (f"{_RUN[:-2]}07/host0.xplane.pb", SPACE)),
            Indexed(6, 4),
            Indexed(6, 4, ("run",)),
            Refused("runs", 2),
            Refused("runs"),
        ),
    ]


CASES = [
    *_both("plain", "as it should be", PLAIN, ONE),
    *_both("two-hosts", "files of one run", MEMBER + OTHER + TAR_END, TWO),
    *(
        case(f"tar/form-{name}", "as tools write it", "a.tar", tarred(("d/" * 60 + "host0.json", JSON), form=form), ONE)
        for name, form in (("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT), ("ustar", tarfile.USTAR_FORMAT))
    ),
    case(
        "tar/form-v7",
        "the oldest form has no mark: not recognised, or read",
        "a.tar",
        tar_member(b"host0.json", JSON, magic=bytes(8)) + TAR_END,
        ONE,
        Refused("no known trace format|is text"),
    ),
    *(
        case(
            f"tar/pax-{name}",
            "a strange header before a member",
            "a.tar",
            _pax(records) + PLAIN,
            ONE,
            TOLD,
            DAMAGED,
            EMPTY,
        )
        for name, records in _PAX.items()
    ),
    *(
        case(
            f"tar/pax-global-{name}",
            "a strange header for all members",
            "a.tar",
            _pax(_PAX[name], b"g") + PLAIN,
            ONE,
            TOLD,
            DAMAGED,
            EMPTY,
        )
        for name in ("garbage", "size-negative", "length-huge", "no-utf8")
    ),
    *(
        case(
            f"tar/size-{name}",
            "a size that is none",
            "a.tar",
            MEMBER + tar_head(b"host1.json", size) + JSON.ljust(512, b"\0") + TAR_END,
            ONE,
            TWO,
            TOLD,
            DAMAGED,
            Indexed(3, 2, ("cut|damaged|ends|missing", "damaged|× |cut")),
            Indexed(4, 2, ("cut|damaged|size|ends", "× ")),
            Indexed(4, 2, ("× |cut|damaged",)),
            Indexed(2, 2, ("empty|damaged|cut|size",)),
            Indexed(2, 1, ("empty|damaged|cut|size|host1",)),
        )
        for name, size in _SIZES.items()
    ),
    *(
        case(
            f"tar/kind-{name}",
            "what is no file is no trace",
            "a.tar",
            tar_head(b"special.json", 0, kind, link=link) + PLAIN,
            ONE,
            TOLD,
            *((TWO,) if name == "hard-link" else ()),
        )
        for name, (kind, link) in _KINDS.items()
    ),
    *(each for kind, member in FOREIGN.items() for each in _foreign(kind, member)),
    *_log_directories(),
    case(
        "tar/order",
        "members come in the order of their names",
        "a.tar",
        tarred(
            ("b/host10.xplane.pb", DEVICE + w.data(4, "h10")),
            ("b/host9.xplane.pb", DEVICE + w.data(4, "h9")),
            ("a/host1.xplane.pb", DEVICE + w.data(4, "h1")),
        ),
        *(Indexed(6, 3, (), None, hosts) for hosts in (("h1", "h9", "h10"), ("h1", "h10", "h9"))),
    ),
    case("tar/name-empty", "a member without a name", "a.tar", tar_member(b"", JSON) + PLAIN, ONE, TWO, TOLD),
    case(
        "tar/name-leads-out",
        "nothing is read outside of the archive",
        "a.tar",
        tar_member(b"../../secret.json", JSON) + PLAIN,
        ONE,
        TWO,
        TOLD,
    ),
    case("tar/name-absolute", "a name from the root", "a.tar", tar_member(b"/etc/host1.json", JSON) + PLAIN, TWO),
    case("tar/name-no-utf8", "a name that is no text", "a.tar", tar_member(b"h\xff\xfe.json", JSON) + PLAIN, TWO),
    case(
        "tar/name-escape-sequence",
        "never raw on a terminal",
        "a.tar",
        tar_member(b"\x1b[31m\n.json", JSON[:60]) + PLAIN,
        *(
            Indexed(events, tracks, said)
            for events in (2, 3)
            for tracks in (1, 2)
            for said in (("ends inside|cut",), ("ends inside|cut", "json"))
        ),
    ),
    case(
        "tar/names-equal",
        "of two members of one name the first is read, and the other named",
        "a.tar",
        tar_member(b"host0.json", array(A).encode()) + PLAIN,
        Indexed(1, 1, ("host0.json is left out: it is there a second time",)),
    ),
    case(
        "tar/name-long-gnu",
        "a name in a header of its own",
        "a.tar",
        tar_member(b"././@LongLink", b"n" * 100_000 + b"\0", b"L") + PLAIN,
        Refused("very long name"),
    ),
    case(
        "tar/name-long-cut",
        "a long name that is not there",
        "a.tar",
        tar_head(b"././@LongLink", 500, b"L") + b"name",
        DAMAGED,
    ),
    case(
        "tar/name-long-huge",
        "a name of 8 GB",
        "a.tar",
        tar_head(b"././@LongLink", b"77777777777\0", b"L") + MEMBER + TAR_END,
        DAMAGED,
        ONE,
        TOLD,
    ),
    case(
        "tar/checksum-wrong",
        "the second header is damaged",
        "a.tar",
        MEMBER + b"X" + OTHER[1:] + TAR_END,
        ONE,
        TOLD,
        DAMAGED,
    ),
    case("tar/no-end", "without the blocks of zeros", "a.tar", MEMBER, ONE, TOLD),
    case("tar/end-between", "two tars, one after the other", "a.tar", PLAIN + OTHER + TAR_END, ONE, TWO, TOLD),
    case("tar/garbage-behind", "more behind its end", "a.tar", PLAIN + b"garbage" * 100, ONE, TOLD),
    case("tar/zeros", "nothing but zeros", "a.tar", bytes(10_240), Refused("no known trace format|contains no trace")),
    case("tar/folders-only", "nothing in it", "a.tar", tar_head(b"d/", 0, b"5") + TAR_END, NO_TRACE),
    case("tar/cut-in-head", "the second header is cut", "a.tar", MEMBER + OTHER[:200], ONE, TOLD, DAMAGED),
    case(
        "tar/cut-in-data",
        "what is there is read",
        "a.tar",
        MEMBER + OTHER[: 512 + len(A) + 4],
        *(
            Indexed(events, tracks, said)
            for events in (2, 3)
            for tracks in (1, 2)
            for said in (("cut|ends|damaged",), ("cut|ends|damaged", "cut|ends|missing|damaged"))
        ),
        DAMAGED,
    ),
    case(
        "tgz/cut",
        "what inflates is read",
        "a.tgz",
        gz(MEMBER + OTHER + TAR_END, level=0)[: 18 + len(MEMBER) + 512 + len(A) + 4],
        *(
            Indexed(events, tracks, said)
            for events in (2, 3)
            for tracks in (1, 2)
            for said in (("cut|ends|damaged",), ("cut|ends|damaged", "cut|ends|missing|damaged"))
        ),
        DAMAGED,
    ),
    case(
        "tgz/cut-in-first",
        "what inflates is read",
        "a.tgz",
        gz(PLAIN, level=0)[: 18 + 512 + len(A) + 4],
        *(Indexed(1, 1, said) for said in (("cut|ends|damaged",), ("cut|ends|damaged", "cut|ends|missing|damaged"))),
        DAMAGED,
    ),
    case(
        "tgz/checksum-wrong",
        "everything is there but the checksum",
        "a.tgz",
        gz(PLAIN)[:-8] + b"\1\2\3\4" + gz(PLAIN)[-4:],
        ONE,
        TOLD,
        DAMAGED,
    ),
    case("tgz/members", "a tar in several gzip members", "a.tgz", gz(PLAIN[:700]) + gz(PLAIN[700:]), ONE),
    case("tgz/xspace", "an XSpace in a compressed tar", "a.tgz", tgz(tarred(("host0.xplane.pb", SPACE))), space_kept()),
    case(
        "tar/zip-inside",
        "an archive in an archive",
        "a.tar",
        tarred(("x.zip", zipped([("x.json", JSON)]))),
        NO_TRACE,
        ONE,
        Refused("archive"),
    ),
    case(
        "tar/tar-inside",
        "an archive in an archive",
        "a.tar",
        tarred(("x.tar", PLAIN)),
        NO_TRACE,
        ONE,
        Refused("archive"),
    ),
    case("tar/gzip-inside", "compressed within", "a.tar", tarred(("host0.json.gz", gz(JSON))), ONE),
    case(
        "tar/sparse-gnu",
        "a file with holes",
        "a.tar",
        tar_head(b"host1.json", 0, b"S") + PLAIN,
        ONE,
        TWO,
        TOLD,
        Indexed(2, 2, ("empty",)),
        DAMAGED,
    ),
    case("tar/as-json", "content decides", "t.json", PLAIN, ONE),
    case(
        "tar/hidden",
        "what file managers leave",
        "a.tar",
        tarred(("._host0.json", b"\0\5\x16\7"), (".DS_Store", b"\0\0\0\1Bud1"), ("host0.json", JSON)),
        ONE,
    ),
    case(
        "tar/contiguous",
        "a kind that is read as a file",
        "a.tar",
        tar_member(b"host0.json", JSON, b"7") + TAR_END,
        ONE,
        NO_TRACE,
    ),
    case(
        "tar/nested-100", "a hundred tars in one another", "a.tar", lambda: _nested(100), NO_TRACE, Refused("archive")
    ),
]


def _nested(depth: int) -> bytes:
    data = JSON
    for _ in range(depth):
        data = tarred(("x.tar", data))
    return data
