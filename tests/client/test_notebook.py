"""The notebook of the documentation runs, and is the one that its script makes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.client.write_notebook import NOTEBOOK, text


def test_it_is_what_its_script_makes() -> None:
    assert NOTEBOOK.read_text() == text(), "run python -m tests.client.write_notebook"


def test_every_cell_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(NOTEBOOK.parent)
    names: dict[str, Any] = {}
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["stats"].total.count > 0
    assert names["found"].count > 0
    del names["run"]  # closes the store
