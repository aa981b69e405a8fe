"""Pages beside the timeline: menu, address, history, keys, range, and what they show while there is no answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import Served, serving
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES
from tests.browser.tool_pages import ToolPages
from tests.standins.training import FIRST_STEP, STEPS, write_training
from tests.toy_tools import install


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A run with steps, and a server with tools of all sorts, good and bad."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "packages").mkdir()
    (folder / "notes").mkdir()
    write_training(folder / "training.pt.trace.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(install(folder / "packages", faulty=True)))
        patch.setenv("TOY_NOTES", str(folder / "notes"))
        with serving([folder / "training.pt.trace.json"], folder / "cache") as running:
            running.get("/runs")
            yield running


@pytest.fixture
def run(site: Served) -> str:
    return site.run_id("training.pt.trace.json")


@pytest.fixture
def faulty_pages(browser: Browser, site: Served) -> Iterator[ToolPages]:
    """Where requests are to fail, which browsers log as errors."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    yield ToolPages(Viewer(context.new_page(), site.url))
    context.close()


def test_the_menu_lists_pages_in_groups_and_why_some_have_no_answer(pages: ToolPages, site: Served, run: str) -> None:
    pages.viewer.open(run)
    pages.open_menu()
    page = pages.page
    groups = page.locator("[role=menu] [role=group]")
    names = [str(group.get_attribute("aria-label")) for group in groups.all()]
    assert names[:3] == ["The run", "Where does the time go?", "Why is it waiting?"]
    assert names[-3:-1] == ["Raw data", "Other"]  # that of another package
    # Every page is in one place, once those that are folded are shown.
    pages.unfold()
    listed = [str(entry.get_attribute("data-page")) for entry in page.locator("[role=menu] [data-page]").all()]
    build = site.get(f"/runs/{run}/manifest")["build"]
    tools = [tool["id"] for tool in site.get(f"/runs/{run}/builds/{build}/tools")["tools"]]
    assert sorted(listed) == sorted(["timeline", "query", *tools])
    absent = page.locator("[role=menu] [data-page=absent]")
    assert absent.get_attribute("aria-disabled") == "true"
    assert "record with XLA_FLAGS" in absent.inner_text()
    assert page.locator("[role=menu] [data-page=timeline]").get_attribute("aria-checked") == "true"
    assert faults(pages.viewer) == []
    page.keyboard.press("Escape")
    pages.open_menu()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    pages.wait_for("overview")  # it stands beside the timeline
    assert page.title().startswith("Overview – ")


def test_back_and_forward_lead_through_pages_without_loading_anew(pages: ToolPages, run: str) -> None:
    pages.viewer.open(run)
    pages.mark()
    pages.choose("stats")
    pages.answered()
    pages.choose("find")
    pages.page.get_by_label("Text").fill("aten::")
    pages.page.keyboard.press("Enter")
    pages.answered()
    assert pages.address()["f.text"] == "aten::"
    pages.range("Steps")
    pages.answered()
    assert pages.address()["in"] == f"steps.{FIRST_STEP}-{FIRST_STEP + STEPS - 1}"
    pages.page.go_back()
    pages.viewer.wait("!location.hash.includes('in=')")
    assert pages.page.get_by_label("Text").input_value() == "aten::"
    pages.page.go_back()
    pages.state("asking")
    pages.page.go_back()
    pages.wait_for("stats")
    pages.page.go_back()
    pages.wait_for("timeline")
    pages.viewer.settle()
    for _ in range(4):
        pages.page.go_forward()
    pages.wait_for("find")
    pages.answered()
    assert pages.address()["in"].startswith("steps.")
    assert pages.is_same()


@pytest.mark.deep
def test_an_address_leads_to_a_page_with_its_fields_and_range(pages: ToolPages, run: str) -> None:
    pages.go(run, f"tool=find&in=steps.{FIRST_STEP}&f.text=conv&f.limit=2")
    pages.answered()
    assert pages.page.get_by_label("Text").input_value() == "conv"
    assert pages.page.get_by_label("Limit").input_value() == "2"
    assert pages.page.get_by_label("First step").input_value() == str(FIRST_STEP)
    assert (
        pages.page.locator(".page [role=grid] tbody tr, .page [role=treegrid] tbody tr, .page table tbody tr").count()
        == 2
    )
    assert "steps." in pages.address()["in"]


@pytest.mark.deep
def test_an_address_of_no_page_says_so(pages: ToolPages, run: str) -> None:
    pages.go(run, "tool=nothing_like_it")
    assert "no page “nothing_like_it”" in pages.state("unknown")
    assert faults(pages.viewer) == []
    pages.page.get_by_role("button", name="Go to the timeline").click()
    pages.wait_for("timeline")


@pytest.mark.deep
def test_keys_lead_to_the_timeline_and_back_and_those_of_the_timeline_rest(pages: ToolPages, run: str) -> None:
    pages.viewer.open(run)
    pages.choose("stats")
    pages.answered()
    before = pages.page.evaluate("JSON.stringify(tilescope.view)")
    pages.page.keyboard.press("w")
    pages.page.keyboard.press("+")
    assert pages.page.evaluate("JSON.stringify(tilescope.view)") == before
    pages.page.keyboard.press("v")
    pages.wait_for("timeline")
    pages.page.keyboard.press("v")
    pages.wait_for("stats")
    pages.answered()
    pages.page.keyboard.press("?")
    pages.page.get_by_role("dialog").wait_for()
    pages.page.keyboard.press("Escape")
    pages.page.get_by_role("button", name=re.compile("^Tools")).press("Enter")
    pages.page.locator("[role=menu] [data-page=stats]").wait_for()
    pages.page.keyboard.press("Escape")
    expect(pages.page.locator("[role=menu]")).to_have_count(0)


def test_the_range_goes_from_page_to_page_and_changes_the_figures(pages: ToolPages, run: str) -> None:
    pages.viewer.open(run)
    pages.choose("stats")
    pages.answered()
    whole = pages.text()
    pages.range("Steps")
    pages.answered()
    last = pages.page.get_by_label("Last step")
    last.fill(str(FIRST_STEP))
    last.press("Enter")
    pages.viewer.wait(
        f"location.hash.includes('in=steps.{FIRST_STEP}') && !location.hash.includes('-{FIRST_STEP + 4}')"
    )
    pages.answered()
    assert pages.page.locator(".page-of").inner_text() == f"Figures are of step {FIRST_STEP}."
    assert pages.text() != whole
    pages.choose("steps")
    pages.answered()
    assert pages.address()["in"] == f"steps.{FIRST_STEP}"
    pages.page.locator(".range-switch input:checked").press("ArrowLeft")
    # The selection is off as long as there is none: the arrow goes on to the whole run.
    pages.viewer.wait("!location.hash.includes('in=')")


@pytest.mark.deep
def test_figures_of_what_is_selected_in_the_timeline(pages: ToolPages, run: str) -> None:
    pages.viewer.open(run)
    pages.choose("stats")
    pages.answered()
    assert pages.page.locator(".range-switch input[value=selection]").is_disabled()
    pages.page.get_by_role("button", name="Timeline", exact=True).click()
    pages.wait_for("timeline")
    pages.viewer.settle()
    box = pages.viewer.timeline_box()
    pages.page.mouse.move(box["x"] + 200, box["y"] + 40)
    pages.page.mouse.down()
    pages.page.mouse.move(box["x"] + 500, box["y"] + 160, steps=4)
    pages.page.mouse.up()
    pages.viewer.wait("tilescope.selection.kind === 'area'")
    pages.choose("stats")
    pages.range("Selection")
    pages.answered()
    assert "selected in the timeline" in pages.page.locator(".page-of").inner_text()
    assert pages.address()["in"] == "selection"
    assert "area" in pages.address()


@pytest.mark.deep
def test_a_selection_that_is_gone_is_said_and_not_taken_for_the_run(pages: ToolPages, run: str) -> None:
    pages.go(run, "tool=stats&in=selection")
    assert "Nothing is selected" in pages.state("empty")
    assert faults(pages.viewer) == []
    pages.viewer.screenshot("page-no-selection")
    pages.page.get_by_role("button", name="Look at the whole run").click()
    pages.answered()
    assert "in" not in pages.address()


def test_a_row_leads_to_the_timeline_and_back_returns(pages: ToolPages, run: str) -> None:
    pages.go(run, "tool=find&f.text=cudnn")
    pages.answered()
    pages.mark()
    pages.page.get_by_role("button", name="Show in the timeline").first.click()
    pages.wait_for("timeline")
    pages.viewer.wait("tilescope.selection.kind === 'event' && tilescope.selection.loaded")
    assert "cudnn" in pages.page.locator(".drawer-title").inner_text()
    pages.page.go_back()
    pages.wait_for("find")
    pages.answered()
    assert pages.page.get_by_label("Text").input_value() == "cudnn"
    assert pages.is_same()


@pytest.mark.deep
def test_a_form_says_what_is_wrong_before_anybody_is_asked(pages: ToolPages, run: str) -> None:
    pages.go(run, "tool=find")
    assert "*" in pages.state("asking")
    assert faults(pages.viewer) == []
    pages.page.get_by_role("button", name="Show", exact=True).click()
    assert pages.page.get_by_label("Text").get_attribute("aria-invalid") == "true"
    assert pages.page.evaluate("document.activeElement.name") == "text"
    pages.page.get_by_label("Limit").fill("a few")
    pages.page.get_by_role("button", name="Show", exact=True).click()
    assert "Limit is a whole number." in pages.text()
    pages.viewer.screenshot("page-form")


@pytest.mark.deep
def test_nothing_found_is_an_empty_state(pages: ToolPages, run: str) -> None:
    pages.go(run, "tool=find&f.text=there_is_no_such_name")
    assert "No event of the run has a name that matches." in pages.state("empty")
    assert faults(pages.viewer) == []
    pages.viewer.screenshot("page-empty")


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
def test_a_tool_without_an_answer_says_what_to_record(pages: ToolPages, run: str, theme: str) -> None:
    pages.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=absent")
    assert "record with XLA_FLAGS=--xla_dump_to=DIR" in pages.state("unavailable")
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"page-unavailable-{theme}")


@pytest.mark.parametrize("theme", THEMES)
def test_answers_in_both_themes(pages: ToolPages, run: str, theme: str) -> None:
    pages.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.page.set_viewport_size({"width": 1280, "height": 720})
    for name in ("stats", "steps", "toy"):
        pages.go(run, f"tool={name}")
        pages.answered()
        assert faults(pages.viewer) == []
        pages.viewer.screenshot(f"page-{name}-{theme}")


@pytest.mark.parametrize("theme", THEMES)
def test_an_answer_that_is_awaited(faulty_pages: ToolPages, run: str, theme: str, site: Served) -> None:
    pages = faulty_pages
    pages.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=endless")
    pages.state("loading")
    assert faults(pages.viewer) == []
    assert "Asking the server" in pages.state("progress")
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"page-progress-{theme}")
    pages.page.get_by_role("button", name="Cancel").click()
    assert "Cancelled" in pages.state("cancelled")
    assert faults(pages.viewer) == []
    pages.page.get_by_role("button", name="Ask again").click()
    pages.state("progress")


def test_a_page_begins_with_its_answer_and_a_form_that_is_folded(pages: ToolPages, run: str) -> None:
    page = pages.page
    with page.expect_response(lambda response: "/tools/stats" in response.url) as response:
        pages.go(run, "tool=stats")
    pages.answered()
    text = response.value.json()["headline"]["text"]
    expect(page.get_by_role("list", name="The answer")).to_contain_text(f"Note: {text}")
    options = page.get_by_role("button", name="Options")
    assert options.get_attribute("aria-expanded") == "false"
    assert page.locator(".folded-form-words").inner_text() == "By: name · Limit: 1000"
    assert not page.get_by_label("Limit").is_visible()
    assert faults(pages.viewer) == []
    # By keyboard alone.
    options.focus()
    page.keyboard.press("Enter")
    assert options.get_attribute("aria-expanded") == "true"
    page.get_by_label("Limit").fill("2")
    page.keyboard.press("Enter")
    pages.viewer.wait("location.hash.includes('f.limit=2')")
    pages.answered()
    assert faults(pages.viewer) == []
    # What is chosen is in sight when the page is opened again; what a question needs is asked for at once.
    pages.go(run, "tool=stats&f.limit=3")
    pages.answered()
    expect(page.get_by_label("Limit")).to_have_value("3")
    assert page.get_by_label("Limit").is_visible()
    pages.go(run, "tool=find")
    expect(page.get_by_label("Text")).to_be_visible()


@pytest.mark.deep
def test_figures_of_the_question_before_are_dimmed(pages: ToolPages, run: str) -> None:
    held: list[Route] = []
    pages.go(run, "tool=stats")
    pages.answered()
    pages.page.route("**/tools/stats?limit=2", lambda route: held.append(route))
    pages.page.get_by_role("button", name="Options").click()
    pages.page.get_by_label("Limit").fill("2")
    pages.page.keyboard.press("Enter")
    pages.page.locator(".answer-slot.is-stale[aria-busy=true]").wait_for()
    assert faults(pages.viewer) == []
    pages.viewer.screenshot("page-stale")
    held[0].continue_()
    pages.answered()
    expect(pages.page.locator(".is-stale")).to_have_count(0)


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
def test_errors_say_what_to_do(faulty_pages: ToolPages, run: str, theme: str) -> None:
    pages = faulty_pages
    pages.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    pages.go(run, "tool=late")
    assert "failed in toy_tools.py" in pages.state("failed")
    assert "tell those who maintain its package" in pages.text()
    assert faults(pages.viewer) == []
    pages.viewer.screenshot(f"page-failed-{theme}")
    pages.page.route("**/tools/stats*", lambda route: route.abort())
    pages.choose("stats")
    assert "the server does not answer" in pages.state("failed")
    assert "tilescope serve" in pages.text()
    pages.page.unroute("**/tools/stats*")
    pages.page.get_by_role("button", name="Try again").click()
    pages.answered()


def test_the_timeline_loads_no_code_of_other_pages(pages: ToolPages, run: str) -> None:
    pages.page.goto("about:blank")  # what the page before still asks for is none of this one's
    asked: list[str] = []
    pages.page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    pages.viewer.open(run)
    scripts = [name for name in asked if name.endswith((".js", ".css"))]
    # What the timeline itself loads behind its first picture may be among them.
    own = {name.rpartition("-")[0] for name in scripts}
    assert "index" in own
    assert not own & {"view", "frame", "states", "plot"}, scripts
    pages.choose("stats")
    pages.answered()
    later = [name for name in asked if name.endswith(".js")]
    assert not any(name.startswith("plot") for name in later), "no chart, no library for charts"
    assert len(later) > len([name for name in scripts if name.endswith(".js")])
