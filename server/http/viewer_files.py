"""The built viewer, read once at the start: what is served is a fixed list, and no request's path reaches the disk."""

from __future__ import annotations

import gzip
import mimetypes
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from tilescope.server.http.caching import content_hash
from tilescope.tiler.pages import compress

STATIC: Final = Path(__file__).parents[1] / "static"  # where vite.config.ts puts it
INDEX: Final = "index.html"

# Vite names assets by the hash of their content: `assets/index-B2a8eX_1.js`.
_HASHED: Final = re.compile(r"assets/.+-[A-Za-z0-9_-]{8,}\.[a-z0-9]+")
_TYPES: Final = {".js": "text/javascript", ".mjs": "text/javascript", ".webmanifest": "application/manifest+json"}
_PAYS_TO_COMPRESS: Final = re.compile(r"text/|image/svg|application/(json|manifest)")

_NOT_BUILT: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Tilescope</title>
<h1>The viewer has not been built</h1>
<p>The server runs, and its API answers under <a href="api/v1/runs">/api/v1</a>, but this installation has no viewer.
In a checkout of the source, build it with <code>make viewer</code> (needs Node 20 or newer), then start the server
again.</p>
</html>
"""


@dataclass(frozen=True, slots=True)
class ViewerFile:
    """One file, ready to be sent."""

    body: bytes
    gzip_body: bytes | None  # None where compression does not pay
    content_type: str
    etag: str
    is_immutable: bool  # its name has the hash of its content


class ViewerFiles:
    """The files of the viewer by their path below `/`."""

    def __init__(self, files: dict[str, ViewerFile], *, is_built: bool) -> None:
        self._files = files
        self.is_built = is_built

    @classmethod
    def load(cls, folder: Path = STATIC) -> ViewerFiles:
        """Reads a built viewer; without one there is a single page that says how to build it."""
        if not (folder / INDEX).is_file():
            return cls({INDEX: _viewer_file(INDEX, _NOT_BUILT.encode())}, is_built=False)
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        return cls({name: _viewer_file(name, (folder / name).read_bytes()) for name in names}, is_built=True)

    def get(self, path: str) -> ViewerFile | None:
        """The file at a path below `/`; the empty path is the page itself."""
        return self._files.get(path or INDEX)


@lru_cache(maxsize=4)
def with_body(file: ViewerFile, body: bytes) -> ViewerFile:
    """The same file with other content, which is compressed once."""
    return file if body == file.body else replace(file, body=body, gzip_body=compress(body), etag=content_hash(body))


def _viewer_file(name: str, body: bytes) -> ViewerFile:
    kind = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    gzip_body = gzip.compress(body, mtime=0) if _PAYS_TO_COMPRESS.match(kind) else None
    return ViewerFile(
        body=body,
        gzip_body=gzip_body if gzip_body is not None and len(gzip_body) < len(body) else None,
        content_type=f"{kind}; charset=utf-8" if kind.startswith("text/") else kind,
        etag=content_hash(body),
        is_immutable=_HASHED.fullmatch(name) is not None,
    )
