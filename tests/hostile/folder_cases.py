"""Folders: files beside files, what is no file, names from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tests.hostile.archive_bytes import gz, tarred, zipped
from tests.hostile.case import Case, Indexed, Refused
from tests.hostile.json_text import A, B, array
from tests.hostile.xspace_bytes import DEVICE, HOST, SPACE
from tests.hostile.xspace_bytes import kept as space_kept
from tests.tiler.readers import wire_writer as w

JSON = array(A, B).encode()
RUN = "plugins/profile/2026_01_31_10_00_00"
SECOND = DEVICE + HOST + w.data(4, "host1")
CUT = SPACE[: len(DEVICE) + 6]
NOTHING = Refused("there is no trace here|no trace", 2)
ONE = Indexed(2, 1)


def _case(
    name: str,
    about: str,
    files: dict[str, bytes | Callable[[Path], None]],
    *accepted: Indexed | Refused,
    at: str = "",
    apart: bool = False,
) -> Case:
    """Files of the given content, or made by a function, and the path to index."""

    def make(folder: Path) -> Path:
        for name, content in files.items():
            path = Path(os.fsdecode(os.fsencode(folder) + b"/" + os.fsencode(name)))
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            else:
                path.write_bytes(content)
        return folder / at

    return Case(f"folder/{name}", about, make, accepted, apart=apart)


def _link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def _missing(folder: Path) -> Path:
    return folder / "absent.json"


def _socket(path: Path) -> None:
    import socket

    before = Path.cwd()
    os.chdir(path.parent)  # a socket's whole path must be short
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(before)


def _run(name: str, about: str, files: dict[str, bytes | Callable[[Path], None]], *accepted: Indexed | Refused) -> Case:
    """Files of one run in a log directory."""
    return _case(name, about, {f"{RUN}/{file}": content for file, content in files.items()}, *accepted)


_HOST0 = {"host0.xplane.pb": SPACE}
COPY = r"host0\.trace\.json(\.gz)?"

CASES = [
    _run(
        "two-hosts",
        "a file per host",
        {**_HOST0, "host1.xplane.pb": SECOND},
        Indexed(6, 4, (), None, ("host0", "host1")),
    ),
    _run(
        "copy-of-the-same-host",
        "the JSON beside the XSpace of its host is named and left out",
        {**_HOST0, "host0.trace.json.gz": gz(JSON)},
        space_kept((COPY,)),
    ),
    _run("copy-uncompressed", "the same", {**_HOST0, "host0.trace.json": JSON}, space_kept((COPY,))),
    _run(
        "copy-of-a-compressed-space",
        "the same",
        {"host0.xplane.pb.gz": gz(SPACE), "host0.trace.json.gz": gz(JSON)},
        space_kept((COPY,)),
    ),
    _run(
        "perfetto-beside",
        "named and left out",
        {**_HOST0, "perfetto_trace.json.gz": gz(JSON)},
        space_kept((r"perfetto_trace\.json\.gz",)),
    ),
    _run(
        "other-host-beside",
        "the JSON of another host is a part of the run",
        {**_HOST0, "host1.trace.json.gz": gz(JSON)},
        Indexed(5, 3),
        Indexed(5, 3, ("host1",)),
    ),
    _run(
        "unrelated-beside",
        "an unrelated trace is a part of the run",
        {**_HOST0, "pytorch.trace.json": JSON},
        Indexed(5, 3),
        Indexed(5, 3, ("pytorch",)),
    ),
    _run(
        "other-hosts-copies",
        "each JSON goes with the XSpace of its host",
        {
            **_HOST0,
            "host1.xplane.pb": SECOND,
            "host0.trace.json.gz": gz(JSON),
            "host1.trace.json.gz": gz(JSON),
            "host2.trace.json.gz": gz(JSON),
        },
        Indexed(8, 5, (COPY, r"host1\.trace\.json\.gz")),
        Indexed(8, 5, (COPY, r"host1\.trace\.json\.gz", "host2")),
    ),
    _run(
        "equal-hostnames",
        "two files that name the same host stay apart",
        {**_HOST0, "other.xplane.pb": SPACE},
        Indexed(6, 4),
    ),
    _run(
        "equal-pids",
        "two files with the same processes stay apart",
        {"a.trace.json": JSON, "b.trace.json": JSON},
        Indexed(4, 2),
    ),
    _run(
        "equal-ids",
        "async slices of two files are not paired",
        {
            "a.trace.json": b'[{"ph":"b","id":1,"cat":"c","name":"x","pid":1,"ts":1}]',
            "b.trace.json": b'[{"ph":"e","id":1,"cat":"c","name":"x","pid":1,"ts":9}]',
        },
        Indexed(2, 2, ("1 slice has no end", "^1 × end_without_begin")),
    ),
    _run(
        "zero-bytes-beside",
        "no host",
        {**_HOST0, "host1.xplane.pb": b""},
        space_kept(("host1",), hosts=("host0",)),
        space_kept(("empty|no events",), hosts=("host0",)),
    ),
    _run(
        "zero-bytes-json-beside",
        "no host",
        {**_HOST0, "host1.trace.json": b""},
        space_kept(("host1",), hosts=("host0",)),
        space_kept(("empty",), hosts=("host0",)),
    ),
    _run(
        "zero-bytes-copy",
        "left out as a copy",
        {**_HOST0, "host0.trace.json.gz": b""},
        space_kept((COPY,)),
        space_kept((COPY, "empty")),
    ),
    _run("only-zero-bytes", "an empty trace", {"host0.xplane.pb": b""}, Refused("is empty")),
    _run(
        "cut-beside",
        "what can be read of it is kept",
        {**_HOST0, "host1.xplane.pb": CUT},
        *(Indexed(5, tracks, ("host1|cut|ends inside",)) for tracks in (3, 4)),
    ),
    _run(
        "cut-first",
        "whatever the order",
        {"a.xplane.pb": CUT, **_HOST0},
        *(Indexed(5, tracks, ("cut|ends inside",)) for tracks in (3, 4)),
    ),
    _run(
        "cut-gzip-beside",
        "what can be read of it is kept",
        {**_HOST0, "host1.xplane.pb.gz": gz(SPACE, level=0)[:-14]},
        *(Indexed(events, tracks, ("host1|cut|ends inside",)) for events in (5, 6) for tracks in (3, 4)),
    ),
    _run(
        "text-beside",
        "named, the rest is indexed",
        {**_HOST0, "host1.xplane.pb": b"<html>404</html>"},
        space_kept(("host1",)),
    ),
    _run(
        "package-beside",
        "named, the rest is indexed",
        {**_HOST0, "host1.trace.json": b'{"name":"x"}'},
        space_kept(("host1",)),
    ),
    _run(
        "all-bad",
        "nothing can be read",
        {"host0.xplane.pb": b"<html>", "host1.xplane.pb": b"<html>"},
        Refused(r"host[01]\.xplane\.pb"),
    ),
    _run(
        "memory-profile-beside",
        "other tools' files",
        {
            **_HOST0,
            "host0.memory_profile.json.gz": gz(b'{"m":1}'),
            "host0.kernel_stats.pb": b"\x0a\x00",
            "host0.op_profile.json": b"{}",
            "ALL_HOSTS.op_stats.pb": b"\x0a\x02\x08\x01",
        },
        space_kept(),
        space_kept(("",)),
    ),
    _run(
        "plain-and-compressed",
        "the plain one of two forms",
        {**_HOST0, "host0.xplane.pb.gz": gz(SPACE)},
        space_kept(),
        space_kept(("host0",)),
    ),
    _run(
        "new-line-in-name",
        "never raw on a terminal",
        {"a\nb\x1b[31m.xplane.pb": w.message(1, w.data(2, "p"))},
        Indexed(0, 0, ("no events",), ()),
    ),
    _run(
        "new-line-in-bad-name",
        "never raw on a terminal",
        {"a\nb\x1b[31m.xplane.pb": b"<html>"},
        Refused("is text|html|no known"),
    ),
    _run("name-no-utf8", "a name that is no text", {"h\udcff\udcfe.xplane.pb": DEVICE}, ONE),
    _run(
        "name-no-utf8-bad",
        "a name that is no text",
        {"h\udcff\udcfe.xplane.pb": b"<html>"},
        Refused("is an HTML page"),
    ),
    _run("name-of-250", "a long name", {"n" * 240 + ".xplane.pb": DEVICE}, ONE),
    _run(
        "dangling-link",
        "a link to nothing",
        {**_HOST0, "host1.xplane.pb": _link("absent")},
        space_kept(),
        space_kept(("host1",)),
    ),
    _run(
        "link-to-itself",
        "a link to itself",
        {**_HOST0, "host1.xplane.pb": _link("host1.xplane.pb")},
        space_kept(),
        space_kept(("host1",)),
    ),
    _run(
        "link-to-folder",
        "a link to the folder above",
        {**_HOST0, "host1.xplane.pb": _link("..")},
        space_kept(),
        space_kept(("host1",)),
    ),
    _run(
        "link-to-device",
        "a device that never ends",
        {**_HOST0, "host1.xplane.pb": _link("/dev/zero")},
        space_kept(),
        space_kept(("host1",)),
    ),
    _run(
        "pipe",
        "a pipe that nobody writes to",
        {**_HOST0, "host1.xplane.pb": os.mkfifo},
        space_kept(),
        space_kept(("host1",)),
    ),
    _run("socket", "a socket", {**_HOST0, "host1.xplane.pb": _socket}, space_kept(), space_kept(("host1",))),
    _run(
        "folder-of-that-name",
        "a folder called as a trace",
        {**_HOST0, "host1.xplane.pb/x": b"x"},
        space_kept(),
        space_kept(("host1",)),
    ),
    _run(
        "link-to-trace",
        "a link to a trace",
        {"host0.xplane.pb": _link("../../.elsewhere.pb"), "../../.elsewhere.pb": SPACE},
        space_kept(),
    ),
    _case(
        "loop-of-folders",
        "a link to a folder above",
        {f"{RUN}/host0.xplane.pb": SPACE, "logs": _link(".")},
        space_kept(),
    ),
    _case("deep", "below the depth that is searched", {"a/" * 40 + "x.json": JSON}, NOTHING, ONE),
    _case("store-inside", "nothing in a store is a trace", {"x/CURRENT": b"1", "x/gen/t.json": JSON}, NOTHING),
    _case("empty", "no trace", {"notes.txt": b"hello"}, NOTHING),
    _case("hidden", "hidden files are no traces", {".hidden.json": JSON, ".git/x.json": JSON}, NOTHING),
    _case("package-only", "JSON that is no trace", {"package.json": b'{"name":"x"}'}, NOTHING),
    _case("two-traces", "two runs: name one", {"a.json": JSON, "b.json": JSON}, Refused("2 runs, name one of them", 2)),
    _case(
        "two-runs",
        "two runs: name one",
        {f"{RUN}/h.xplane.pb": SPACE, f"{RUN[:-2]}07/h.xplane.pb": SPACE},
        Refused("2 runs, name one of them", 2),
    ),
    _case("archive-in-folder", "a run", {"a.zip": zipped([("host0.json", JSON)])}, ONE),
    _case("archive-of-nothing", "no run", {"a.tar": tarred(("readme", b"hello"))}, NOTHING),
    Case("folder/absent", "no such file", _missing, (Refused("no such file or folder"),)),
    _case(
        "file-as-folder",
        "a path below a file",
        {"t.json": JSON},
        Refused("no such file|no such member|Not a directory|is no archive"),
        at="t.json/x",
    ),
    _case(
        "member",
        "a member of an archive",
        {"a.zip": zipped([("host0.json", JSON), ("host1.json", JSON)])},
        ONE,
        Refused("no such file"),
        at="a.zip/host0.json",
    ),
    _case(
        "member-absent",
        "no such member",
        {"a.zip": zipped([("host0.json", JSON)])},
        Refused("no such"),
        at="a.zip/host7.json",
    ),
    _case(
        "path-is-pipe",
        "a pipe that nobody writes to",
        {"p": os.mkfifo},
        Refused("is a pipe, and nobody opened it for writing within 30 s"),
        at="p",
        apart=True,  # it waits so long
    ),
    _case(
        "path-is-device",
        "a device that never ends",
        {"z": _link("/dev/zero")},
        Refused("device|no such file|not a (regular )?file"),
        at="z",
    ),
    _case("path-is-socket", "a socket", {"s": _socket}, Refused("socket|no such file|not a (regular )?file"), at="s"),
    _case(
        "path-with-new-line",
        "never raw on a terminal",
        {"a\nb\x1b[2J.json": b"no trace"},
        Refused("is text"),
        at="a\nb\x1b[2J.json",
    ),
    _case("path-no-utf8", "a path that is no text", {"\udcff.json": JSON}, ONE, at="\udcff.json"),
]
