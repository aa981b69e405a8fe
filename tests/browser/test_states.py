"""Runs that cannot be shown, and the page around the timeline."""

from __future__ import annotations

from pathlib import Path

from tests.browser.conftest import DAMAGED, TRACES, Served
from tests.browser.driver import Viewer

KEYS_PAGE = Path(__file__).resolve().parents[2] / "docs" / "keys.md"


def test_a_damaged_run_says_what_is_wrong_while_others_open(viewer: Viewer, served: Served) -> None:
    run = served.run_id(DAMAGED)
    viewer.open(run, expected="failed")
    message = viewer.page.get_by_role("alert").inner_text()
    reported = next(entry["error"] for entry in served.get("/runs")["runs"] if entry["id"] == run)
    assert message == reported
    assert "\n" not in message
    viewer.screenshot("damaged")
    viewer.page.get_by_role("button", name="Show all runs").click()
    viewer.wait("tilescope.state === 'list'")
    viewer.screenshot("runs")
    viewer.page.get_by_role("button", name="tpu_v6e_4core").click()
    viewer.wait("tilescope.state === 'open'", 60)
    viewer.settle()
    assert viewer.look()["events"] > 0


def test_an_empty_trace_says_that_it_is_empty(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id("empty.json"), expected="empty")
    assert "This trace is empty" in viewer.page.inner_text("main")
    viewer.screenshot("empty")


def test_a_run_that_is_gone(viewer: Viewer) -> None:
    viewer.open("no-such-run", expected="unknown")
    assert "no such run" in viewer.page.inner_text("main")


def test_the_help_lists_every_key(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRACES[0]))
    viewer.page.keyboard.press("?")
    dialog = viewer.page.get_by_role("dialog")
    dialog.wait_for()
    text = dialog.inner_text()
    rows = [line.split(" | ") for line in KEYS_PAGE.read_text().splitlines() if line.startswith("| `")]
    assert len(rows) > 15
    for keys, label in rows:
        assert label.removesuffix(" |").removesuffix(" (hold; shift: faster)") in text
        for key in keys.removeprefix("| ").split():
            assert key.strip("`") in text
    viewer.screenshot("help")
    viewer.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


def test_the_theme_follows_the_system_and_the_key(viewer: Viewer, served: Served) -> None:
    viewer.page.emulate_media(color_scheme="dark")
    viewer.open(served.run_id(TRACES[2]))
    assert viewer.page.evaluate("document.documentElement.dataset.theme") == "dark"
    viewer.screenshot("dark")
    viewer.page.keyboard.press("t")
    viewer.wait("document.documentElement.dataset.theme === 'light'")
    viewer.page.reload()
    viewer.wait("document.documentElement.dataset.theme === 'light'")
