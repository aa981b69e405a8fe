"""The folder of `tilescope archive --site`, served by a real nginx with the configuration that lies in it."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path

import pytest

from tests.absence import find_program
from tests.demo import DEMO_TRACE
from tests.server.nginx import needs_nginx, static_nginx
from tilescope.cli import archive_site, main
from tilescope.server.http import viewer_files
from tilescope.tiler.indexing import build_store

ORIGIN = "https://other.example"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A site of a small viewer and an archive."""
    viewer = tmp_path / "viewer"
    (viewer / "assets").mkdir(parents=True)
    (viewer / "index.html").write_text("<!doctype html><head><title>Tilescope</title></head>")
    (viewer / "assets" / "index-12345678.js").write_text("export {};" * 1000)
    monkeypatch.setattr(viewer_files, "STATIC", viewer)
    build_store([DEMO_TRACE], tmp_path / "demo.store")
    folder = tmp_path / "the site"
    assert main(["archive", str(tmp_path / "demo.store"), "--site", str(folder), "--allow-origin", ORIGIN]) == 0
    assert str(folder / "demo.tsarc") in capsys.readouterr().out
    return folder


def test_a_site_has_all_files(site: Path) -> None:
    names = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert names == {
        "index.html",
        "assets/index-12345678.js",
        "demo.tsarc",
        "tools.json",
        "questions.json",
        "nginx.conf",
        "Caddyfile",
    }
    page = (site / "index.html").read_text()
    assert '<meta name="tilescope-archive" content="demo.tsarc" />' in page
    listed = json.loads((site / "tools.json").read_text())["tools"]
    assert {"overview", "stats"} <= {tool["id"] for tool in listed}


@pytest.mark.parametrize("name", ["a$b", 'a"b', "a{b}", "a\\b", "a\nb"])
def test_a_folder_that_web_servers_misread_is_refused(
    site: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = site.parent / name
    assert main(["archive", str(site.parent / "demo.store"), "--site", str(folder)]) == 2
    assert "web servers read a folder" in capsys.readouterr().err
    assert not folder.exists()


def test_both_configurations_have_the_same_headers() -> None:
    texts = archive_site.configurations(Path("/srv/site"), [ORIGIN, "https://third.example"])
    for text in texts.values():
        assert f"connect-src 'self' {ORIGIN} https://third.example;" in text
        assert text.count("nosniff") == 3
        assert "Access-Control-Allow-Origin" in text
        assert '"/srv/site"' in text


@pytest.fixture
def url(site: Path, tmp_path: Path) -> Iterator[str]:
    with static_nginx(tmp_path, (site / "nginx.conf").read_text()) as address:
        yield address


def response_of(url: str, **headers: str) -> HTTPResponse:
    response: HTTPResponse = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10)
    return response


@needs_nginx
def test_nginx_serves_ranges_and_headers(url: str, site: Path) -> None:
    content = (site / "demo.tsarc").read_bytes()
    with response_of(f"{url}demo.tsarc", Range="bytes=100-199", Origin=ORIGIN) as answer:
        assert answer.status == 206
        assert answer.read() == content[100:200]
        assert answer.headers["Content-Range"] == f"bytes 100-199/{len(content)}"
        assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
        assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
        etag = answer.headers["ETag"]
        assert etag
    with response_of(f"{url}demo.tsarc", Origin="https://stranger.example", **{"Accept-Encoding": "gzip"}) as answer:
        assert answer.read() == content
        assert answer.headers["ETag"] == etag
        assert answer.headers["Access-Control-Allow-Origin"] is None
        assert answer.headers["Content-Encoding"] is None
        assert answer.headers["Content-Type"] == "application/octet-stream"
    with response_of(url) as answer:
        assert b"<title>Tilescope" in answer.read()
        assert f"connect-src 'self' {ORIGIN}" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Content-Type"].startswith("text/html")
    with response_of(f"{url}assets/index-12345678.js", **{"Accept-Encoding": "gzip"}) as answer:
        assert answer.headers["Content-Type"].startswith("text/javascript")
        assert answer.headers["Content-Encoding"] == "gzip"
        assert "immutable" in answer.headers["Cache-Control"]
    with pytest.raises(urllib.error.HTTPError, match="404"):
        response_of(f"{url}nothing.tsarc")
    for name in ("nginx.conf", "Caddyfile"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            response_of(url + name)


@needs_nginx
def test_browsers_that_ask_before_may_send_a_range(url: str) -> None:
    for origin, allowed in ((ORIGIN, ORIGIN), ("https://stranger.example", None)):
        headers = {"Origin": origin, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range"}
        request = urllib.request.Request(f"{url}demo.tsarc", headers=headers, method="OPTIONS")
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == 204
            assert answer.headers["Access-Control-Allow-Headers"] == "Range"
            assert answer.headers["Access-Control-Allow-Origin"] == allowed


def test_caddy_takes_its_configuration(site: Path) -> None:
    caddy = find_program("caddy")
    if caddy is None:
        pytest.skip("caddy is not installed: apt-get install caddy")
    text = "http://127.0.0.1:0 {\n" + (site / "Caddyfile").read_text() + "}\n"
    (site.parent / "Caddyfile").write_text(text)
    command = [caddy, "adapt", "--validate", "--adapter", "caddyfile", "--config", str(site.parent / "Caddyfile")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
