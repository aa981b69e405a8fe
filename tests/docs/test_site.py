"""The documentation as a site: every page is in the navigation, and `make docs` refuses what leads nowhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest
from markdown_it import MarkdownIt

from release.docs_site import ROOT, linked_files, page_paths, site_markdown
from tests.test_links import LINK

CONFIGURATION: Final = ROOT / "mkdocs.yml"


def navigation() -> list[str]:
    """The pages of the navigation, in its order: lines `- Title: page`."""
    nav = CONFIGURATION.read_text(encoding="utf-8").partition("\nnav:\n")[2].partition("\n\n")[0]
    return re.findall(r"(?m)^ +- .+: (\S+\.md)$", nav)


def test_every_page_is_in_the_navigation_once() -> None:
    pages = navigation()
    assert len(pages) > 30
    assert sorted(pages) == sorted(page_paths(pages))


def test_pages_link_to_pages_of_the_site() -> None:
    outside = {
        (page, link)
        for page in navigation()
        for link in LINK.findall((ROOT / page).read_text(encoding="utf-8"))
        if link.endswith(".md")
        and (ROOT / page).parent.joinpath(link).resolve().relative_to(ROOT).as_posix() not in navigation()
    }
    assert outside == set()


def test_linked_files_are_copied() -> None:
    assert "docs/images/viewer.png" in linked_files("README.md")
    assert "protos/tilescope/v1/tiles.proto" in linked_files("docs/api.md")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("[a](folder) [b](page.md) [c](folder/x.md#d)", "a [b](page.md) [c](folder/x.md#d)", id="folders"),
        pytest.param("| `a \\| b` \\| c |", "| `a | b` \\| c |", id="bars in code"),
        pytest.param("1. a\n   b\n\n       code\nc\n  d", "1. a\n    b\n\n        code\nc\n  d", id="numbers"),
        pytest.param("* a\n\n  b\n* c\n  d", "* a\n\n    b\n\n* c\n    d", id="paragraphs of items"),
        pytest.param("a:\n* b\n* c", "a:\n* b\n* c", id="items close together"),
        pytest.param("* a\n\n```\n* b\n  c\n```", "* a\n\n```\n* b\n  c\n```", id="fences"),
    ],
)
def test_what_mkdocs_reads(text: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert site_markdown(text, tmp_path) == expected


# -- the build ---------------------------------------------------------------------------------------------------------


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mkdocs", reason="the site is not built: mkdocs is not installed, `make docs` installs it")
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(site)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


class Page(HTMLParser):
    """Files that a page loads by itself; its headings, code and cells, as pairs of tag and text, and its items."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.parts: list[tuple[str, str]] = []
        self._is_mark = False  # the sign behind a heading
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        is_loaded = tag in ("script", "img", "iframe") or (tag == "link" and values.get("rel") != "canonical")
        self.loaded += [value for name in ("src", "href") if is_loaded and (value := values.get(name))]
        self._is_mark = values.get("class") == "headerlink"
        if tag in ("h1", "h2", "h3", "pre", "td", "th", "li"):
            self.parts.append((tag, ""))

    def handle_data(self, data: str) -> None:
        if self.parts and not self._is_mark:
            tag, text = self.parts[-1]
            self.parts[-1] = (tag, text + data)

    def letters(self) -> list[tuple[str, str]]:
        """The parts without any space, which the two renderers put elsewhere."""
        return [(tag, "".join(text.split())) for tag, text in self.parts]


def article(html: str) -> str:
    """The part of a page of the site that was written."""
    return html.partition("<article")[2].partition("</article>")[0]


@pytest.mark.deep
def test_the_site_is_built_and_reads_as_on_github(tmp_path: Path) -> None:
    done = build(ROOT, tmp_path)
    assert done.returncode == 0, done.stderr
    files = {page: re.sub(r"README\.html$", "index.html", page.removesuffix(".md") + ".html") for page in navigation()}
    built = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.html")}
    assert built == {*files.values(), "404.html", "viewer/client/example.html"}
    assert (tmp_path / "protos/tilescope/v1/tiles.proto").exists()
    github = MarkdownIt("commonmark").enable("table")
    for page, name in files.items():
        html = (tmp_path / name).read_text(encoding="utf-8")
        assert [link for link in Page(html).loaded if re.match(r"(\w+:)?//", link)] == [], (
            f"{page} loads from elsewhere"
        )
        expected = Page(github.render((ROOT / page).read_text(encoding="utf-8"))).letters()
        assert Page(article(html)).letters() == expected, page


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout of which pages may be changed."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in (name for name in listed if (ROOT / name).is_file()):
        (tmp_path / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "copy" / name)
    return tmp_path / "copy"


def _append(name: str, text: str) -> Callable[[Path], object]:
    def change(root: Path) -> None:
        with (root / name).open("a", encoding="utf-8") as page:
            page.write(text)

    return change


@pytest.mark.deep
@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(_append("docs/keys.md", "\n[x](nowhere.md)\n"), "nowhere.md", id="broken link"),
        pytest.param(_append("docs/keys.md", "\n[x](api.md#nowhere)\n"), "#nowhere", id="missing anchor"),
        pytest.param(_append("docs/another.md", "# Another\n"), "another.md", id="page outside the navigation"),
        pytest.param(_append("README.md", "\n[x](docs/nowhere.png)\n"), "nowhere.png", id="missing file"),
    ],
)
def test_what_leads_nowhere_fails_the_build(
    copy: Path, tmp_path: Path, change: Callable[[Path], object], message: str
) -> None:
    change(copy)
    done = build(copy, tmp_path / "site")
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
