"""`tilescope query`: its formats, what it says where rows are left out, and what it refuses."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.example import Example, random_events
from tilescope.cli import main

pytest.importorskip("duckdb")

ROWS = "select 'a\tb' as \"x\x1b[31m\", 1.5::double as y, 9007199254740993 as n, null::int as z"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    example = Example(tmp_path_factory.mktemp("query"), random_events(random.Random(5)))
    example.store.close()
    return example


def test_text_is_a_table_that_a_terminal_can_show(example: Example, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", str(example.path), ROWS]) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert header.split() == ["x\\x1b[31m", "y", "n", "z"]
    assert row.split() == ["a\\tb", "1.5", "9007199254740993"]


def test_csv_and_json_have_all_of_it(example: Example, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", str(example.path), ROWS, "--format", "csv"]) == 0
    assert list(csv.reader(capsys.readouterr().out.splitlines())) == [
        ["x\x1b[31m", "y", "n", "z"],
        ["a\tb", "1.5", "9007199254740993", ""],
    ]
    out = tmp_path / "rows.json"
    assert main(["query", str(example.path), ROWS, "--format", "json", "-o", str(out)]) == 0
    answer = json.loads(out.read_text())
    assert answer["rows"] == [["a\tb", 1.5, "9007199254740993", None]]
    assert [column["type"] for column in answer["columns"]] == ["VARCHAR", "DOUBLE", "BIGINT", "INTEGER"]
    assert answer["cut"] is False


def test_rows_that_are_left_out_are_told(example: Example, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", str(example.path), "select range from range(20)", "--limit", "3"]) == 0
    captured = capsys.readouterr()
    assert captured.out.split() == ["range", "0", "1", "2"]
    assert captured.err == "tilescope: there are more rows than the first 3: --limit takes more\n"
    assert main(["query", str(example.path), "select repeat('x', 9000000) from range(5)"]) == 0
    assert capsys.readouterr().err == (
        "tilescope: there are more rows than the first 1: those after them are too large\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["drop table slices"], "only statements that select are run"),
        (["select 1", "--limit", "-1"], "--limit is 0 or more"),
        (["select 1", "--timeout", "nan"], "--timeout more than 0"),
        (["select 1", "--timeout", "inf"], "--timeout more than 0"),
        (["select 1", "--timeout", "0"], "--timeout more than 0"),
    ],
)
def test_what_is_refused(
    example: Example, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["query", str(example.path), *options]) == 2
    line = capsys.readouterr().err
    assert message in line
    assert line.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error(example: Example) -> None:
    command = [sys.executable, "-m", "tilescope", "query", str(example.path), "select * from slices"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as query:
        assert query.stdout is not None
        assert query.stderr is not None
        query.stdout.close()
        complaint = query.stderr.read()
    assert (query.returncode, complaint) == (1, b"")
