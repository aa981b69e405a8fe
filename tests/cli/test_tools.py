"""`tilescope tools` and `tilescope ask`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tilescope.cli.dispatch import main
from tilescope.tiler.indexing import build_store
from tilescope.tiler.tools import tools

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tools.md"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ask") / "demo.store"
    build_store([DEMO_TRACE], path)
    return path


def test_the_page_of_the_tools_is_what_their_registrations_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "--markdown"]) == 0
    assert capsys.readouterr().out == PAGE.read_text(encoding="utf-8"), "run `make tools-docs`"
    assert main(["tools"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(tools())


def test_answers_in_every_form(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pyarrow import parquet

    asked = ["ask", str(store), "stats", "--limit", "3"]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "ThunkExecutor::Execute" in shown
    assert "41.415 ms" in shown
    assert main([*asked, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    columns = {column["id"]: column["values"] for column in answer["tables"][0]["columns"]}
    assert columns["count"] == ["24", "67", "24"]
    assert main([*asked, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["busy"] for row in rows] == columns["busy"]
    file = tmp_path / "names.parquet"
    assert main([*asked, "--format", "parquet", "-o", str(file)]) == 0
    assert [str(value) for value in parquet.read_table(file)["busy"].to_pylist()] == columns["busy"]


def test_a_table_of_several_is_named(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["ask", str(store), "find", "--text", "dot", "--format", "csv"]
    assert main(asked) == 2
    assert "name one table: events, tracks" in capsys.readouterr().err
    assert main([*asked, "--table", "tracks", "-o", str(tmp_path / "t.csv")]) == 0
    assert (tmp_path / "t.csv").read_text().startswith("track,count\n")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["nonsense"], f"there is no tool 'nonsense': there are {', '.join(tools())}"),
        (["stats", "--limit", "x"], "limit: expected an integer, not 'x'"),
        (["stats", "--start", "9", "--end", "8"], "ticks 9 to 8 are not a span"),
        (["stats", "--format", "parquet"], "parquet is binary"),
        (["stats", "--table", "none"], "there is no table 'none': the answer has names"),
        (["stats", "--start", "1.5"], "--start: '1.5' is not a time: give ticks, or a number with a unit"),
        (["stat"], "there is no tool 'stat' (did you mean stats?)"),
        ([], f"which tool? There are {', '.join(tools())}: `tilescope tools` says what they answer"),
        (["stats", "--start", "0.5ps"], "--start: 0.5ps lies between two ticks: one is"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    store: Path, more: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", str(store), *more]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


def test_times_may_have_a_unit(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(store), "stats", "--start", "1ms", "--end=2.5ms", "--format", "json"]) == 0
    facts = {fact["id"]: fact["value"] for fact in json.loads(capsys.readouterr().out)["facts"]}
    assert (facts["start"], facts["end"]) == ("1000000", "2500000")  # nanoseconds


def test_a_text_is_no_trace_and_a_traceback_is_to_be_had(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no trace")
    assert main(["ask", str(text), "stats"]) == 1
    assert f"{text}: " in capsys.readouterr().err
    with pytest.raises(TraceError):
        main(["ask", str(text), "stats", "--debug"])


def test_nothing_is_left_of_a_file_that_could_not_be_written(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["ask", str(store), "find", "--text", "dot", "--format", "csv", "-o", str(tmp_path / "t.csv")]
    assert main(asked) == 2
    assert "name one table" in capsys.readouterr().err
    assert main([*asked[:-1], str(tmp_path / "gone" / "t.csv"), "--table", "events"]) == 1
    assert capsys.readouterr().err == f"tilescope: {tmp_path}/gone/t.csv: No such file or directory\n"
    assert list(tmp_path.iterdir()) == []


def test_help_is_to_be_had_before_a_tool_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "x.store", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: tilescope ask")
    with pytest.raises(SystemExit):
        main(["ask"])
    assert "required: STORE (see tilescope ask --help)" in capsys.readouterr().err


def test_the_help_of_a_tool_is_made_of_its_question(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["ask", "x.store", "find", "--help"])
    assert ended.value.code == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "--match {contains,exact}" in shown
    assert "the most occurrences that are listed, 0 to 100,000; default: 1,000" in shown
