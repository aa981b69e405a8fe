"""No fault that axe-core finds on the page of any tool, with an answer about a run that has one, in both themes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Served, serving
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.browser.tool_pages import ToolPages
from tests.corpus import corpus_root
from tests.run_kinds import RUN_KINDS
from tests.standins.gap import write_gap
from tilescope.tiler.tools import parameters
from tilescope.tiler.tools.catalogue import installed_tools

# Real runs come first. Where the corpus is absent, made-up ones have an answer for every tool.
REAL = (
    "xplane/tpu_v6e_4core.xplane.pb",
    "xplane/h100_jax_train.xplane.pb",
    "pod",
    "imports/input_pipeline.json",
    "kineto/h100_gpt_stack.pt.trace.json.gz",
)

# Fields without which there is no answer, but for the lane, which a run names by itself.
FIELDS = {
    **dict.fromkeys(("search", "hit_bins"), "&f.query=a"),
    "find": "&f.text=a",
    "bins": "&f.track=0",
    "nesting": "&f.track=0&f.ordinal=0",
    "rank": "&f.track=0&f.ordinal=0",
    "lane_bins": "&f.lane=",
    "lane_events": "&f.tick=2000&f.lane=",
}

IS_ANSWERED = """document.querySelector('[data-state=loading], [data-state=progress]') === null
    && document.querySelector('.answer, .graph-node, [data-state]') !== null"""
FIRST_ANSWER_S = 180  # of a process that is started for it, on a busy machine


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("every")
    made = []
    for kind, write in RUN_KINDS.items():
        (folder / kind).mkdir()
        made.append(write(folder / kind))
    write_gap(folder / "counters.json")
    real = [path for name in REAL if (path := corpus_root() / name).exists()]
    with serving([*real, *made, folder / "counters.json"], folder / "cache") as running:
        yield running


@pytest.fixture(scope="module")
def runs_by_tool(browser: Browser, site: Served) -> dict[str, str]:
    """The first run for which each tool has an answer."""
    runs: dict[str, str] = {}
    context = browser.new_context()
    viewer = Viewer(context.new_page(), site.url)
    real = {Path(name).name for name in REAL}
    listed = sorted(site.get("/runs")["runs"], key=lambda entry: Path(entry["path"]).name not in real)
    for run in (str(entry["id"]) for entry in listed):
        viewer.page.goto(f"{site.url}/?run={run}")  # it is indexed when somebody looks at it
        viewer.wait("['open', 'empty'].includes(window.tilescope?.state)", FIRST_ANSWER_S)
        manifest = site.get(f"/runs/{run}/manifest")
        for tool in site.get(f"/runs/{run}/builds/{manifest['build']}/tools")["tools"]:
            # Where none are marked, Steps asks what they are called.
            if tool["available"] and (tool["id"] != "steps" or manifest["steps"] is not None):
                runs.setdefault(str(tool["id"]), run)
    context.close()
    return runs


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(installed_tools().tools))
def test_a_page(pages: ToolPages, site: Served, runs_by_tool: dict[str, str], name: str) -> None:
    run = runs_by_tool[name]
    fields = _fields(site, run, name)
    for scheme in ("dark", "light"):
        pages.page.emulate_media(color_scheme=scheme)
        pages.page.goto("about:blank")
        pages.page.goto(f"{site.url}/?run={run}#v=1&tool={name}{fields}")
        pages.wait_for(name)
        pages.viewer.wait(IS_ANSWERED, FIRST_ANSWER_S)
        expect(pages.page.locator("[data-state=failed], [data-state=asking], [data-state=unknown]")).to_have_count(0)
        pages.viewer.frames(3)
        assert faults(pages.viewer) == []
        pages.viewer.screenshot(f"every-{name}-{scheme}")


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(installed_tools().tools))
def test_a_range_that_a_tool_does_not_take_is_kept_and_not_asked(
    pages: ToolPages, site: Served, runs_by_tool: dict[str, str], name: str
) -> None:
    run = runs_by_tool[name]
    taken = {parameter.name for parameter in parameters(installed_tools().tools[name].question)}
    # A console without errors says that nothing was refused: `pages` sees to that.
    for text, field in (("selection", "start"), ("steps.1-2", "steps")):
        pages.page.goto("about:blank")
        pages.page.goto(f"{site.url}/?run={run}#v=1&tool={name}&in={text}{_fields(site, run, name)}")
        pages.wait_for(name)
        note = pages.page.locator(".range-note")
        if field in taken:
            pages.viewer.wait(IS_ANSWERED, FIRST_ANSWER_S)
            expect(note).to_have_count(0)
            continue
        note.wait_for()
        pages.viewer.wait(IS_ANSWERED, FIRST_ANSWER_S)
        pages.viewer.frames(3)
        expect(pages.page.locator("[data-state=failed]")).to_have_count(0)
        assert "No effect here: " in note.inner_text()
        assert f"in={text}" in pages.page.url
        assert faults(pages.viewer) == []
        pages.viewer.screenshot(f"range-{name}-{field}")


def _fields(site: Served, run: str, name: str) -> str:
    """Fields of the address without which there is no answer."""
    fields = FIELDS.get(name, "")
    if not fields.endswith("lane="):
        return fields
    build = site.get(f"/runs/{run}/manifest")["build"]
    lanes = site.get(f"/runs/{run}/builds/{build}/tools/lanes")["tables"][0]["columns"]
    return fields + str(next(column["values"][0] for column in lanes if column["id"] == "lane"))
