"""The viewer behind a proxy that has a prefix for it, and behind a token."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, serving, watched_page
from tests.browser.driver import Viewer
from tests.demo import DEMO_TRACE
from tests.server.nginx import PREFIX, STRIPPED, needs_nginx, nginx_before

TOKEN = "correct-horse-battery-staple"


@needs_nginx
@pytest.mark.parametrize(
    "base_path",
    [pytest.param(PREFIX, id="prefix kept"), pytest.param("", id="prefix taken off", marks=pytest.mark.deep)],
)
def test_the_viewer_finds_its_server_behind_a_proxy(browser: Browser, tmp_path: Path, base_path: str) -> None:
    options = ("--base-url", base_path) if base_path else ()
    with serving([DEMO_TRACE], tmp_path / "cache", *options) as behind:
        port = int(behind.url.split(":")[2].split("/")[0])
        with nginx_before(port, tmp_path / "nginx", takes_prefix_off=not base_path) as proxy:
            url = proxy + (base_path or STRIPPED)
            with watched_page(browser, url) as page:
                streams: list[str] = []
                page.on("websocket", lambda socket: streams.append(socket.url))
                viewer = Viewer(page, url)
                viewer.open(Served(url).run_id(DEMO_TRACE.name))
                assert viewer.look()["sharp"]
                assert [stream for stream in streams if stream.endswith("/stream")]
                assert all(stream.startswith(url.replace("http", "ws") + "/api/v1/") for stream in streams)


def test_the_token_in_the_address_opens_the_viewer_and_vanishes(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESCOPE_TOKEN", TOKEN)
    with serving([DEMO_TRACE], tmp_path / "cache") as served, watched_page(browser, served.url) as page:
        page.goto(f"{served.url}/?token={TOKEN}")
        viewer = Viewer(page, served.url)
        viewer.wait("window.tilescope?.state === 'open'", 60)
        assert "token" not in page.url
        assert page.evaluate("document.cookie") == ""
        viewer.settle()


@pytest.mark.deep
def test_without_the_token_one_is_asked_for_it(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESCOPE_TOKEN", TOKEN)
    with serving([DEMO_TRACE], tmp_path / "cache") as served:
        context = browser.new_context()
        page = context.new_page()
        answer = page.goto(f"{served.url}/?run=x")
        assert answer is not None
        assert answer.status == 401
        page.get_by_label("Token").fill("another-token-than-that")
        page.get_by_role("button").click()
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button").click()
        Viewer(page, served.url).wait("window.tilescope?.state === 'unknown'")
        assert page.url.startswith(f"{served.url}/?run=x")
        assert "token" not in page.url
        context.close()
