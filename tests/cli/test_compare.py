"""`tilescope compare`: exit codes, reports, and the jobs of docs/ci.md run as shell."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.pods import threads, write_pod
from tests.tiler.tools.test_steps import Event, thread, x
from tilescope.cli import compared_runs as compared_runs_module
from tilescope.cli import main
from tilescope.cli.addresses import place_text
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.shards.folder import shard_path
from tilescope.tiler.shards.sharded_run import read_sharded_run
from tilescope.tiler.store import build_lock
from tilescope.tiler.tools import Answer, AnyTool, Note
from tilescope.tiler.tools.figure_text import Shown

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
        ("compare.delta > 5ns", 3, "10 ns"),
        ("compare.delta > +5ns", 4, "give a bound without a sign"),
        ("compare.changes.count > 8", 3, "9"),
        ('name:"nothing".total > 5ns', 4, "no name is called 'nothing' in either run"),
        ("overlap.exposed_communication > +5%", 4, "the new run: "),
        ("steps.p50 >= 130ns", 3, "130 ns"),
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
    assert compared(capsys, *bases, runs["b"], "--fail-if", "steps.p50 > spread")[0] == 0
    assert compared(capsys, *bases, runs["b"], "--fail-if", "steps.p50 >= spread")[0] == 3


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
        (["NOWHERE"] * 34, "at most 32 before it, not with 33"),
        (["NOWHERE", "NOWHERE", "--fail-if", "steps.p50 > spread"], "one run has no spread"),
        (["NOWHERE", "NOWHERE", "--fail-if", 'name:"a".total > 5%'], "the figure is a duration"),
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


def test_the_command_of_a_report_asks_the_same(runs: dict[str, str], tmp_path: Path) -> None:
    """Also where a path has a space; it prints what the report was made from."""
    spaced = write_run(tmp_path / "a run" / "new.json.gz", 110)
    options = ["--by", "track", "--match", "normalised", "--per", "total", "--steps", "1-2"]
    report = tmp_path / "report.json"
    rules = ["--fail-if", "steps.p50 > +3%", "--format", "json", "-o", str(report)]
    assert main(["compare", runs["base"], str(spaced), *options, *rules]) == 3
    words = shlex.split(json.loads(report.read_text())["link"])
    assert words == ["tilescope", "compare", runs["base"], str(spaced), *options]
    answer = tmp_path / "answer.json"
    assert main([*words[1:], "--format", "json", "-o", str(answer)]) == 0
    headline = json.loads(answer.read_text())["headline"]["text"]
    assert headline == json.loads(report.read_text())["headline"]
    assert headline.startswith("Self time changed by +20 ns (from ")


def test_a_token_is_in_no_report() -> None:
    url = "http://localhost:8808/?token=secret&run=a"
    assert place_text(url) == "http://localhost:8808/?run=a"
    assert place_text("s3://bucket/run.store") == "s3://bucket/run.store"
    assert place_text(Path("a/b.store")) == "a/b.store"


class GrowingRuns:
    """Two runs of which one is still being indexed, as tools answer about such."""

    tick_ps = (1000, 1000)

    def ask(self, run: int, tool: AnyTool, values: Mapping[str, object], against: Sequence[int] = ()) -> Answer:
        return Answer(notes=[Note("info", "the run is still being indexed")], is_complete=False)

    def shown(self, run: int) -> Shown:
        return Shown(1000, str)


@pytest.mark.parametrize("report", ["text", "json", "markdown", "junit"])
@pytest.mark.parametrize("rule", ["steps.p50 > +3%", 'name:"load".total > +1ms'])
def test_a_run_that_is_still_indexed_is_never_green(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], report: str, rule: str
) -> None:
    monkeypatch.setattr(compared_runs_module, "compared_runs", lambda *_: nullcontext(GrowingRuns()))
    code, text = compared(capsys, "base", "new", "--fail-if", rule, "--format", report)
    assert code == 4
    assert "it is still being indexed" in text
    assert compared(capsys, "base", "new", "--format", report if report != "junit" else "text")[0] == 4


def test_a_store_that_is_being_built(runs: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "new.store"
    with build_lock.turn(store):
        assert main(["compare", runs["base"], str(store), "--fail-if", "steps.p50 > +3%"]) == 4
    assert "cannot tell: " in (line := capsys.readouterr().err.splitlines()[-1])
    assert line.endswith("new.store: the run is still being indexed")
    assert main(["compare", runs["base"], str(store), "--fail-if", "steps.p50 > +3%"]) == 1


@pytest.mark.parametrize("rule", ["steps.count > 0", 'name:"f0".total > 0ns', "stats.names.busy > +1ns"])
def test_missing_hosts_are_never_green(tmp_path: Path, capsys: pytest.CaptureFixture[str], rule: str) -> None:
    folders = [tmp_path / "base", tmp_path / "new"]
    for folder in folders:
        folder.mkdir()
        files = write_pod(folder / "pod", 3, events=300)
        build_shards(files, folder / "run", threads, progress=lambda _: None)
    places = [str(folder / "run") for folder in folders]
    assert compared(capsys, *places, "--fail-if", "stats.names.busy > +1ns")[0] == 0
    sharded = read_sharded_run(folders[1] / "run")
    shutil.rmtree(shard_path(folders[1] / "run", sharded.shards[1].name))
    code, text = compared(capsys, *places, "--fail-if", rule)
    assert code == 4
    assert "is incomplete: hosts are missing, host1.xplane.pb\n" in text


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
