"""Deep rows with nothing in view take no room; they are back in the picture that has something in them."""

from __future__ import annotations

from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.standins.written import TRAINING

# The backward thread, which has four rows, works from 85 to 108 ms of the first step.
BEFORE_BACKWARD, WITH_BACKWARD = "t=30000000-70000000", "t=30000000-95000000"


def _height_px(viewer: Viewer, name: str) -> float:
    box = viewer.page.locator("[role=treeitem]").filter(has_text=name).last.bounding_box()
    assert box is not None
    return box["height"]


def _go(viewer: Viewer, place: str) -> None:
    viewer.page.evaluate("place => { location.hash = location.hash.replace(/t=[-0-9]+/, place) }", place)
    viewer.wait(f"'t=' + tilescope.view.start + '-' + tilescope.view.end === '{place}'")
    viewer.settle()


def test_a_track_without_events_in_view_takes_one_row(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    viewer.expand_all()
    viewer.settle()
    viewer.until_late_code()
    viewer.until_address_follows()
    whole = _height_px(viewer, "pt_autograd_0")
    main = _height_px(viewer, "pt_main_thread")
    assert whole > 60, "four rows"
    _go(viewer, BEFORE_BACKWARD)
    assert _height_px(viewer, "pt_autograd_0") < 30, "one row"
    assert _height_px(viewer, "pt_main_thread") == main
    assert faults(viewer) == []
    _go(viewer, WITH_BACKWARD)
    assert _height_px(viewer, "pt_autograd_0") == whole


# Notes the height of each row of the tree in each frame, where it differs from the one before.
WATCH_HEIGHTS = """() => {
    const last = new Map();
    window.heightChanges = new Map();
    const look = () => {
        for (const item of document.querySelectorAll("[role=treeitem]")) {
            const [key, height] = [item.dataset.key, item.offsetHeight];
            if (last.has(key) && last.get(key) !== height) {
                heightChanges.set(key, (heightChanges.get(key) ?? 0) + 1);
            }
            last.set(key, height);
        }
        requestAnimationFrame(look);
    };
    look();
}"""


def test_no_track_changes_its_height_twice_for_one_view(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    viewer.expand_all()
    viewer.settle()
    viewer.until_late_code()
    viewer.until_address_follows()
    viewer.page.evaluate(WATCH_HEIGHTS)
    changed = 0
    for place in (BEFORE_BACKWARD, WITH_BACKWARD, "t=0-20000000", "t=95000000-97000000", BEFORE_BACKWARD):
        viewer.page.evaluate("heightChanges.clear()")
        _go(viewer, place)
        viewer.rest()
        times: dict[str, int] = viewer.page.evaluate("Object.fromEntries(heightChanges)")
        assert set(times.values()) <= {1}, (place, times)
        changed += len(times)
    assert changed >= 3, "the way leads over rows that are folded and come back"
