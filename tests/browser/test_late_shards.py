"""A run with a missing, a late and a shifted shard: grey with the reason, and there once its disk gives it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.browser.test_accessibility import faults
from tests.pods import threads, write_pod
from tilescope.tiler.mount import keep_merge, save_shifts
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.shards.folder import shard_path
from tilescope.tiler.store.build_lock import CURRENT

pytestmark = pytest.mark.deep

RUN = "pod.run"
TALL: ViewportSize = {"width": 1280, "height": 1500}  # all hosts are on the screen
OPEN = "window.tilescope?.state === 'open' && tilescope.sharp"


class SlowDisk:
    """A disk that hangs where it is to say what is published of a shard, until `give`."""

    def __init__(self, current: Path) -> None:
        self._current = current
        self._content = current.read_bytes()
        current.unlink()
        os.mkfifo(current)

    def give(self) -> None:
        """Has all who wait go on. From then on it answers at once."""
        if not self._current.is_fifo():
            return
        part = self._current.with_name("part")
        part.write_bytes(self._content)
        writer = os.open(self._current, os.O_RDWR)
        os.write(writer, self._content)
        part.replace(self._current)
        os.close(writer)


@pytest.fixture
def slow(browser: Browser, tmp_path: Path) -> Iterator[tuple[Served, SlowDisk]]:
    """A server of four shards: of the first two one is shifted, the third is late, the last could not be indexed."""
    folder = tmp_path / RUN
    files = write_pod(tmp_path / "pod", 4, events=400, tracks=4)
    files[3].write_bytes(b"no trace")
    shards = build_shards(files, folder, threads, progress=lambda _: None)
    keep_merge(folder, shards)
    save_shifts(folder, {"synthetic (2)": 5_000_000}, origin="measured")
    (folder / "merged.tsarc").unlink()
    (late,) = (shard for shard in shards.shards if Path(shard.files[0]).name == files[2].name)
    disk = SlowDisk(shard_path(folder, late.name) / CURRENT)
    with serving([folder], tmp_path / "cache") as running:
        yield running, disk
        disk.give()


def test_a_late_shard_is_grey_and_then_there(slow: tuple[Served, SlowDisk], browser: Browser) -> None:
    served, disk = slow
    url = f"{served.url}/?run={served.run_id(RUN)}"
    with watched_page(browser, served.url) as page:
        page.goto(url)
        expect(page.get_by_role("heading", name="Opening pod.run …")).to_be_visible()
        Viewer(page, served.url).wait(OPEN, 120)  # by itself, without the shard
    missing = served.get(f"/runs/{served.run_id(RUN)}/manifest")["missing"]
    reasons = {host["name"]: host["reason"] for host in missing}
    assert reasons.pop("host2.xplane.pb") == "it could not be opened within 20 s"
    assert list(reasons) == ["host3.xplane.pb"]
    for theme in ("dark", "light"):
        with watched_page(browser, served.url, color_scheme=theme) as page:
            viewer = Viewer(page, served.url)
            page.set_viewport_size(TALL)
            page.goto(url)
            viewer.wait(OPEN, 120)
            viewer.screenshot(f"late-shard-{theme}")
            for host in ("host2", "host3"):
                item = page.get_by_role("treeitem").filter(has_text=host)
                expect(item).to_contain_text("missing")
                expect(item).to_have_class("tree-item is-group is-empty")
            expect(page.get_by_role("button", name="2 of 4 hosts")).to_be_visible()
            expect(page.get_by_role("treeitem", name="4 hosts")).to_be_visible()
            assert faults(viewer) == []
    disk.give()
    with watched_page(browser, served.url) as page:
        viewer = Viewer(page, served.url)
        page.set_viewport_size(TALL)
        page.goto(url)
        viewer.wait(OPEN, 120)
        expect(page.get_by_role("treeitem").filter(has_text="host2")).to_have_count(0)
        expect(page.get_by_role("treeitem").filter(has_text="synthetic (3)")).to_have_count(1)
        expect(page.get_by_role("treeitem").filter(has_text="host3")).to_contain_text("missing")
        viewer.screenshot("late-shard-there")


def test_a_host_that_is_gone_is_looked_for_again(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / RUN
    shards = build_shards(
        write_pod(tmp_path / "pod", 2, events=400, tracks=4), folder, threads, progress=lambda _: None
    )
    keep_merge(folder, shards)
    gone = shard_path(folder, shards.shards[1].name)
    gone.rename(tmp_path / "aside")
    with serving([folder], tmp_path / "cache") as served, browser.new_context() as context:
        page, faulty = context.new_page(), list[str]()  # what is asked of the build of before is refused: no page error
        page.on("pageerror", lambda error: faulty.append(str(error)))
        viewer = Viewer(page, served.url)
        page.goto(f"{served.url}/?run={served.run_id(RUN)}")
        viewer.wait(OPEN, 60)
        host = page.get_by_role("treeitem").filter(has_text="synthetic (2)")
        expect(host).to_contain_text("missing")
        (tmp_path / "aside").rename(gone)
        host.click(button="right")
        page.get_by_role("menuitem", name="Look for it again").click()
        expect(host).not_to_contain_text("missing", timeout=60_000)
        viewer.wait(OPEN, 60)
        expect(page.locator(".link-banner")).to_have_count(0)
        assert faulty == []
