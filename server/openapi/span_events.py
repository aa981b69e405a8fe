"""The operation that lists the events of a span, as an OpenAPI path item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilescope.server.openapi.tools import query_parameters
from tilescope.server.paths import BUILD
from tilescope.server.services.requests import EventsQuestion


def with_events(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Path → operations. `make` makes one of (summary, schema), as the other paths have them."""
    operation = make("The events of a span, as columns", "Events")
    operation["parameters"] = [*operation["parameters"], *query_parameters(EventsQuestion)]
    return {f"{BUILD}/events": {"get": operation}}
