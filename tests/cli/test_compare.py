"""`tilescope compare`: exit codes, reports, and the jobs of docs/ci.md run as shell."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.tiler.tools.test_steps import Event, thread, x
from tilescope.cli import main

CI_PAGE = Path(__file__).resolve().parents[2] / "docs" / "ci.md"


def write_run(path: Path, load: int, *, extra: str = "") -> Path:
    """A trace of three steps of one thread, of `load` ns and 20 more each."""
    events: list[Event] = thread(1, 1, "main", "trainer")
    for step in range(3):
        start = 1000 * step
        events += [x(f"ProfilerStep#{step}", start, start + load + 20), x("load|`", start + 1, start + 1 + load)]
        events.append(x(extra or "compute", start + load + 2, start + load + 18))
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(json.dumps(events).encode(), mtime=0))
    return path


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    loads = {"base": 100, "slower": 110, "a": 98, "b": 104}
    return {name: str(write_run(tmp_path / f"{name}.json.gz", load)) for name, load in loads.items()}


def compared(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["compare", *args])
    return code, capsys.readouterr().out


@pytest.mark.parametrize(
    ("rule", "code", "line"),
    [
        ("steps.p50 > +3%", 3, "130 ns, before 120 ns: +10 ns, +8.3 %"),
        ("steps.p50 > +9%", 0, "130 ns, before 120 ns: +10 ns, +8.3 %"),
        ("steps.p50 > +3% and > +1ms", 0, "130 ns"),
        ("steps.p50 > 125ns", 3, "130 ns"),
        ("steps.p50 < -1%", 0, "130 ns"),
        ('name:"load|`".total > +5ns', 3, "110 ns, before 100 ns: +10 ns, +10.0 %"),
        ('name:"load|`".count > 1', 0, "1, before 1: 0"),
        ('name:"load|`".share > 40%', 3, "%, before"),
        ('name:"load|`".share > +5pp', 0, "pp"),
        ("stats.names.self > +1ns", 3, "390 ns, before 360 ns: +30 ns, +8.3 %"),
        ('name:"nothing".total > 5%', 4, "no name is called 'nothing' in either run"),
        ("overlap.exposed_communication > +5%", 4, "cannot tell"),
        ("steps.p50 > spread", 3, "130 ns"),
        ("steps.deviatoin > 3ns", 4, "has no fact 'deviatoin' (did you mean deviation?)"),
        ("stats.names.slef > 3ns", 4, "has no column 'slef' (did you mean self?)"),
        ("stats.name.self > 3ns", 4, "has no table 'name'"),
    ],
)
def test_a_rule(runs: dict[str, str], capsys: pytest.CaptureFixture[str], rule: str, code: int, line: str) -> None:
    assert compared(capsys, runs["base"], runs["slower"], "--fail-if", rule)[0] == code
    text = compared(capsys, runs["base"], runs["slower"], "--fail-if", rule)[1]
    word = {0: "fine", 3: "FAILED", 4: "CANNOT TELL"}[code]
    (reported,) = [each for each in text.splitlines() if each.startswith(word)]
    assert line in reported


def test_several_runs_before(runs: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    bases = [runs["base"], runs["a"], runs["b"]]
    code, text = compared(capsys, *bases, runs["slower"], "--fail-if", "steps.p50 > spread")
    assert (code, "130 ns, before 120.667 ns" in text.replace("121 ns", "120.667 ns")) == (3, True)
    assert compared(capsys, *bases, runs["base"], "--fail-if", "steps.p50 > spread")[0] == 0
    assert compared(capsys, *bases, runs["base"], "--fail-if", 'name:"load|`".self < spread')[0] == 0


def test_what_is_new_is_more_than_any_share_of_nothing(
    runs: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = str(write_run(tmp_path / "new.json.gz", 100, extra="all-reduce"))
    code, text = compared(capsys, runs["base"], new, "--fail-if", 'name:"all-reduce".total > +1000%')
    assert code == 3
    assert "16 ns, before 0 ps: +16 ns, new" in text
    assert compared(capsys, new, runs["base"], "--fail-if", 'name:"all-reduce".total > +0%')[0] == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["NOWHERE", "--fail-if", "steps.p60 >> 3"], "a bound is wanted"),  # before anything is read
        (["NOWHERE", "--fail-if", "setps.p50 > 3%"], "did you mean steps"),
        (["base", "slower", "--fail-if", "steps.p50 > 3"], "the figure is a duration"),
        (["base", "slower", "--fail-if", "steps.p50 > +3pp"], "the figure is a duration"),
        (["base"], "at least two runs"),
        (["base", "slower", "--format", "junit"], "give some with --fail-if"),
    ],
)
def test_wrong_usage(runs: dict[str, str], capsys: pytest.CaptureFixture[str], args: list[str], message: str) -> None:
    assert main(["compare", *(runs.get(arg, arg) for arg in args)]) == 2
    assert message in capsys.readouterr().err


def test_a_run_that_is_gone(runs: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", runs["base"], "gone.store", "--fail-if", "steps.p50 > 3%"]) == 1
    assert "gone.store" in capsys.readouterr().err


def test_reports(runs: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = ["--fail-if", "steps.p50 > +3%", "--fail-if", "steps.p50 > +9%", "--fail-if", "overview.mxu > 1%"]
    both = [runs["base"], runs["slower"], *rules]
    report = json.loads(compared(capsys, *both, "--format", "json")[1])
    assert [rule["verdict"] for rule in report["rules"]] == ["failed", "fine", "unknown"]
    assert (report["rules"][0]["new"], report["rules"][0]["base"]) == ("130000", "120000")
    assert report["names"][0] == {
        "name": "load|`", "change": "slower", "delta_ps": "10000", "place": "trainer › main",
    }  # fmt: skip
    markdown = compared(capsys, *both, "--format", "markdown")[1]
    assert "| FAILED | `steps.p50 > +3%` | `130 ns, before 120 ns: +10 ns, +8.3 %` |" in markdown
    assert "* `load¦' +10 ns (slower, in trainer › main)`" in markdown
    suite = ElementTree.fromstring(compared(capsys, *both, "--format", "junit")[1])
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [[part.tag for part in case] for case in suite] == [["failure"], ["system-out"], ["error"]]
    assert compared(capsys, *both, "-o", str(tmp_path / "report.txt"))[0] == 3
    assert (tmp_path / "report.txt").read_text() == compared(capsys, *both)[1]


def test_without_rules_the_comparison_is_printed(runs: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    code, text = compared(capsys, runs["base"], runs["slower"])
    assert code == 0
    assert "Per step, self time changed by +10 ns (from 120 ns to 130 ns, +8.3 %)" in " ".join(text.split())
    answer = json.loads(compared(capsys, runs["base"], runs["slower"], "--format", "json", "--by", "track")[1])
    assert [table["id"] for table in answer["tables"]] == ["changes", "unequal"]


def jobs() -> dict[str, str]:
    """The shell of the GitHub workflow and of the GitLab job of the page."""
    github, gitlab = re.findall(r"```yaml\n(.*?)```", CI_PAGE.read_text(), re.DOTALL)
    block = github.split("run: |\n", 1)[1]
    lines = re.search(r"  script:\n((?:    - .*\n)+)", gitlab)
    assert lines is not None
    return {
        "GitHub": "".join(line.strip() + "\n" for line in block.splitlines()),
        "GitLab": "".join(line.removeprefix("    - ") + "\n" for line in lines[1].splitlines()),
    }


@pytest.mark.parametrize("job", ["GitHub", "GitLab"])
@pytest.mark.parametrize(("load", "code"), [(100, 0), (110, 3)])
def test_jobs_of_the_page(tmp_path: Path, job: str, load: int, code: int) -> None:
    """As CI runs them: each line must end well, and `pip` is there already."""
    write_run(tmp_path / "profiles" / "base.json.gz", 100)
    write_run(tmp_path / "profiles" / "new.json.gz", load)
    (tmp_path / "bin").mkdir()
    pip = tmp_path / "bin" / "pip"
    pip.write_text("#!/bin/sh\ntest \"$*\" = 'install tilescope'\n")
    pip.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }
    command = ["bash", "-e", "-c", jobs()[job]]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    report = (tmp_path / ("summary.md" if job == "GitHub" else "report.xml")).read_text()
    assert "steps.p50" in report
    assert (("FAILED" if job == "GitHub" else "<failure") in report) == (code == 3)
