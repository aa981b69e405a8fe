"""The files of the documentation's site, as a hook of mkdocs: `make docs`.

Each lies in the site where it lies in the repository, so that a link that leaves `docs/` leads to the same file in
both: README.md is the index, `docs/api.md` is `docs/api.html`. Pages are those of `docs/`, and of other folders those
that the navigation names. What they link to besides, such as code and pictures, is copied as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, normpath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).resolve().parents[1]
_INDENT: Final = 4
_LINK: Final = re.compile(r"\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(?:#[^)\s]*)?\)")
_ESCAPED: Final = re.compile(r"`[^`\n]*\\\|[^`\n]*`")
_ITEM: Final = re.compile(r"(?:[*-]|\d+\.) +(?=\S)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of the site, in the place of those of `docs/` alone, beside those of the theme."""
    from mkdocs.structure.files import File

    pages = page_paths(config.nav)
    names = sorted({*pages, *config.extra_css, *(name for page in pages for name in linked_files(page))})
    from_theme = [file for file in files if file.src_dir != config.docs_dir]
    return type(files)([*from_theme, *(File.generated(config, name, abs_src_path=str(ROOT / name)) for name in names)])


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text of a page as mkdocs wants it, which reads another Markdown than GitHub does."""
    return site_markdown(markdown, ROOT / dirname(page.file.src_uri))


def site_markdown(text: str, folder: Path) -> str:
    """The text of a page in this folder, written for Python-Markdown.

    It has no links to folders, which a site cannot list. In code of tables `|` stands as it is. Whatever belongs to an
    item of a list is indented by four columns, not by as many as the item's mark has, and a blank line follows
    paragraphs of an item.
    """
    text = _LINK.sub(lambda link: link[1] if (folder / link[2]).is_dir() else link[0], text)
    text = _ESCAPED.sub(lambda code: code[0].replace(r"\|", "|"), text)
    lines = text.split("\n")
    is_code, is_loose, more = False, False, 0
    for number, line in enumerate(lines):
        is_code ^= line.startswith("```")
        item = None if is_code else _ITEM.match(line)
        if item is not None:
            more = _INDENT - len(item[0])
            lines[number] = "\n" * (is_loose and lines[number - 1] != "") + line
            is_loose = False
        elif line.startswith(" "):
            lines[number] = " " * more + line
        elif line:
            more = 0
        else:
            is_loose = True
    return "\n".join(lines)


def page_paths(nav: object) -> set[str]:
    """All pages, from the root of the repository: those of docs/, and those that the navigation names."""
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")} | set(_named(nav))


def linked_files(page: str) -> Iterator[str]:
    """The files that a page links to and that are no pages."""
    for _, link in _LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        name = normpath(f"{dirname(page) or '.'}/{link}")
        if not name.endswith(".md") and (ROOT / name).is_file():
            yield name


def _named(nav: object) -> Iterator[str]:
    """The pages of a navigation, however deep: `[{title: page}, {title: [page, …]}]`."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list):
        for entry in nav:
            yield from _named(entry)
    elif isinstance(nav, dict):
        for entry in nav.values():
            yield from _named(entry)
