"""Debug annotations of events as values: numbers, texts, lists and objects."""

from __future__ import annotations

import json
from typing import Any, Final

from tilescope.tiler.readers.perfetto.sequence import Sequence, text

_DEEPEST: Final = 50
_SIMPLE: Final = ("bool_value", "uint_value", "int_value", "double_value", "pointer_value")
_DICT, _ARRAY = 1, 2
_ANNOTATION_NAMES: Final = "debug_annotation_names"
_STRING_VALUES: Final = "debug_annotation_string_values"


def arguments(annotations: Any, sequence: Sequence) -> dict[str, object]:
    """Values by name; those of names that were never said are under their numbers."""
    return {_name(annotation, sequence): _value(annotation, sequence, 0) for annotation in annotations}


def _name(annotation: Any, sequence: Sequence) -> str:
    if annotation.name_iid:
        return sequence.name(_ANNOTATION_NAMES, annotation.name_iid) or f"name {annotation.name_iid}"
    return text(annotation.name)


def _value(annotation: Any, sequence: Sequence, depth: int) -> object:
    if depth > _DEEPEST:
        return "…"
    if annotation.dict_entries:
        return {_name(entry, sequence): _value(entry, sequence, depth + 1) for entry in annotation.dict_entries}
    if annotation.array_values:
        return [_value(entry, sequence, depth + 1) for entry in annotation.array_values]
    if annotation.HasField("string_value"):
        return text(annotation.string_value)
    if annotation.HasField("string_value_iid"):
        return sequence.name(_STRING_VALUES, annotation.string_value_iid)
    for kind in _SIMPLE:
        if annotation.HasField(kind):
            value = getattr(annotation, kind)
            return hex(value) if kind == "pointer_value" else _finite(value)
    if annotation.HasField("legacy_json_value"):
        return _json(text(annotation.legacy_json_value))
    return _nested(annotation.nested_value, depth) if annotation.HasField("nested_value") else None


def _nested(value: Any, depth: int) -> object:
    if depth > _DEEPEST:
        return "…"
    if value.nested_type == _DICT:
        pairs = zip(value.dict_keys, value.dict_values, strict=False)
        return {text(key): _nested(inner, depth + 1) for key, inner in pairs}
    if value.nested_type == _ARRAY:
        return [_nested(inner, depth + 1) for inner in value.array_values]
    if value.HasField("string_value"):
        return text(value.string_value)
    for kind in ("int_value", "double_value", "bool_value"):
        if value.HasField(kind):
            return _finite(getattr(value, kind))
    return None


def _finite(value: object) -> object:
    """JSON has no infinities."""
    return str(value) if isinstance(value, float) and value - value != 0 else value


def _json(content: str) -> object:
    try:
        value: object = json.loads(content, parse_constant=str)
    except (ValueError, RecursionError):
        return content
    return value
