"""The tasks of docs/tasks.md: each has browser tests that there are."""

from __future__ import annotations

import re
from typing import Final

from release.docs_site import ROOT

_TEST: Final = re.compile(r"`([a-z_]+\.py)::(\w+)`")
ROWS: Final = [
    (int(number), _TEST.findall(tests), tests)
    for number, tests in re.findall(r"(?m)^\| (\d+) \|.*\| ([^|]*) \|$", (ROOT / "docs/tasks.md").read_text())
]


def test_tasks_are_numbered() -> None:
    assert [number for number, _, _ in ROWS] == list(range(1, 38))


def test_each_task_has_its_tests() -> None:
    lacking = [
        f"{file}::{name}"
        for _, tests, _ in ROWS
        for file, name in tests
        if f"def {name}(" not in (ROOT / "tests/browser" / file).read_text()
    ]
    assert lacking == []
    assert [text for _, tests, text in ROWS if not tests] == []
