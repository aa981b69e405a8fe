"""How far times reach is said in one place of each language."""

from __future__ import annotations

import re
from pathlib import Path

from tilescope.tiler import _native
from tilescope.tiler.ticks import TICK_LIMIT

ROOT = Path(__file__).parents[2]


def test_python_and_native_code_agree() -> None:
    assert _native.TIME_LIMIT == TICK_LIMIT
    assert _native.root_level(TICK_LIMIT - 1) == 27


def test_no_other_module_has_a_limit_of_its_own() -> None:
    limit = re.compile(r"(?i:tick\w*|end) *(?:: *Final)? *= *(?:str\()?(?:1 *<< *\d+|2 *\*\* *\d+)")
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("tiler", "server", "tilescope")
        for path in (ROOT / folder).rglob("*.py")
        if limit.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"tiler/schema/limits.py"}
