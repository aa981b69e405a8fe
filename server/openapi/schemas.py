"""JSON schemas of the answers, by the names under which the description refers to them."""

from __future__ import annotations

from typing import Any, Final

from tilescope.server.errors import CODES
from tilescope.server.page_keys import KEY_LIMITS, MAX_PAGE_KEYS

Schema = dict[str, Any]

DECIMAL: Final[Schema] = {
    "type": "string",
    "pattern": "^-?[0-9]+$",
    "description": "A 64-bit integer as decimal text, because JSON numbers are doubles in most clients.",
}
TEXT: Final[Schema] = {"type": "string"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
NUMBER: Final[Schema] = {"type": "number"}
TEXTS: Final[Schema] = {"type": "array", "items": TEXT}


def reference(name: str) -> Schema:
    """The schema of that name, wherever one may stand."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(properties: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def array(items: Schema) -> Schema:
    """A list of equals."""
    return {"type": "array", "items": items}


def nullable(schema: Schema) -> Schema:
    """The schema, or null."""
    return {"oneOf": [schema, {"type": "null"}]}


def choice(*values: str) -> Schema:
    """One of these texts."""
    return {"type": "string", "enum": list(values)}


SCHEMAS: Final[dict[str, Schema]] = {
    "Decimal": DECIMAL,
    "Error": record({"error": record({"code": choice(*CODES), "message": TEXT})}),
    "PageKey": {
        "description": "Block, level, index, slot: see docs/page-format.md. Part: 0 (or none) page, 1 residual.",
        "type": "array",
        "prefixItems": [{"type": "integer", "minimum": 0, "exclusiveMaximum": limit} for limit in KEY_LIMITS],
        "minItems": len(KEY_LIMITS) - 1,
        "maxItems": len(KEY_LIMITS),
    },
    "Batch": record({"pages": {**array(reference("PageKey")), "maxItems": MAX_PAGE_KEYS}}),
    "Health": record({"status": choice("ok"), "version": TEXT}),
    "Progress": record(
        {
            "phase": TEXT,
            "fraction": {"type": "number", "minimum": 0, "maximum": 1},
            "bytes_read": reference("Decimal"),
            "bytes_total": reference("Decimal"),
            "events": reference("Decimal"),
            "tracks": COUNT,
            "blocks_done": COUNT,
            "blocks": COUNT,
            "seconds_left": nullable(NUMBER),
            "revision": COUNT,
        }
    ),
    "Run": record(
        {
            "id": TEXT,
            "name": TEXT,
            "path": TEXT,
            "state": choice("new", "queued", "indexing", "ready", "failed"),
            "error": nullable(TEXT),
            "hosts": TEXTS,
            "files": COUNT,
            "size_bytes": reference("Decimal"),
            "modified_ns": reference("Decimal"),
            "build": nullable(TEXT),
            "progress": nullable(reference("Progress")),
            "notes": TEXTS,
        }
    ),
    "Runs": record({"runs": array(reference("Run"))}),
    "EventCounts": record(
        {
            kind: reference("Decimal")
            for kind in ("total", "slices", "instants", "counter_samples", "async_slices", "flow_ends", "other")
        }
    ),
    "Manifest": record(
        {
            "run": TEXT,
            "name": TEXT,
            "build": TEXT,
            "state": choice("indexing", "ready"),
            "revision": COUNT,
            "format": TEXT,
            "tick_ps": {"type": "integer", "enum": [1, 1000]},
            "origin_ns": reference("Decimal"),
            "start": reference("Decimal"),
            "end": reference("Decimal"),
            "root_level": COUNT,
            "empty": {"type": "boolean"},
            "hosts": TEXTS,
            "files": TEXTS,
            "processes": COUNT,
            "tracks": COUNT,
            "blocks": COUNT,
            "names": record({"count": COUNT, "page_size": COUNT}),
            "overview": record({"level": COUNT, "bins": COUNT, "bins_per_page": COUNT, "pages": COUNT}),
            "events": reference("EventCounts"),
            "flows": record(
                {
                    kind: reference("Decimal")
                    for kind in ("edges", "starts_without_end", "ends_without_start", "without_id", "without_slice")
                }
            ),
            "ignored": {"type": "object", "additionalProperties": reference("Decimal")},
            "warnings": TEXTS,
            "source_bytes": reference("Decimal"),
            "store_bytes": reference("Decimal"),
            "created_ns": reference("Decimal"),
        },
        optional=("overview",),
    ),
    "Group": record(
        {
            "id": COUNT,
            "parent": nullable(COUNT),
            "kind": choice("run", "host", "process"),
            "name": TEXT,
            "detail": TEXT,
            "rollup": nullable(COUNT),
        }
    ),
    "Track": record(
        {
            "id": COUNT,
            "group": COUNT,
            "kind": choice("slice", "async", "instant", "counter", "rollup"),
            "name": TEXT,
            "detail": TEXT,
            "rows": COUNT,
            "events": reference("Decimal"),
            "busy": reference("Decimal"),
            "lanes": COUNT,
            "min": nullable(NUMBER),
            "max": nullable(NUMBER),
        },
        optional=("busy", "lanes", "min", "max"),
    ),
    "Tracks": record({"groups": array(reference("Group")), "tracks": array(reference("Track"))}),
    "Names": array({"type": "array", "prefixItems": [TEXT, TEXT], "minItems": 2, "maxItems": 2}),
    "Argument": record({"name": TEXT, "value": {"description": "Any JSON value; integers are decimal text."}}),
    "FlowPartner": record(
        {"track": COUNT, "ordinal": reference("Decimal"), "name": TEXT, "start": reference("Decimal")}
    ),
    "EventFlows": record(
        {
            "in": {**array(reference("FlowPartner")), "maxItems": 100},
            "in_count": reference("Decimal"),
            "out": {**array(reference("FlowPartner")), "maxItems": 100},
            "out_count": reference("Decimal"),
        }
    ),
    "Event": record(
        {
            "track": COUNT,
            "ordinal": reference("Decimal"),
            "kind": choice("slice", "async", "instant", "counter"),
            "name": TEXT,
            "category": TEXT,
            "start": reference("Decimal"),
            "duration": reference("Decimal"),
            "row": COUNT,
            "flags": TEXTS,
            "value": nullable(NUMBER),
            "flows": reference("EventFlows"),
            "args": array(reference("Argument")),
        }
    ),
}
