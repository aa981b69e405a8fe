"""JSON schemas by the names under which the description refers to them: those of `tiler/schema`, and of requests."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from tilescope.server.page_keys import KEY_LIMITS, MAX_PAGE_KEYS
from tilescope.tiler import schema

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}

_ANSWERS: Final = (
    schema.ErrorAnswer,
    schema.Health,
    schema.RunList,
    schema.Manifest,
    schema.TrackTree,
    schema.EventDetails,
    schema.Events,
    schema.ToolList,
    schema.ToolAnswer,
    schema.WatchMessage,
)

_NAME: Final[Schema] = {"type": "array", "prefixItems": [TEXT, TEXT], "minItems": 2, "maxItems": 2, "items": False}

_REQUESTS: Final[dict[str, Schema]] = {
    "Names": {"description": "Name and category, by name id.", "type": "array", "items": _NAME},
    "PageKey": {
        "description": "Block, level, index, slot: see docs/page-format.md. Part: 0 (or none) page, 1 residual.",
        "type": "array",
        "prefixItems": [{"type": "integer", "minimum": 0, "exclusiveMaximum": limit} for limit in KEY_LIMITS],
        "minItems": len(KEY_LIMITS) - 1,
        "maxItems": len(KEY_LIMITS),
    },
    "Batch": {
        "description": "The pages that are wanted, in order.",
        "type": "object",
        "properties": {
            "pages": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/PageKey"},
                "maxItems": MAX_PAGE_KEYS,
            }
        },
        "required": ["pages"],
        "additionalProperties": False,
    },
}


def reference(name: str) -> Schema:
    """The schema of that name, wherever one may stand."""
    return {"$ref": f"#/components/schemas/{name}"}


def components() -> dict[str, Schema]:
    """All schemas by name."""
    _, found = msgspec.json.schema_components(_ANSWERS, ref_template="#/components/schemas/{name}")
    return {name: _tidy(found[name]) for name in sorted(found)} | _REQUESTS


def _tidy(node: Any) -> Any:
    """The same in fewer words: types of one alternative in one list, objects without members that are not named."""
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    named = node.get("properties", {})
    out = {key: _tidy(value) for key, value in node.items() if key not in ("title", "properties")}
    if named:
        out["properties"] = {name: _tidy(of) for name, of in named.items()}
        out["additionalProperties"] = False
    if "enum" in out:
        out["type"] = "string" if all(isinstance(value, str) for value in out["enum"]) else "integer"
    if all(isinstance(of, dict) and of.keys() == {"type"} for of in out.get("anyOf", [None])):
        types = dict.fromkeys(of["type"] for of in out.pop("anyOf"))
        if "number" in types:
            types.pop("integer", None)
        out["type"] = list(types)
    return out
