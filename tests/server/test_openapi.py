"""The description against the routes, both ways, and against real answers."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import pytest
from aiohttp import web
from jsonschema import Draft202012Validator

from tests.server.conftest import Client, Site
from tilescope.server.app import make_app
from tilescope.server.openapi import describe_api

DOCUMENT = describe_api()
VIEWER_ROUTE = ("GET", "/{path}")
BUILD = "/api/v1/runs/{run}/builds/{build}"
TOOL = BUILD + "/tools/{tool}"  # described once for each tool
PARAMETERS = {
    "capture": "nothing",
    "host": "localhost:1",
    "run": "run1",
    "build": "b1",
    "page": "0",
    "block": "0",
    "level": "1",
    "index": "2",
    "slot": "0",
    "track": "0",
    "ordinal": "3",
    "attachment": "0",
    "upload": "nothing",
    "number": "0",
    "start": "0",
}


def operations() -> set[tuple[str, str]]:
    return {(method.upper(), path) for path, item in DOCUMENT["paths"].items() for method in item}


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def test_every_route_is_described_and_every_description_has_a_route(site: Site) -> None:
    routes = {
        (route.method, route.resource.canonical)
        for route in make_app(site.registry()).router.routes()
        if isinstance(route.resource, web.Resource) and route.method != "HEAD"
    }
    described = {(method, TOOL if path.startswith(f"{BUILD}/tools/") else path) for method, path in operations()}
    assert routes - {VIEWER_ROUTE} == described


def test_the_parameters_of_an_operation_are_those_of_its_path() -> None:
    for path, item in DOCUMENT["paths"].items():
        for operation in item.values():
            names = [parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "path"]
            assert [part[1:-1] for part in path.split("/") if part.startswith("{")] == names, path


def test_every_operation_has_a_name_of_its_own_that_programs_can_use() -> None:
    names = [operation["operationId"] for item in DOCUMENT["paths"].values() for operation in item.values()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z][A-Za-z0-9]*", name) for name in names), names
    assert {"listRuns", "getManifest", "getPage", "askStats", "streamPages"} <= set(names)


def test_every_answer_with_a_body_has_a_schema_bytes_included() -> None:
    for path, item in DOCUMENT["paths"].items():
        for operation in item.values():
            for status, answer in operation["responses"].items():
                for media, content in answer.get("content", {}).items():
                    is_binary = content["schema"] == {"type": "string", "format": "binary"}
                    assert is_binary == (media not in ("application/json", "text/plain")), (path, status, media)


@pytest.mark.parametrize(("method", "path"), sorted(operations()))
async def test_headers_of_real_answers_are_described(client: Client, method: str, path: str) -> None:
    operation = DOCUMENT["paths"][path][method.lower()]
    body = {"pages": [[0, 1, 2, 0]]} if "requestBody" in operation else None
    answer = await client.request(method, path.format_map(PARAMETERS), headers={"Accept-Encoding": "gzip"}, json=body)
    described = operation["responses"][str(answer.status)].get("headers", {})
    named = ("ETag", "Accept-Ranges", "Content-Disposition", "Content-Encoding", "Retry-After", "Vary")
    ours = {name for name in named if name in answer.headers}
    assert ours - {"Retry-After"} == described.keys() - {"Cache-Control"}


def test_schemas_are_schemas_and_references_lead_somewhere() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)

    def references(node: object) -> set[str]:
        if isinstance(node, dict):
            own = {node["$ref"]} if "$ref" in node else set()
            return own.union(*(references(value) for value in node.values()))
        return set().union(*(references(value) for value in node)) if isinstance(node, list | tuple) else set()

    there_are = {
        f"#/components/{kind}/{name}" for kind in ("schemas", "headers") for name in DOCUMENT["components"][kind]
    }
    assert references(DOCUMENT) <= there_are


@pytest.mark.parametrize(("method", "path"), sorted(operations() - {("GET", f"{BUILD}/stream")}))
async def test_real_answers_fit_their_schemas(client: Client, method: str, path: str) -> None:
    operation = DOCUMENT["paths"][path][method.lower()]
    body = {"pages": [[0, 1, 2, 0]]} if "requestBody" in operation else None
    answer = await client.request(method, path.format_map(PARAMETERS), headers={"Accept-Encoding": "gzip"}, json=body)
    described = operation["responses"][str(answer.status)]["content"]
    assert answer.content_type in described
    if answer.content_type == "application/json":
        validator(described["application/json"]["schema"]).validate(await decoded(answer))


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/runs/nobody/manifest", 404),
        ("/api/v1/runs/run0/manifest", 409),
        ("/api/v1/runs/run1/builds/b0/tracks", 404),
        ("/api/v1/runs/run1/builds/b1/pages/0/31/0/0", 500),
        ("/api/v1/runs/run1/builds/b1/stream", 400),
        ("/api/v1/runs/run1/builds/b1/batch", 405),
    ],
)
async def test_errors_fit_the_schema_of_errors(client: Client, path: str, status: int) -> None:
    answer = await client.get(path)
    assert answer.status == status
    validator(DOCUMENT["components"]["schemas"]["ErrorAnswer"]).validate(await answer.json())


def test_every_operation_but_the_health_may_demand_a_token() -> None:
    for path, item in DOCUMENT["paths"].items():
        for operation in item.values():
            assert ("401" in operation["responses"]) == (operation.get("security") != []) == (path != "/healthz"), path


def test_a_schema_can_fail() -> None:
    assert not validator(DOCUMENT["components"]["schemas"]["RunList"]).is_valid({"runs": [{"id": "x"}]})


async def decoded(answer: Any) -> Any:
    """The JSON of an answer of a client that does not decompress by itself."""
    body = await answer.read()
    return json.loads(gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body)
