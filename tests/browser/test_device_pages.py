"""The generic pages of questions about a run of devices: they show what was answered, and rows lead to the timeline."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.device_trace import DeviceTrace
from tests.standins.gap import write_gap

STORE = "devices.store"

COUNTERS = "counters.json"

# Every question that has a page, with fields where there is no answer without them, and a run that it is asked about.
QUESTIONS = (
    *((STORE, question) for question in ("stats", "events", "search&f.query=a", "find&f.text=a")),
    *((STORE, question) for question in ("steps", "gaps", "overlap", "flows")),
    (COUNTERS, "counters"),
)

# Figures in tables that are wider than their cells.
CUT_FIGURES = """[...document.querySelectorAll('.data-table td.is-number')]
    .filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.innerText)"""


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("devices")
    DeviceTrace(folder, random.Random(4)).store.close()
    write_gap(folder / COUNTERS)
    with serving([folder / STORE, folder / COUNTERS], folder / "cache") as running:
        run = running.run_id(STORE)
        build = running.get(f"/runs/{run}/manifest")["build"]
        running.get(f"/runs/{run}/builds/{build}/tools/stats")  # then a process that answers is there
        yield running


@pytest.mark.parametrize("theme", THEMES)
def test_each_page_shows_its_answer_and_its_rows_lead_to_the_timeline(
    pages: ToolPages, site: Served, theme: str
) -> None:
    run = site.run_id(STORE)
    pages.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    for tool, words in (
        ("gaps", ("Idle between work", "Idle time by reason", "the host, which prepares and launches work")),
        ("overlap", ("Comm. hidden", "What steps are made of", "Computation hides")),
        ("flows", ("Flows from track to track", "Mean delay")),
    ):
        pages.go(run, f"tool={tool}")
        pages.answered()
        pages.unfold_facts()
        text = pages.text()
        assert all(word in text for word in words), text
        assert faults(pages.viewer) == []
        pages.viewer.screenshot(f"{tool}-{theme}")
        if tool == "gaps":
            pages.page.get_by_role("tab", name=re.compile(r"^Gaps\W*\d")).click()
        lead = pages.page.locator(".data-table tbody tr[data-row]").first.get_by_role(
            "button", name="Show in the timeline"
        )
        lead.click()
        pages.wait_for("timeline")
        if tool == "gaps":
            start, end = pages.viewer.span()
            assert end - start < 20_000  # the longest gap and what stands around it, of 574 µs
    pages.go(run, "tool=flows&f.event=0.0")
    pages.answered()
    assert "of the chain, itself included" in pages.text()
    pages.viewer.screenshot(f"flows-chain-{theme}")
    assert faults(pages.viewer) == []


@pytest.mark.parametrize(
    ("name", "question"),
    [pytest.param(*case, marks=() if case[1] in ("steps", "counters") else pytest.mark.deep) for case in QUESTIONS],
)
def test_each_page_shows_the_figures_that_the_server_answers(
    pages: ToolPages, site: Served, name: str, question: str
) -> None:
    run = site.run_id(name)
    tool, _, field = question.partition("&f.")
    pages.go(run, f"tool={question}")
    pages.answered()
    pages.unfold_facts()
    text = pages.text()
    build = site.get(f"/runs/{run}/manifest")["build"]
    answer = site.get(f"/runs/{run}/builds/{build}/tools/{tool}?{field}")
    for fact in answer["facts"]:
        assert fact["label"] in text
        if fact["kind"] == "count" and fact["value"] is not None:
            assert _as_shown(fact["value"]) in text, fact
    table = next(table for table in answer["tables"] if len(table["columns"][0]["values"]))
    assert table["title"] in text
    names = [column["values"][:3] for column in table["columns"] if column["kind"] == "name"]
    counts = [column["values"][:3] for column in table["columns"] if column["kind"] == "count"]
    texts = [column["values"][:3] for column in table["columns"] if column["kind"] == "text"]
    assert names or counts or texts
    for shown in (shown for column in (*names, *texts) for shown in column if shown is not None):
        assert str(shown) in text
    for count in (count for column in counts for count in column if count is not None):
        assert _as_shown(count) in text
    assert pages.page.evaluate(CUT_FIGURES) == []
    pages.viewer.screenshot(f"question-{tool}")


def _as_shown(count: int | str) -> str:
    """In groups of three digits, with thin spaces that do not break."""
    return f"{int(count):,}"
