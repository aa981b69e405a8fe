"""Pages begin with their answers: a sentence, few facts, one chart, then the table; the form is one row."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Served, serving
from tests.browser.test_accessibility import faults
from tests.browser.tool_pages import ToolPages
from tests.run_kinds import RUN_KINDS
from tests.standins.training import write_training

TRAINING = "training.pt.trace.json"
TPU = "tpu.xplane.pb"

# Run and tool of each page.
EIGHT = (
    (TRAINING, "steps"),
    (TRAINING, "gaps"),
    (TRAINING, "overlap"),
    (TRAINING, "stats"),
    (TRAINING, "kernels"),
    (TPU, "hlo_stats"),
    (TRAINING, "flows"),
    (TPU, "roofline"),
)

# Parts of a page from top to bottom; a page may lack findings.
_PARTS = {
    "form": ".tool-bar",
    "sentence": "ul[aria-label='The answer']",
    "findings": "ul[aria-label=Findings]",
    "facts": ".fact-cards",
    "chart": ".chart-card, .share-ring, .tree-picture",
    "table": ".table-card",
}

_BOXES = """parts => Object.entries(parts).flatMap(([part, selector]) =>
    [...document.querySelectorAll(`.page-body :is(${selector})`)].filter(element => element.checkVisibility()).map(
        element => [part, element.getBoundingClientRect().top, element.getBoundingClientRect().bottom],
    )).sort((a, b) => a[1] - b[1])"""

MOST_FACTS = 6
FOLDED_PX = 48
LEAST_ROWS = 8


def parts_of(page: Page) -> list[tuple[str, float, float]]:
    """Parts that are seen, from top to bottom: name, upper and lower edge."""
    boxes: list[Any] = page.evaluate(_BOXES, _PARTS)
    return [(str(part), float(top), float(bottom)) for part, top, bottom in boxes]


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("tops")
    write_training(folder / TRAINING)
    with serving([folder / TRAINING, RUN_KINDS["devices"](folder)], folder / "cache") as running:
        yield running


@pytest.mark.parametrize(("name", "tool"), EIGHT, ids=[tool for _, tool in EIGHT])
@pytest.mark.parametrize("size", [(1440, 900), (1100, 700)], ids=["1440x900", "1100x700"])
def test_of_a_page(pages: ToolPages, site: Served, name: str, tool: str, size: tuple[int, int]) -> None:
    page = pages.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    pages.go(site.run_id(name), f"tool={tool}")
    pages.answered()
    page.locator(".chart-plot canvas, .share-ring canvas, .tree-picture canvas").first.wait_for()
    parts = parts_of(page)
    names = [part for part, _, _ in parts if part != "findings"]
    assert names == ["form", "sentence", "facts", "chart", "table"]
    for (_, _, bottom), (_, top, _) in itertools.pairwise(parts):
        assert bottom <= top, "parts lie over one another"
    # The sentence has figures, and the form is one row that says what is asked.
    assert any(character.isdigit() for character in page.get_by_role("list", name="The answer").inner_text())
    assert 0 < page.locator(".fact-card:visible").count() <= MOST_FACTS
    options = page.get_by_role("button", name="Options")
    assert options.get_attribute("aria-expanded") == "false"
    assert parts[0][2] - parts[0][1] < FOLDED_PX
    expect(page.locator(".folded-form-words")).not_to_be_empty()
    # The sentence and what it rests on are in sight, and the rows have room.
    assert parts[1][2] < size[1]
    rows = page.locator(".table-card tbody tr[data-row]")
    shown = page.evaluate("document.querySelector('.table-scroll').clientHeight / 28")
    assert shown >= min(rows.count(), LEAST_ROWS)
    pages.viewer.screenshot(f"top-{tool}-{size[0]}")


def test_the_op_profile_of_a_range_does_not_begin_with_clocks(pages: ToolPages, site: Served) -> None:
    """The caveat on two clocks stands below the sentence."""
    run = site.run_id(TPU)
    pages.go(run, "tool=op_profile")  # it is indexed when somebody looks at it
    end = int(site.get(f"/runs/{run}/manifest")["end"])
    pages.go(run, f"area={end // 8}-{end // 2}&tracks=0&tool=op_profile&in=selection")
    pages.answered()
    answer = pages.page.get_by_role("list", name="The answer").bounding_box()
    caveat = pages.page.get_by_text("A range is one of the timeline's clock").first.bounding_box()
    assert answer is not None
    assert caveat is not None
    assert answer["y"] + answer["height"] <= caveat["y"]


@pytest.mark.parametrize("tool", ["gaps", "kernels", "flows"])
def test_parts_of_a_chart_have_names_of_their_own(pages: ToolPages, site: Served, tool: str) -> None:
    """Parts of the first table are the chart of an answer that has none: named as its rows, sized by what they take."""
    pages.go(site.run_id(TRAINING), f"tool={tool}")
    pages.answered()
    chart = pages.page.locator(".share-ring, .tree-picture")
    chart.locator("canvas").wait_for()
    if tool == "kernels":
        expect(chart.get_by_role("combobox")).to_have_value("total")
    else:
        names = chart.locator(".share-ring-name").all_inner_texts()
        assert len(names) > 1
        assert len(set(names)) == len(names)
        assert "(none)" not in names
        colours = chart.locator(".share-ring-swatch").evaluate_all(
            "swatches => swatches.map(each => each.style.cssText)"
        )
        assert len(set(colours)) == len(names)
    assert faults(pages.viewer) == []
    # It goes, and stays away, with the button that says what it is.
    button = pages.page.get_by_role("button", name="Picture" if tool == "kernels" else "Ring", exact=True)
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    expect(chart).to_have_count(0)
    pages.viewer.wait("location.hash.includes('tables=')")
    link = pages.page.url
    pages.page.goto("about:blank")
    pages.page.goto(link)
    pages.answered()
    expect(chart).to_have_count(0)
