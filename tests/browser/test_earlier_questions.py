"""What is shown undimmed belongs to what the address asks, however it has changed and however late answers come."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route

from tests.browser.conftest import Served, watched_page
from tests.browser.driver import Viewer, parse_duration_ps
from tests.browser.test_area import Panel, site
from tests.browser.tool_pages import ToolPages

__all__ = ["site"]

# Of the same length, and with different events in them.
SPANS = ((20_000, 120_000), (120_000, 220_000), (320_000, 420_000))


@pytest.fixture
def panel(browser: Browser, site: Served) -> Iterator[Panel]:
    with watched_page(browser, site.url) as page:
        yield Panel(Viewer(page, site.url), site)


@pytest.mark.deep
def test_a_page_of_the_selection_follows_to_another_one_of_the_same_length(panel: Panel) -> None:
    page, pages = panel.page, ToolPages(panel.viewer)
    tracks = ".".join(map(str, panel.leaves))
    counts = [panel.ask("stats", start=start, end=end)[1]["count"] for start, end in SPANS]
    assert len(set(counts)) == len(SPANS)

    def shows(count: str) -> None:
        panel.viewer.wait(
            "document.querySelector('.answer-slot:not([inert]) .data-table tfoot .is-total')"
            f"?.innerText.replaceAll(',', '').split('\\t').includes('{count}')"
        )

    pages.go(panel.run, f"area={SPANS[0][0]}-{SPANS[0][1]}&tracks={tracks}&tool=stats&in=selection")
    shows(counts[0])
    pages.mark()
    for (start, end), count in zip(SPANS[1:], counts[1:], strict=True):
        page.evaluate(
            "hash => { location.hash = hash }",
            f"#v=1&area={start}-{end}&tracks={tracks}&tool=stats&in=selection",
        )
        shows(count)
    page.evaluate(f"history.go({1 - len(SPANS)})")
    shows(counts[0])
    assert pages.is_same()


@pytest.mark.deep
def test_rows_of_an_earlier_view_lead_nowhere_and_keep_the_focus(panel: Panel) -> None:
    page, viewer = panel.page, panel.viewer
    panel.go("t=20000-300000")
    page.keyboard.press("b")
    page.locator(".slice-table-rows:not([aria-busy=true])").wait_for()
    waiting: list[Route] = []
    is_held = True

    def hold(route: Route) -> None:
        if is_held:
            waiting.append(route)
        else:
            route.continue_()

    page.route("**/tools/search?**", hold)
    table = page.locator(".slice-table .data-table")
    table.focus()
    page.keyboard.press("ArrowDown")
    page.evaluate("hash => { location.hash = hash }", "#v=1&t=40000-200000")
    page.locator(".slice-table-rows[aria-busy=true]").wait_for()
    viewer.frames(2)
    page.keyboard.press("Enter")
    viewer.frames(2)
    assert page.evaluate("[document.activeElement.className, tilescope.selection.kind]") == ["data-table", "none"]
    is_held = False
    for route in waiting:
        route.continue_()
    page.locator(".slice-table-rows:not([aria-busy=true])").wait_for()
    table.press("Enter")
    viewer.wait("tilescope.selection.kind === 'event'")


def test_nothing_of_an_earlier_question_is_shown_undimmed(browser: Browser, site: Served) -> None:
    """Each answer carries its question; in every frame what is not dimmed is that of the title and the selection."""
    with watched_page(browser, site.url) as page:
        panel = Panel(Viewer(page, site.url), site)
        page.add_init_script(_TAGGED_ANSWERS.replace("TRACK", str(panel.leaves[0])))
        panel.select(panel.leaves, SPANS[0])
        panel.answered("stats")
        page.evaluate(_SAMPLE_FRAMES)
        tracks = ".".join(map(str, panel.leaves))
        for start, end in (*SPANS, *SPANS):
            page.evaluate("hash => { location.hash = hash }", f"#v=1&area={start}-{end}&tracks={tracks}")
            panel.viewer.wait(f"tilescope.selection.start === '{start}'")
            panel.answered("stats")
        page.evaluate("history.go(-3)")
        panel.viewer.wait(f"tilescope.selection.start === '{SPANS[2][0]}'")
        panel.answered("stats")
        _drag_edge(panel, SPANS[2][1])
        panel.answered("stats")
        samples = page.evaluate("window.samples")
    spans = [sample for sample in samples if sample["spans"]]
    assert len({span for sample in spans for span in sample["spans"]}) > len(SPANS)
    wrong = [
        sample
        for sample in spans
        for start, end in [map(int, span.split("-")) for span in sample["spans"]]
        if (not sample["isHeld"] and [str(start), str(end)] != sample["selection"])
        or abs((end - start) - parse_duration_ps(sample["title"]) / 1000) > 1 + (end - start) / 100
    ]  # fmt: skip
    assert wrong == [], wrong[:3]


@pytest.mark.deep
def test_the_table_of_slices_and_a_lane_are_dimmed_while_the_view_moves(browser: Browser, site: Served) -> None:
    with watched_page(browser, site.url) as page:
        panel = Panel(Viewer(page, site.url), site)
        page.add_init_script(_TAGGED_ANSWERS.replace("TRACK", str(panel.leaves[0])))
        panel.go("t=20000-300000")
        page.keyboard.press("x")
        page.locator(".lane:not([aria-busy=true])").wait_for()
        page.evaluate(_SAMPLE_FRAMES)
        for key in ("d", "w", "a", "Shift+d"):
            panel.viewer.hold(key, 250)
            panel.viewer.rest()
            page.locator(".lane:not([aria-busy=true])").wait_for()
        page.keyboard.press("b")
        page.locator(".slice-table-rows:not([aria-busy=true])").wait_for()
        views = ((20_000, 300_000), (40_000, 200_000), (90_000, 250_000))
        for start, end in views:
            page.evaluate("hash => { location.hash = hash }", f"#v=1&t={start}-{end}")
            panel.viewer.wait(f"tilescope.view.start === '{start}'")
            page.locator(".slice-table-rows:not([aria-busy=true])").wait_for()
        samples = page.evaluate("window.samples")
    shown = [(sample["view"], span) for sample in samples for span in (*sample["slices"], *sample["lanes"])]
    assert len({span for _, span in shown}) > len(views)
    assert [(view, span) for view, span in shown if view != span] == []


def _drag_edge(panel: Panel, at: int) -> None:
    """Drags the end of what is selected to the right and back, and lets it go."""
    page, viewer = panel.page, panel.viewer
    y = viewer.timeline_box()["y"] + 60
    page.mouse.move(viewer.x_of(at), y)
    page.mouse.down()
    page.evaluate("window.isHeld = true")
    for step in (20, 60, 90, 40, 70):
        page.mouse.move(viewer.x_of(at) + step, y)
        page.wait_for_timeout(60)  # a hand takes its time; the frames meanwhile are what is looked at
    page.mouse.up()
    viewer.frames()
    page.evaluate("window.isHeld = false")


# Answers of tools come late and out of order, and carry the span that they are about: as the first name of their
# tables, and as the name of the memory.
_TAGGED_ANSWERS = """
const ask = window.fetch.bind(window);
let turn = 0;
window.fetch = async (input, init) => {
    const url = new URL(input, location.href);
    if (!url.pathname.includes('/tools/')) {
        return ask(input, init);
    }
    const span = `${url.searchParams.get('start')}-${url.searchParams.get('end')};`;
    const column = (id, ...values) => ({ id, title: id, kind: 'text', unit: '', total: 'none', values });
    let answer;
    const table = (id, columns) => ({ id, title: '', columns });
    const [start, end] = ['start', 'end'].map(name => BigInt(url.searchParams.get(name) ?? 0));
    const whole = { start: String(start), duration: String(end - start), row: 0, name: span };
    const lane = { lane: 'memory_profile.0', title: 'Memory', kind: 'slices', figure: 'bytes', rows: 1, makers: '0' };
    const columns = row => Object.entries(row).map(([id, value]) => column(id, value));
    if (url.pathname.endsWith('/lanes')) {
        const track = TRACK;
        answer = { tables: [table('lanes', columns({ ...lane, track }))] };
    } else if (url.pathname.endsWith('/lane_bins')) {
        answer = { tables: [table('slices', columns(whole))] };
    }
    if (answer !== undefined) {
        answer = { complete: true, facts: [], series: [], notes: [], ...answer };
    } else {
        answer = await (await ask(input, init)).json();
        for (const { columns } of answer.tables ?? []) {
            const names = columns.find(({ id }) => id === 'name');
            if (names !== undefined && names.values.length > 0) {
                names.values[0] = span;
            }
        }
    }
    turn += 1;
    await new Promise(done => setTimeout(done, [10, 220, 60, 400][turn % 4]));
    init?.signal?.throwIfAborted();
    return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
};
"""

_SAMPLE_FRAMES = r"""() => {
    const { tilescope } = window;
    window.samples = [];
    window.isHeld = false;
    const spansIn = selector => [...document.querySelectorAll(selector)]
        .filter(element => element.closest('.is-stale') === null)
        .map(element => /(-?\d+--?\d+);/.exec(element.textContent)?.[1])
        .filter(span => span !== undefined);
    const lanes = () => [...document.querySelectorAll('.lane:not(:has(.is-stale))')]
        .map(lane => /(-?\d+--?\d+);/.exec(lane.getAttribute('aria-valuetext'))?.[1])
        .filter(span => span !== undefined);
    const look = () => {
        const { selection, view } = tilescope;
        window.samples.push({
            isHeld: window.isHeld,
            selection: [selection.start, selection.end],
            view: `${view.start}-${view.end}`,
            title: document.querySelector('.drawer-title')?.textContent.split(' selected')[0] ?? '',
            spans: spansIn('.span-answer .data-table tbody tr:first-child'),
            slices: spansIn('.slice-table .data-table tbody tr'),
            lanes: lanes(),
        });
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
