"""The README's figures are those of the record, and the record's are those that were measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import record
from bench.load import main as load
from bench.readme_figures import HEADINGS, LINES, README, table_of, with_table
from bench.realistic import main as realistic
from bench.record import RECORD, Figure, Record, Run, read_record, record_rows, why_not_recorded
from bench.table import Target, compared_row, measured_row, skipped_row

FACTS = {
    "command": "python -m bench.load --record",
    "date": "2027-01-31 10:00 UTC",
    "machine": "A processor, 2 cores, 24 GiB, load 0.1",
    "system": "Linux 7.1, Python 3.14.1",
    "versions": "tilescope 0.3.0",
}
SPEED = Target(2, None, lambda value: f"{value:g} MB/s")


def test_the_table_of_the_readme_is_that_of_the_record() -> None:
    readme = README.read_text(encoding="utf-8")
    assert with_table(readme, table_of(read_record())) == readme, "run: make readme-figures"


def test_the_readme_has_no_figure_outside_of_its_table() -> None:
    rest = with_table(README.read_text(encoding="utf-8"), HEADINGS)
    assert re.findall(r"\d[\d.,]* ?(?:[kMG]?B/s|[kMG]B|ms|s|min|M events/s)\b", rest) == []


def test_what_was_copied_into_the_record_stands_in_the_readme_of_the_benchmarks() -> None:
    readme = " ".join((RECORD.parent / "README.md").read_text(encoding="utf-8").split())
    for run in read_record().runs:
        for figure in (figure for figure in run.figures if figure.quote):
            assert figure.quote in readme
            assert figure.value.split()[0] in figure.quote


def test_the_commands_of_the_table_are_there() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for line in LINES:
        assert re.search(rf"(?m)^{line.command.removeprefix('make ')}: ", makefile)


def _record(*figures: Figure) -> Record:
    return Record((Run("a", "2026-01-31", "M, 2 cores", "", "", figures),))


def test_a_new_run_takes_the_place_of_older_rows(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(record.encode(_record(Figure("reading", "3 MB/s", "3 MB/s"), Figure("writing", "1 MB/s"))))
    rows = [measured_row("reading", SPEED, 4, "p50 5 MB/s"), compared_row("b", "2 s"), skipped_row("writing", "none")]
    record_rows(FACTS, rows, path)
    older, newer = read_record(path).runs
    assert older.figures == (Figure("writing", "1 MB/s"),)
    assert newer == Run(**FACTS, figures=(Figure("reading", "4 MB/s (p50 5 MB/s)"), Figure("b", "2 s")))
    assert read_record(path).run_with("reading") == (newer, "4 MB/s")
    record_rows(FACTS, [compared_row("writing", "2 MB/s")], path)
    assert [run.command for run in read_record(path).runs] == [newer.command] * 2, "a run without rows is left out"


def test_a_row_that_the_record_lacks_is_named() -> None:
    with pytest.raises(LookupError, match="has no row 'XSpace, 10 M events, wall time'"):
        table_of(_record(Figure("reading", "3 MB/s")))


def test_a_readme_without_the_table() -> None:
    with pytest.raises(LookupError, match="no table"):
        with_table("# Title\n", HEADINGS)


def test_where_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "is_busy", lambda: False)
    assert why_not_recorded(quick=False) is None
    assert "--quick" in (why_not_recorded(quick=True) or "")
    monkeypatch.setattr(record, "is_busy", lambda: True)
    assert "busy" in (why_not_recorded(quick=False) or "")


@pytest.mark.parametrize("main", [load, realistic])
def test_nothing_is_measured_that_cannot_be_recorded(
    main: object, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = RECORD.read_bytes()
    assert callable(main)
    assert main(["--quick", "--record", "--directory", str(tmp_path)]) == 1
    assert "nothing can be recorded" in capsys.readouterr().err
    assert RECORD.read_bytes() == before
