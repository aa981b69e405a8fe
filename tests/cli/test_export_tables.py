"""`tilescope export` of tables: read back by pyarrow and DuckDB, whole or not at all."""

from __future__ import annotations

import csv
import errno
import json
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from pyarrow import ipc, parquet

from tests.example import Example, random_events
from tilescope.cli import main
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.export import table_files
from tilescope.tiler.export.table_files import TableExport
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tables import Batch

COUNT_AND_SUM = "select count(*), sum(duration) from "


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    example = Example(tmp_path_factory.mktemp("tables"), random_events(random.Random(5)))
    example.store.close()
    return example


def slices_of(example: Example) -> list[tuple[str, int, int]]:
    return sorted((e.name, e.start, e.duration) for e in example.events if e.value is None)


def test_parquet_has_all_slices_and_what_ticks_are(example: Example, tmp_path: Path) -> None:
    out = tmp_path / "x.parquet"
    assert main(["export", str(example.path), "-o", str(out)]) == 0
    table = parquet.read_table(out)
    rows = zip(*(table.column(name).to_pylist() for name in ("name", "start", "duration")), strict=True)
    assert sorted(rows) == slices_of(example)
    metadata = table.schema.metadata
    assert (metadata[b"tilescope.table"], metadata[b"tilescope.tick_ps"]) == (b"slices", b"1000")
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]
    duckdb = pytest.importorskip("duckdb")
    wanted = slices_of(example)
    assert duckdb.sql(f"{COUNT_AND_SUM} '{out}'").fetchall() == [(len(wanted), sum(row[2] for row in wanted))]


@pytest.mark.parametrize("end", ["arrow", "csv", "jsonl"])
def test_other_formats_have_the_same_rows(example: Example, tmp_path: Path, end: str) -> None:
    out = tmp_path / f"x.{end}"
    assert main(["export", str(example.path), "--columns", "name,start,duration", "-o", str(out)]) == 0
    if end == "arrow":
        rows = [tuple(row.values()) for row in ipc.open_file(out).read_all().to_pylist()]
    elif end == "csv":
        rows = [(name, int(a), int(b)) for name, a, b in list(csv.reader(out.read_text().splitlines()))[1:]]
    else:
        lines = map(json.loads, out.read_text().splitlines())
        rows = [(row["name"], int(row["start"]), int(row["duration"])) for row in lines]
    assert sorted(rows) == slices_of(example)


def test_a_part_of_a_run(example: Example, tmp_path: Path) -> None:
    out = tmp_path / "part.parquet"
    with closing(open_run_store(example.path)) as store:
        tracks = QueryReader(store).tree.tracks
    (track,) = [str(track.id) for track in tracks if track.name == "thread 0"]
    options = ["--start", "1us", "--end", "900us", "--tracks", track, "--name", "op 3", "--name", "op 7"]
    assert main(["export", str(example.path), *options, "-o", str(out)]) == 0
    rows = parquet.read_table(out).to_pylist()
    wanted = [
        e for e in example.events if e.track == "thread 0" and e.name in ("op 3", "op 7") and e.overlaps(1000, 900_000)
    ]
    assert len(rows) == len(wanted) > 0


def test_several_tables_are_a_folder_or_a_database(example: Example, tmp_path: Path) -> None:
    folder = tmp_path / "run.parquet"
    assert main(["export", str(example.path), "--tables", "slices,steps,tracks", "-o", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["slices.parquet", "steps.parquet", "tracks.parquet"]
    duckdb = pytest.importorskip("duckdb")
    out = tmp_path / "run.duckdb"
    assert main(["export", str(example.path), "-o", str(out)]) == 0
    with duckdb.connect(str(out), read_only=True) as database:
        wanted = slices_of(example)
        assert database.sql(f"{COUNT_AND_SUM} slices").fetchall() == [(len(wanted), sum(row[2] for row in wanted))]
        assert database.sql("select min(step), max(step) from steps").fetchall() == [(3, 12)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tables", "colours"], "there is no table 'colours': there are slices, instants"),
        (["--columns", "colour"], "slices has no column 'colour'"),
        (["--tables", "slices,steps", "--columns", "name"], "--columns are of one table"),
        (["--format", "csv"], ".parquet is for Parquet, and --format says CSV"),
        (["--lanes", "overlap.1"], "--lanes are of trace-event JSON"),
        (["--tracks", "5000"], "track 5000 does not exist"),
    ],
)
def test_what_makes_no_sense_leaves_no_file(
    example: Example, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["export", str(example.path), *options, "-o", str(tmp_path / "x.parquet")]) == 2
    line = capsys.readouterr().err
    assert message in line
    assert line.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_no_file(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setitem(table_files._WRITERS, table_files.TableFormat.PARQUET, full)
    for tables in ("slices", "slices,steps"):
        assert main(["export", str(example.path), "--tables", tables, "-o", str(tmp_path / "x.parquet")]) == 1
        assert "No space left" in capsys.readouterr().err
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["csv", "json-tables", "parquet", "arrow", "json"])
def test_a_reader_that_goes_away_is_no_error(example: Example, form: str) -> None:
    """As `head` does: nothing is said, and what is left is not written."""
    command = [sys.executable, "-m", "tilescope", "export", str(example.path), "--format", form]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as export:
        assert export.stdout is not None
        assert export.stderr is not None
        export.stdout.close()
        complaint = export.stderr.read()
    assert (export.returncode, complaint) == (1, b"")


@pytest.mark.parametrize("form", ["csv", "json-tables", "parquet", "arrow"])
def test_a_full_device_is_one_line(example: Example, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(example.path), "--format", form, "-o", "/dev/full"]) == 1
    assert capsys.readouterr().err == "tilescope: /dev/full: No space left on device\n"


def test_a_database_that_fails_leaves_nothing_beside_it(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """DuckDB has files of its own beside a database while it is written."""
    pytest.importorskip("duckdb")

    def damaged(*_: object, **__: object) -> None:
        raise DamagedStore("pages-0: damaged")

    monkeypatch.setattr("tilescope.tiler.tables.events.event_columns", damaged)
    assert main(["export", str(example.path), "--tables", "tracks,slices", "-o", str(tmp_path / "run.duckdb")]) == 1
    assert "pages-0: damaged" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_lines_of_json_have_finite_numbers(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.array([1.5, np.inf, -np.inf, np.nan])
    monkeypatch.setattr(TableExport, "batches", lambda _: iter([Batch({"value": values}, 4)]))
    out = tmp_path / "x.jsonl"
    assert main(["export", str(example.path), "--tables", "counters", "--columns", "value", "-o", str(out)]) == 0
    lines = [json.loads(line, parse_constant=pytest.fail) for line in out.read_text().splitlines()]
    assert [line["value"] for line in lines] == [1.5, None, None, None]


def test_a_folder_that_is_there_stays(example: Example, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.parquet").mkdir()
    (tmp_path / "x.parquet" / "mine").touch()
    assert main(["export", str(example.path), "--tables", "slices,steps", "-o", str(tmp_path / "x.parquet")]) == 1
    assert "File exists" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["x.parquet", "mine"]
