"""The operations that list or export the events of a span, as OpenAPI path items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilescope.server.openapi.headers import headers
from tilescope.server.openapi.tools import query_parameters
from tilescope.server.paths import BUILD
from tilescope.server.services.requests import EventsQuestion
from tilescope.tiler.export import ExportQuestion


def with_events(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Path → operations. `make` makes one of (summary, schema), as the other paths have them."""
    operation = make("The events of a span, as columns", "Events")
    operation["parameters"] = [*operation["parameters"], *query_parameters(EventsQuestion)]
    return {f"{BUILD}/events": {"get": operation}}


def with_export(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The same for what exports them. `make` makes an operation of (summary, answers, errors, parameters, notes)."""
    answer = {
        "description": "Trace-event JSON, as Perfetto and chrome://tracing read it.",
        "headers": headers("Cache-Control", "Content-Encoding", "Vary", "Content-Disposition"),
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
    notes = "gzip where `Accept-Encoding` takes it. Events that overlap the span are there whole, with their arguments."
    operation = make("The events of a span, as a file for other viewers", {"200": answer}, notes)
    operation["parameters"] = [*operation["parameters"], *query_parameters(ExportQuestion)]
    return {f"{BUILD}/export": {"get": operation}}
