"""docs/api.md: its table of routes has all that there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from aiohttp import web

from tests.server.conftest import Site
from tilescope.server.app import make_app
from tilescope.server.paths import API

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def written_routes(text: str) -> Iterator[tuple[str, str]]:
    """Method and path of each row's first cell; `…` stands for the path before, as far as its last part."""
    for cell in re.findall(r"^\| (`[A-Z]+ .*?`) \|", text, re.MULTILINE):
        before = ""
        for method, path in re.findall(r"`([A-Z]+) ([^?`]*)[^`]*`", cell):
            before = path.replace("…", before.rpartition("/")[0])
            yield method, before


def test_the_table_has_all_routes(site: Site) -> None:
    routes = {
        (route.method, route.resource.canonical.removeprefix(API))
        for route in make_app(site.registry()).router.routes()
        if isinstance(route.resource, web.Resource)
        and route.resource.canonical.startswith(API)
        and route.method != "HEAD"
    }
    assert set(written_routes(PAGE.read_text().partition("\n## ")[0])) == routes
