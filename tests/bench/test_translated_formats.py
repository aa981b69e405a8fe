"""The benchmark of translated formats, small: each file has all of its events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench import translated_formats
from tests.tiler.readers.translated_events import read_events
from tilescope.tiler.columns import Phase


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.json", translated_formats.write_json),
        ("a.sqlite", translated_formats.write_nsight),
        ("a.pftrace", translated_formats.write_perfetto),
        ("a.jsonl", translated_formats.write_otlp),
    ],
)
def test_files_have_their_events(tmp_path: Path, name: str, write: Callable[[Path, int], None]) -> None:
    write(tmp_path / name, 2000)
    events, _ = read_events(tmp_path / name)
    assert sum(event.phase in (Phase.COMPLETE, Phase.BEGIN, Phase.END) for event in events) == 2000


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert translated_formats.main(["--events", "2000"]) == 0
    printed = capsys.readouterr().out
    assert all(work in printed for work in ("export of Nsight Systems", "trace of Perfetto", "spans of OpenTelemetry"))
