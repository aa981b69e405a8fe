"""docs/kinds-of-work.md says what the rules say."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tiler.facts.work.write_work_docs import PAGE, TABLES, render
from tilescope.tiler.work_rules import (
    KINDS,
    MAX_FILE_BYTES,
    MAX_PATTERN_CHARS,
    MAX_RULES,
    read_work_rules,
)

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_code() -> None:
    assert all(TEXT.count(f"<!-- {name} -->\n| library") == 1 for name in TABLES)
    assert render(TEXT) == TEXT, "run `python -m tests.tiler.facts.work.write_work_docs`"


def test_the_example_is_a_file_of_rules(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "rules.toml").write_text(example)
    assert [rule.kind for rule in read_work_rules(tmp_path / "rules.toml").rules] == [
        "communication",
        "none",
        "computation",
    ]


def test_kinds_and_limits() -> None:
    assert all(f"`{kind}`" in TEXT for kind in KINDS)
    assert f"at most {MAX_RULES} rules and {MAX_FILE_BYTES >> 10} KiB, a pattern at most {MAX_PATTERN_CHARS:,} " in TEXT
