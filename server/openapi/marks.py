"""The operations on the marks of a run, as an OpenAPI path item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tilescope.server.openapi.headers import KEPT, headers
from tilescope.server.openapi.schemas import reference

_IF_MATCH: Final = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": "The ETag of the marks that are replaced.",
    "schema": {"type": "string"},
}


def marks_item(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """`make` makes an operation of (summary, answers, errors, parameters, notes)."""
    content = {"application/json": {"schema": reference("KeptMarks")}}
    answer = {"description": "The marks, in ticks of the build.", "headers": headers(*KEPT)}
    kept = {"description": answer["description"], "headers": headers("ETag", "Cache-Control")}
    path = ("run", "build")
    get = make(
        "The marks of a run",
        {"200": {**answer, "content": content}, "304": {"description": "They are as the client has them."}},
        (403, 404, 412, 500),
        path,
        "ETag, no-cache. Other builds of the run have the same marks.",
    )
    put = make(
        "Keep other marks in place of these",
        {"200": {**kept, "content": content}},
        (400, 403, 404, 408, 412, 413, 428, 500, 507),
        path,
        "403 unless the server was started with `--allow-notes`, and where it may not write; 412 when somebody else "
        "was quicker; 428 without `If-Match`.",
    )
    put["operationId"] = "putMarks"
    put["parameters"] = [*put["parameters"], _IF_MATCH]
    put["requestBody"] = {"required": True, "content": {"application/json": {"schema": reference("MarkList")}}}
    return {"get": get, "put": put}
