"""Each trace of the folder is asked about by a test."""

from __future__ import annotations

from tests.reports.traces import FOLDER


def test_each_trace_is_in_a_test() -> None:
    tests = "".join(path.read_text() for path in sorted(FOLDER.glob("test_*.py")))
    traces = [
        path.name
        for path in sorted(FOLDER.iterdir())
        if path.suffix not in (".py", ".md") and path.name != "__pycache__"
    ]
    assert [name for name in traces if f'"{name}' not in tests] == []
