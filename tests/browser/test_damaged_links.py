"""Links that were cut or mistyped: what could not be read is named, and what can be done is one click away."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, watched_page
from tests.browser.driver import Viewer
from tests.standins.written import TRAINING


@pytest.mark.parametrize(
    ("fragment", "words"),
    [
        ("t=450000000", "t=450000000"),
        ("sel=99.99999", "sel=99.99999 (not in this run)"),
        ("sel=0.999999999", "sel=0.999999999 (not in this run)"),
        ("host=nohost", "host=nohost (not in this run)"),
        ("area=0-9&tracks=0.77777", "tracks=0.77777 (not all in this run)"),
        ("tool=Foo!", "tool=Foo!"),
        ("bin=1.2.3", "bin=1.2.3"),
        ("bin=0.0.1.99999.1", "bin=0.0.1.99999.1 (not drawn here)"),
        ("open=g77777", "open=g77777 (not all in this run)"),
        ("details=yes", "details=yes"),
        ("measure=9", "measure=9"),
        ("mark=!", "mark=!"),
        ("tool=stats&in=steps.9-x", "in=steps.9-x"),
    ],
)
def test_a_damaged_link_says_what_was_not_understood(viewer: Viewer, served: Served, fragment: str, words: str) -> None:
    page = viewer.page
    page.goto(f"{viewer.url}/?run={served.run_id(TRAINING)}#v=1&{fragment}")
    viewer.wait("window.tilescope?.state === 'open'", 60)
    note = page.locator("[data-status=unread]")
    note.wait_for()
    assert note.inner_text() == f"Not understood in the link: {words}"
    # The rest of the link holds, and the next step takes the words away.
    page.get_by_role("button", name="Overview" if "stats" not in fragment else "Timeline", exact=True).click()
    note.wait_for(state="detached")


def test_groups_that_the_server_does_not_offer_are_said_and_left(browser: Browser, served: Served) -> None:
    with watched_page(browser, served.url, server_may_go=True) as page:
        viewer = Viewer(page, served.url)
        page.goto(f"{served.url}/?run={served.run_id(TRAINING)}#v=1&area=0-900000000&tracks=0&by=size")
        note = page.locator("[data-status=unread]")
        note.wait_for(timeout=60_000)
        assert note.inner_text() == "Not understood in the link: by=size (no such groups)"
        page.locator(".drawer .data-table tbody tr").first.wait_for()
        assert page.get_by_label("Sum up by").input_value() == "name"
        viewer.wait("!location.hash.includes('by=')")


def test_an_address_that_is_changed_by_hand_says_it_too(viewer: Viewer, served: Served) -> None:
    viewer.open(served.run_id(TRAINING))
    viewer.page.evaluate("location.hash = 'v=1&host=nohost&sel=99.99999'")
    note = viewer.page.locator("[data-status=unread]")
    note.wait_for()
    words = "host=nohost (not in this run), sel=99.99999 (not in this run)"
    assert note.inner_text() == f"Not understood in the link: {words}"


def test_an_unknown_page_and_an_unknown_address_lead_back(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    page.goto(f"{viewer.url}/?run={served.run_id(TRAINING)}#v=1&tool=nothing")
    page.locator("[data-state=unknown]").wait_for()
    page.get_by_role("button", name="Go to the timeline").click()
    viewer.wait("tilescope.page === 'timeline'")


def test_an_address_that_is_none_leads_to_the_runs(browser: Browser, served: Served) -> None:
    """A page for people, though the browser logs that there is nothing at the address."""
    with watched_page(browser, served.url, server_may_go=True) as page:
        for path in ("/foo/bar", "/index.htm"):
            answer = page.goto(served.url + path)
            assert answer is not None
            assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (404, "text/html")
            page.get_by_role("link").first.click()
            Viewer(page, served.url).wait("window.tilescope?.state === 'list'")


def test_copying_a_link_and_marking_answer_where_one_sees_it(viewer: Viewer, served: Served) -> None:
    page = viewer.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    viewer.open(served.run_id(TRAINING))
    page.locator(".timeline").focus()
    page.keyboard.press("c")
    page.locator(".notice", has_text="Link copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith(viewer.url)
    viewer.screenshot("notice-link")
    page.keyboard.press("Enter")
    viewer.drawer()
    page.keyboard.press("m")
    page.locator(".notice", has_text="Marked until").wait_for()
    page.keyboard.press("Shift+M")
    page.locator(".notice", has_text="lists all marks").wait_for()
    viewer.screenshot("notice-mark")
    page.locator(".notice").wait_for(state="detached")
