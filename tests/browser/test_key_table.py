"""Every row of the tables of keys and gestures does what it says: a row that nobody tries makes this fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.conftest import Served
from tests.browser.driver import Viewer
from tests.browser.key_checks import CHECKS
from tests.browser.key_driving import marks, press, selected
from tests.standins.written import TRAINING

ROOT = Path(__file__).resolve().parents[2]


def rows(group: str) -> list[tuple[str, str]]:
    """Keys and label of each row of a group of docs/keys.md, which a unit test compares with the tables."""
    text = (ROOT / "docs" / "keys.md").read_text()
    section = re.search(rf"^## {group}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    found = re.findall(r"^\| (.*?) \| (.*?) \|$", section[1], re.MULTILINE)
    # The keys of the search are those of others where it has the focus.
    named = "Search " if group == "Search" else ""
    return [(named + keys.replace("`", ""), label) for keys, label in found[2:]]


# Rows that another test tries: where, by name.
ELSEWHERE = {
    "[": "test_moving.py::test_flows_are_drawn_listed_and_followed",
    "]": "test_moving.py::test_flows_are_drawn_listed_and_followed",
    "K": "test_rank.py::test_a_slice_is_placed_and_its_namesakes_are_walked_along",
    "Shift+K": "test_rank.py::test_a_slice_is_placed_and_its_namesakes_are_walked_along",
    "L": "test_tracks.py::test_a_filter_leaves_what_is_named_and_the_groups_around_it",
    "Ctrl+P": "test_tracks.py::test_a_track_is_found_by_name_also_a_hidden_one_in_a_closed_group",
    "P": "test_tracks.py::test_pinned_tracks_stay_at_the_top_with_the_name_of_their_process",
    "H": "test_tracks.py::test_hidden_tracks_are_away_until_they_are_shown_again",
    "Alt+↑": "test_tracks.py::test_tracks_are_moved_by_drag_and_by_keys_among_their_siblings",
    "Alt+↓": "test_tracks.py::test_tracks_are_moved_by_drag_and_by_keys_among_their_siblings",
    "<": "test_tracks.py::test_an_empty_lane_says_where_its_events_are_and_leads_there",
    ">": "test_tracks.py::test_an_empty_lane_says_where_its_events_are_and_leads_there",
    "X": "test_lanes.py::test_memory_is_drawn_by_its_key_and_from_its_page",
    "E": "test_tracks.py::test_hidden_tracks_are_away_until_they_are_shown_again",
    "Search / Ctrl+F": "test_search.py::test_what_is_found_and_gone_to_is_what_the_server_says",
    "Search Enter": "test_search.py::test_what_is_found_and_gone_to_is_what_the_server_says",
    "Search Shift+Enter": "test_search.py::test_what_is_found_and_gone_to_is_what_the_server_says",
    "Search Esc": "test_search.py::test_what_is_found_and_gone_to_is_what_the_server_says",
    "Ctrl+Shift+P F1": "test_search.py::test_the_palette_does_what_keys_do_and_says_what_cannot_be_done",
    "O": "test_opening_files.py::test_a_folder_is_dropped_or_chosen",
    "J": "test_capture.py::test_a_trace_comes_and_is_opened",
    "Shift+J": "test_capture.py::test_a_job_is_monitored",
    "B": "test_keyboard.py::test_the_table_of_what_is_in_view_leads_to_its_slices",
    "I": "test_area.py::test_a_group_a_bin_and_a_gap",
    "V": "test_pages.py::test_keys_lead_to_the_timeline_and_back_and_those_of_the_timeline_rest",
    "One finger": "test_touch.py::test_fingers_pan_pinch_tap_and_select_an_area",
    "Two fingers": "test_touch.py::test_fingers_pan_pinch_tap_and_select_an_area",
    "Tap": "test_touch.py::test_fingers_pan_pinch_tap_and_select_an_area",
    "Double tap": "test_touch.py::test_fingers_pan_pinch_tap_and_select_an_area",
    "Long press, then drag": "test_touch.py::test_fingers_pan_pinch_tap_and_select_an_area",
}


# Groups whose rows are tried here, unless another test does.
TRIED = ("Move", "Select", "Mark", "Panes", "Show", "Mouse")


def test_every_row_is_tried() -> None:
    groups = re.findall(r"^## (.*)$", (ROOT / "docs" / "keys.md").read_text(), re.MULTILINE)
    every = {keys for group in groups for keys, _ in rows(group)}
    assert every == set(CHECKS) | set(ELSEWHERE)
    assert set(CHECKS) <= {keys for group in TRIED for keys, _ in rows(group)}
    for place in ELSEWHERE.values():
        file, name = place.split("::")
        assert f"def {name}(" in (Path(__file__).parent / file).read_text(), f"there is no {place}"


@pytest.mark.parametrize("group", [TRIED[0], *(pytest.param(name, marks=pytest.mark.deep) for name in TRIED[1:])])
def test_each_row_does_what_it_says(viewer: Viewer, served: Served, group: str) -> None:
    viewer.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    viewer.open(served.run_id(TRAINING))
    viewer.wait("document.querySelector('.strip') !== null")
    whole_run = viewer.span()
    for keys, label in rows(group):
        check = CHECKS.get(keys)
        if check is None:
            continue
        try:
            check(viewer)
        except Exception as error:
            raise AssertionError(f"{keys}: {label}: {error}") from error
        reset(viewer, whole_run)


def reset(v: Viewer, whole_run: tuple[int, int]) -> None:
    """Back to how the run was opened, by keys as a person would."""
    v.page.mouse.move(5, 5)
    v.page.locator(".timeline").focus()
    press(v, "1")
    for _ in range(3):
        press(v, "Escape")
    press(v, "n")
    v.page.locator(".marks").wait_for()
    while marks(v) > 0:
        v.page.get_by_role("button", name="Remove", exact=False).first.click()
    press(v, "n")
    press(v, "0")
    v.rest()
    assert v.span() == whole_run
    assert selected(v)["kind"] == "none"
