"""What is shown undimmed belongs to what the address asks, however it has changed and however late answers come."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser import area_trace
from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_area import Panel
from tests.browser.tool_pages import ToolPages

# Of the same length, and with different events in them.
SPANS = ((20_000, 120_000), (120_000, 220_000), (320_000, 420_000))


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("earlier")
    with serving([area_trace.write(folder)], folder / "cache") as running:
        with watched_page(browser, running.url) as page:
            Viewer(page, running.url).open(running.run_id(area_trace.NAME))
        yield running


@pytest.fixture
def panel(browser: Browser, site: Served) -> Iterator[Panel]:
    with watched_page(browser, site.url) as page:
        yield Panel(Viewer(page, site.url), site)


def test_a_page_of_the_selection_follows_to_another_one_of_the_same_length(panel: Panel) -> None:
    page, pages = panel.page, ToolPages(panel.viewer)
    tracks = ".".join(map(str, panel.leaves))
    counts = [panel.ask("stats", start=start, end=end)[1]["count"] for start, end in SPANS]
    assert len(set(counts)) == len(SPANS)

    def shows(count: str) -> None:
        panel.viewer.wait(
            "document.querySelector('.answer-slot:not([inert]) .data-table tfoot .is-total')"
            f"?.innerText.replaceAll('\\u202f', '').split('\\t').includes('{count}')"
        )

    pages.go(panel.run, f"area={SPANS[0][0]}-{SPANS[0][1]}&tracks={tracks}&tool=stats&in=selection")
    shows(counts[0])
    pages.mark()
    for (start, end), count in zip(SPANS[1:], counts[1:], strict=True):
        page.evaluate(
            "hash => { location.hash = hash }",
            f"#v=1&area={start}-{end}&tracks={tracks}&tool=stats&in=selection",
        )
        shows(count)
    page.evaluate(f"history.go({1 - len(SPANS)})")
    shows(counts[0])
    assert pages.is_same()
