"""The operations on SQL, as OpenAPI path items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilescope.server.openapi.headers import headers
from tilescope.server.openapi.schemas import reference
from tilescope.server.paths import BUILD


def sql_items(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """`make` makes an operation of (summary, answers, errors, parameters, notes)."""

    def answer(description: str, type_name: str) -> dict[str, Any]:
        content = {"application/json": {"schema": reference(type_name)}}
        return {"200": {"description": description, "headers": headers("Cache-Control"), "content": content}}

    build = ("run", "build")
    rules = answer("The rules.", "SqlRoom")
    room = make("Whether SQL is run here, and about which tables", rules, (403, 404, 500), build, "")
    rows = make(
        "Run one statement of SQL",
        answer("Its rows.", "SqlRows"),
        (400, 403, 404, 408, 409, 413, 429, 500),
        build,
        "For the pages of this server and for programs, where this server runs SQL. 400 for a statement that cannot be "
        "run, takes too long or too much memory; 409 while the run is being indexed; 429 while another statement of "
        "this client runs, or two of others do.",
    )
    body = {"requestBody": {"required": True, "content": {"application/json": {"schema": reference("SqlOrder")}}}}
    return {
        f"{BUILD}/sql": {
            "get": room | {"operationId": "getSql"},
            "post": rows | body | {"operationId": "runSql"},
        },
    }
