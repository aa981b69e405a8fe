"""The rooms of native code keep their order, as tiler/native/README.md states it, and names mean one thing."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

NATIVE: Final = Path(__file__).resolve().parent.parent / "tiler" / "native"
FILES: Final = sorted(path for path in NATIVE.glob("*/*") if path.suffix in (".cpp", ".hpp"))

# What each room includes beside its own files.
STANDS_ON: Final[dict[str, set[str]]] = {
    "base": set(),
    "columns": {"base"},
    "files": {"base"},
    "synth": set(),
    "prove": {"base"},  # and nothing of what builds
    "pages": {"base"},
    "pyramid": {"base", "columns", "pages"},
    "search": {"base", "pages"},
    "xspace": {"base", "columns"},
    "trace_event": {"base", "columns"},
    "tables": {"base", "columns"},
    "tree": {"base", "files"},
    "bind": {
        "base",
        "columns",
        "files",
        "pages",
        "prove",
        "pyramid",
        "search",
        "synth",
        "tables",
        "trace_event",
        "tree",
        "xspace",
    },
}

_INCLUDE: Final = re.compile(r'^#include (?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
_TYPE: Final = re.compile(
    r"^(?:(?:class|struct|enum class|enum|union) (\w+)(?: final)?(?: : [^;{]+)? \{|using (\w+) =)", re.MULTILINE
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(NATIVE)))
def test_includes_go_down(path: Path) -> None:
    room = path.parent.name
    for ours, theirs in _INCLUDE.findall(path.read_text()):
        if ours:
            assert (NATIVE / ours).is_file(), f'"{ours}": an include names the room, as "pyramid/tiles.hpp" does'
            other = Path(ours).parent.name
            assert other == room or other in STANDS_ON[room], f"{room}/ must not include {other}/"
        elif room != "bind":
            assert not theirs.startswith(("nanobind/", "Python.h")), f"only bind/ knows Python, not {room}/"


def test_rooms_are_those_of_the_readme() -> None:
    named = re.findall(r"^\| \[`(\w+)/`\]", (NATIVE / "README.md").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(STANDS_ON) == sorted({path.parent.name for path in FILES})


def test_the_readme_states_the_order() -> None:
    readme = (NATIVE / "README.md").read_text()
    for room, below in STANDS_ON.items():
        if room != "bind":
            *others, last = [f"`{name}/`" for name in sorted(below)] or ["nothing"]
            names = f"{', '.join(others)} and {last}" if others else last
            assert f"| `{room}/` | {names} |" in readme


def test_no_two_rooms_give_one_name_to_two_types() -> None:
    files = defaultdict(set)
    for path in FILES:
        for declared, alias in _TYPE.findall(path.read_text()):
            files[declared or alias].add(path.relative_to(NATIVE).as_posix())
    assert {name: sorted(where) for name, where in files.items() if len(where) > 1} == {}


LINUX_ONLY: Final = re.compile(
    r"sys/mman\.h|<malloc\.h>|__GLIBC__|__linux__|\bmadvise\b|\bmmap\(|\bmallopt\b|\bmalloc_trim\b"
)


def test_what_linux_alone_has_is_asked_for_in_one_file() -> None:
    asking = {path.relative_to(NATIVE).as_posix() for path in FILES if LINUX_ONLY.search(path.read_text())}
    assert asking == {"base/system.cpp"}
