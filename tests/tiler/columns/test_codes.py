"""The numbers that native code writes are those of the Python enums."""

from __future__ import annotations

import re
from enum import IntEnum, IntFlag
from pathlib import Path

import pytest

from tilescope.tiler.columns import EventFlag, Phase

HEADER = Path(__file__).parents[3] / "tiler" / "native" / "event_codes.hpp"


@pytest.mark.parametrize("codes", [Phase, EventFlag])
def test_header_agrees(codes: type[IntEnum] | type[IntFlag]) -> None:
    in_header = dict(re.findall(r"(\w+) = (\d+)[,;]", HEADER.read_text(encoding="utf-8")))
    expected = {str(code.name).lower(): str(code.value) for code in codes if code.value or codes is Phase}
    assert {name: in_header.get(name) for name in expected} == expected
