"""Pages of tools on a host of files: those whose answers the archive keeps need no server, others name the command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.static_host import StaticHost, static_host
from tests.standins.written import DEVICES
from tilescope.cli import main
from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, from_text, tool, tools

# With devices, modules and programs; with kernels, launches and memories; made up, so that one is always there.
TRACES = ("xplane/tpu_v6e_4core.xplane.pb", "xplane/gpu_v100x8_bert.xplane.pb", DEVICES)
PAGES_WITH_OWN_QUESTIONS = {"call_tree", "heat_map", "op_profile"}
SHOWN = """() => new Promise(done => {
    const look = () => {
        const main = document.querySelector('main');
        const isShown = main !== null && main.innerText.length > 150 && !main.querySelector('[aria-busy=true]');
        isShown ? done() : setTimeout(look, 50);
    };
    look();
})"""


def answered(store_path: Path) -> list[str]:
    """Tools that have an answer about the whole run."""
    store = open_run_store(store_path)
    reader = QueryReader(store)
    names = []
    for name in tools():
        try:
            finish(ask(tool(name), Scope(reader, {}), from_text(tool(name).question, {})))
        except (NotAvailable, UsageError):
            continue
        names.append(name)
    store.close()
    return names


@pytest.fixture(scope="module", params=TRACES)
def kept(
    request: pytest.FixtureRequest,
    built_viewer: None,
    trace_file: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[StaticHost, list[str]]]:
    """A host of an archive, and the tools whose answers it keeps: all that have one."""
    folder = tmp_path_factory.mktemp("pages")
    build_store([trace_file(request.param)], folder / "run.store")
    names = answered(folder / "run.store")
    command = ["archive", str(folder / "run.store"), "--site", str(folder / "site"), "--answers", ",".join(names)]
    assert main(command) == 0
    with static_host(folder / "site") as host:
        yield host, names


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    yield page
    page.close()


@pytest.mark.deep
def test_pages_of_kept_answers_need_no_server(kept: tuple[StaticHost, list[str]], page: Page) -> None:
    host, names = kept
    assert set(names) >= PAGES_WITH_OWN_QUESTIONS
    for name in names:
        page.goto("about:blank")
        page.goto(f"{host.url}/?archive=run.tsarc#v=1&tool={name}")
        page.evaluate(SHOWN)
        page.wait_for_timeout(300)  # an answer may be asked for once the page is there
        assert "takes a server" not in page.locator("main").inner_text(), name


@pytest.mark.deep
def test_a_search_that_takes_a_server_names_the_command(kept: tuple[StaticHost, list[str]], page: Page) -> None:
    host, _ = kept
    page.goto(host.url)
    box = page.get_by_role("searchbox").or_(page.get_by_placeholder("Search events")).first
    box.fill("arg:a=1")
    page.get_by_text(f"tilescope view {host.url}/run.tsarc").first.wait_for(timeout=60_000)
