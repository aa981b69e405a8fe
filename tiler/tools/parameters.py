"""What a question's fields are to those who show or describe them: command line, OpenAPI, docs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec import Meta

from tilescope.tiler.tools.question import Question, Tracks

Schema = dict[str, Any]

_TRACKS: Final = "^([0-9]{1,10}(-[0-9]{1,10})?(,[0-9]{1,10}(-[0-9]{1,10})?)*)?$"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field: `schema` is that of its value in a URL; `default` None where there is none; `choices` if few."""

    name: str
    help: str
    unit: str
    schema: Schema
    default: Any
    is_required: bool
    choices: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """The option of the command line: "--first-row"."""
        return "--" + self.name.replace("_", "-")

    @property
    def metavar(self) -> str | None:
        """What stands for the value in the help: "TICKS", "N"; None for choices, which are listed."""
        if self.choices:
            return None
        return self.unit.upper() or ("N" if self.schema.get("type") == "integer" else self.name.upper())


def parameters(kind: type[Question]) -> tuple[Parameter, ...]:
    """The fields of a question in their order."""
    _, components = msgspec.json.schema_components((kind,), schema_hook=_special)
    schemas = components[kind.__name__]["properties"]
    return tuple(_parameter(field, schemas[field.encode_name]) for field in msgspec.structs.fields(kind))


def _parameter(field: msgspec.structs.FieldInfo, schema: Schema) -> Parameter:
    schema = dict(schema)
    help_text = schema.pop("description", "")
    schema.pop("default", None)
    if "anyOf" in schema:
        (schema,) = (dict(one) for one in schema["anyOf"] if one != {"type": "null"})
    choices = tuple(schema.get("enum", ()))
    default = None if field.default is msgspec.NODEFAULT else field.default
    return Parameter(field.name, help_text, _unit(field.type), schema, default, field.required, choices)


def _unit(annotation: Any) -> str:
    """Of a field's type: what its `Meta` says, however deep it stands."""
    for part in getattr(annotation, "__metadata__", ()):
        if isinstance(part, Meta) and part.extra and "unit" in part.extra:
            return str(part.extra["unit"])
    inner = (getattr(annotation, "__origin__", None), *getattr(annotation, "__args__", ()))
    return next((unit for one in inner if one is not None and (unit := _unit(one))), "")


def _special(kind: type[Any]) -> Schema:
    if kind is Tracks:
        return {"type": "string", "pattern": _TRACKS}
    raise TypeError(f"questions have no fields of type {kind.__name__}")
