"""The operations of the tools, made of their registrations, as OpenAPI path items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tilescope.server.openapi.schemas import BYTES, TEXT, reference
from tilescope.server.paths import BUILD
from tilescope.server.services.tools import ARROW
from tilescope.tiler.tools import Parameter, Question, parameters, tools

_TABLE: Final = {
    "name": "table",
    "in": "query",
    "required": False,
    "description": "This table alone. An Arrow stream holds one table, and needs it where there are several.",
    "schema": TEXT,
}

_REFUSED: Final = {
    "406": (
        "`not_acceptable`: this server writes no Arrow; or the answer has more than 32 MiB, and `Accept-Encoding` does "
        "not take gzip."
    ),
    "422": "`not_available`: the run has no answer; the message says what to record to get one.",
}


def with_tools(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Path → operations: the list, and one for each tool. `make` makes one of (summary, schema)."""
    items = {f"{BUILD}/tools": {"get": make("The tools, and which of them have an answer for this run", "ToolList")}}
    for tool in tools().values():
        operation = make(f"{tool.title}: {tool.help}", "ToolAnswer")
        operation["parameters"] = [*operation["parameters"], *query_parameters(tool.question), _TABLE]
        answer = operation["responses"]["200"]
        answer["content"] = {**answer["content"], ARROW: {"schema": BYTES}}
        for status, description in _REFUSED.items():
            content = {"application/json": {"schema": reference("ErrorAnswer")}}
            operation["responses"][status] = {"description": description, "content": content}
        items[f"{BUILD}/tools/{tool.id}"] = {"get": operation}
    items[f"{BUILD}/bins"] = {"get": dict(items[f"{BUILD}/tools/bins"]["get"])}
    return items


def query_parameters(question: type[Question]) -> list[dict[str, Any]]:
    """The fields of a question as parameters of a URL."""
    return [_parameter(parameter) for parameter in parameters(question)]


def _parameter(parameter: Parameter) -> dict[str, Any]:
    schema = parameter.schema if parameter.default is None else {**parameter.schema, "default": parameter.default}
    return {
        "name": parameter.name,
        "in": "query",
        "required": parameter.is_required,
        "description": parameter.help,
        "schema": schema,
    }
