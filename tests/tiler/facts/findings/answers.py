"""RunFindings of files, as the overview asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.findings import Finding, RunFindings, findings_of
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.store import open_run_store


@contextmanager
def reading(files: Sequence[Path], folder: Path) -> Iterator[QueryReader]:
    """A reader of the run of some files."""
    build_store(list(files), folder / "store")
    with closing(open_run_store(folder / "store")) as store:
        yield QueryReader(store)


def findings(
    reader: QueryReader, span: TickRange | None = None, numbers: tuple[int, int] | None = None, device_count: int = 0
) -> RunFindings:
    """The findings of a run, in a range or in steps."""
    devices = finish(devices_of(reader))
    span = span or TickRange(0, reader.end + 1)
    return finish(findings_of(reader, reader.steps, devices, span, numbers, device_count=device_count))


def text(rows: Sequence[Finding]) -> str:
    """Rows in lines, for messages of assertions."""
    return "\n".join(f"{row.cause} | {row.where} | {row.steps} | {row.loss} | {row.sentence}" for row in rows)
