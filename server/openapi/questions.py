"""The operations that ask questions, as OpenAPI path items, with their schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tilescope.server.openapi.schemas import COUNT, NUMBER, TEXT, Schema, array, nullable, record, reference
from tilescope.server.paths import BUILD
from tilescope.server.services.requests import DEFAULT_ROWS, MAX_EVENTS, MAX_FOUND, MAX_ROWS, MAX_TRACKS_TEXT
from tilescope.tiler.query.find import MAX_TEXT

_TICK: Final[Schema] = {"type": "string", "pattern": "^-?[0-9]{1,19}$"}

_QUERY: Final[dict[str, tuple[str, Schema]]] = {
    "text": ("What the name is to contain, or to be.", {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}),
    "match": (
        "Anywhere in the name, upper and lower case alike; or the whole name.",
        {"type": "string", "enum": ["contains", "exact"], "default": "contains"},
    ),
    "tracks": (
        f"Track numbers and ranges, as in 1,5,8-12, in at most {MAX_TRACKS_TEXT} characters; a rollup stands for its "
        "tracks. All tracks unless given.",
        {
            "type": "string",
            "pattern": "^([0-9]{1,10}(-[0-9]{1,10})?(,[0-9]{1,10}(-[0-9]{1,10})?)*)?$",
        },
    ),
    "start": ("First tick of the span; the run's start unless given.", _TICK),
    "end": ("First tick after the span; without it the span has no end.", _TICK),
    "after": (
        "`after` of the answer before: what follows it.",
        {"type": "string", "pattern": "^[0-9]{1,19},[0-9]{1,19},[0-9]{1,19}$"},
    ),
}

_SUMS: Final = {name: reference("Decimal") for name in ("count", "busy", "self", "longest")}

SCHEMAS: Final[dict[str, Schema]] = {
    "Sums": record(_SUMS),
    "StatsRow": record({"name_id": {"type": "integer"}, "name": TEXT, "category": TEXT, **_SUMS}),
    "Stats": record(
        {
            "start": reference("Decimal"),
            "end": reference("Decimal"),
            "tracks": COUNT,
            "names": COUNT,
            "total": reference("Sums"),
            "rest": nullable(reference("Sums")),
            "rows": array(reference("StatsRow")),
        }
    ),
    "FoundEvent": record(
        {
            "track": COUNT,
            "ordinal": reference("Decimal"),
            "name": TEXT,
            "category": TEXT,
            "start": reference("Decimal"),
            "duration": reference("Decimal"),
            "row": COUNT,
        }
    ),
    "Found": record(
        {
            "names": COUNT,
            "count": reference("Decimal"),
            "tracks": array(record({"track": COUNT, "count": reference("Decimal")})),
            "events": array(reference("FoundEvent")),
            "after": nullable(TEXT),
        }
    ),
    "Events": record(
        {
            "columns": record(
                {
                    "track": array(COUNT),
                    "ordinal": array(reference("Decimal")),
                    "name_id": array({"type": "integer"}),
                    "start": array(reference("Decimal")),
                    "duration": array(reference("Decimal")),
                    "row": array(COUNT),
                    "open": array({"type": "boolean"}),
                    "flags": array(COUNT),
                    "value": array(nullable(NUMBER)),
                }
            ),
            "names": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2},
            },
            "after": nullable(TEXT),
        }
    ),
}


def with_questions(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Path → operations. `make` makes one of (summary, schema), as the other paths have them."""
    of_names = make("What a span is made of, name by name", "Stats")
    of_occurrences = make("Where a name occurs: how often, and the first occurrences in time", "Found")
    of_events = make("The events of a span, as columns", "Events")
    return {
        f"{BUILD}/stats": _with(of_names, _parameters("tracks", "start", "end", limit=MAX_ROWS)),
        f"{BUILD}/find": _with(
            of_occurrences, _parameters("text", "match", "tracks", "start", "end", "after", limit=MAX_FOUND)
        ),
        f"{BUILD}/events": _with(of_events, _parameters("tracks", "start", "end", "after", limit=MAX_EVENTS)),
    }


def _with(operation: dict[str, Any], parameters: list[dict[str, Any]]) -> dict[str, Any]:
    return {"get": operation | {"parameters": [*operation["parameters"], *parameters]}}


def _parameters(*names: str, limit: int) -> list[dict[str, Any]]:
    rows: Schema = {"type": "integer", "minimum": 0, "maximum": limit, "default": DEFAULT_ROWS}
    found = [_parameter(name, *_QUERY[name]) for name in names]
    return [*found, _parameter("limit", "The most rows of the answer.", rows)]


def _parameter(name: str, description: str, schema: Schema) -> dict[str, Any]:
    required = name == "text"
    return {"name": name, "in": "query", "required": required, "description": description, "schema": schema}
