"""The last results, kept in `record.json` with machine, versions, command and date. The README has its figures from it.

`--record` of a benchmark puts its rows in. A row replaces the older one of the same work, so that the file holds each
figure once. Runs from before there was a record were copied from README.md of this folder, each figure with its quote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from bench.machine import is_busy
from bench.table import Row

RECORD: Final = Path(__file__).with_name("record.json")


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One row of a table. `quote` is where README.md says it, for figures that were copied from there."""

    work: str
    measured: str
    quote: str = ""

    @property
    def value(self) -> str:
        """The number with its unit, without the details in brackets."""
        return self.measured.partition(" (")[0]


class Run(msgspec.Struct, frozen=True, omit_defaults=True):
    """Results of one command. Facts that nobody wrote down are empty; `remark` is what else a reader has to know."""

    command: str
    date: str
    machine: str
    system: str
    versions: str
    figures: tuple[Figure, ...]
    remark: str = ""


class Record(msgspec.Struct, frozen=True):
    """All runs, the oldest first."""

    runs: tuple[Run, ...]

    def run_with(self, work: str) -> tuple[Run, str]:
        """The newest run that has this work, and the number. Raises `LookupError` where none has it."""
        for run in reversed(self.runs):
            for figure in run.figures:
                if figure.work == work:
                    return run, figure.value
        raise LookupError(f"{RECORD.name} has no row {work!r}")

    def with_run(self, new: Run) -> Record:
        """The record after a run: its rows take the place of older ones of the same work."""
        works = {figure.work for figure in new.figures}
        kept = (
            msgspec.structs.replace(run, figures=tuple(row for row in run.figures if row.work not in works))
            for run in self.runs
        )
        return Record((*(run for run in kept if run.figures), new))


def read_record(path: Path = RECORD) -> Record:
    """The record. Raises `msgspec.ValidationError` where the file has another shape."""
    return msgspec.json.decode(path.read_bytes(), type=Record)


def why_not_recorded(*, quick: bool) -> str | None:
    """Reason why this machine or this run cannot give figures that may be published; None where it can."""
    if quick:
        return "--quick measures small traces: its numbers are no results"
    return "the machine is busy: wait until it is idle" if is_busy() else None


def record_rows(facts: Mapping[str, str], rows: Sequence[Row], path: Path = RECORD) -> None:
    """Puts the rows of a run into the record; rows that were skipped stay as they were."""
    figures = tuple(Figure(row.work, row.measured) for row in rows if row.mark != "skipped")
    record = read_record(path).with_run(Run(**facts, figures=figures))
    path.write_bytes(encode(record))


def encode(record: Record) -> bytes:
    """The bytes of the file, a member a line."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"
