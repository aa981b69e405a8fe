"""Limits of the process, and files that change while they are indexed: a clear error, nothing left behind."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.hostile.case import GIB, MIB, Case, Indexed, Maker, Refused
from tests.hostile.json_text import A, B, array
from tests.hostile.xspace_bytes import SPACE
from tilescope.tiler.synth import write_synthetic_trace

JSON = array(A, B).encode()
EVENTS = 2_000_000
MEMORY = Refused("(?i)memory|limit|ulimit|address space")
CHANGED = Refused("(?i)shrank|shorter|changed|cut|grew|vanished|no longer|ends inside")


def _synthetic(form: str, name: str) -> Maker:
    def make(folder: Path) -> Path:
        trace = write_synthetic_trace(folder / name, format=form, events=EVENTS, tracks=20, seed=7)
        trace.totals_path.unlink()
        return trace.path

    return make


def _file(name: str, data: bytes) -> Maker:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return make


def _the_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def _truncate(share: float) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        file = _the_file(folder)
        with file.open("r+b") as opened:
            opened.truncate(int(file.stat().st_size * share))

    return act


def _remove(folder: Path) -> None:
    _the_file(folder).unlink()


def _grow(folder: Path) -> None:
    with _the_file(folder).open("ab") as file:
        file.write(bytes(1000))


def _replace(folder: Path) -> None:
    file = _the_file(folder)
    other = folder / "other"
    shutil.copy(file, other)
    other.replace(file)


WHOLE = Indexed(EVENTS, None, None)  # made with slices that overlap: it says so


def _changing(name: str, about: str, make: Maker, act: Callable[[Path], None], *accepted: Indexed | Refused) -> Case:
    return Case(
        f"changing/{name}", about, make, accepted, cpu_seconds=40, data_bytes=GIB + GIB // 2, apart=True, meanwhile=act
    )


def _limited(
    name: str,
    about: str,
    make: Maker,
    *accepted: Indexed | Refused,
    data: int = GIB,
    address: int | None = None,
    args: tuple[str, ...] = (),
) -> Case:
    return Case(
        f"limit/{name}",
        about,
        make,
        accepted,
        args=args,
        cpu_seconds=60,
        data_bytes=data,
        address_bytes=address,
        apart=True,
    )


_XSPACE, _CHROME = _synthetic("xspace", "h.xplane.pb"), _synthetic("chrome", "t.json")

CASES = [
    *(
        _changing(
            f"xspace-truncated-to-{share:.0%}".replace("%", ""),
            "it shrinks while it is mapped",
            _XSPACE,
            _truncate(share),
            CHANGED,
            WHOLE,
        )
        for share in (0.0, 0.3, 0.9, 0.999)
    ),
    *(
        _changing(
            f"json-truncated-to-{share:.0%}".replace("%", ""),
            "it shrinks while it is read",
            _CHROME,
            _truncate(share),
            CHANGED,
            WHOLE,
        )
        for share in (0.0, 0.5, 0.999)
    ),
    _changing(
        "xspace-gzip-truncated",
        "it shrinks while it is inflated",
        _synthetic("xspace", "h.xplane.pb.gz"),
        _truncate(0.5),
        CHANGED,
        WHOLE,
    ),
    _changing(
        "json-gzip-truncated",
        "it shrinks while it is inflated",
        _synthetic("chrome", "t.json.gz"),
        _truncate(0.5),
        CHANGED,
        WHOLE,
    ),
    _changing("removed", "an open file stays", _XSPACE, _remove, WHOLE, CHANGED),
    _changing("replaced", "an open file stays", _XSPACE, _replace, WHOLE, CHANGED),
    _changing("grown", "more behind its end", _XSPACE, _grow, WHOLE, CHANGED),
    *(
        _limited(
            f"address-space-{size // MIB}",
            "less than the store's map reserves",
            _file("h.xplane.pb", SPACE),
            MEMORY,
            address=size,
        )
        for size in (400 * MIB, GIB, 4 * GIB)
    ),
    _limited("address-space-json", "less than the store's map reserves", _file("t.json", JSON), MEMORY, address=GIB),
    _limited(
        "data-300",
        "little memory for a large trace",
        _CHROME,
        MEMORY,
        WHOLE,
        data=300 * MIB,
        args=("--memory", "100MiB"),
    ),
    _limited(
        "data-200",
        "very little memory for a large trace",
        _XSPACE,
        MEMORY,
        WHOLE,
        data=200 * MIB,
        args=("--memory", "64MiB"),
    ),
    _limited("memory-1-kb", "a budget of nothing", _XSPACE, WHOLE, data=GIB, args=("--memory", "1kB")),
    _limited(
        "gzip-of-nothing",
        "a small trace with little memory",
        _file("t.json.gz", gzip.compress(JSON, mtime=0)),
        Indexed(2, 1),
        MEMORY,
        data=200 * MIB,
    ),
]
