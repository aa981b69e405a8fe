"""Traces that are compressed with zstd, or that PowerShell wrote in UTF-16, are read as any other."""

from __future__ import annotations

from tests.reports.traces import Open, answer, rows


def test_zstd_is_read(open_by_name: Open) -> None:
    reader = open_by_name("trace.json.zst")
    manifest = reader.store.manifest()
    assert (manifest["events"]["total"], manifest["warnings"], manifest["ignored"]) == ("1000", [], {})
    assert sum(row["count"] for row in rows(answer(reader, "stats"), "names")) == 1000


def test_utf16_is_read(open_by_name: Open) -> None:
    reader = open_by_name("utf16.json")
    manifest = reader.store.manifest()
    assert (manifest["events"]["total"], manifest["warnings"], manifest["ignored"]) == ("1", [], {})
    (row,) = rows(answer(reader, "stats"), "names")
    assert (row["name"], row["count"]) == ("a", 1)
