"""The parts that draw answers of tools, with made-up answers: tables, trees, charts, facts, notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.answers_page import show
from tests.browser.driver import ARTEFACTS
from tests.browser.test_accessibility import AXE
from tests.browser.themes import THEMES

ROWS = 100_000

# Gaps between 120 frames, sorted, while a table scrolls by so many pixels in each.
SCROLL = """async (step) => {
  const scroller = document.querySelector('.table-scroll');
  const gaps = [];
  scroller.scrollTop = 0;
  let last = await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < 120; frame++) {
    scroller.scrollTop += step;
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    last = now;
  }
  return gaps.sort((a, b) => a - b);
}"""


# Notes each text that is drawn, and how far it reaches over the left and right edge of its canvas, in pixels.
WATCH_WORDS = """
  window.drawnWords = [];
  const fillText = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
    const { actualBoundingBoxLeft, actualBoundingBoxRight } = this.measureText(text);
    const [from, to] = [x - actualBoundingBoxLeft, x + actualBoundingBoxRight].map(
      (place) => this.getTransform().transformPoint({ x: place, y }).x,
    );
    window.drawnWords.push({ text, left: Math.min(0, from), right: Math.max(0, to - this.canvas.width) });
    return fillText.call(this, text, x, y, ...more);
  };
"""


def cells(page: Page, column: str) -> list[str]:
    """What the rows on the page say in a column, from the first on."""
    titles = page.locator(".data-table thead th").all_inner_texts()
    at = next(k for k, title in enumerate(titles) if title.split("\n")[0].startswith(column))
    return page.locator(f".data-table tbody tr:not(.table-spacer) td:nth-child({at + 1})").all_inner_texts()


def copied(page: Page, of: Locator, *, is_raw: bool = True) -> list[list[str]]:
    """The lines of the clipboard, after the button that copies was pressed: in ticks and bytes with Shift."""
    of.get_by_role("button", name="Copy as TSV").click(modifiers=["Shift"] if is_raw else [])
    of.get_by_text("Copied").wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    return [line.split("\t") for line in text.splitlines()]


def header(page: Page, title: str) -> Locator:
    return page.locator("th", has=page.get_by_role("button", name=f"{title}"))


def test_columns_are_sorted_by_mouse_and_by_keys(page: Page, address: str) -> None:
    show(page, address, "many")
    assert cells(page, "Exact")[0].replace(",", "") == "9007199254740993"
    button = header(page, "Exact").get_by_role("button")
    button.click()
    expect(header(page, "Exact")).to_have_attribute("aria-sort", "descending")
    assert [cell.replace(",", "") for cell in cells(page, "Exact")[:2]] == ["9007199254840992", "9007199254840991"]
    button.press("Enter")
    expect(header(page, "Exact")).to_have_attribute("aria-sort", "ascending")
    assert cells(page, "Exact")[0].replace(",", "") == "9007199254740993"
    button.press("Enter")
    expect(header(page, "Exact")).to_have_attribute("aria-sort", "none")
    header(page, "Name").get_by_role("button").press("Enter")
    assert cells(page, "Name")[:3] == ["fusion.0", "fusion.1", "fusion.2"]


def test_a_column_is_dragged_wider_and_has_its_own_width_again_by_a_double_click(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1000, "height": 700})
    show(page, address, "many")
    name, exact = header(page, "Name"), header(page, "Exact")
    edge = name.locator(".column-edge")

    def width(head: Locator) -> float:
        return float(head.evaluate("({ offsetWidth }) => offsetWidth"))

    before, beside = width(name), width(exact)
    place = edge.bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 90, y, steps=4)
    page.mouse.up()
    assert width(name) == pytest.approx(before + 90, abs=1)
    assert width(exact) == pytest.approx(beside, abs=beside / 2), "the others give way, or stay"
    expect(name).to_have_attribute("aria-sort", "none")
    edge.dblclick()
    assert width(name) == pytest.approx(before, abs=1)
    assert width(exact) == pytest.approx(beside, abs=1)


def test_the_filter_shortens_the_table_and_its_total_is_exact(page: Page, address: str) -> None:
    show(page, address, "many")
    expect(page.get_by_role("status")).to_have_text("100,000 rows")
    page.get_by_role("searchbox").fill("FUSION.9999 copy")
    expect(page.get_by_role("status")).to_contain_text("of 100,000 rows")
    lines = copied(page, page.locator(".table-card"))
    names = [line[0] for line in lines[1:]]
    assert names
    assert all("fusion.9999" in name for name in names)
    assert {line[1] for line in lines[1:]} == {"copy"}
    counts = sum(int(line[2]) for line in lines[1:])
    shown = page.locator("tfoot tr", has_text="Shown")
    assert f"{counts:,}" in shown.inner_text()
    assert "48,850,000" in page.locator("tfoot tr.is-total").inner_text()
    page.get_by_role("searchbox").fill("nowhere")
    expect(page.get_by_text("No row matches the filter.")).to_be_visible()
    page.get_by_role("searchbox").press("Escape")
    expect(page.get_by_role("status")).to_have_text("100,000 rows")


@pytest.mark.deep
def test_columns_are_chosen_and_copied_exactly(page: Page, address: str) -> None:
    show(page, address, "steps")
    card = page.locator(".table-card")
    first = copied(page, card)
    assert first[0] == [
        "step",
        "name",
        "start [ticks of 1 ps]",
        "duration [ticks of 1 ps]",
        "input_share",
        "longest [ticks of 1 ps]",
        "bytes [B]",
        "track",
    ]
    assert len(first) == 49
    # For people: in the units of the screen, which the head names, with names of tracks.
    card.get_by_role("button", name="Copy as TSV").wait_for()
    screen = copied(page, card, is_raw=False)
    units = [name.partition(" ")[2] for name in screen[0]]
    shown = page.locator(".data-table thead .sort-unit").all_inner_texts()
    assert [unit[1:-1] for unit in units if unit] == shown != []
    ticks, times = (int(first[1][3]), float(screen[1][3]))
    assert times == pytest.approx(
        ticks / {"ns": 10**3, "µs": 10**6, "ms": 10**9, "s": 10**12}[units[3][1:-1]], rel=1e-12
    )
    card.get_by_role("button", name="Copy as TSV").wait_for()
    assert all(len(line) == len(first[0]) for line in first)
    assert first[6][6] == ""  # not recorded
    card.get_by_role("button", name="Columns").press("Enter")
    page.get_by_role("menuitemcheckbox", name="Event").press("Enter")
    page.get_by_role("menuitemcheckbox", name="Name").press("Enter")
    page.keyboard.press("Escape")
    expect(card.get_by_role("button", name="Columns")).to_be_focused()
    header(page, "Duration").get_by_role("button").click()
    again = copied(page, card)
    assert again[0] == [*first[0][:1], *first[0][2:], "event"]
    durations = [int(line[2]) for line in again[1:]]
    assert durations == sorted((int(line[3]) for line in first[1:]), reverse=True)


def test_rows_are_walked_by_keys_and_lead_to_the_timeline(page: Page, address: str) -> None:
    show(page, address, "many")
    grid = page.get_by_role("grid")
    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    expect(page.locator("tr.is-current")).to_contain_text("9,007,199,254,840,992")
    expect(page.locator("tr.is-current")).to_be_in_viewport(ratio=1)
    current = grid.get_attribute("aria-activedescendant")
    assert current is not None
    expect(page.locator(f"[id='{current}']")).to_have_count(1)
    page.keyboard.press("PageUp")
    page.keyboard.press("Enter")
    page.keyboard.press("Home")
    expect(page.locator("tr.is-current")).to_contain_text("fusion.0")
    page.locator("tbody tr:not(.table-spacer)").nth(2).dblclick()
    page.get_by_role("button", name="Show in the timeline").first.click()
    visits = page.evaluate("visits")
    assert [visits[0], *visits[2:]] == ["1.1", "2.2", "0.0"]
    assert ROWS - 60 < int(visits[1].split(".")[1]) < ROWS - 1


def test_a_tree_is_opened_and_closed_by_keys(page: Page, address: str) -> None:
    show(page, address, "tree")
    tree = page.get_by_role("treegrid")
    assert cells(page, "Operation") == ["jit_module_0", "jit_module_1", "jit_module_2"]
    tree.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("tr.is-current")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowRight")
    expect(page.locator("tr.is-current")).to_contain_text("layer_0")
    expect(page.locator("tr.is-current")).to_have_attribute("aria-level", "2")
    page.keyboard.press("Space")
    assert cells(page, "Operation")[:4] == ["jit_module_0", "layer_0", "fusion.0", "fusion.1"]
    header(page, "Busy").get_by_role("button").click()
    assert cells(page, "Operation")[:3] == ["jit_module_0", "layer_11", "layer_10"]
    lines = copied(page, page.locator(".table-card"))
    assert lines[0] == ["depth", "name", "busy [ticks of 1 ps]", "span"]
    depths = [line[0] for line in lines[1:]]
    assert depths.count("0") == 3
    assert depths.count("1") == 12
    assert depths.count("2") == 5
    page.get_by_role("searchbox").fill("fusion.59")
    assert cells(page, "Operation") == [
        f"{name}" for k in range(3) for name in (f"jit_module_{k}", "layer_11", "fusion.59")
    ]
    assert cells(page, "Busy")[2] == "–"
    page.get_by_role("searchbox").fill("")
    tree.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert len(cells(page, "Operation")) == 3
    page.get_by_role("button", name="Open all rows").click()
    expect(page.locator("table")).to_have_attribute("aria-rowcount", "221")
    page.keyboard.press("Tab")


@pytest.mark.deep  # twelve seconds of scrolling
@pytest.mark.parametrize("step", [60, 997])  # a quick wheel; the scroll bar, by a screen in each frame
def test_a_frame_costs_no_more_with_a_hundred_thousand_rows_than_with_a_tenth(
    page: Page, address: str, step: int
) -> None:
    show(page, address, "many")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})  # what others do on this machine is not counted

    def busy_s() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))

    def frame_ms(rows: int) -> float:
        expect(page.locator("table")).to_have_attribute("aria-rowcount", re.compile(rf"^{rows // 1000}\d\d\d$"))
        before = busy_s()
        gaps = page.evaluate(SCROLL, step)
        assert page.locator(".table-scroll").evaluate("element => element.scrollTop") == 120 * step
        assert page.locator("tbody tr").count() < 80
        return 1000 * (busy_s() - before) / len(gaps)

    few, many = [], []
    for _ in range(2):  # by turns
        page.get_by_role("searchbox").fill("fusion.9")
        few.append(frame_ms(11_000))
        page.get_by_role("searchbox").fill("")
        many.append(frame_ms(ROWS))
    print(f"{step} px: {min(few):.1f} and {min(many):.1f} ms of CPU a frame")
    assert min(many) < 2 * min(few)


def test_charts_say_exact_figures_by_keys_and_hide_series(page: Page, address: str) -> None:
    show(page, address, "steps")
    page.get_by_role("tab", name="What a step is made of").press("ArrowRight")
    expect(page.get_by_role("tab", name="Memory in use")).to_be_focused()
    card = page.locator(".chart-card")
    card.locator("canvas").wait_for()
    plot = card.locator(".chart-plot")
    plot.focus()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    lines = copied(page, card)
    assert lines[0] == ["at [ticks of 1 ps]", "host0 [B]", "host1 [B]", "host2 [B]", "host3 [B]"]
    plot.focus()
    page.keyboard.press("ArrowRight")
    said = re.sub("[,\u202f]", "", page.locator(".chart-tooltip").inner_text())
    assert lines[1][1] in said
    assert lines[1][4] in said
    page.keyboard.press("Enter")
    assert page.evaluate("visits") == [f"{lines[1][0]}-{lines[2][0]} on all"]
    card.get_by_role("button", name="host 1").click()
    expect(card.get_by_role("button", name="host 1")).to_have_attribute("aria-pressed", "false")
    assert copied(page, card)[0] == ["at [ticks of 1 ps]", "host0 [B]", "host2 [B]", "host3 [B]"]
    assert copied(page, card)[22][2] == ""  # not recorded
    with page.expect_download() as download:
        card.get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename == "levels.png"
    picture = Path(download.value.path())
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    ARTEFACTS.mkdir(exist_ok=True)
    (ARTEFACTS / "answer_chart.png").write_bytes(picture.read_bytes())


@pytest.mark.deep
def test_charts_of_every_kind_are_drawn(page: Page, address: str) -> None:
    show(page, address, "steps")
    canvas = page.locator(".chart-plot canvas")
    pictures = set()
    for tab in ("What a step is made of", "Memory in use", "Busiest operations", "Hosts × steps"):
        page.get_by_role("tab", name=tab).click()
        canvas.wait_for()
        page.evaluate("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
        pictures.add(canvas.evaluate("canvas => canvas.toDataURL()"))
        colours = canvas.evaluate(
            """canvas => new Set(new Uint32Array(
                canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size"""
        )
        assert colours > 20, tab
    assert len(pictures) == 4


def test_parts_of_steps_add_up_and_each_step_leads_to_the_timeline(page: Page, address: str) -> None:
    show(page, address, "steps")
    card = page.locator(".chart-card")
    card.locator("canvas").wait_for()
    plot = card.locator(".chart-plot")
    plot.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    said = re.sub("[,\u202f]", "", page.locator(".chart-tooltip").inner_text())
    assert said.startswith("Step 1")
    lines = copied(page, card)
    total = re.search(r"Total\s+([0-9.]+) ms", said)
    assert total is not None
    assert float(total[1]) == pytest.approx(sum(map(int, lines[2][1:])) / 1e9)
    plot.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    card.get_by_role("button", name="Table").click()
    expect(card.get_by_role("grid")).to_be_visible()
    assert card.locator("tbody tr:not(.table-spacer)").count() >= 6
    card.get_by_role("button", name="Show in the timeline").nth(1).click()
    first, second = page.evaluate("visits")
    assert first == second  # by the row of the step in the table below
    card.get_by_role("button", name="Table").click()
    card.locator("canvas").wait_for()
    box = plot.bounding_box()
    assert box is not None
    plot.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert len(page.evaluate("visits")) == 3


@pytest.mark.deep
def test_points_below_their_roofs_are_walked_and_lead_to_rows(page: Page, address: str) -> None:
    show(page, address, "roofline")
    canvas = page.locator(".chart-plot canvas")
    canvas.wait_for()
    plot = page.locator(".chart-plot")
    plot.focus()
    seen = []
    for key in ("Home", *["ArrowRight"] * 13):
        page.keyboard.press(key)
        seen.append(page.locator(".chart-tooltip").inner_text().split("\n"))
    assert all(re.fullmatch(r"fusion\.\d+", words[0]) for words in seen)  # corners of roofs are not walked to
    assert len({words[0] for words in seen}) == 13  # one does not compute at all
    assert all("FLOP/B" in words[1] and "FLOP/s" in words[2] for words in seen)
    page.keyboard.press("Enter")
    assert page.evaluate("visits") == [f' on all "{seen[-1][0]}"']
    points = page.locator(".chart-plot canvas").evaluate("c => c.toDataURL()")
    page.get_by_role("button", name="Bound by HBM").click()
    assert page.locator(".chart-plot canvas").evaluate("c => c.toDataURL()") != points
    page.get_by_role("button", name="Bound by HBM").click()
    plot.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    name = page.locator(".chart-tooltip").inner_text().split("\n")[0]
    page.get_by_role("button", name="Row", exact=True).click()
    page.screenshot(path=str(ARTEFACTS / "answer_roofline.png"))
    grid = page.get_by_role("grid")
    grid.focus()
    page.keyboard.press("End")
    card = page.locator(".row-card")
    expect(card).to_contain_text("kind=kLoop")  # to its end, where the cell has an ellipsis
    assert name in grid.inner_text()


@pytest.mark.deep
def test_what_was_not_recorded_is_one_line_with_its_reasons_below(page: Page, address: str) -> None:
    show(page, address, "steps")
    expect(page.locator(".fact-card", has_text="Power")).to_have_count(0)
    line = page.locator(".missing-facts summary")
    assert line.inner_text() == "Not recorded: Power"
    reason = page.get_by_text("Power: record it with a meter.")
    assert not reason.is_visible()
    line.focus()
    page.keyboard.press("Enter")
    reason.wait_for()
    assert "NaN" not in page.inner_text(".answer")


@pytest.mark.deep
def test_notes_lead_to_the_timeline_and_more_rows_are_asked_for(page: Page, address: str) -> None:
    show(page, address, "steps")
    for words in ("Each step loses", "Every eleventh step"):
        note = page.locator(".note-item", has_text=words)
        note.get_by_role("button", name="Show in the timeline").click()
    page.get_by_role("button", name="Show the rows that follow").click()
    headline, note, more = page.evaluate("visits")
    assert headline == "2000000000000-2094000000000 on all"
    assert note.endswith(" on 2")
    assert more == "more 48,0,0"


def test_no_words_of_a_chart_are_cut_at_its_edge(page: Page, address: str) -> None:
    page.add_init_script(WATCH_WORDS)
    for width in (1280, 1440):
        page.set_viewport_size({"width": width, "height": 720})
        for name in ("roofline", "steps"):
            show(page, address, name)
            expect(page.locator(".chart-card canvas").first).to_be_visible()
            page.wait_for_function("window.drawnWords.length > 5")
            assert page.evaluate("window.drawnWords.filter(({ left, right }) => left < 0 || right > 0)") == []


@pytest.mark.deep
def test_empty_answers_say_so(page: Page, address: str) -> None:
    show(page, address, "nothing")
    expect(page.get_by_text("Made-up has found nothing in the whole run.")).to_be_visible()
    show(page, address, "noRows")
    expect(page.get_by_text("No rows.")).to_be_visible()
    expect(page.get_by_text("There is nothing to draw in the whole run.")).to_be_visible()


@pytest.mark.parametrize(
    "answer", ["steps", *(pytest.param(name, marks=pytest.mark.deep) for name in ("many", "tree", "nothing", "noRows"))]
)
@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_no_fault(page: Page, address: str, answer: str, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    show(page, address, answer)
    if answer == "steps":
        page.locator(".chart-plot canvas").wait_for()
        page.locator(".chart-plot").focus()
        page.keyboard.press("Home")
        page.locator(".chart-tooltip").wait_for()
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [f"{fault['id']}: {[node['html'] for node in fault['nodes']]}" for fault in found["violations"]] == []
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=str(ARTEFACTS / f"answer_{answer}_{theme}.png"))


@pytest.mark.deep
def test_colours_that_a_person_forces_are_kept_to(page: Page, address: str) -> None:
    page.emulate_media(forced_colors="active", color_scheme="dark")
    show(page, address, "steps")
    page.get_by_role("tab", name="Memory in use").click()
    canvas = page.locator(".chart-plot canvas")
    canvas.wait_for()
    page.evaluate("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
    system = page.evaluate(
        """() => ['CanvasText', 'GrayText'].map(name => {
            document.body.style.color = name;
            return getComputedStyle(document.body).color.match(/\\d+/g).slice(0, 3).map(Number);
        })"""
    )
    hues = canvas.evaluate(
        """canvas => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const found = new Map();
            for (let k = 0; k < data.length; k += 4) {
              const hue = [data[k], data[k + 1], data[k + 2]].join();
              if (data[k + 3] === 255) found.set(hue, (found.get(hue) ?? 0) + 1);
            }
            // The others are where lines are smoothed over one another.
            return [...found].sort((a, b) => b[1] - a[1]).slice(0, 2).map(([hue]) => hue.split(',').map(Number));
        }"""
    )
    assert sorted(hues) == sorted(system)
    page.screenshot(path=str(ARTEFACTS / "answer_forced_colours.png"))
