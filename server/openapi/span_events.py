"""The operation that lists the events of a span, as an OpenAPI path item, with its schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tilescope.server.openapi.schemas import COUNT, NUMBER, TEXT, Schema, array, nullable, record, reference
from tilescope.server.openapi.tools import query_parameters
from tilescope.server.paths import BUILD
from tilescope.server.services.requests import EventsQuestion

SCHEMAS: Final[dict[str, Schema]] = {
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


def with_events(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Path → operations. `make` makes one of (summary, schema), as the other paths have them."""
    operation = make("The events of a span, as columns", "Events")
    operation["parameters"] = [*operation["parameters"], *query_parameters(EventsQuestion)]
    return {f"{BUILD}/events": {"get": operation}}
