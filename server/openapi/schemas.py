"""JSON schemas by the names under which the description refers to them: those of `tiler/schema`, and of requests."""

from __future__ import annotations

from typing import Any, Final, get_args

import msgspec

from tilescope.server.page_keys import KEY_LIMITS, MAX_PAGE_KEYS
from tilescope.tiler import schema

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
BYTES: Final[Schema] = {"type": "string", "format": "binary"}

_ANSWERS: Final = (
    schema.ErrorAnswer,
    schema.Health,
    schema.RunList,
    schema.Manifest,
    schema.TrackTree,
    schema.AttachmentList,
    schema.KeptMarks,
    schema.MarkList,
    schema.EventDetails,
    schema.Events,
    schema.ToolList,
    schema.ToolAnswer,
    schema.WatchMessage,
    schema.CaptureRoom,
    schema.CaptureOrder,
    schema.MonitorMessage,
    schema.AddressOrder,
    schema.OpenedAddress,
    schema.SqlRoom,
    schema.SqlOrder,
    schema.SqlRows,
    schema.UploadRoom,
    schema.UploadOrder,
    schema.Upload,
)

# Choices that have names of their own.
_CHOICES: Final[dict[str, tuple[Any, str]]] = {
    "CaptureCauseName": (schema.CaptureCauseName, "Reason why a host gave no trace."),
    "CapturePhaseName": (schema.CapturePhaseName, "Phase of the capture of a host."),
    "CaptureState": (schema.CaptureState, "State of a capture."),
    "ErrorCode": (schema.ErrorCode, "Code of an error, for programs."),
    "FigureKind": (schema.Kind, "Kind of a figure: exact integers are decimal text, ids and fractions numbers."),
    "GroupKind": (schema.GroupKind, "Kind of a group of tracks."),
    "MarkKind": (schema.MarkKind, "Kind of a mark."),
    "ChartScale": (schema.Scale, "Scale of the axes of a chart."),
    "SeriesKind": (schema.SeriesKind, "Form in which a series is drawn."),
    "Severity": (schema.Severity, "Severity of a note."),
    "TotalKind": (schema.TotalKind, "Way in which values of rows become one."),
    "UploadState": (schema.UploadState, "State of an upload."),
    "TrackKind": (schema.TrackKind, "Kind of a track's events; a rollup sums up other tracks."),
}


def _messages(description: str, union: Any) -> Schema:
    """Messages that are told from one another by their type."""
    refs = [{"$ref": f"#/components/schemas/{kind.__name__}"} for kind in get_args(union)]
    return {"description": description, "anyOf": refs}


_WATCH: Final = _messages("A message of the watch.", schema.WatchMessage)
_MONITOR: Final = _messages("A message of the monitor.", schema.MonitorMessage)

_NAME: Final[Schema] = {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}

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


_NAMES: Final = {frozenset(get_args(choice)): name for name, (choice, _) in _CHOICES.items()}


def reference(name: str) -> Schema:
    """The schema of that name, wherever one may stand."""
    return {"$ref": f"#/components/schemas/{name}"}


def components() -> dict[str, Schema]:
    """All schemas by name."""
    _, schemas = msgspec.json.schema_components(_ANSWERS, ref_template="#/components/schemas/{name}")
    choices = {
        name: {"description": description, "type": "string", "enum": list(get_args(choice))}
        for name, (choice, description) in _CHOICES.items()
    }
    described = {name: _tidy(definition) for name, definition in schemas.items()} | choices
    described |= {"WatchMessage": _WATCH, "MonitorMessage": _MONITOR}
    for name, limit in msgspec.to_builtins(schema.LIMITS).items():
        described["Limits"]["properties"][name]["default"] = limit
    return {name: described[name] for name in sorted(described)} | _REQUESTS


def _tidy(node: Any) -> Any:
    """The same in fewer words: types of one alternative in one list, objects without members that are not named."""
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    named = node.get("properties", {})
    out = {key: _tidy(value) for key, value in node.items() if key not in ("title", "properties")}
    if named:
        out["properties"] = {name: _tidy(member) for name, member in named.items()}
        out["additionalProperties"] = False
    if out.get("items") is False and "maxItems" in out:  # which says the same, and generators of clients understand it
        del out["items"]
    if name := _NAMES.get(frozenset(out.get("enum", ()))):
        out = {key: value for key, value in out.items() if key != "enum"} | reference(name)
    if "enum" in out:
        out["type"] = "string" if all(isinstance(value, str) for value in out["enum"]) else "integer"
    if all(
        isinstance(alternative, dict) and alternative.keys() == {"type"} for alternative in out.get("anyOf", [None])
    ):
        types = dict.fromkeys(alternative["type"] for alternative in out.pop("anyOf"))
        if "number" in types:
            types.pop("integer", None)
        out["type"] = list(types)
    return out
