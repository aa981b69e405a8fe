"""Writes the TypeScript types of the API from its OpenAPI description: `make types`.

Each schema becomes an interface. Where TypeScript has a better type than JSON (decimal text is `bigint`, ticks are
`Ticks`) there are two, and a function: `Run`, `RunJson`, as it comes, and `readRun`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from tilescope.server.openapi import describe_api

_BASE: Final = Path(__file__).parents[2] / "viewer" / "client" / "src" / "base"
TYPES: Final = _BASE / "schema.ts"
JOB_TYPES: Final = _BASE / "jobs.ts"  # of running jobs and uploads: pages load it when they need it

_HEAD: Final = """\
/**
 * What the server says, as tiler/schema declares it. Written by `make types`: change it there.
 *
 * Names end in Json where JSON has decimal text for integers of 64 bits; the function beside makes integers of them.
 */

import { type Ticks, ticks } from "./time";

/** Any JSON value; integers beyond 2^53 - 1 are decimal text. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
"""

_JOB_HEAD: Final = """\
/** What the server says of running jobs and of uploads, as tiler/schema declares it. Written by `make types`. */
"""

_OF_JOBS: Final = ("AddressOrder", "Capture", "Monitor", "OpenedAddress", "Upload")

# Of requests, or with a better type in TypeScript.
_LEFT_OUT: Final = {"Batch", "PageKey", "Names"}

_LINE: Final = 120

Schema = dict[str, Any]


class Types:
    """The TypeScript of a set of schemas by name."""

    def __init__(self, schemas: dict[str, Schema]) -> None:
        self._schemas = {name: of for name, of in schemas.items() if name not in _LEFT_OUT}
        self._read: set[str] = set()
        while more := {name for name, of in self._schemas.items() if self._changes(of)} - self._read:
            self._read |= more

    def text(self) -> str:
        """The module."""
        return self._module(_HEAD, [name for name in self._schemas if not name.startswith(_OF_JOBS)])

    def job_text(self) -> str:
        """The module of what is about running jobs."""
        return self._module(_JOB_HEAD, [name for name in self._schemas if name.startswith(_OF_JOBS)])

    def _module(self, head: str, names: list[str]) -> str:
        return "\n".join([head, *(self._declaration(name, self._schemas[name]) for name in names)])

    def _defaults(self, name: str, of: Schema) -> str:
        """What a schema with a default for every member says where nobody has told otherwise."""
        members = [f"  {member}: {json.dumps(part['default'])},\n" for member, part in of["properties"].items()]
        comment = f"/** {name} of this version, for those that no server has told. */"
        return f"{comment}\nexport const {name.upper()}: {name} = read{name}({{\n{''.join(members)}}});\n"

    def _declaration(self, name: str, of: Schema) -> str:
        if "properties" not in of:
            return f"{_comment(of)}{_statement(f'export type {name} =', self._json(of))}"
        if name not in self._read:
            return self._interface(name, of)
        members = [self._read_member(member, part, of) for member, part in of["properties"].items()]
        function = (
            f"export function read{name}(json: {name}Json): {name} {{\n  return {{\n{''.join(members)}  }};\n}}\n"
        )
        raw = [self._raw_member(member, part, of) for member, part in of["properties"].items()]
        return "\n".join(
            [
                self._interface(name, of),
                f"/** {name} as JSON has it. */\nexport interface {name}Json {{\n{''.join(raw)}}}\n",
                f"/** {name} of its JSON. */\n{function}",
                *([self._defaults(name, of)] if all("default" in part for part in of["properties"].values()) else []),
            ]
        )

    def _interface(self, name: str, of: Schema) -> str:
        lines = []
        for member, part in of["properties"].items():
            may_be_left_out = " | undefined" * (member not in of["required"])
            lines += [
                _comment(part, "  "),
                _statement(f"  readonly {_name(member, part)}:", self._type(part) + may_be_left_out),
            ]
        return f"{_comment(of)}export interface {name} {{\n{''.join(lines)}}}\n"

    def _raw_member(self, member: str, part: Schema, of: Schema) -> str:
        return _statement(f"  readonly {member}{'?' * (member not in of['required'])}:", self._json(part))

    def _read_member(self, member: str, part: Schema, of: Schema) -> str:
        json = f"json.{member}"
        value = self._reading(part, json)
        if member not in of["required"] and value != json:
            is_null = f"{json} === null ? null : "
            if value.startswith(is_null):
                value = f"{json} == null ? {json} : {value.removeprefix(is_null)}"  # shorter: all pages load it
            else:
                value = f"{json} === undefined ? undefined : {value}"
        return f"    {_name(member, part)}: {value},\n"

    def _json(self, of: Schema) -> str:
        """The type of a value as JSON has it."""
        return self._type(of, as_json=True)

    def _type(self, of: Schema, *, as_json: bool = False) -> str:
        if "$ref" in of:
            name = of["$ref"].rpartition("/")[2]
            return f"{name}Json" if as_json and name in self._read else str(name)
        if "enum" in of:
            return " | ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in of["enum"])
        if alternatives := of.get("anyOf") or of.get("oneOf"):
            return " | ".join(self._type(one, as_json=as_json) for one in alternatives)
        if _is_decimal(of) and not as_json:
            return "Ticks" if _is_ticks(of) else "bigint"
        match of.get("type"):
            case "object":
                return f"Readonly<Record<string, {self._type(of['additionalProperties'], as_json=as_json)}>>"
            case "array" if "prefixItems" in of:
                return f"readonly [{', '.join(self._type(one, as_json=as_json) for one in of['prefixItems'])}]"
            case "array":
                item = self._type(of["items"], as_json=as_json)
                return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
            case str() | list() as kinds:
                return " | ".join(_KINDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds))
        return "JsonValue"

    def _changes(self, of: Schema) -> bool:
        """Whether something in it has a better type than JSON has."""
        if "$ref" in of:
            return of["$ref"].rpartition("/")[2] in self._read
        parts = [*of.get("properties", {}).values(), *of.get("anyOf", ())]
        parts += [part for part in (of.get("items"), of.get("additionalProperties")) if isinstance(part, dict)]
        renamed = any(_name(name, part) != name for name, part in of.get("properties", {}).items())
        return _is_decimal(of) or renamed or any(map(self._changes, parts))

    def _reading(self, of: Schema, value: str) -> str:
        """The expression that makes a value from what JSON has."""
        if not self._changes(of):
            return value
        if "$ref" in of:
            return f"read{of['$ref'].rpartition('/')[2]}({value})"
        if "anyOf" in of:
            one, none = of["anyOf"]
            assert none == {"type": "null"}, of
            return f"{value} === null ? null : {self._reading(one, value)}"
        if of["type"] == "array":
            return f"{value}.map({self._function(of['items'])})"
        if of["type"] == "object":
            function = self._function(of["additionalProperties"])
            return f"Object.fromEntries(Object.entries({value}).map(([name, value]) => [name, {function}(value)]))"
        return f"{'ticks' if _is_ticks(of) else 'BigInt'}({value})"

    def _function(self, of: Schema) -> str:
        return self._reading(of, "").removesuffix("()")


_KINDS: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


def _statement(start: str, of: str) -> str:
    """A declaration on one line, or an alternative on each."""
    line = f"{start} {of};\n"
    if len(line) <= _LINE:
        return line
    indent = "\n" + " " * (len(start) - len(start.lstrip()) + 2) + "| "
    return f"{start}{indent}{of.replace(' | ', indent)};\n"


def _is_decimal(of: Schema) -> bool:
    return of.get("format") in ("int64", "decimal")


def _alternatives(of: Schema) -> list[Schema]:
    return [*of.get("anyOf", ()), *([of["items"]] if isinstance(of.get("items"), dict) else [])]


def _is_ticks(of: Schema) -> bool:
    return of.get("x-unit") == "ticks" or any(map(_is_ticks, _alternatives(of)))


def _name(member: str, of: Schema) -> str:
    """In TypeScript's spelling; of times, with the unit."""
    name = re.sub("_([a-z])", lambda match: match[1].upper(), member)
    return f"{name}Ticks" if _is_ticks(of) else name


def _comment(of: Schema, indent: str = "") -> str:
    text = of.get("description")
    if not text:
        return ""
    line = f"{indent}/** {text} */\n"
    if len(line) <= _LINE:
        return line
    return f"{indent}/**\n{indent} * {text}\n{indent} */\n"


def described_types() -> Types:
    """Those of the API."""
    return Types(describe_api()["components"]["schemas"])


if __name__ == "__main__":
    TYPES.write_text(described_types().text())
    JOB_TYPES.write_text(described_types().job_text())
