"""The fields of questions as parameters: for the command line, OpenAPI and docs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec
from msgspec import Meta

from tilescope.tiler.tools.question import Question, Tracks, leaves, text_of
from tilescope.tiler.tools.references import MAX_REFERENCE_TEXT, BuildRef, BuildRefs, HostRef
from tilescope.tiler.tools.step_range import PATTERN as STEPS
from tilescope.tiler.tools.step_range import StepRange

Schema = dict[str, Any]
FieldType = Literal["text", "integer", "flag", "choice", "tracks", "steps", "build", "builds", "host"]

_TRACKS: Final = "^([0-9]{1,10}(-[0-9]{1,10})?(,[0-9]{1,10}(-[0-9]{1,10})?)*)?$"
_REFERENCE: Final = {"type": "string", "minLength": 1, "maxLength": MAX_REFERENCE_TEXT}

# Types of fields that msgspec does not know, by what they are and what their values look like in a URL.
_SPECIAL: Final[dict[type[Any], tuple[FieldType, Schema]]] = {
    Tracks: ("tracks", {"type": "string", "pattern": _TRACKS}),
    StepRange: ("steps", {"type": "string", "pattern": STEPS}),
    BuildRef: ("build", {**_REFERENCE, "pattern": "^[^/]+/[^/]+$", "x-names": "build"}),
    BuildRefs: (
        "builds",
        {**_REFERENCE, "pattern": "^[^/,]+/[^/,]+(,[^/,]+/[^/,]+){0,31}$", "x-names": "builds"},
    ),
    HostRef: ("host", {**_REFERENCE, "x-names": "host"}),
}
_FIELD_TYPES: Final[dict[str, FieldType]] = {"string": "text", "integer": "integer", "boolean": "flag"}
_METAVARS: Final[dict[FieldType, str]] = {
    "integer": "N",
    "build": "STORE",
    "builds": "STORES",
    "host": "HOST",
    "tracks": "TRACKS",
    "steps": "A-B",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field: `schema` is that of its value in a URL; `default` None where there is none; `choices` if few."""

    name: str
    type: FieldType
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
    def is_moment(self) -> bool:
        """True if it is a place in time, and not a length, which is never negative."""
        return self.unit == "ticks" and self.schema.get("minimum", 0) < 0

    @property
    def limits(self) -> str:
        """Limits of an integer that has both, but for times: "1 to 9"."""
        low, high = (self.schema.get(name) for name in ("minimum", "maximum"))
        return f"{low:,} to {high:,}" if low is not None and high is not None and self.unit != "ticks" else ""

    @property
    def metavar(self) -> str | None:
        """Placeholder for the value in the help: "TICKS", "N"; None for choices, which are listed."""
        return None if self.choices else self.unit.upper() or _METAVARS.get(self.type, self.name.upper())


def parameters(kind: type[Question]) -> tuple[Parameter, ...]:
    """The fields of a question in their order. Raises TypeError for one of a type that questions do not have."""
    _, components = msgspec.json.schema_components((kind,), schema_hook=_special)
    schemas = components[kind.__name__]["properties"]
    return tuple(_parameter(field, schemas[field.encode_name]) for field in msgspec.structs.fields(kind))


def _parameter(field: msgspec.structs.FieldInfo, schema: Schema) -> Parameter:
    schema = dict(schema)
    help_text = schema.pop("description", "")
    schema.pop("default", None)
    if "anyOf" in schema:
        schema, *others = (dict(alternative) for alternative in schema["anyOf"] if alternative != {"type": "null"})
        schema = {} if others else schema
    type_, choices = _type(field, schema)
    default = None if field.default in (msgspec.NODEFAULT, None) else field.default
    if isinstance(default, Tracks):
        default = text_of(default)
    return Parameter(field.name, type_, help_text, _unit(field.type), schema, default, field.required, choices)


def _type(field: msgspec.structs.FieldInfo, schema: Schema) -> tuple[FieldType, tuple[str, ...]]:
    special = [type_ for kind, (type_, _) in _SPECIAL.items() if kind in leaves(field.type)]
    choices = tuple(schema.get("enum", ()))
    if special:
        return special[0], ()
    if choices and all(isinstance(choice, str) for choice in choices):
        return "choice", choices
    if schema.get("type") not in _FIELD_TYPES:
        raise TypeError(
            f"{field.name}: fields are text, integers, flags, choices of texts, tracks, steps, builds and hosts"
        )
    return _FIELD_TYPES[schema["type"]], ()


def _unit(annotation: Any) -> str:
    """Unit that the `Meta` of a field's type gives, however deep it stands."""
    for part in getattr(annotation, "__metadata__", ()):
        if isinstance(part, Meta) and part.extra and "unit" in part.extra:
            return str(part.extra["unit"])
    inner = (getattr(annotation, "__origin__", None), *getattr(annotation, "__args__", ()))
    return next((unit for inner_type in inner if inner_type is not None and (unit := _unit(inner_type))), "")


def _special(kind: type[Any]) -> Schema:
    if kind not in _SPECIAL:
        raise TypeError(f"a question cannot have a field of type {kind.__name__}")
    return dict(_SPECIAL[kind][1])
