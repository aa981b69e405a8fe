"""Messages name options as the command line spells them, and no page that is not installed."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.tiler.json_traces import write_trace
from tilescope.cli import main
from tilescope.cli.ask import tool_parser
from tilescope.cli.option_words import in_option_words
from tilescope.cli.parser import build_parser
from tilescope.tiler.indexing import build_store
from tilescope.tiler.tools import parameters, tool, tools


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("words")
    trace = write_trace(folder / "t.json", [{"ph": "X", "name": "a", "ts": 0, "dur": 49_000, "pid": 1, "tid": 1}])
    build_store([trace], folder / "t.store")
    return str(folder / "t.store")


@pytest.fixture(scope="module")
def without_steps(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The store of a TPU whose trace marks no steps."""
    path = tmp_path_factory.mktemp("words") / "tpu.store"
    build_store([corpus_path("xplane/tpu_v6e_4core.xplane.pb")], path)
    return str(path)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["stats", "--steps", "1"], "the trace marks no steps: say with --step-name which slices are steps"),
        (["stats", "--argument", "a"], "--argument: it goes with --by argument"),
        (["stats", "--limit", "x"], "--limit: expected an integer, not 'x'"),
    ],
)
def test_a_tool_names_options(store: str, argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", store, *argv]) == 2
    assert words in capsys.readouterr().err


def test_an_export_names_options_that_it_has(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", store, "--steps", "0", "-o", "x.json"]) == 2
    assert "say with --step-name which slices are steps" in capsys.readouterr().err
    assert main(["export", store, "--steps", "0", "--step-name", "a"]) == 0
    assert '"name":"a"' in capsys.readouterr().out


@pytest.mark.parametrize("output", ["text", "brief"])
def test_notes_of_an_answer_and_of_its_figures_name_options(
    without_steps: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", without_steps, "input_pipeline", "--format", output]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "say with --step-name" in shown
    assert "step_name" not in shown


def test_plain_words_stay_as_they_are() -> None:
    known = parameters(tool("stats").question)
    for text in ("the tracks of 3 steps end there", "re-step_name", "name: start", "limit"):
        assert in_option_words(text, known) == text


def test_no_help_names_a_page_of_the_documentation() -> None:
    texts = [tool_parser(tool(name)).format_help() for name in tools()]
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            texts += [command.format_help() for command in action.choices.values()]
    assert not [page for text in texts for page in re.findall(r"docs/\S+\.md", text)]


@pytest.mark.parametrize("options", [["--start", "1.2s"], ["--end", "0"]])
def test_a_span_with_nothing_of_the_run_is_said(
    store: str, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "the span is outside of the run, which has ticks 0 to 49,000,000 (49 ms)"
    out = tmp_path / "x.json"
    assert main(["export", store, *options, "-o", str(out)]) == 2
    assert capsys.readouterr().err == f"tilescope: {words}\n"
    assert not out.exists()
    assert main(["ask", store, "stats", *options]) == 0
    assert f"warning: T{words[1:]}." in capsys.readouterr().out


def test_a_span_of_no_length_in_the_run_is_not_outside_of_it(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", store, "stats", "--start", "1ms", "--end", "1ms"]) == 0
    assert "outside" not in capsys.readouterr().out
