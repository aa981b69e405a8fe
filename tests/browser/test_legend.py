"""The legend below the tracks: colours by kind of work, which it filters; by duration; both in the address."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.standins.written import TRAINING

# Colours of the canvas of the tracks that are not grey, by how many of some rows' pixels have them.
HUED = """(() => {
  const canvas = document.querySelector('.timeline canvas'), context = canvas.getContext('2d'), counts = {};
  for (let y = 4; y < canvas.height; y += 7) {
    const row = context.getImageData(0, y, canvas.width, 1).data;
    for (let k = 0; k < row.length; k += 4) {
      const rgb = [row[k], row[k + 1], row[k + 2]];
      if (Math.max(...rgb) - Math.min(...rgb) > 30) counts[rgb] = (counts[rgb] ?? 0) + 1;
    }
  }
  return Object.keys(counts).length;
})()"""


def kind(viewer: Viewer, name: str) -> Locator:
    return viewer.page.get_by_role("group", name="Kinds of work").get_by_role("button", name=name, exact=True)


def test_a_kind_that_is_pressed_stays_in_colour_alone(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    viewer.expand_all()
    kind(viewer, "Compute").wait_for()
    viewer.rest()
    before = viewer.page.evaluate(HUED)
    kind(viewer, "Compute").click()
    viewer.rest()
    assert 0 < viewer.page.evaluate(HUED) < before
    assert kind(viewer, "Compute").get_attribute("aria-pressed") == "true"
    viewer.wait("location.hash.includes('kinds=compute')", 5)
    viewer.page.reload()
    kind(viewer, "All").wait_for()
    assert kind(viewer, "Compute").get_attribute("aria-pressed") == "true"
    assert faults(viewer) == []
    kind(viewer, "All").click()
    expect(kind(viewer, "All")).to_have_count(0)
    viewer.wait("!location.hash.includes('kinds=')", 5)


def test_it_says_what_hatching_and_the_height_of_bars_mean(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    choice = viewer.page.get_by_label("Colour by")
    # Whatever the colours are: by kind of work, by name, by duration.
    assert choice.locator("option").all_inner_texts() == ["kind of work", "name", "duration"]
    for way in ("name", "duration", "meaning"):
        choice.select_option(way)
        shapes = viewer.page.locator(".legend-shape")
        expect(shapes).to_have_text(["Hatched: several events", "Height: busy part"])
        means = ("zoom in to see each", "the part of its time that is busy")
        for shape, words in zip(shapes.all(), means, strict=True):
            expect(shape).to_be_in_viewport(ratio=1)
            assert words in str(shape.get_attribute("title"))
    # Each kind says what belongs to it.
    expect(kind(viewer, "Compute")).to_have_attribute("title", re.compile("^Kernels and operations that compute"))


def test_colours_of_durations_are_in_the_address(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    choice = viewer.page.get_by_label("Colour by")
    choice.select_option("duration")
    viewer.page.get_by_text("Shorter than 1 µs").wait_for()
    viewer.wait("location.hash.includes('color=duration')", 5)
    viewer.page.reload()
    viewer.page.get_by_text("Shorter than 1 µs").wait_for()
    assert choice.input_value() == "duration"


def test_the_palette_colours_by_what_one_asks_for(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    page = viewer.page
    page.get_by_label("Colour by").wait_for()
    page.keyboard.press("F1")
    page.get_by_role("combobox", name="Command").fill("colour by")
    options = page.get_by_role("dialog").get_by_role("option")
    by_kind, by_name, by_duration = ("kind of work", "name", "duration")
    expect(options).to_have_count(3)  # the list follows what is typed a moment later
    assert "Chosen already" in options.filter(has_text=f"Colour by {by_kind}").inner_text()
    assert "Chosen already" not in options.filter(has_text=f"Colour by {by_duration}").inner_text()
    page.get_by_role("combobox", name="Command").fill(f"colour by {by_name}")
    page.keyboard.press("Enter")
    viewer.wait("location.hash.includes('color=name')", 5)
    assert page.get_by_label("Colour by").input_value() == "name"


def test_a_narrow_window_scrolls_to_every_kind(viewer: Viewer, served: Served) -> None:
    viewer.page.set_viewport_size({"width": 480, "height": 720})
    viewer.open(served.run_id(TRAINING))
    kinds = viewer.page.get_by_role("group", name="Kinds of work").get_by_role("button")
    kinds.last.wait_for()
    legend = viewer.page.locator(".legend").bounding_box()
    assert legend is not None
    for kind in kinds.all():
        kind.scroll_into_view_if_needed()
        box = kind.bounding_box()
        assert box is not None
        assert legend["x"] <= box["x"]
        assert box["x"] + box["width"] <= legend["x"] + legend["width"]
        assert legend["y"] <= box["y"]
        assert box["y"] + box["height"] <= legend["y"] + legend["height"]
    assert faults(viewer) == []
