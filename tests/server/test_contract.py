"""What clients are told stands once, in `tiler/schema`: messages of gRPC and the pages of docs/ say the same."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

import tilescope.server
from tilescope.tiler import schema
from tilescope.v1 import tiles_pb2 as pb

API_PAGE = Path(__file__).parents[2] / "docs" / "api.md"

MESSAGES = [
    (schema.Run, pb.Run),
    (schema.Progress, pb.Progress),
    (schema.Manifest, pb.Manifest),
    (schema.NameCounts, pb.NameCounts),
    (schema.StepCounts, pb.StepCounts),
    (schema.Limits, pb.Limits),
    (schema.OverviewGrid, pb.Overview),
    (schema.EventCounts, pb.EventCounts),
    (schema.FlowCounts, pb.FlowCounts),
    (schema.StepCounts, pb.StepCounts),
    (schema.MissingHost, pb.MissingHost),
    (schema.ClockShift, pb.ClockShift),
    (schema.Group, pb.Group),
    (schema.Track, pb.Track),
    (schema.EventDetails, pb.Event),
    (schema.EventFlows, pb.EventFlows),
    (schema.FlowPartner, pb.FlowPartner),
    (schema.Argument, pb.Argument),
    (schema.CallStack, pb.CallStack),
    (schema.Attachment, pb.Attachment),
    (schema.ToolEntry, pb.Tool),
    (schema.RunList, pb.ListRunsResponse),
    (schema.ToolList, pb.ListToolsResponse),
    (schema.WatchBlocks, pb.WatchBlocks),
    (schema.WatchReady, pb.WatchReady),
    (schema.WatchFailed, pb.WatchFailed),
]


@pytest.mark.parametrize(("struct", "message"), MESSAGES, ids=lambda one: one.__name__)
def test_messages_of_grpc_have_the_fields_of_the_schema(struct: type[msgspec.Struct], message: Any) -> None:
    descriptor: Descriptor = message.DESCRIPTOR
    told = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    assert {field.name for field in descriptor.fields} == told.keys()
    for field in descriptor.fields:
        assert _is_integer_of_64_bits(field) == (_format(struct, told[field.name].name) == "int64"), field.name
        if told[field.name].default is msgspec.UNSET or _allows_none(struct, told[field.name].name):
            assert field.has_presence, f"{field.name} has to be optional"


def examples() -> Iterator[tuple[str, Any, type]]:
    """The JSON of docs/api.md under each heading, and what it is an example of."""
    types = {
        "## `GET /runs`": schema.RunList,
        "## `GET /runs/{run}/manifest`": schema.Manifest,
        "## `GET …/tracks`": schema.TrackTree,
        "## `GET …/events/{track}/{ordinal}`": schema.EventDetails,
        "### Tools": schema.ToolAnswer,
        "### Events": schema.Events,
        "## Captures": schema.CaptureOrder,
        "### `GET /captures/{capture}`": schema.Capture,
    }
    text = API_PAGE.read_text()
    for heading, of in types.items():
        section = text.split(f"\n{heading}\n", 1)[1]
        block = re.search(r"```json\n(.*?)```", section, re.DOTALL)
        assert block is not None, heading
        yield heading, json.loads(block[1]), of


@pytest.mark.parametrize(
    ("heading", "example", "of"), list(examples()), ids=lambda one: one if isinstance(one, str) else ""
)
def test_examples_of_the_api_page_are_what_the_schema_says(heading: str, example: Any, of: type) -> None:
    assert json.loads(msgspec.json.encode(msgspec.convert(example, of))) == example


def test_grpc_knows_nothing_of_the_routes_of_http() -> None:
    server = Path(tilescope.server.__file__).parent
    for path in (server / "rpc").glob("*.py"):
        assert not [name for name in _imports(path) if name.startswith("tilescope.server.routes")], path.name


def test_the_schema_knows_nothing_of_those_who_use_it() -> None:
    for path in Path(schema.__file__).parent.glob("*.py"):
        ours = [name for name in _imports(path) if name.startswith("tilescope")]
        assert not [name for name in ours if not name.startswith("tilescope.tiler.schema")], path.name


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_integer_of_64_bits(field: FieldDescriptor) -> bool:
    entry = field.message_type
    if entry is not None and entry.GetOptions().map_entry:
        field = entry.fields_by_name["value"]
    return field.cpp_type in (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)


def _format(struct: type, name: str) -> str | None:
    """The format of a field, or of the values of one that is a map."""
    return _find(msgspec.json.schema(get_type_hints(struct, include_extras=True)[name]), "format")


def _find(node: Any, key: str) -> str | None:
    if isinstance(node, dict):
        if isinstance(node.get(key), str):
            return str(node[key])
        return next((found for name, value in node.items() if name != "$defs" and (found := _find(value, key))), None)
    return next((found for value in node if (found := _find(value, key))), None) if isinstance(node, list) else None


def _allows_none(struct: type, name: str) -> bool:
    hint = get_type_hints(struct)[name]
    return get_origin(hint) in (Union, UnionType) and type(None) in get_args(hint)
