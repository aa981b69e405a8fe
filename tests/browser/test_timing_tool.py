"""The timing tool: what is measured stays, its ends move, and its length stands at the axis until it is removed."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.browser.key_driving import drag, marks, press, select, selected, status
from tests.browser.test_accessibility import faults
from tests.browser.test_marks import ready
from tests.browser.themes import THEMES
from tests.standins.written import TRAINING

# Texts that the last picture has at the time axis.
AXIS_TEXTS = """
    window.axisTexts = [];
    let frameMs = null;
    const fillText = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        if (this.canvas instanceof HTMLCanvasElement && this.canvas.closest('.axis') !== null) {
            if (frameMs !== document.timeline.currentTime) {
                frameMs = document.timeline.currentTime;
                window.axisTexts = [];
            }
            window.axisTexts.push(text);
        }
        return fillText.call(this, text, ...rest);
    };
"""
_Y = 400  # below the slices: nothing to snap to, nothing to click


def axis_texts(v: Viewer) -> list[str]:
    """Texts at the axis in the next picture."""
    v.page.evaluate("window.axisTexts = []")
    v.page.mouse.move(v.timeline_box()["x"] + 900, v.timeline_box()["y"] + 10)
    v.page.mouse.move(v.timeline_box()["x"] + 905, v.timeline_box()["y"] + 12)
    v.wait("window.axisTexts.length > 0")
    return [str(text) for text in v.page.evaluate("window.axisTexts")]


def length(v: Viewer) -> str:
    """The measured length, as it was announced."""
    return status(v).split(" · ")[0]


def measure(v: Viewer, served: Served) -> str:
    """Opens the run and measures an interval of it; its length."""
    v.page.add_init_script(AXIS_TEXTS)
    v.open(served.run_id(TRAINING))
    ready(v)
    press(v, "4")
    drag(v, (300, _Y, 600, _Y))
    return length(v)


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_measured_stays_until_it_is_removed(viewer: Viewer, served: Served, theme: str) -> None:
    viewer.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    measured = measure(viewer, served)
    assert measured in axis_texts(viewer)
    for key in "123":  # another tool
        press(viewer, key)
        assert measured in axis_texts(viewer)
    # Its ends are dragged, with the tool that selects too, which selects nothing then.
    press(viewer, "1")
    drag(viewer, (601, _Y, 450, _Y))
    halved = length(viewer)
    assert halved != measured
    assert halved in axis_texts(viewer)
    assert selected(viewer)["kind"] == "none"
    press(viewer, "4")
    drag(viewer, (301, _Y, 700, _Y))
    crossed = length(viewer)
    assert crossed in axis_texts(viewer), "from the end that stayed, 450, to 700"
    assert measured not in axis_texts(viewer)
    viewer.screenshot(f"timing-{theme}")
    assert faults(viewer) == []
    # A click beside it removes it, with this tool alone.
    box = viewer.timeline_box()
    press(viewer, "2")
    viewer.click(box["x"] + 800, box["y"] + _Y)
    assert crossed in axis_texts(viewer)
    press(viewer, "4")
    viewer.click(box["x"] + 550, box["y"] + _Y)
    assert crossed in axis_texts(viewer), "within it"
    viewer.click(box["x"] + 800, box["y"] + _Y)
    assert crossed not in axis_texts(viewer)


def test_an_interval_that_is_marked_shows_its_length(viewer: Viewer, served: Served) -> None:
    measured = measure(viewer, served)
    press(viewer, "m")
    assert axis_texts(viewer).count(measured) == 2, "of the interval, and of its mark"
    press(viewer, "Delete")
    assert (marks(viewer), axis_texts(viewer).count(measured)) == (0, 1), "the mark goes first: it is newer"
    press(viewer, "Delete")
    assert axis_texts(viewer).count(measured) == 0
    # What is selected is marked with another tool, though something is measured.
    drag(viewer, (300, _Y, 400, _Y))
    press(viewer, "1")
    select(viewer)
    press(viewer, "m")
    assert "109.9 ms" in axis_texts(viewer)
