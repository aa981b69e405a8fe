"""The tasks of docs/tasks.md: each has a browser test that there is."""

from __future__ import annotations

import re
from typing import Final

from release.docs_site import ROOT

ROWS: Final = re.findall(
    r"(?m)^\| (\d+) \|.*\| (?:`([a-z_]+\.py)::(\w+)`|not yet) \|$", (ROOT / "docs/tasks.md").read_text()
)


def test_tasks_are_numbered() -> None:
    assert [int(number) for number, _, _ in ROWS] == list(range(1, 38))


def test_each_task_has_its_test() -> None:
    lacking = [
        f"{file}::{name}"
        for _, file, name in ROWS
        if file and f"def {name}(" not in (ROOT / "tests/browser" / file).read_text()
    ]
    assert lacking == []
    assert sum(not file for _, file, _ in ROWS) <= 1
