"""The OpenAPI document, put together from paths and schemas."""

from __future__ import annotations

from typing import Any

from tilescope.server.openapi import questions
from tilescope.server.openapi.paths import path_items
from tilescope.server.openapi.schemas import SCHEMAS

API_VERSION = "1.0.0"


def describe_api() -> dict[str, Any]:
    """The description of everything but the viewer's own files."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tilescope tile API",
            "version": API_VERSION,
            "summary": "Runs, tiles and events of indexed profiler traces.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": path_items(),
        "components": {"schemas": SCHEMAS | questions.SCHEMAS},
    }
