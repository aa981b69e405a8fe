"""What a person does with tracks: filter, hide, pin, move, find; by mouse and by keys; the address says all of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import TWO_HOSTS, Served
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.standins.written import DEVICES, GAP

# Tracks of chips 0 to 3 have ids from 0, 5, 10 and 15 on: Steps, XLA Modules, XLA Ops, Async XLA Ops, counters.
CHIP = "/device:TPU:"


def keys(viewer: Viewer) -> list[str]:
    """Keys of the items on the screen, from top to bottom."""
    script = "[...document.querySelectorAll('[role=treeitem]')].map(item => item.dataset.key)"
    return [str(key) for key in viewer.page.evaluate(script)]


def pinned(viewer: Viewer) -> list[str]:
    texts = viewer.page.locator(".tree-pinned [role=treeitem]").all_inner_texts()
    return [" ".join(text.split()) for text in texts]


def point_at(viewer: Viewer, key: str) -> None:
    viewer.page.locator(f"[role=treeitem][data-key={key}] .tree-name").hover()
    viewer.page.locator(f".tree-actions[data-key={key}]").wait_for()


def address(viewer: Viewer) -> dict[str, str]:
    parts = viewer.page.evaluate("location.hash.slice(1)").split("&")
    return dict(part.split("=", 1) for part in parts if part)  # nothing is there before the address is written


@pytest.fixture
def chips(viewer: Viewer, served: Served) -> Viewer:
    viewer.open(served.run_id(DEVICES))
    viewer.expand_all()
    viewer.settle()
    return viewer


def test_a_filter_leaves_what_is_named_and_the_groups_around_it(chips: Viewer) -> None:
    before = keys(chips)
    chips.page.keyboard.press("l")
    chips.page.keyboard.type("XLA ops tpu:2")
    chips.wait("document.querySelector('.tree-count').textContent === '2 of 24 tracks'")
    assert keys(chips) == ["g3", "t12", "t13"]
    assert faults(chips) == []
    chips.screenshot("tracks-filtered")
    chips.wait("location.hash.includes('filter=XLA%20ops%20tpu%3A2')")
    chips.page.reload()
    chips.wait("window.tilescope?.state === 'open'")
    chips.settle()
    assert keys(chips) == ["g3", "t12", "t13"]
    chips.page.locator(".tree-filter input").fill("no such thing")
    assert "no such thing" in chips.page.inner_text(".tree-nothing")
    chips.page.keyboard.press("Escape")
    chips.expand_all()
    chips.settle()
    assert keys(chips) == before


def test_collapsed_groups_end_at_hosts_and_devices(viewer: Viewer, served: Served) -> None:
    """Each device and process is left with its rollup; they are in the address."""
    run = served.run_id(TWO_HOSTS)
    viewer.open(run)
    tree = served.tree(run)
    groups = {f"g{group['id']}": group for group in tree["groups"]}
    filled = {f"g{track['group']}" for track in tree["tracks"] if int(track["events"]) > 0}
    viewer.expand_all()
    viewer.settle()
    assert any(item.key.startswith("t") for item in viewer.tree())
    viewer.page.get_by_role("button", name="Collapse all groups").click()
    viewer.settle()
    left = [item.key for item in viewer.tree()]
    assert all(key.startswith("g") for key in left), "tracks are in the rollups"
    around = {key for key in left if groups[key]["kind"] in ("run", "host")}
    assert len(around) == 3
    inside = {key for key, group in groups.items() if f"g{group['parent']}" in around}
    assert set(left) == around | (inside & filled)
    shown = viewer.tree()
    viewer.until_address_follows()
    viewer.page.reload()
    viewer.wait("window.tilescope?.state === 'open'")
    viewer.settle()
    assert viewer.tree() == shown


def test_hidden_tracks_are_away_until_they_are_shown_again(chips: Viewer) -> None:
    before = keys(chips)
    point_at(chips, "t1")
    chips.page.get_by_role("button", name="Hide XLA Modules").click()
    point_at(chips, "g3")
    chips.page.keyboard.press("h")
    chips.settle()
    assert keys(chips)[:3] == ["g1", "t0", "t2"]
    assert "g3" not in keys(chips)
    assert address(chips)["hide"] == "1.g3"
    chips.page.get_by_role("button", name="6 hidden tracks: show").click()
    assert faults(chips) == []
    chips.screenshot("tracks-hidden-list")
    chips.page.get_by_role("menuitem", name="Show /device:TPU:2").click()
    chips.settle()
    assert address(chips)["hide"] == "1"
    chips.page.go_back()
    chips.wait("location.hash.includes('hide=1.g3')")
    assert "g3" not in keys(chips)
    chips.page.get_by_role("button", name="6 hidden tracks: show").click()
    chips.page.get_by_role("menuitem", name="Show all").click()
    assert keys(chips) == before
    assert "hide" not in address(chips)


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
def test_pinned_tracks_stay_at_the_top_with_the_name_of_their_process(chips: Viewer, theme: str) -> None:
    chips.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    for key in ("t12", "t2"):
        point_at(chips, key)
        chips.page.keyboard.press("p")
    chips.page.mouse.move(5, 5)
    chips.page.locator("[data-key=t6]").focus()
    chips.page.keyboard.press("ArrowDown")
    chips.wait("document.activeElement.dataset.key === 't7'")
    chips.page.keyboard.press("p")
    chips.settle()
    assert pinned(chips) == [f"XLA Ops {CHIP}2", f"XLA Ops {CHIP}0", f"XLA Ops {CHIP}1"]
    assert chips.wait("document.activeElement.dataset.key") == "t7"
    assert address(chips)["pin"] == "12.2.7"
    box = chips.timeline_box()
    top_y = chips.page.locator(".tree-pinned [data-key=t12]").bounding_box()["y"]  # type: ignore[index]
    chips.scroll_to(400)
    chips.settle()
    assert chips.page.locator(".tree-pinned [data-key=t12]").bounding_box()["y"] == top_y  # type: ignore[index]
    chips.click(box["x"] + box["width"] / 2, top_y + 8)  # what is hit is what is seen
    chips.wait("tilescope.selection.track === 12")
    chips.page.keyboard.press("Escape")
    assert faults(chips) == []
    chips.screenshot(f"tracks-pinned-{theme}")
    chips.page.mouse.move(5, 5)
    chips.page.locator(".tree-pinned [data-key=t7]").focus()
    chips.page.keyboard.press("Alt+ArrowUp")
    chips.wait("location.hash.includes('pin=12.7.2')")
    chips.page.keyboard.press("p")
    assert pinned(chips) == [f"XLA Ops {CHIP}2", f"XLA Ops {CHIP}0"]


@pytest.mark.deep
def test_an_area_is_of_the_tracks_that_are_touched_and_keeps_them(chips: Viewer) -> None:
    point_at(chips, "t12")
    chips.page.keyboard.press("p")
    chips.scroll_to(300)
    chips.settle()
    box = chips.timeline_box()
    edge = chips.page.locator(".tree-pinned").bounding_box()
    assert edge is not None
    below = edge["y"] + edge["height"]
    items = [
        (key, place["y"], place["y"] + place["height"])
        for key in keys(chips)
        if (place := chips.page.locator(f"[role=treeitem][data-key={key}]").bounding_box()) is not None
    ]
    seen = [key for key, top, bottom in items if key.startswith("t") and bottom > below + 30 and top < below + 95]
    chips.page.mouse.move(box["x"] + 300, edge["y"] + 10)
    chips.page.mouse.down()
    chips.page.mouse.move(box["x"] + 600, below + 94, steps=5)
    chips.page.mouse.up()
    chips.settle()
    marked = chips.page.locator(".is-in-area").evaluate_all("items => items.map(item => item.dataset.key)")
    assert marked[0] == "t12"
    assert set(seen) <= set(marked)
    assert not {"t0", "t1"} & set(marked), "what is scrolled away is not in the area"
    chips.wait("location.hash.includes('tracks=')")
    tracks = address(chips)["tracks"]
    point_at(chips, marked[1])
    chips.page.keyboard.press("h")
    chips.settle()
    assert address(chips)["tracks"] == tracks
    chips.screenshot("tracks-area")


def test_tracks_are_moved_by_drag_and_by_keys_among_their_siblings(chips: Viewer) -> None:
    steps = chips.page.locator("[role=treeitem][data-key=t0]").bounding_box()
    ops = chips.page.locator("[role=treeitem][data-key=t2]").bounding_box()
    assert steps is not None
    assert ops is not None
    chips.page.mouse.move(ops["x"] + 60, ops["y"] + 8)
    chips.page.mouse.down()
    chips.page.mouse.move(ops["x"] + 60, steps["y"] + 4, steps=4)
    chips.page.locator(".tree-drop").wait_for()
    chips.screenshot("tracks-dragged")
    chips.page.mouse.up()
    assert keys(chips)[:6] == ["g1", "t2", "t0", "t1", "t3", "t4"]
    assert address(chips)["order"] == "2"
    chips.page.locator("[role=treeitem][data-key=g1]").focus()
    chips.page.mouse.move(5, 5)
    chips.page.keyboard.press("Alt+ArrowDown")
    assert chips.wait("location.hash.includes('order=2.g2')")
    assert keys(chips)[0] == "g2"
    chips.page.reload()
    chips.wait("window.tilescope?.state === 'open'")
    chips.settle()
    assert keys(chips)[0] == "g2"
    chips.page.get_by_role("button", name="Tracks in their recorded order").click()
    assert keys(chips)[0] == "g1"
    assert "order" not in address(chips)


def test_an_empty_lane_says_where_its_events_are_and_leads_there(viewer: Viewer, served: Served) -> None:
    run = served.run_id(GAP)
    viewer.open(run)
    tracks = {int(track["id"]): track for track in served.tree(run)["tracks"]}
    late = max((track for track in tracks.values() if track["kind"] == "slice"), key=lambda track: int(track["first"]))
    first = int(late["first"])
    viewer.page.goto(f"{viewer.url}/?run={run}#v=1&t={first - 2_000_000}-{first - 1_000_000}")
    viewer.wait("window.tilescope?.state === 'open'")
    viewer.expand_all()
    viewer.settle()
    place = viewer.page.locator(f"[role=treeitem][data-key=t{late['id']}]").bounding_box()
    assert place is not None
    box = viewer.timeline_box()
    viewer.page.mouse.move(box["x"] + box["width"] - 40, place["y"] + 9)
    viewer.wait("document.querySelector('.timeline').classList.contains('is-over-hint')")
    viewer.screenshot("tracks-hint")
    viewer.click(box["x"] + box["width"] - 40, place["y"] + 9)
    viewer.wait(f"tilescope.selection.track === {late['id']} && tilescope.selection.ordinal === 0")
    viewer.rest()
    assert viewer.span()[0] <= first <= viewer.span()[1]
    point_at(viewer, f"t{late['id']}")
    viewer.page.keyboard.press(">")
    viewer.wait(f"tilescope.selection.ordinal === {int(late['events']) - 1}")
    viewer.page.locator(f"[role=treeitem][data-key=t{late['id']}]").click(button="right")
    viewer.page.get_by_role("menu").wait_for()
    assert faults(viewer) == []
    viewer.page.get_by_role("menuitem", name="Go to the first event").click()
    viewer.wait("tilescope.selection.ordinal === 0")


@pytest.mark.deep
def test_a_track_is_found_by_name_also_a_hidden_one_in_a_closed_group(viewer: Viewer, served: Served) -> None:
    viewer.page.goto(f"{viewer.url}/?run={served.run_id(DEVICES)}#v=1&hide=g4&filter=steps")
    viewer.wait("window.tilescope?.state === 'open'")
    viewer.settle()
    viewer.page.keyboard.press("Control+p")
    field = viewer.page.get_by_role("combobox", name="Name of a track or group")
    field.fill("ops tpu:3")
    option = viewer.page.get_by_role("dialog").get_by_role("option").first
    assert " ".join(option.inner_text().split()) == f"XLA Ops {CHIP}3 hidden"
    assert faults(viewer) == []
    viewer.screenshot("tracks-finder")
    viewer.page.keyboard.press("Enter")
    viewer.wait("document.activeElement.dataset.key === 't17'")
    assert "hide" not in address(viewer)
    place = viewer.page.locator("[data-key=t17]").first.bounding_box()
    box = viewer.timeline_box()
    assert place is not None
    assert box["y"] <= place["y"] <= box["y"] + box["height"]
    viewer.page.keyboard.press("Control+p")
    field.press("Escape")
    expect(field).to_have_count(0)


@pytest.mark.deep
def test_an_address_of_another_run_is_taken_as_far_as_it_goes(viewer: Viewer, served: Served) -> None:
    viewer.page.goto(f"{viewer.url}/?run={served.run_id(DEVICES)}#v=1&pin=2.4000&hide=g3.g99&order=t")
    viewer.wait("window.tilescope?.state === 'open'")
    viewer.settle()
    assert pinned(viewer) == [f"XLA Ops {CHIP}0"]
    assert "names 2 tracks that this run does not have" in viewer.page.inner_text(".statusbar")
    viewer.page.get_by_role("button", name="empty hidden: show").click()
    viewer.wait("location.hash.includes('empty=1')")
    assert "Task Environment" in [item.name for item in viewer.tree()]
