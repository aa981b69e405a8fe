"""The numbers that native code writes are those of the Python enums."""

from __future__ import annotations

import re
from enum import IntEnum, IntFlag
from pathlib import Path

import pytest

from tilescope.tiler.columns import EventFlag, Phase
from tilescope.tiler.pages import SliceFlag

ROOT = Path(__file__).parents[3]
HEADER = ROOT / "tiler" / "native" / "columns" / "event_codes.hpp"
BESIDE_PAGES = (EventFlag.BIND_ENCLOSING, EventFlag.STEP)


@pytest.mark.parametrize("codes", [Phase, EventFlag])
def test_header_agrees(codes: type[IntEnum] | type[IntFlag]) -> None:
    in_header = dict(re.findall(r"(\w+) = (\d+)[,;]", HEADER.read_text(encoding="utf-8")))
    expected = {str(code.name).lower(): str(code.value) for code in codes if code.value or codes is Phase}
    assert {name: in_header.get(name) for name in expected} == expected


def test_slices_keep_the_flags_of_their_events() -> None:
    of_slices = {str(flag.name): flag.value for flag in SliceFlag if flag is not SliceFlag.REACHES_IN}
    of_events = {str(flag.name): flag.value for flag in EventFlag if flag not in BESIDE_PAGES}
    assert of_slices == of_events
    kept = re.search(r"of_slices = (\d+);", HEADER.read_text(encoding="utf-8"))
    assert kept is not None
    assert int(kept[1]) == sum(of_slices.values())


@pytest.mark.parametrize(
    ("place", "pattern"),
    [
        ("docs/page-format.md", r"(?m)^\| (\d+) \| (open|renamed|aggregated|clamped|no_duration|reaches_in) \|"),
        ("viewer/client/src/pages/tile.ts", r'(?m)^  \[(\d+), "(\w+)"\],$'),
    ],
)
def test_slice_flags_are_the_same_everywhere(place: str, pattern: str) -> None:
    found = {(int(bit), name) for bit, name in re.findall(pattern, (ROOT / place).read_text(encoding="utf-8"))}
    named = {(flag.value, str(flag.name).lower()) for flag in SliceFlag}
    assert found | {(1, "reaches_in")} == named
