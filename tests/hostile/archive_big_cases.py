"""Archives and compressed files that want much time, memory or disk: one pass, or refused with the bound named."""

from __future__ import annotations

import gzip
import io
import json
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.hostile.archive_bytes import TAR_END, gz, tar_head, tar_member, tgz
from tests.hostile.case import GIB, Case, Indexed, Maker, Refused, put
from tests.hostile.json_text import A, B, array
from tests.hostile.xspace_bytes import DEVICE, line
from tests.tiler.readers import wire_writer as w

JSON = array(A, B).encode()
INFLATED = Refused(r"(?i)inflat|--max-inflated")
LIMIT = Refused(r"(?i)inflat|limit|at most|too (many|much|large)")
TEXTS = (r"\.txt is left out: it is text|members are left out: they are no traces",)
BLOCK_BYTES = 64 << 20
DATA_BYTES = GIB + GIB // 2


def _case(
    name: str,
    about: str,
    file: str,
    data: Callable[[], bytes],
    *accepted: Indexed | Refused,
    seconds: float = 30.0,
    args: tuple[str, ...] = (),
    make: Maker | None = None,
) -> Case:
    return Case(
        f"archive-big/{name}",
        about,
        make or put(file, data),
        accepted,
        args=args,
        cpu_seconds=seconds,
        data_bytes=DATA_BYTES,
        apart=True,
    )


def _block() -> bytes:
    """64 MiB of events, each on a line."""
    one = (A + ",\n").encode()
    return (one * (BLOCK_BYTES // len(one) + 1))[:BLOCK_BYTES]


def _raw(block: bytes, times: int) -> bytes:
    """So many times the block as one deflate stream; only once is it compressed."""
    deflate = zlib.compressobj(9, wbits=-15)
    piece = deflate.compress(block) + deflate.flush(zlib.Z_FULL_FLUSH)
    return piece * times + b"\x03\x00"


def _gzip_bomb(block: bytes, times: int) -> bytes:
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + _raw(block, times) + bytes(8)


def _zip_bomb(name: bytes, block: bytes, times: int) -> bytes:
    """A zip with one member that inflates to so many blocks, by hand: its checksum is wrong."""
    raw, size = _raw(block, times), len(block) * times
    common = struct.pack("<HHHHHLLL", 45, 0, 8, 0, 0, 0, len(raw), 0xFFFF_FFFF)
    extra = struct.pack("<HHQ", 1, 8, size)
    local = (
        b"PK\3\4"
        + common
        + struct.pack("<HH", len(name), len(extra) + 8)
        + name
        + struct.pack("<HHQQ", 1, 16, size, len(raw))
    )
    central = (
        b"PK\1\2"
        + struct.pack("<H", 45)
        + common
        + struct.pack("<HHHHHLL", len(name), len(extra), 0, 0, 0, 0, 0)
        + name
        + extra
    )
    data = local + raw
    return data + central + struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1, 1, len(central), len(data), 0)


def _tar(members: Iterator[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def _zip(members: Iterator[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def _traces(count: int) -> Iterator[tuple[str, bytes]]:
    return ((f"host{k:05}.json", JSON) for k in range(count))


def _texts(count: int) -> Iterator[tuple[str, bytes]]:
    yield from ((f"notes/{k:06}.txt", b"nothing to see\n" * 40) for k in range(count))
    yield "host0.json", JSON


def _lines(count: int) -> bytes:
    return w.message(
        1, w.data(2, "p"), line("l", *(w.message(4, w.number(2, 10 * k), w.number(3, 5)) for k in range(count)))
    )


def _folder_of(count: int, content: bytes) -> Maker:
    def make(folder: Path) -> Path:
        for k in range(count):
            (folder / f"{k:06}.json").write_bytes(content)
        (folder / "x.trace.json").write_bytes(JSON)
        return folder

    return make


def _honest() -> bytes:
    """A trace that compresses very well, and is none the worse for it."""
    return gzip.compress(
        json.dumps(
            [{"ph": "X", "name": "a", "pid": 1, "tid": 2, "ts": 3 * k, "dur": 2} for k in range(500_000)]
        ).encode(),
        9,
        mtime=0,
    )


_ZEROS = bytes(BLOCK_BYTES)

CASES = [
    _case(
        "gzip-bomb-json",
        "10 GB of events in 30 MB",
        "t.json.gz",
        lambda: _gzip_bomb(b"[" + _block()[1:], 1)[:-10] + _raw(_block(), 159) + bytes(8),
        INFLATED,
        seconds=60,
    ),
    _case(
        "gzip-bomb-members",
        "10 GB in members",
        "t.json.gz",
        lambda: gzip.compress(b"[", mtime=0) + gzip.compress(_block(), 9, mtime=0) * 160,
        INFLATED,
        seconds=60,
    ),
    _case(
        "gzip-bomb-white-space",
        "10 GB of blanks in 10 MB",
        "t.json.gz",
        lambda: _gzip_bomb(b" " * BLOCK_BYTES, 160),
        INFLATED,
    ),
    _case(
        "gzip-bomb-xspace",
        "10 GB of an unknown field",
        "h.xplane.pb.gz",
        lambda: (
            gzip.compress(DEVICE + w.varint(9 << 3 | 2) + w.varint(160 * BLOCK_BYTES), mtime=0)
            + gzip.compress(_ZEROS, 9, mtime=0) * 160
        ),
        INFLATED,
    ),
    _case(
        "gzip-bomb-zeros",
        "10 GB of zeros",
        "t.gz",
        lambda: _gzip_bomb(_ZEROS, 160),
        INFLATED,
        Refused("no known trace format"),
    ),
    _case(
        "gzip-bomb-twice",
        "a bomb in a gzip",
        "t.json.gz",
        lambda: gz(_gzip_bomb(b" " * BLOCK_BYTES, 160)),
        INFLATED,
        Refused("no known trace format|gzip"),
    ),
    _case(
        "gzip-bomb-said",
        "a bound that was given",
        "t.json.gz",
        lambda: gzip.compress(b"[" + _block(), 9, mtime=0),
        INFLATED,
        args=("--max-inflated", "10MB"),
    ),
    _case("gzip-honest", "what compresses well is read", "t.json.gz", _honest, Indexed(500_000, 1)),
    _case(
        "zip-bomb", "10 GB of blanks in a zip", "a.zip", lambda: _zip_bomb(b"t.json", b" " * BLOCK_BYTES, 160), INFLATED
    ),
    _case(
        "zip-bomb-text",
        "10 GB of text that is no trace",
        "a.zip",
        lambda: _zip_bomb(b"t.txt", b"x" * BLOCK_BYTES, 160),
        INFLATED,
        Refused("contains no trace"),
    ),
    _case(
        "tgz-bomb",
        "10 GB of blanks in a tgz",
        "a.tgz",
        lambda: _gzip_bomb(tar_head(b"t.json", 4 * BLOCK_BYTES), 1)[:-10] + _raw(b" " * BLOCK_BYTES, 160) + bytes(8),
        INFLATED,
        Refused("damaged|empty"),
        Indexed(0, 0, ("empty", "inflat|cut|damaged")),
    ),
    _case(
        "tgz-bomb-skipped",
        "10 GB of a member that is no trace",
        "a.tgz",
        lambda: _gzip_bomb(tar_head(b"t.bin", b"%011o\0" % (8 * GIB - 512)), 1)[:-10] + _raw(_ZEROS, 160) + bytes(8),
        INFLATED,
        Refused("without a trace|damaged"),
    ),
    _case(
        "tgz-400",
        "400 traces in a few kilobytes",
        "a.tgz",
        lambda: tgz(_tar(_traces(400))),
        Indexed(800, 400),
        seconds=10,
    ),
    _case("tar-3000", "3,000 traces", "a.tar", lambda: _tar(_traces(3000)), Indexed(6000, 3000), LIMIT, seconds=60),
    _case("zip-3000", "3,000 traces", "a.zip", lambda: _zip(_traces(3000)), Indexed(6000, 3000), LIMIT, seconds=60),
    _case(
        "tgz-texts",
        "100,000 texts and a trace",
        "a.tgz",
        lambda: tgz(_tar(_texts(100_000))),
        Indexed(2, 1, TEXTS),
        LIMIT,
    ),
    _case(
        "zip-texts", "100,000 texts and a trace", "a.zip", lambda: _zip(_texts(100_000)), Indexed(2, 1, TEXTS), LIMIT
    ),
    _case(
        "tar-texts", "100,000 texts and a trace", "a.tar", lambda: _tar(_texts(100_000)), Indexed(2, 1, TEXTS), LIMIT
    ),
    _case(
        "tgz-empty-members",
        "200,000 members of nothing",
        "a.tgz",
        lambda: gz(tar_head(b"x.json", 0) * 200_000 + tar_member(b"host0.json", JSON) + TAR_END),
        Indexed(2, 1),
        LIMIT,
        Indexed(2, 1, ("empty|twice|left out|name",)),
    ),
    _case(
        "zip-names",
        "members with names of 60 kB",
        "a.zip",
        lambda: _zip((f"{k:04}/" + "n" * 60_000, b"text") for k in range(1000)),
        Refused("contains no trace"),
        LIMIT,
    ),
    _case(
        "pax-headers",
        "100,000 headers that describe a header",
        "a.tar",
        lambda: tar_member(b"x", b"11 a=bcdef\n", b"x") * 100_000 + tar_member(b"host0.json", JSON) + TAR_END,
        Indexed(2, 1),
        Refused("damaged|cannot be read|nested|header"),
        LIMIT,
    ),
    _case(
        "long-names",
        "100,000 headers with a long name each",
        "a.tar",
        lambda: (
            tar_member(b"././@LongLink", b"n" * 200 + b"\0", b"L") * 100_000 + tar_member(b"host0.json", JSON) + TAR_END
        ),
        Indexed(2, 1),
        Refused("damaged|cannot be read|nested|header"),
        LIMIT,
    ),
    _case(
        "tgz-xspaces",
        "200 XSpaces of 1,000 events",
        "a.tgz",
        lambda: tgz(_tar((f"host{k:03}.xplane.pb", _lines(1000)) for k in range(200))),
        Indexed(200_000, 200),
    ),
    _case(
        "gzip-members",
        "a million members of nothing",
        "t.json.gz",
        lambda: gz(b"") * 1_000_000 + gz(JSON),
        Indexed(2, 1),
    ),
    _case(
        "gzip-members-of-a-byte",
        "200,000 members of a byte",
        "t.json.gz",
        lambda: gz(b" ") * 200_000 + gz(JSON),
        Indexed(2, 1),
    ),
    _case(
        "folder-of-packages",
        "20,000 files of JSON that are no traces",
        "",
        bytes,
        Indexed(2, 1),
        make=_folder_of(20_000, b'{"name":"x"}'),
    ),
    _case("folder-of-empty-files", "20,000 files of nothing", "", bytes, Indexed(2, 1), make=_folder_of(20_000, b"")),
]
