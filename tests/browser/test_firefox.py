"""The main path in Firefox: what is written for one browser alone shows here."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.absence import find_program
from tests.browser.conftest import Served
from tests.browser.driver import ARTEFACTS
from tests.standins.written import TRAINING

VIEWER = Path(__file__).resolve().parents[2] / "viewer"
SCRIPT = Path(__file__).with_name("firefox_path.mjs")


@pytest.mark.deep
def test_the_main_path_in_firefox(served: Served, tmp_path: Path) -> None:
    firefox = find_program("firefox", "firefox-esr")
    if firefox is None:
        pytest.skip("Firefox is not installed: make firefox")
    if not (VIEWER / "node_modules" / "puppeteer-core").exists():
        pytest.skip("no puppeteer-core: npm ci in viewer/")
    ARTEFACTS.mkdir(exist_ok=True)
    run = served.run_id(TRAINING)
    command = ["node", str(SCRIPT), str(VIEWER / "package.json"), firefox, f"{served.url}/?run={run}"]
    done = subprocess.run(
        [*command, str(ARTEFACTS / "firefox.png")],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "HOME": str(tmp_path)},  # of a user who has never started it
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["errors"] == []
    assert seen["title"].startswith("ProfilerStep#")
    assert seen["zoomed"] < seen["whole"] / 2
    assert seen["found"].startswith("5")
    assert seen["page"] == "stats"
    assert int(seen["rows"]) > 10
