"""The operations of the tools, made of their registrations, as OpenAPI path items, with the schema of all answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, get_args

from tilescope.server.openapi.schemas import TEXT, Schema, array, choice, nullable, record, reference
from tilescope.server.paths import BUILD
from tilescope.server.services.tools import ARROW
from tilescope.tiler.tools import Kind, Parameter, Question, Severity, parameters, tools

_KIND: Final = choice(*get_args(Kind))

# Exact integers are decimal text, ids and fractions are numbers, what is not recorded is null: by the kind beside it.
_VALUE: Final[Schema] = {"type": ["string", "number", "boolean", "null"]}

_SUMS: Final[Schema] = nullable({"type": "object", "additionalProperties": _VALUE})

SCHEMAS: Final[dict[str, Schema]] = {
    "ToolList": record(
        {
            "tools": array(
                record(
                    {
                        **dict.fromkeys(("id", "title", "help", "group"), TEXT),
                        "available": {"type": "boolean"},
                        "reason": TEXT,
                    }
                )
            )
        }
    ),
    "ToolFact": record({"id": TEXT, "label": TEXT, "kind": _KIND, "value": _VALUE, "note": TEXT}),
    "ToolColumn": record({"id": TEXT, "title": TEXT, "kind": _KIND, "unit": TEXT, "values": array(_VALUE)}),
    "ToolTable": record(
        {
            "id": TEXT,
            "title": TEXT,
            "parent": nullable(TEXT),
            "columns": array(reference("ToolColumn")),
            "totals": _SUMS,
            "rest": _SUMS,
            "more": nullable(TEXT),
        }
    ),
    "ToolSeries": record(
        {
            "id": TEXT,
            "title": TEXT,
            "kind": choice("line", "area", "bars", "heat"),
            "x": reference("ToolColumn"),
            "ys": array(reference("ToolColumn")),
        }
    ),
    "ToolNote": record(
        {
            "severity": choice(*get_args(Severity)),
            "text": TEXT,
            "start": nullable(reference("Decimal")),
            "end": nullable(reference("Decimal")),
            "track": nullable({"type": "integer", "minimum": 0}),
        }
    ),
    "ToolAnswer": record(
        {
            "complete": {"type": "boolean"},
            "facts": array(reference("ToolFact")),
            "tables": array(reference("ToolTable")),
            "series": array(reference("ToolSeries")),
            "notes": array(reference("ToolNote")),
        }
    ),
}

_TABLE: Final = {
    "name": "table",
    "in": "query",
    "required": False,
    "description": "This table alone. An Arrow stream holds one table, and needs it where there are several.",
    "schema": TEXT,
}

_REFUSED: Final = {
    "406": "`not_acceptable`: this server writes no Arrow.",
    "422": "`not_available`: the run has no answer; the message says what to record to get one.",
}


def with_tools(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Path → operations: the list, and one for each tool. `make` makes one of (summary, schema)."""
    items = {f"{BUILD}/tools": {"get": make("The tools, and which of them have an answer for this run", "ToolList")}}
    for tool in tools().values():
        operation = make(f"{tool.title}: {tool.help}", "ToolAnswer")
        operation["parameters"] = [*operation["parameters"], *query_parameters(tool.question), _TABLE]
        answer = operation["responses"]["200"]
        answer["content"] = {**answer["content"], ARROW: {}}
        for status, description in _REFUSED.items():
            content = {"application/json": {"schema": reference("Error")}}
            operation["responses"][status] = {"description": description, "content": content}
        items[f"{BUILD}/tools/{tool.id}"] = {"get": operation}
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
