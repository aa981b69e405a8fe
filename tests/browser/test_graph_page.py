"""The graph of a program: drawn, walked by keys, opened, and led into the timeline."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES

TPU = "xplane/tpu_v6e_4core.xplane.pb"


@pytest.mark.parametrize("theme", THEMES)
def test_a_graph_is_walked_and_opened_by_keys(viewer: Viewer, served: Served, theme: str) -> None:
    page = viewer.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    viewer.open(served.run_id(TPU))
    page.goto(page.url.partition("#")[0] + "#v=1&tool=graph&f.program=jit_f")
    page.reload()
    node = page.locator(".graph-node")
    node.first.wait_for()
    names = page.locator(".graph-name").all_inner_texts()
    assert sorted(names)[:2] == ["broadcast_add_fusion", "broadcast_add_fusion.1"]
    assert len(names) == 10
    card = page.get_by_role("complementary", name="Instruction")
    page.locator(".graph-node.is-middle").focus()
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    assert card.get_by_role("heading").inner_text().startswith("broadcast_add_fusion")
    assert page.locator(".graph-node.is-focus .graph-inside").inner_text() == "+4"
    page.keyboard.press("Space")
    page.locator(".graph-open").wait_for()
    assert "f.open=broadcast_add_fusion" in page.url
    assert faults(viewer) == []
    viewer.screenshot(f"graph-{theme}")
    page.locator(".graph-node", has_text="add.").first.focus()
    page.keyboard.press("Enter")
    page.locator(".graph-node.is-middle", has_text="add.").wait_for()
    page.get_by_role("searchbox", name="Find instructions").fill("copy-done")
    page.keyboard.press("Enter")
    page.get_by_label("found").select_option("copy-done.1")
    page.locator(".graph-node.is-middle", has_text="copy-done.1").wait_for()
    card.get_by_role("button", name="Op profile").click()
    page.locator("tr.is-current", has_text="copy-done.1").wait_for()
    page.go_back()
    card.get_by_role("button", name="Memory viewer").click()
    page.wait_for_url("**tool=memory_viewer*f.program=jit_f*")
    page.go_back()
    card.get_by_role("button", name="Find in the timeline").click()
    viewer.wait("document.querySelector('.search-box input')?.value === '\"copy-done.1\"'")


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
def test_the_scopes_of_a_model_are_entered_and_left(viewer: Viewer, served: Served, theme: str) -> None:
    """It opens by itself: a model has no timeline."""
    page = viewer.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(f"{viewer.url}/?run={served.run_id('model.pb')}")
    model = page.locator(".graph-node", has_text="model")
    model.wait_for()
    assert "is-mixed" in str(model.get_attribute("class"))
    assert "80 % on a TPU" in str(model.text_content())
    valid, invalid = (model.locator(f".graph-part.is-{kind}") for kind in ("valid", "invalid"))
    widths = [float(str(part.get_attribute("width"))) for part in (valid, invalid)]
    assert widths[0] / sum(widths) == pytest.approx(0.8)
    fills = [part.evaluate("part => getComputedStyle(part).fill") for part in (valid, invalid)]
    assert len({*fills, "none"}) == 3
    card = page.get_by_role("complementary", name="Part of the model")
    page.locator(".graph-node", has_text="save").click()
    assert card.get_by_role("heading").first.inner_text() == "save"
    assert "not judged" in card.inner_text()
    expect(page.locator(".graph-part")).to_have_count(2)
    model.click()
    assert [item.inner_text() for item in card.get_by_role("listitem").all()] == ["model/words/lookup (DecodeJpeg)"]
    assert "80.0" in card.inner_text()
    assert faults(viewer) == []
    viewer.screenshot(f"model-graph-{theme}")
    model.focus()
    page.keyboard.press("Enter")
    page.locator(".graph-node.is-invalid", has_text="words").click()
    assert "no" in card.get_by_role("definition").all_inner_texts()
    page.locator(".graph-node", has_text="dense").dblclick()
    page.locator(".graph-node", has_text="MatMul").click()
    entries = card.get_by_role("definition").all_inner_texts()
    assert [entry for entry in entries if entry in ("MatMul", "read", "Relu")]
    assert entries[-3:] == ["float32", "[[?,64]]", "false"]  # its attributes
    frame = page.locator(".graph-frame").bounding_box()
    page.locator(".graph-node", has_text="weights").click()
    expect(card.get_by_role("heading", name="Attributes")).to_have_count(0)
    assert page.locator(".graph-frame").bounding_box() == frame  # a long card scrolls
    page.locator(".graph-node", has_text="MatMul").click()
    viewer.screenshot(f"model-graph-operation-{theme}")
    page.get_by_role("navigation", name="Scopes").get_by_role("button", name="All").click()
    model.wait_for()
