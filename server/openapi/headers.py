"""Headers of answers, by the names under which the description refers to them."""

from __future__ import annotations

from typing import Any, Final

HEADERS: Final[dict[str, dict[str, Any]]] = {
    "ETag": {
        "description": "For `If-None-Match`, `If-Match` and `If-Range`. None while the build grows.",
        "schema": {"type": "string"},
    },
    "Cache-Control": {
        "description": "Whether the answer may be kept.",
        "schema": {"type": "string"},
    },
    "Accept-Ranges": {
        "description": "`Range` is answered. Not while the build grows.",
        "schema": {"type": "string", "enum": ["bytes"]},
    },
    "Content-Encoding": {
        "description": "gzip where `Accept-Encoding` takes it, else none.",
        "schema": {"type": "string", "enum": ["gzip"]},
    },
    "Vary": {
        "description": "Which headers of the request the answer depends on.",
        "schema": {"type": "string"},
    },
    "Content-Disposition": {
        "description": "A file to be saved, and under which name.",
        "schema": {"type": "string"},
    },
    "Content-Range": {
        "description": "Which bytes of how many.",
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "Seconds after which to ask again.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
    },
    "WWW-Authenticate": {
        "description": "What the server demands.",
        "schema": {"type": "string"},
    },
}

KEPT: Final = ("ETag", "Cache-Control", "Accept-Ranges")


def headers(*names: str) -> dict[str, Any]:
    """These headers, for an answer."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
