"""The comparison with xprof: what is called the same, and what needs a reason. xprof itself is not asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from bench.xprof_compare.__main__ import COMPARISONS, main, table_lines
from bench.xprof_compare.case import cases
from bench.xprof_compare.figures import Figure
from tilescope.tiler.tools import tools


def test_verdicts() -> None:
    same = Figure("t", "f", {"a": 3, "b": 0.1, "c": ""}, {"a": 3, "b": 0.1 * (1 + 1e-9), "c": None})
    assert (same.verdict, same.is_explained) == ("agrees (3)", True)
    other = Figure("t", "f", {"a": 3, "b": 4}, {"a": 3, "b": 5})
    assert other.verdict == "DIFFERS: b: xprof 4, ours 5 (1 of 2)"
    missing = Figure("t", "f", {"a": 3}, {"b": 3})
    assert not missing.is_explained
    meant = Figure("t", "f", {"a": 3, "b": 4}, {"a": 3, "b": 5}, "they are wrong", frozenset("b"), {"b": 5})
    assert meant.verdict == "differs: they are wrong (1 of 2)"
    # A reason for one row is none for another, and none where ours is not the truth.
    assert not Figure("t", "f", {"a": 3}, {"a": 4}, "they are wrong", frozenset("b")).is_explained
    assert not Figure("t", "f", {"a": 3}, {"a": 4}, "they are wrong", truth={"a": 5}).is_explained
    (line,) = [line for line in table_lines({"run": [other]}) if "DIFFERS" in line]
    assert line.startswith("| run ")


def test_our_side_of_a_synthetic_run(tmp_path: Path) -> None:
    """Compared with an xprof that knows nothing, all that it should know differs."""
    (case,) = cases(tmp_path, None)
    case.index(tmp_path)
    empty: dict[str, Any] = {"cols": [], "rows": []}
    tree = {"metrics": {"rawTime": 1}, "children": []}
    for comparison in COMPARISONS:
        assert comparison.TOOL in tools()
    case.theirs = {"hlo_stats": empty, "op_profile": {"byProgram": tree}, "framework_op_stats": [empty]}
    for comparison in COMPARISONS:
        if comparison.PEER[0] in case.theirs:
            found = list(comparison.figures(case))
            assert len(found) >= 4
            # Of frameworks and hosts, xprof may know less.
            assert comparison.TOOL == "framework_ops" or not all(figure.is_explained for figure in found)


def test_without_xprof(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--xprof", sys.executable]) == 2
    assert "xprof cannot be asked" in capsys.readouterr().err
