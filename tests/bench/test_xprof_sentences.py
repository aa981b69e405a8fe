"""xprof's sentences about runs: those it opens, and why there is none of others."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from bench.diagnosis import Finding, Score, Truth, sentence_lines
from bench.xprof_sentences import NO_ANSWER, NO_XSPACE, statement, xprof_sentences
from tests.corpus import corpus_path

# A package `xprof` that says which files it was given, and how many bytes they have.
STAND_IN = """
import json

def xspace_to_tool_data(paths, tool, options):
    if any(b"refused" in open(path, "rb").read() for path in paths):
        raise ValueError("no such trace")
    names = sorted(path.rsplit("/", 1)[1] for path in paths)
    said = f"<b>{tool}</b> &amp; {', '.join(names)}"
    return json.dumps([{"p": None}, {"p": {"statement": said}}]), "application/json"
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter that has that package."""
    package = tmp_path / "site" / "xprof" / "convert"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "raw_to_tool_data.py").write_text(STAND_IN)
    metadata = tmp_path / "site" / "xprof-2.99.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: xprof\nVersion: 2.99\n")
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path / "site"} exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return script


def runs_in(folder: Path) -> dict[str, Path]:
    """A run of each form."""
    (folder / "ranks").mkdir(parents=True)
    (folder / "ranks" / "a.pt.trace.json").write_text("{}")
    with ZipFile(folder / "run.zip", "w") as archive:
        for host in ("w-0", "w-1"):
            archive.writestr(f"plugins/profile/1/{host}.xplane.pb", b"a run")
        archive.writestr("plugins/profile/1/notes.txt", "none")
    (folder / "vm.xplane.pb.gz").write_bytes(gzip.compress(b"a run"))
    (folder / "bad.xplane.pb").write_bytes(b"refused")
    names = {"archive": "run.zip", "packed": "vm.xplane.pb.gz", "ranks": "ranks", "refused": "bad.xplane.pb"}
    return {name: folder / file for name, file in names.items()}


def test_runs_of_each_form(tmp_path: Path, python: Path) -> None:
    assert xprof_sentences(python, runs_in(tmp_path / "runs"), tmp_path / "scratch") == {
        "archive": "overview_page & w-0.xplane.pb, w-1.xplane.pb",
        "packed": "overview_page & vm.xplane.pb",
        "ranks": NO_XSPACE,
        "refused": NO_ANSWER,
    }


def test_without_xprof_the_reason_is_said(tmp_path: Path) -> None:
    for number, python in enumerate((None, tmp_path / "nowhere" / "python")):
        sentences = xprof_sentences(python, runs_in(tmp_path / f"runs{number}"), tmp_path / f"scratch{number}")
        assert sentences["ranks"] == NO_XSPACE
        reason = "no interpreter with xprof was named" if python is None else f"{python}: No such file or directory"
        for name in ("archive", "packed", "refused"):
            assert sentences[name].startswith(f"(xprof is not there: {reason}")


def test_the_statement_of_real_pages() -> None:
    path = corpus_path("golden/xprof_2.24.2/gpu_v100x8_bert/overview_page.json.gz")
    assert statement(json.loads(gzip.decompress(path.read_bytes()))).startswith(
        "Your program is POTENTIALLY input-bound"
    )
    assert statement(None) == statement([]) == statement([{"p": None}, {"p": {"statement": ""}}, 7]) == NO_ANSWER
    assert statement([{"p": {"input_conclusion": "second"}}, {"p": {"statement": "first"}}]) == "first"


def test_both_sentences_stand_in_a_line() -> None:
    truth = Truth(id="d01", class_="input", where=(), step_ms=40.0, loss_ms_per_step=10.0)
    first = Finding("input", "loader", "all", "Each step [red]loses[/red] 10 ms.", 10.0)
    scores = [
        (truth, Score(first)),
        (Truth(id="d02", class_="copy", where=(), step_ms=1.0, loss_ms_per_step=0.5), Score(None)),
    ]
    lines = list(sentence_lines(scores, {"d01": "Your program is fine.", "d02": NO_XSPACE}))
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in (lines[0], *lines[2:])]
    assert cells == [
        ["run", "truth", "ours says", "xprof says"],
        ["d01", "input", "Each step [red]loses[/red] 10 ms.", "Your program is fine."],
        ["d02", "copy", "", NO_XSPACE],
    ]
