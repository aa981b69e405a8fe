"""Rules of users on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.reports.traces import index_report
from tilescope.cli.dispatch import main


@pytest.fixture
def store(tmp_path: Path) -> Path:
    index_report("communication_without_nccl.json", tmp_path / "run.store").close()
    return tmp_path / "run.store"


def test_ask(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text('[[rule]]\nkind = "communication"\npattern = "^moe_"\n')
    asked = ["ask", str(store), "overlap", "--format", "json"]
    for more, computation in (([], "600000"), (["--work-rules", str(rules)], "480000")):
        assert main([*asked, *more]) == 0
        facts = {fact["id"]: fact["value"] for fact in json.loads(capsys.readouterr().out)["facts"]}
        assert facts["computation"] == computation


@pytest.mark.parametrize("command", ["ask", "serve", "view"])
def test_rules_that_are_none_end_each_command(
    command: str, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text('[[rule]]\nkind = "comm"\npattern = "x"\n')
    more = ["overlap"] if command == "ask" else ["--port", "0"]
    assert main([command, str(store), *more, "--work-rules", str(rules)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"tilescope: {rules}: rule 1: kind is one of")
