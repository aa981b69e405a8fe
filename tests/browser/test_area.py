"""What a selected range, a bin or a group is made of: the figures of the server, rows that lead into the timeline."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from tests.browser import area_trace
from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.themes import THEMES

RANGE = (20_000, 300_000)


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("area")
    with serving([area_trace.write(folder)], folder / "cache") as running:
        with watched_page(browser, running.url) as page:
            Viewer(page, running.url).open(running.run_id(area_trace.NAME))
        yield running


class Panel:
    """The details of a span."""

    def __init__(self, viewer: Viewer, site: Served) -> None:
        self.viewer, self.page, self.site = viewer, viewer.page, site
        self.run = site.run_id(area_trace.NAME)
        self.tracks = {track["id"]: track for track in site.tree(self.run)["tracks"]}
        self.leaves = [id for id, track in self.tracks.items() if track["kind"] not in ("rollup", "counter")]

    def go(self, fragment: str) -> None:
        self.page.goto(f"{self.viewer.url}/?run={self.run}#v=1&{fragment}")
        self.viewer.wait("window.tilescope?.state === 'open'", 60)
        self.viewer.settle()

    def select(self, tracks: list[int] | None = None, span: tuple[int, int] = RANGE) -> None:
        named = ".".join(map(str, self.tracks_with_counters if tracks is None else tracks))
        self.go(f"area={span[0]}-{span[1]}&tracks={named}")

    @property
    def tracks_with_counters(self) -> list[int]:
        return [id for id, track in self.tracks.items() if track["kind"] != "rollup"]

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()

    def rows(self) -> Locator:
        return self.page.locator(".data-table tbody tr[data-row]")

    def answered(self, tool: str) -> None:
        self.page.locator(f".span-answer[data-tool={tool}]:not([aria-busy=true]) .answer-slot:not([inert])").wait_for()

    def ask(self, tool: str, table_id: str | None = None, **question: Any) -> Any:
        """The server's answer: the columns of a table, by id, and its totals; of the first unless one is named."""
        build = self.site.get(f"/runs/{self.run}/manifest")["build"]
        fields = "&".join(f"{name}={value}" for name, value in question.items())
        tables = self.site.get(f"/runs/{self.run}/builds/{build}/tools/{tool}?{fields}")["tables"]
        table = next(table for table in tables if table_id in (None, table["id"]))
        return {column["id"]: column["values"] for column in table["columns"]}, table["totals"]

    def copied(self, *, is_raw: bool = True) -> list[list[str]]:
        """The table as it is copied, in ticks unless it is for people: its header, and its rows."""
        self.page.evaluate("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }")
        self.page.get_by_role("button", name="Copy as TSV").last.click(modifiers=["Shift"] if is_raw else [])
        text: str = self.viewer.wait("window.copied")
        self.page.evaluate("window.copied = undefined")
        return [line.split("\t") for line in text.splitlines()]


@pytest.fixture
def panel(browser: Browser, site: Served) -> Iterator[Panel]:
    with watched_page(browser, site.url) as page:
        yield Panel(Viewer(page, site.url), site)


@pytest.mark.parametrize("theme", THEMES)
def test_the_figures_of_each_tab_are_those_of_the_server(panel: Panel, theme: str) -> None:
    page, span = panel.page, {"start": RANGE[0], "end": RANGE[1]}
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    panel.select()
    for title, tool, question in (
        ("Events", "stats", {}),
        ("Counters", "counters", {}),
        ("Gaps", "gaps", {"limit": 200}),
        ("Overlap", "overlap", {}),
        ("Flows", "flows", {}),
    ):
        panel.tab(title)
        panel.answered(tool)
        columns, totals = panel.ask(tool, None, **span, **question)
        columns = by_self(columns) if tool == "stats" else columns
        head, *lines = panel.copied()
        assert len(lines) == len(next(iter(columns.values())))
        shown = {name.split(" ")[0]: k for k, name in enumerate(head)}
        assert len(shown.keys() & columns.keys()) == len(shown) >= 5
        for name, k in shown.items():
            theirs = ["" if value is None else value for value in columns[name]]
            if all(isinstance(value, str) for value in theirs):
                assert [line[k] for line in lines] == theirs
            else:
                assert [float(line[k] or "nan") for line in lines] == pytest.approx(
                    [float(value if value != "" else "nan") for value in theirs], rel=1e-12, nan_ok=True
                )
        if tool == "stats":
            total = page.locator(".data-table tfoot .is-total").inner_text().split("\t")
            assert totals["count"] in [text.replace(",", "").strip() for text in total]
        assert faults(panel.viewer) == []
        panel.viewer.screenshot(f"area-{tool}-{theme}")


def test_a_row_has_its_events_stand_out_and_leads_to_the_first_and_the_longest(panel: Panel) -> None:
    page, viewer = panel.page, panel.viewer
    panel.select(panel.leaves)
    panel.answered("stats")
    columns, _ = panel.ask("stats", start=RANGE[0], end=RANGE[1])
    name = "ncclKernel_AllReduce"
    row = panel.rows().filter(has_text=name)
    before = viewer.page.locator(".timeline").screenshot()
    with page.expect_response(lambda answer: "/tools/hit_bins" in answer.url) as hits:
        row.locator("td").nth(1).click()
    assert hits.value.ok
    viewer.frames(4)
    assert "is-lit" in (row.get_attribute("class") or "")
    assert page.locator(".timeline").screenshot() != before
    viewer.screenshot("area-lit")
    # By keys alone: space turns it off and on, arrows take it along, Escape ends it and leaves the selection.
    page.keyboard.press("Space")
    expect(page.locator("tr.is-lit")).to_have_count(0)
    page.keyboard.press("Space")
    page.keyboard.press("ArrowUp")
    assert name not in page.locator("tr.is-lit").inner_text()
    page.keyboard.press("Escape")
    expect(page.locator("tr.is-lit")).to_have_count(0)
    assert page.evaluate("tilescope.selection.kind") == "area"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Enter")
    longest = int(columns["longest"][columns["name"].index(name)])
    viewer.drawer()
    assert viewer.drawer().ticks["Duration"] == longest
    page.go_back()
    panel.answered("stats")
    page.get_by_role("row").filter(has_text=name).get_by_role("button", name="Go to the first one").click()
    first, _ = panel.ask("search", query=f'"{name}"', start=RANGE[0], end=RANGE[1], limit=1, names=0, totals="false")
    drawer = viewer.drawer()
    assert drawer.ticks["Start"] == int(first["start"][0])
    assert drawer.event["Name"] == name


@pytest.mark.deep
def test_other_groups_and_the_full_page_and_back(panel: Panel) -> None:
    page = panel.page
    panel.select(panel.leaves[:4])
    panel.answered("stats")
    offered = page.locator(".group-choice option")
    panel.viewer.wait("document.querySelectorAll('.group-choice option').length > 5")
    assert {"name", "category", "track", "process", "host"} <= set(offered.all_inner_texts())
    page.get_by_label("Sum up by").select_option("process")
    panel.answered("stats")
    columns, _ = panel.ask(
        "stats", start=RANGE[0], end=RANGE[1], by="process", tracks=f"{panel.leaves[0]}-{panel.leaves[3]}"
    )
    columns = by_self(columns)
    assert [text.split("\t")[1] for text in panel.rows().all_inner_texts()] == columns["process"]
    panel.rows().first.locator("td").nth(1).click()
    expect(page.locator("tr.is-lit")).to_have_count(1)
    page.get_by_role("button", name="Full page").click()
    panel.viewer.wait("tilescope.page === 'stats'")
    page.locator(".page .data-table").wait_for()
    assert "in=selection" in page.url
    assert "f.by=process" in page.url
    assert page.locator(".page .data-table tbody tr[data-row]").count() == len(columns["process"])
    page.keyboard.press("v")
    panel.answered("stats")
    # By the values of an argument, of which the name is asked for.
    page.get_by_label("Sum up by").select_option("argument")
    page.get_by_text("Which argument?").wait_for()
    panel.select(panel.leaves)
    page.get_by_label("Sum up by").select_option("argument")
    page.get_by_label("Argument", exact=True).fill("peer")
    page.keyboard.press("Enter")
    panel.answered("stats")
    columns = by_self(panel.ask("stats", start=RANGE[0], end=RANGE[1], by="argument", argument="peer")[0])
    head, *lines = panel.copied()
    assert [line[head.index("count")] for line in lines] == columns["count"]
    page.get_by_label("Sum up by").select_option("name")


def by_self(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Rows as they stand at first: by self time, equal ones in the order of the answer."""
    order = sorted(range(len(columns["self"])), key=lambda row: -int(columns["self"][row]))
    return {name: [values[row] for row in order] for name, values in columns.items()}


_WHOLE_ROWS = """() => {
    const foot = document.querySelector('.drawer tfoot').getBoundingClientRect();
    const rows = [...document.querySelectorAll('.drawer tr[data-row]')].map((row) => row.getBoundingClientRect());
    return rows.filter((row) => row.height > 0 && row.bottom <= foot.top + 1).length;
}"""


def test_a_table_has_eight_rows_and_the_drawer_keeps_a_height(panel: Panel) -> None:
    page, viewer = panel.page, panel.viewer
    page.set_viewport_size({"width": 1440, "height": 900})
    panel.select()
    panel.answered("stats")
    assert page.evaluate(_WHOLE_ROWS) >= 8
    page.get_by_role("separator", name="Height of the details").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    height = "document.querySelector('.dock-part').offsetHeight"
    chosen = page.evaluate(height)
    assert 100 < chosen < 400
    panel.go("sel=0.0")
    viewer.drawer()
    assert page.evaluate(height) == chosen
    page.reload()
    viewer.wait("window.tilescope?.state === 'open'", 60)
    viewer.drawer()
    assert page.evaluate(height) == chosen


def test_groups_in_groups_are_those_of_the_server(panel: Panel) -> None:
    page = panel.page
    panel.select(panel.leaves)
    panel.answered("stats")
    page.get_by_label("Sum up by").select_option("process")
    page.get_by_label("Then by").select_option("name")
    panel.answered("stats")
    page.get_by_role("button", name="Expand all").click()
    pivot, totals = panel.ask("stats", "pivot", start=RANGE[0], end=RANGE[1], by="process", then="name")
    head, *lines = panel.copied()
    assert sorted(line[head.index("count")] for line in lines) == sorted(pivot["count"])
    groups = [int(count) for count, parent in zip(pivot["count"], pivot["parent"], strict=True) if parent == -1]
    assert sum(groups) == int(totals["count"])
    assert faults(panel.viewer) == []
    page.get_by_role("button", name="Full page").click()
    panel.viewer.wait("tilescope.page === 'stats'")
    assert "f.by=process" in page.url
    assert "f.then=name" in page.url


def test_tracks_of_an_area_are_ticked_on_and_off(panel: Panel) -> None:
    page, viewer = panel.page, panel.viewer
    panel.select(panel.leaves[:3])
    panel.tab("Tracks")
    boxes = page.locator(".area-tracks input")
    page.locator(".area-tracks input:checked").nth(1).uncheck()
    page.get_by_text("selected on 2 tracks").wait_for()
    assert faults(viewer) == []
    left = page.locator(".area-tracks input:checked")
    left.first.uncheck()
    page.get_by_text("selected on 1 track").first.wait_for()
    expect(left).to_have_count(1)
    assert left.first.is_disabled(), "an area has a track at least"
    listed = boxes.count()
    panel.tab("Events")
    panel.tab("Tracks")
    expect(boxes).to_have_count(listed)  # those that were unticked before another tab was shown, too
    page.get_by_role("button", name="All of them").click()
    page.get_by_text(f"selected on {boxes.count()} tracks").wait_for()
    assert page.locator(".area-tracks input:checked").count() == boxes.count()
    # The figures are those of the tracks that are left.
    count = boxes.count() - 1
    left.first.uncheck()
    page.get_by_text(f"selected on {count} tracks").wait_for()
    viewer.wait("!location.hash.includes('&tracks=0')")
    tracks = viewer.wait("location.hash.match(/&tracks=([^&]+)/)?.[1] ?? null").replace(".", ",")
    panel.tab("Events")
    panel.answered("stats")
    columns = by_self(panel.ask("stats", start=RANGE[0], end=RANGE[1], tracks=tracks)[0])
    first = page.locator(".answer-slot:not([inert]) table tbody tr").first
    expect(first).to_contain_text(str(columns["name"][0]))
    viewer.wait(
        f"document.querySelector('.answer-slot:not([inert]) table').innerText.includes('{columns['count'][1]}')"
    )
    head, *lines = panel.copied()
    assert [line[head.index("count")] for line in lines] == columns["count"]


# Pixels of the tracks in the colour of what is chosen.
_IN_ACCENT = """() => {
    const canvas = document.querySelector('.timeline canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const hex = getComputedStyle(canvas).getPropertyValue('--accent').trim().slice(1);
    const [r, g, b] = [0, 2, 4].map(at => parseInt(hex.slice(at, at + 2), 16));
    let count = 0;
    for (let k = 0; k < data.length; k += 4) {
        count += data[k] === r && data[k + 1] === g && data[k + 2] === b;
    }
    return count;
}"""


@pytest.mark.deep
def test_a_group_a_bin_and_a_gap(panel: Panel) -> None:
    page, viewer = panel.page, panel.viewer
    panel.go("")
    box = viewer.timeline_box()
    group = next(item for item in viewer.tree() if item.name == "GPU 0")
    y = box["y"] + group.top_px + 18
    page.mouse.move(box["x"] - 100, y)
    page.keyboard.press("i")
    panel.answered("stats")
    of = next(track["group"] for track in panel.tracks.values() if track["name"] == "GPU 0")
    children = [id for id in panel.leaves if panel.tracks[id]["group"] == of]
    columns = by_self(panel.ask("stats", tracks=",".join(map(str, children)))[0])
    head, *lines = panel.copied()
    assert [line[head.index("count")] for line in lines] == columns["count"]
    # A bin of the group's header: the same of its time.
    viewer.click(box["x"] + 0.5 * box["width"], y)
    viewer.wait("tilescope.selection.kind === 'bin'")
    facts = {name: value for name, value, _ in viewer.table("bin")}
    panel.tab("Events")
    panel.answered("stats")
    head, *lines = panel.copied()
    count = sum(int(line[head.index("count")]) for line in lines)
    assert str(count) == facts["Events that start in it"]
    # Gaps: a row zooms to it, and the selection stays.
    panel.select(panel.leaves)
    panel.tab("Gaps")
    panel.answered("gaps")
    page.get_by_role("tab", name=re.compile(r"^Gaps\W*\d")).click()
    gaps, _ = panel.ask("gaps", "gaps", start=RANGE[0], end=RANGE[1], limit=1)
    outlined = page.evaluate(_IN_ACCENT)
    panel.rows().first.get_by_role("button", name="Show in the timeline").click()
    viewer.rest()
    start, end = viewer.span()
    assert start <= int(gaps["start"][0]) < int(gaps["start"][0]) + int(gaps["duration"][0]) <= end
    assert end - start < 6 * int(gaps["duration"][0])
    assert page.evaluate(_IN_ACCENT) > outlined + 50, "the gap is outlined"
    assert page.evaluate("tilescope.selection.kind") == "area"


_MOVES = """([x, y, count]) => {
    const timeline = document.querySelector('.timeline');
    for (let step = 1; step <= count; step++) {
        const clientX = x + 6 * step;
        const init = { pointerId: 1, pointerType: 'mouse', buttons: 1, clientX, clientY: y, bubbles: true };
        timeline.dispatchEvent(new PointerEvent('pointermove', init));
    }
}"""


def of_stats(urls: list[str]) -> list[str]:
    return [url for url in urls if "/tools/stats" in url]


def test_an_edge_that_is_dragged_asks_when_it_stands_still(panel: Panel) -> None:
    page, viewer = panel.page, panel.viewer
    panel.select(panel.leaves)
    panel.answered("stats")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    title = page.locator(".drawer-title").inner_text()
    box = viewer.timeline_box()
    y = box["y"] + 60
    page.mouse.move(viewer.x_of(RANGE[1]), y)
    page.mouse.down()
    # One after the other, faster than anybody drags and however busy the machine is.
    with page.expect_request("**/tools/stats?**"):
        page.evaluate(_MOVES, [viewer.x_of(RANGE[1]), y, 12])
        viewer.wait("document.querySelector('.drawer-title').textContent !== " + json.dumps(title))
    panel.answered("stats")
    assert len(of_stats(asked)) == 1
    page.mouse.up()
    panel.answered("stats")
    end = int(page.evaluate("tilescope.selection.end"))
    assert end > RANGE[1]
    _, totals = panel.ask("stats", start=RANGE[0], end=end)
    total = page.locator(".data-table tfoot .is-total").inner_text().replace(",", "").split("\t")
    assert totals["count"] in [text.strip() for text in total]


@pytest.mark.deep
def test_what_is_said_without_an_answer(browser: Browser, site: Served) -> None:
    with watched_page(browser, site.url, server_may_go=True) as page:
        panel = Panel(Viewer(page, site.url), site)
        state = {"is": "full"}

        def answer(route: Route) -> None:
            if state["is"] == "full":
                error = {"error": {"code": "internal", "message": "the disk is full"}}
                route.fulfill(status=500, content_type="application/json", body=json.dumps(error))
            elif state["is"] == "gone":
                route.abort()
            else:
                route.continue_()

        page.route("**/tools/stats?**", answer)
        [thread] = [id for id in panel.leaves if panel.tracks[id]["name"] == "Thread 11"]
        panel.select([thread], (1_500, 300_000))
        failed = page.locator(".span-answer [data-state=failed]")
        failed.wait_for()
        assert "the disk is full" in failed.inner_text()
        assert faults(panel.viewer) == []
        state["is"] = "gone"
        page.get_by_role("button", name="Try again").click()
        page.get_by_text("the server does not answer", exact=True).wait_for()
        state["is"] = "there"
        page.get_by_role("button", name="Try again").click()
        page.get_by_text("There are no events here.").wait_for()
        panel.tab("Overlap")
        page.get_by_text("No device has a track here.").wait_for()
        panel.tab("Flows")
        page.get_by_text("No flow starts or ends here.").wait_for()
        assert faults(panel.viewer) == []
        # As long as the answer is waited for, the figures of the question before are dimmed, and cannot be used.
        panel.tab("Events")
        panel.select(panel.leaves)
        panel.answered("stats")
        page.unroute("**/tools/stats?**")
        page.route("**/tools/stats?**", lambda _: None)
        page.evaluate(f"location.hash = `v=1&area={RANGE[0]}-{RANGE[1] - 9}&tracks={thread}`")
        page.locator(".span-answer .answer-slot.is-stale[inert]").wait_for()
        page.get_by_text("Asking the server for").wait_for()
        page.get_by_role("button", name="Cancel").click()
        page.locator("[data-state=cancelled]").wait_for()
        page.unroute("**/tools/stats?**")
        page.get_by_role("button", name="Ask again").click()
        panel.answered("stats")


def _listed_chain(panel: Panel) -> Locator:
    """Rows of the chain of flows, with its second event selected."""
    track = next(id for id in panel.leaves if panel.tracks[id]["name"] == "Thread 12")
    panel.go(f"t=900-1800&sel={track}.0")
    listed = panel.page.locator("[data-table=chain] tr")
    listed.first.wait_for()
    return listed


@pytest.mark.deep
def test_the_chain_of_a_flow_stays_while_the_next_event_is_slow_to_come(panel: Panel) -> None:
    page, viewer, listed = panel.page, panel.viewer, _listed_chain(panel)
    held: list[Route] = []
    page.route("**/events/*/*", lambda route: held.append(route))
    page.keyboard.press("]")
    page.get_by_text("Loading …").wait_for()
    held.pop().continue_()
    viewer.wait("document.querySelector('[data-table=chain] [aria-current=true]')?.textContent === 'reply'")
    assert listed.count() == len(area_trace.CHAIN), "the chain of the event alone, which lacks what forks off before it"


@pytest.mark.deep
def test_the_chain_of_a_flow_is_walked_by_keys(panel: Panel) -> None:
    page, viewer, listed = panel.page, panel.viewer, _listed_chain(panel)
    names = page.locator("[data-table=chain] th").all_inner_texts()
    assert names == [name for name, *_ in area_trace.CHAIN]
    here = page.locator("[data-table=chain] [aria-current=true]")
    assert here.inner_text() == "dispatch"
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for key, name in (("]", "reply"), ("[", "dispatch"), ("[", "enqueue")):
        page.keyboard.press(key)
        viewer.wait(f"document.querySelector('.drawer-title')?.textContent === '{name}'")
        viewer.wait(f"document.querySelector('[data-table=chain] [aria-current=true]')?.textContent === '{name}'")
        assert listed.count() == len(area_trace.CHAIN)
    assert [url for url in asked if "/tools/flows" in url] == []
    viewer.rest()
    viewer.screenshot("area-chain")
    assert faults(viewer) == []
    page.locator("[data-table=chain]").locator("xpath=..").get_by_role("button", name="Full page").click()
    viewer.wait("tilescope.page === 'flows'")
    page.locator(".page .data-table tbody tr[data-row]").first.wait_for()
    assert page.locator(".page .data-table tbody tr[data-row]").count() == len(area_trace.CHAIN)


def test_what_is_copied_of_flows_has_names(panel: Panel) -> None:
    page = panel.page
    _listed_chain(panel)
    page.locator("[data-table=chain]").locator("xpath=..").get_by_role("button", name="Full page").click()
    page.locator(".page .data-table tbody tr[data-row]").first.wait_for()
    head, *rows = panel.copied(is_raw=False)
    tracks = [name for name in head if name in ("track", "source_track", "target_track")]
    assert tracks
    assert sorted(row[head.index("name")] for row in rows) == sorted(name for name, *_ in area_trace.CHAIN)
    assert all(" › " in row[head.index(column)] for row in rows for column in tracks)
    # From track to track.
    page.goto(f"{panel.viewer.url}/?run={panel.run}#v=1&tool=flows")
    page.locator(".share-ring canvas").wait_for()
    head, *rows = panel.copied(is_raw=False)
    assert rows
    assert all(" › " in cell for row in rows for cell in row[:2])
    expect(page.get_by_role("button", name="Copy as TSV")).to_have_count(2)  # it says "Copied" for a moment
    raw = panel.copied()
    assert [cell for row in raw[1:] for cell in row[:2] if not cell.isdigit()] == []
