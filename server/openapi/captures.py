"""The operations on captures, as OpenAPI path items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilescope.server.openapi.headers import headers
from tilescope.server.openapi.schemas import reference
from tilescope.server.paths import API


def capture_items(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """`make` makes an operation of (summary, answers, errors, parameters, notes)."""

    def answer(description: str, type_name: str) -> dict[str, Any]:
        content = {"application/json": {"schema": reference(type_name)}}
        return {"description": description, "headers": headers("Cache-Control"), "content": content}

    there = {"200": answer("What can be captured, and what was.", "CaptureRoom")}
    begun = {"202": answer("It has begun.", "Capture")}
    state = {"200": answer("The capture as it is now.", "Capture")}
    capture_parameter = ("capture",)
    begin = make(
        "Begin a capture",
        begun,
        (400, 403, 408, 409, 413, 422, 500),
        (),
        "For the pages of this server and for programs. 403 as well for an address that is not allowed, 409 while a "
        "capture runs there or too many are running, 422 where there is no place for captures.",
    )
    begin["requestBody"] = {"required": True, "content": {"application/json": {"schema": reference("CaptureOrder")}}}
    watch = make(
        "How far a capture is",
        {"101": {"description": "A WebSocket with text messages, each a `Capture`, the last one when it is over."}},
        (400, 403, 404, 500),
        capture_parameter,
        "",
    )
    monitor = make(
        "How a job does",
        {"101": {"description": "A WebSocket with text messages, each a `MonitorMessage`, about one in a second."}},
        (400, 403, 500),
        ("host",),
        "",
    )
    operations = {
        f"{API}/captures": {
            "get": make("What can be captured, and what was", there, (403, 500), (), "") | _named("listCaptures"),
            "post": begin | _named("beginCapture"),
        },
        f"{API}/captures/{{capture}}": {
            "get": make("How far a capture is, or what came of it", state, (403, 404, 500), capture_parameter, "")
            | _named("getCapture"),
            "delete": make("End a capture early, and keep what it has", state, (403, 404, 500), capture_parameter, "")
            | _named("stopCapture"),
        },
        f"{API}/captures/{{capture}}/watch": {"get": watch | _named("watchCapture")},
        f"{API}/monitor/{{host}}": {"get": monitor | _named("monitorJob")},
    }
    return operations


def _named(operation_id: str) -> dict[str, str]:
    return {"operationId": operation_id}
