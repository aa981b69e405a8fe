"""A folder that a web server serves as it is: the viewer, the list of tools, and the headers of pages and archives."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from string import Template
from typing import Final
from urllib.parse import quote

from tilescope.cli.whole_file import whole_file

_TYPES: Final = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "json": "application/json",
    "tsarc": "application/octet-stream",
}

# Names of assets have the hash of their content; the page and archives are asked for anew.
_ASSET_HEADERS: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
_ARCHIVE_HEADERS: Final = {
    "Cache-Control": "no-cache",
    "Access-Control-Expose-Headers": "ETag, Content-Range, Accept-Ranges",
    "Access-Control-Allow-Headers": "Range",  # browsers of before 2023 ask whether they may send it
    "Access-Control-Allow-Methods": "GET, HEAD",
    "Access-Control-Max-Age": "86400",
    "Vary": "Origin",
}

_NGINX: Final = Template("""\
# Within a `server` of nginx. Archives are read in ranges, and never compressed.
root "$folder";
index index.html;
charset utf-8;
types { $types }
gzip on;
gzip_types text/css text/javascript image/svg+xml application/json;
set $$tilescope_origin "";
$origins
location / {
$page_headers
}
location /assets/ {
$asset_headers
}
location ~ ^/(nginx\\.conf|Caddyfile)$$ {
    return 404;
}
location ~ \\.tsarc$$ {
    gzip off;
$archive_headers
    add_header Access-Control-Allow-Origin $$tilescope_origin;
    if ($$request_method = OPTIONS) {
        return 204;
    }
}
""")

_CADDY: Final = Template("""\
# Within a site of a Caddyfile. Archives are read in ranges, and never compressed.
root * "$folder"
@page not path /assets/* *.tsarc
@assets path /assets/*
@archives path *.tsarc
@others not path *.tsarc
encode @others gzip
header @page {
$page_headers
}
header @assets {
$asset_headers
}
header @archives {
$archive_headers
}
$origins
@preflights {
    path *.tsarc
    method OPTIONS
}
respond @preflights 204
file_server {
    hide nginx.conf Caddyfile
}
""")


# Names of folders that stand in quotation marks as they are, with nginx and with Caddy.
_QUOTABLE: Final = re.compile(r'[^"\\$`{}\x00-\x1f\x7f]+')

_TOOLS: Final = "tools.json"
_QUESTIONS: Final = "questions.json"


def write_site(folder: Path, archive: Path, origins: Collection[str]) -> None:
    """Writes the viewer into a folder, with the lists of tools and of their fields, `nginx.conf` and `Caddyfile`.

    Its pages read archives of their own origin and of `origins`, whose pages may read those in the folder; without
    `?archive=` the one at `archive`, if that is in the folder. Raises UsageError without a built viewer, and OSError.
    """
    from tilescope.server.http.viewer_files import INDEX, STATIC
    from tilescope.server.settings import parse_origin
    from tilescope.tiler.errors import UsageError

    parsed_origins = [parse_origin(origin) for origin in origins]
    if not _QUOTABLE.fullmatch(str(folder.resolve())):
        raise UsageError('--site: web servers read a folder with such signs otherwise: choose one without "\\$`{}')
    if not (STATIC / INDEX).is_file():
        raise UsageError("this installation has no viewer: in a checkout of the source, build it with `make viewer`")
    for source in sorted(path for path in STATIC.rglob("*") if path.is_file()):
        body = source.read_bytes()
        name = source.relative_to(STATIC)
        _write(folder / name, with_archive(body, _address(folder, archive)) if name == Path(INDEX) else body)
    _write(folder / _TOOLS, tool_list())
    _write(folder / _QUESTIONS, question_fields())
    for file, text in configurations(folder.resolve(), parsed_origins).items():
        _write(folder / file, text.encode())


def with_archive(page: bytes, archive: str) -> bytes:
    """The viewer's page with the element that says that no server answers it, and which archive it opens by itself."""
    element = f'<meta name="tilescope-archive" content="{html.escape(archive)}" />'
    return page.replace(b"</head>", f"{element}\n  </head>".encode(), 1)


def tool_list() -> bytes:
    """All tools, as docs/api.md lists those of a server: pages say of each what gives its answer."""
    import msgspec

    from tilescope.tiler.schema import ToolEntry, ToolList
    from tilescope.tiler.tools import parameters, tools

    entries = [
        ToolEntry(
            id=tool.id,
            title=tool.title,
            help=tool.help,
            group=tool.group,
            available=False,
            reason="",
            fields=[parameter.name for parameter in parameters(tool.question)],
        )
        for tool in tools().values()
    ]
    return msgspec.json.encode(ToolList(tools=entries))


def question_fields() -> bytes:
    """The part of the description of the API that says what tools can be asked."""
    import json

    from tilescope.server.openapi.document import describe_api

    paths = {
        path: {"get": {"parameters": item["get"]["parameters"]}}
        for path, item in describe_api()["paths"].items()
        if "/tools/" in path
    }
    return json.dumps({"paths": paths}).encode()


def _address(folder: Path, archive: Path) -> str:
    """The address of an archive as the page in a folder has it; "" where it lies elsewhere."""
    place, root = archive.resolve(), folder.resolve()
    return quote(place.relative_to(root).as_posix()) if place.is_relative_to(root) else ""


def configurations(folder: Path, origins: Collection[str]) -> Mapping[str, str]:
    """Configurations of web servers by the names of their files."""
    from tilescope.server.guard.security import static_page_policy

    headers = {
        "page_headers": {"Content-Security-Policy": static_page_policy(origins), "Cache-Control": "no-cache"},
        "asset_headers": _ASSET_HEADERS,
        "archive_headers": _ARCHIVE_HEADERS,
    }
    everywhere = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
    rows = {name: (values | everywhere).items() for name, values in headers.items()}
    types = " ".join(f"{kind} {suffix};" for suffix, kind in _TYPES.items())
    nginx = {
        name: "\n".join(f'    add_header {header} "{value}" always;' for header, value in values)
        for name, values in rows.items()
    }
    caddy = {name: "\n".join(f'    {header} "{value}"' for header, value in values) for name, values in rows.items()}
    nginx_origins = "\n".join(
        f'if ($http_origin = "{origin}") {{ set $tilescope_origin $http_origin; }}' for origin in origins
    )
    caddy_origins = "\n".join(
        f"@origin{number} {{\n    path *.tsarc\n    header Origin {origin}\n}}\n"
        f'header @origin{number} Access-Control-Allow-Origin "{origin}"'
        for number, origin in enumerate(origins)
    )
    return {
        "nginx.conf": _NGINX.substitute(nginx, folder=folder, types=types, origins=nginx_origins),
        "Caddyfile": _CADDY.substitute(caddy, folder=folder, origins=caddy_origins),
    }


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(content)
