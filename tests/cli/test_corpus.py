"""Real traces through the commands: indexed, counted as an independent parser counted them, verified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_manifest, corpus_path
from tilescope.cli import main

pytestmark = pytest.mark.slow

MANIFEST = corpus_manifest()


def expected_events(facts: dict[str, Any]) -> int:
    """XEvents; events of a JSON trace other than metadata."""
    return int(facts["events"]) - int(facts.get("phases", {}).get("M", 0))


def names() -> list[str]:
    """All XSpaces and all trace-event files that are valid JSON; their counts are beyond dispute."""
    known = [
        name
        for name, facts in MANIFEST.items()
        if facts["format"] in ("xspace", "chrome_json") and facts.get("strict_json", True) and facts.get("valid", True)
    ]
    return known or ["xplane/tpu_v6e_4core.xplane.pb"]  # skipped, visibly, where there is no corpus


@pytest.mark.parametrize("name", names())
def test_index_info_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    trace, store = str(corpus_path(name)), str(tmp_path / "store")
    assert main(["index", trace, "-o", store]) == 0
    capsys.readouterr()
    assert main(["info", store, "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert info["events"]["total"] == expected_events(MANIFEST[name])
    assert main(["verify", store]) == 0


def test_a_mangled_xspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = corpus_path("invalid/tpu_utf8_mangled.xplane.pb")
    assert main(["index", str(trace), "-o", str(tmp_path / "store")]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "a text conversion has destroyed this file" in error
    assert not (tmp_path / "store").exists()
