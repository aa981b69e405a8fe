"""A package whose formats are broken, one fault each: every fault is one line, and whatever else there is goes on."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tests.toy_formats import TRACE, environment, install_format

pytestmark = pytest.mark.slow

# First word of the file → what is said of it.
FAULTS = {
    "LATE": r"the format 'late' failed in toy_faults\.py, line \d+: KeyError: 'missing'",
    "FAR": r"the format 'far' failed: ValueError: an event is on track 71, of 2 tracks",
    "SHORT": r"the format 'short' failed: ValueError: the column name has 2 values, and track has 3",
    "NAMELESS": r"the format 'nameless' failed: ValueError: an event has name 2, of 0 names",
    "GREEDY": r"the format 'greedy' failed in toy_faults\.py, line \d+: SystemExit: 3",
}
TORN = r"the format 'torn' failed in toy_faults\.py, line \d+: KeyError: b'.*'"
LEFT_OUT = [
    r"the formats of toy_format_gone:FORMAT are left out, they cannot be loaded: ModuleNotFoundError: .*",
    r"the formats of toy_format_leaving:FORMAT are left out, they cannot be loaded: SystemExit: 3",
    r"the format 'xspace' of toy_faults:FAULTY is left out: there is one of that name",
    r"the format 'other' of toy_faults:FAULTY is left out: there is another codec of the name 'json'",
    r"toy_faults:FAULTY is left out: 'No id' is no id: small letters, digits and _ are, at most 64",
    r"toy_faults:FAULTY is left out: a int is no format",
]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_format(tmp_path_factory.mktemp("faulty"), faulty=True)


def tilescope(packages: Path, *command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tilescope", *map(str, command)],
        env=environment(packages),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def is_said(lines: list[str], patterns: list[str]) -> bool:
    return all(any(re.fullmatch(f"tilescope: {pattern}", line) for line in lines) for pattern in patterns)


@pytest.mark.parametrize("word", FAULTS)
def test_a_fault_is_one_line_and_nothing_is_left(packages: Path, tmp_path: Path, word: str) -> None:
    trace = tmp_path / "a.toy"
    trace.write_text(TRACE.replace("TOY 1", word))
    ran = tilescope(packages, "index", trace, "-o", tmp_path / "a.store")
    assert (ran.returncode, ran.stdout) == (1, "")
    (line,) = ran.stderr.splitlines()
    assert re.fullmatch(f"tilescope: {re.escape(str(trace))}: {FAULTS[word]}", line)
    assert not (tmp_path / "a.store").exists() or [path.name for path in (tmp_path / "a.store").iterdir()] == ["LOCK"]


def test_in_a_run_the_other_files_are_read(packages: Path, tmp_path: Path) -> None:
    run = tmp_path / "plugins" / "profile" / "2026_01_31_10_00_00"
    run.mkdir(parents=True)
    for host, word in enumerate(["TOY 1", *FAULTS]):
        (run / f"host{host}.toy").write_text(TRACE.replace("TOY 1", word))
    ran = tilescope(packages, "index", tmp_path, "-o", tmp_path / "a.store")
    assert ran.returncode == 0, ran.stderr
    assert is_said(ran.stderr.splitlines(), [*LEFT_OUT, TORN])
    info = json.loads(tilescope(packages, "info", tmp_path / "a.store", "--json").stdout)
    assert (info["format"], info["events"]["slices"]) == ("toy", 3)
    assert len([line for line in info["warnings"] if "is left out: the format" in line]) == len(FAULTS)


def test_our_formats_are_not_taken(packages: Path, tmp_path: Path) -> None:
    trace = tmp_path / "a.json"
    trace.write_text('{"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}')
    for file in (trace, DEMO_TRACE):
        ran = tilescope(packages, "index", file, "-o", tmp_path / f"{file.name}.store")
        assert ran.returncode == 0, ran.stderr
        assert is_said(ran.stderr.splitlines(), LEFT_OUT)


def test_what_is_refused_names_what_is_missing(packages: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("nothing of the kind")
    ran = tilescope(packages, "index", file, "-o", tmp_path / "a.store")
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    assert "toys (.toy)" in line
    assert "the formats of toy_format_gone:FORMAT are left out" in line


def test_an_event_whose_arguments_cannot_be_decoded_is_told(packages: Path, tmp_path: Path) -> None:
    trace = tmp_path / "a.toy"
    trace.write_text(TRACE.replace("TOY 1", "UNDECODABLE"))
    assert tilescope(packages, "index", trace, "-o", tmp_path / "a.store").returncode == 0
    assert tilescope(packages, "verify", tmp_path / "a.store").returncode == 0
    script = "import sys, tilescope; print(dict(tilescope.connect(sys.argv[1]).run().event(1, 0).args))"
    command = [sys.executable, "-c", script, str(tmp_path / "a.store")]
    said = subprocess.run(command, env=environment(packages), capture_output=True, text=True, check=True, timeout=60)
    what = r"the format 'undecodable' failed in toy_faults\.py, line \d+: ZeroDivisionError: .*"
    assert re.match(rf"\{{'\[unreadable\]': \"{what}", said.stdout)
