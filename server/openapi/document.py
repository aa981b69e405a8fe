"""The OpenAPI document, put together from paths and schemas."""

from __future__ import annotations

from typing import Any

from tilescope.server.openapi.headers import HEADERS
from tilescope.server.openapi.paths import path_items
from tilescope.server.openapi.schemas import components

API_VERSION = "1.0.0"


def describe_api(base_path: str = "") -> dict[str, Any]:
    """The description of everything but the viewer's own files, for a server with this prefix before its paths."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tilescope tile API",
            "version": API_VERSION,
            "summary": "Runs, tiles and events of indexed profiler traces.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": base_path or "/"}],
        "paths": path_items(),
        "components": {
            "schemas": components(),
            "headers": HEADERS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],  # demanded of servers that others can reach
    }
