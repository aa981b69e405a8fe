"""Files that are no traces, or of formats that are not read: refused with what they seem to be."""

from __future__ import annotations

from tests.compressed import COMPRESS
from tests.hostile.case import Case, Indexed, Refused, put
from tests.hostile.json_text import A, B, array
from tests.hostile.xspace_bytes import SPACE
from tests.tiler.readers import wire_writer as w

JSON = array(A, B).encode()
_PERFETTO = b"".join(w.message(1, w.number(8, 1000 + k), w.number(10, 1)) for k in range(20))

_FILES: dict[str, tuple[str, bytes, str]] = {
    "sqlite": ("t.db", b"SQLite format 3\0" + bytes(84), "SQLite"),
    "html": ("t.xplane.pb", b"<!DOCTYPE html><html><body>404</body></html>", "is an HTML page"),
    "yaml": ("t.json", b"- a: 1\n- b: 2\n", "is text"),
    "python": ("t.json", b"import json\nprint({})\n", "is text"),
    "git-lfs": ("t.xplane.pb", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n", "is text"),
    "elf": ("t.pb", b"\x7fELF\x02\x01\x01" + bytes(57), "no known trace format"),
    "png": ("t.pb", b"\x89PNG\r\n\x1a\n" + bytes(40), "no known trace format"),
    "pdf": ("t.pb", b"%PDF-1.7\n" + bytes(range(128, 256)), "no known trace format|is text"),
    "zeros": ("t.pb", bytes(100_000), "no known trace format"),
    "ones": ("t.pb", b"\xff" * 100_000, "no known trace format|is text"),
    "counting": ("t.pb", bytes(range(256)) * 20, "no known trace format"),
    "shifted-xspace": ("t.xplane.pb", SPACE[1:], "no known trace format|is text|wire type|ends inside|byte"),
    "reversed-xspace": ("t.xplane.pb", SPACE[::-1], "no known trace format"),
    "hlo-proto": ("t.pb", w.data(1, w.data(1, "jit_f") + w.number(3, 9)), "no known trace format"),
    "varints": ("t.pb", w.number(1, 5) * 100, "no known trace format|wire type"),
    "arrow": ("t.arrow", b"ARROW1\0\0" + bytes(100), "is an Arrow file"),
    "lmdb": ("data.mdb", bytes(16) + b"\xde\xc0\xef\xbe" + bytes(8172), "no known trace format"),
    "rar": ("t.zip", b"Rar!\x1a\x07\x01\x00" + bytes(50), "is a RAR archive"),
    "7z": ("t.zip", b"7z\xbc\xaf\x27\x1c" + bytes(50), "is a 7z archive"),
    "latin-1": ("t.json", "größe,dauer\nä,1\n".encode("latin-1"), "is text|no known trace format"),
}

# In other compressions and encodings.
_READ = {
    **{kind: (f"t.json.{kind}", compress(JSON)) for kind, compress in COMPRESS.items()},
    "utf-16-le": ("t.json", b"\xff\xfe" + JSON.decode().encode("utf-16-le")),
    "utf-16-be": ("t.json", b"\xfe\xff" + JSON.decode().encode("utf-16-be")),
    "utf-16-without-mark": ("t.json", JSON.decode().encode("utf-16-le")),
    "utf-32": ("t.json", JSON.decode().encode("utf-32")),
}

CASES = [
    *(
        Case(f"format/{name}", "says what it seems to be", put(file, data), (Refused(message),))
        for name, (file, data, message) in _FILES.items()
    ),
    *(
        Case(f"format/{name}", "is read as any other", put(file, data), (Indexed(2, 1),))
        for name, (file, data) in _READ.items()
    ),
    Case("format/perfetto", "has packets without events", put("t.pftrace", _PERFETTO), (Indexed(0, 0),)),
    Case("format/csv", "is a table, of whatever program", put("t.json", b"name,ts,dur\na,1,2\n"), (Indexed(0, 0),)),
]
