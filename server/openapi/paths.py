"""Every operation of the API, as OpenAPI path items."""

from __future__ import annotations

import re
from typing import Any, Final

from tilescope.server.http.batch import CONTENT_TYPE as BATCH_TYPE
from tilescope.server.openapi.captures import capture_items
from tilescope.server.openapi.headers import KEPT, headers
from tilescope.server.openapi.marks import marks_item
from tilescope.server.openapi.schemas import BYTES, TEXT, Schema, reference
from tilescope.server.openapi.span_events import with_events, with_export
from tilescope.server.openapi.sql import sql_items
from tilescope.server.openapi.tools import with_tools
from tilescope.server.openapi.uploads import upload_items
from tilescope.server.paths import API, BUILD, RUN

PathItem = dict[str, Any]

_CACHE_FOR_EVER = (
    "Immutable: strong ETag, `Cache-Control: public, max-age=31536000, immutable`; `no-store` while it is being built."
)
_AS_STORED = "Sent as it was stored, as one gzip member, where `Accept-Encoding` takes gzip; else inflated."

_PARAMETERS: Final[dict[str, tuple[str, Schema]]] = {
    "capture": ("Id of a capture, from its beginning or from the list.", {"type": "string"}),
    "host": ("`HOST:PORT` of a profiler server, or the name of a target.", {"type": "string"}),
    "upload": ("Id of an upload, from its beginning.", {"type": "string"}),
    "number": ("Number of a file of the upload, from 0.", {"type": "integer", "minimum": 0}),
    "start": ("Bytes of the file that have come.", {"type": "integer", "minimum": 0}),
    "run": ("Id of a run, from the list of runs.", {"type": "string"}),
    "build": ("Build id, from the manifest.", {"type": "string"}),
    "page": ("Name id divided by the page size.", {"type": "integer", "minimum": 0}),
    "block": ("Track number divided by 32.", {"type": "integer", "minimum": 0}),
    "level": ("Bins are 4**level ticks wide.", {"type": "integer", "minimum": 0}),
    "index": ("Index of the page's first tile.", {"type": "integer", "minimum": 0}),
    "slot": ("Track within the block, of the page's first tile.", {"type": "integer", "minimum": 0, "maximum": 31}),
    "track": ("Track number.", {"type": "integer", "minimum": 0}),
    "attachment": ("Id of an attachment, from the list.", {"type": "integer", "minimum": 0}),
    "ordinal": ("Rank of the event on its track.", {"type": "integer", "minimum": 0}),
}

_ERRORS: Final[dict[int, str]] = {
    400: "`bad_request`: the request makes no sense, or a WebSocket was expected.",
    401: "`unauthorized`: the server demands a token that the request does not have.",
    403: "`forbidden`: the Host or Origin header names another site, or the server may not write this.",
    404: (
        "`not_found`; below a build also `unknown_build`: fetch the manifest again, "
        "or, while it is being built, `not_built_yet`."
    ),
    406: "`not_acceptable`: it has more than 32 MiB, and `Accept-Encoding` does not take gzip.",
    408: "`too_slow`: the body does not come.",
    409: "`not_indexed`: there is no index yet; `busy`: what the request needs is in use.",
    412: "`precondition_failed`: the resource is not what `If-Match` names.",
    413: "`too_large`: the body has more than 256 KiB, or more than may be of a piece of a file.",
    422: "`bad_trace`: indexing failed; `not_available`: this is not to be had here. The message says why.",
    428: "`precondition_required`: `If-Match` must say which version is replaced.",
    429: (
        "`too_many`: more connections, or questions at once, than a client may have: "
        "ask again after `Retry-After` seconds."
    ),
    500: "`bad_store` or `internal`: the server failed; `question_failed`: ask again; `tool_failed`: a tool is broken.",
    507: "`disk_full`: there is no room on the server's disk for the index, or for what was sent.",
}

# Of answers with an ETag.
_CONDITIONAL: Final[dict[str, Any]] = {
    "206": {"description": "The bytes that `Range` asks for.", "headers": headers(*KEPT, "Content-Range")},
    "304": {"description": "The client's copy is good.", "headers": headers(*KEPT)},
    "416": {"description": "There are no bytes in this `Range`.", "headers": headers("Content-Range")},
}

# Of errors.
_ERROR_HEADERS: Final = {401: headers("WWW-Authenticate"), 429: headers("Retry-After")}

# What programs call the operations; those of tools are `ask` and the tool's id.
_OPERATIONS: Final = {
    "/healthz": "getHealth",
    "/metrics": "getMetrics",
    f"{API}/openapi.json": "getDescription",
    f"{API}/runs": "listRuns",
    f"{RUN}/index": "indexRun",
    f"{RUN}/manifest": "getManifest",
    f"{RUN}/watch": "watchRun",
    f"{BUILD}/tracks": "getTracks",
    f"{BUILD}/names/{{page}}": "getNames",
    f"{BUILD}/shapes/{{block}}": "getShape",
    f"{BUILD}/pages/{{block}}/{{level}}/{{index}}/{{slot}}": "getPage",
    f"{BUILD}/residuals/{{block}}/{{level}}/{{index}}/{{slot}}": "getResidual",
    f"{BUILD}/batch": "getPages",
    f"{BUILD}/stream": "streamPages",
    f"{BUILD}/overview/{{page}}": "getOverview",
    f"{BUILD}/attachments": "listAttachments",
    f"{BUILD}/attachments/{{attachment}}": "getAttachment",
    f"{BUILD}/marks": "getMarks",
    f"{BUILD}/flows/{{track}}/{{level}}/{{index}}": "getFlowTiles",
    f"{BUILD}/events": "listEvents",
    f"{BUILD}/export": "exportEvents",
    f"{BUILD}/events/{{track}}/{{ordinal}}": "getEvent",
    f"{BUILD}/bins": "getBins",
    f"{BUILD}/tools": "listTools",
}


def path_items() -> dict[str, PathItem]:
    """Path → operations. The keys are the canonical forms of the registered routes."""
    items = _path_items()
    for path, item in items.items():
        for method, operation in item.items():
            item[method] = (
                operation if "operationId" in operation else {"operationId": _operation_id(path), **operation}
            )
    return items


def _operation_id(path: str) -> str:
    tool = path.removeprefix(f"{BUILD}/tools/")
    return _OPERATIONS[path] if tool == path else "ask" + "".join(map(str.capitalize, re.split("[-_]", tool)))


def _path_items() -> dict[str, PathItem]:
    return {
        "/healthz": {"get": _health()},
        "/metrics": {"get": _metrics()},
        f"{API}/openapi.json": {"get": _json("This description", None, (403,), notes="ETag, no-cache.")},
        f"{API}/runs": {
            "get": _json("The runs that are offered, newest first", "RunList", (403, 500), notes="ETag, no-cache.")
        },
        **capture_items(_operation),
        **upload_items(_operation),
        **sql_items(_operation),
        f"{RUN}/index": {"post": _index()},
        f"{RUN}/manifest": {
            "get": _json("What a run holds", "Manifest", (403, 404, 409, 422, 500, 507), "run", notes="ETag, no-cache.")
        },
        f"{BUILD}/tracks": {"get": _stored("The track tree", "TrackTree")},
        f"{BUILD}/names/{{page}}": {"get": _stored("One page of names, by name id", "Names", "page")},
        f"{BUILD}/shapes/{{block}}": {"get": _stored("The shape record of a block of 32 tracks", None, "block")},
        f"{BUILD}/pages/{{block}}/{{level}}/{{index}}/{{slot}}": {
            "get": _stored("One page of tiles", None, "block", "level", "index", "slot")
        },
        f"{BUILD}/residuals/{{block}}/{{level}}/{{index}}/{{slot}}": {
            "get": _stored("What was rounded off the bins of a page", None, "block", "level", "index", "slot")
        },
        f"{BUILD}/events/{{track}}/{{ordinal}}": {
            "get": _json(
                "One event with all its arguments",
                "EventDetails",
                (403, 404, 500),
                *("run", "build", "track", "ordinal"),
                notes=_CACHE_FOR_EVER,
            )
        },
        **with_events(_question),
        **with_export(_export),
        **with_tools(_question),
        f"{BUILD}/overview/{{page}}": {"get": _stored("One page of the overview: bins of all tracks", None, "page")},
        f"{BUILD}/flows/{{track}}/{{level}}/{{index}}": {
            "get": _stored("The chunk of flow tiles that has this one", None, "track", "level", "index")
        },
        f"{BUILD}/attachments": {"get": _stored("What the trace holds beside its events", "AttachmentList")},
        f"{BUILD}/attachments/{{attachment}}": {"get": _attachment()},
        f"{BUILD}/marks": marks_item(_operation),
        f"{BUILD}/batch": {"post": _batch()},
        f"{BUILD}/stream": {"get": _stream()},
        f"{RUN}/watch": {"get": _watch()},
    }


def _json(summary: str, schema: str | None, errors: tuple[int, ...], *parameters: str, notes: str = "") -> PathItem:
    content = {"application/json": {"schema": reference(schema) if schema else {"type": "object"}}}
    answers: dict[str, Any] = {"200": {"description": summary, "content": content}}
    if notes:  # it has an ETag
        answers["200"]["headers"] = headers(*KEPT)
        answers |= _CONDITIONAL
        errors = (*errors, 412)
    return _operation(summary, answers, errors, parameters, notes)


def _stored(summary: str, schema: str | None, *parameters: str) -> PathItem:
    media = "application/json" if schema else "application/octet-stream"
    content = {media: {"schema": reference(schema) if schema else BYTES}}
    answers = {
        "200": {"description": summary, "headers": headers(*KEPT, "Content-Encoding", "Vary"), "content": content},
        **_CONDITIONAL,
    }
    notes = f"{_AS_STORED} {_CACHE_FOR_EVER}"
    return _operation(summary, answers, (403, 404, 406, 412, 500), ("run", "build", *parameters), notes)


def _attachment() -> PathItem:
    content = {media: {"schema": BYTES} for media in ("application/octet-stream", "application/x-protobuf")}
    content["application/json"] = {"schema": {"description": "As it stands in the trace."}}
    answers = {"200": {"description": "The content.", "headers": headers(*KEPT), "content": content}, **_CONDITIONAL}
    notes = f"The media type is that of the list. Not compressed. {_CACHE_FOR_EVER}"
    parameters = ("run", "build", "attachment")
    return _operation("The content of an attachment", answers, (403, 404, 412, 500), parameters, notes)


def _question(summary: str, schema: str) -> PathItem:
    notes = f"gzip where `Accept-Encoding` takes it. {_CACHE_FOR_EVER}"
    operation = _json(summary, schema, (400, 403, 404, 406, 429, 500), "run", "build", notes=notes)
    operation["responses"]["200"]["headers"] |= headers("Content-Encoding", "Vary")
    return operation


def _export(summary: str, answers: dict[str, Any], notes: str) -> PathItem:
    return _operation(summary, answers, (400, 403, 404, 429, 500), ("run", "build"), notes)


def _index() -> PathItem:
    content = {"application/json": {"schema": reference("Run")}}
    answers = {
        "200": {
            "description": "It is indexed already; hosts that it lacked were looked for again.",
            "content": content,
        },
        "202": {"description": "It is queued before all others, or being indexed.", "content": content},
    }
    return _operation(
        "Index a run, or try again after a failure, or to open hosts that it lacks",
        answers,
        (403, 404, 422),
        ("run",),
        "",
    )


def _health() -> PathItem:
    answer = {"description": "It is.", "content": {"application/json": {"schema": reference("Health")}}}
    return {"summary": "Whether the server is alive", "responses": {"200": answer}, "security": []}


def _metrics() -> PathItem:
    answers = {"200": {"description": "The text format of Prometheus.", "content": {"text/plain": {"schema": TEXT}}}}
    return _operation("What the server has counted", answers, (403,), (), "")


def _batch() -> PathItem:
    answers = {"200": {"description": "Frames, in the order of the list.", "content": {BATCH_TYPE: {"schema": BYTES}}}}
    notes = "The frames are described in docs/api.md, section “Batches”."
    operation = _operation(
        "Many pages in the order of a list", answers, (400, 403, 404, 408, 413, 422, 500), ("run", "build"), notes
    )
    body = {"required": True, "content": {"application/json": {"schema": reference("Batch")}}}
    return operation | {"requestBody": body}


def _stream() -> PathItem:
    answers = {"101": {"description": "A WebSocket with binary messages: want-lists and credit in, pages out."}}
    notes = "The messages are described in docs/api.md, section “The stream”."
    return _operation("The stream of pages", answers, (400, 403, 404, 500), ("run", "build"), notes)


def _watch() -> PathItem:
    answers = {"101": {"description": "A WebSocket with text messages: progress and blocks out, wanted blocks in."}}
    notes = "The messages are described in docs/api.md, section “The watch”."
    return _operation("How far a run is", answers, (400, 403, 404, 500), ("run",), notes)


def _operation(
    summary: str, answers: dict[str, Any], errors: tuple[int, ...], parameters: tuple[str, ...], notes: str
) -> PathItem:
    failures = {
        str(status): {
            "description": _ERRORS[status],
            **({"headers": _ERROR_HEADERS[status]} if status in _ERROR_HEADERS else {}),
            "content": {"application/json": {"schema": reference("ErrorAnswer")}},
        }
        for status in (*errors, 401)
    }
    operation: PathItem = {"summary": summary, "responses": {**answers, **failures}}
    if notes:
        operation["description"] = notes
    if parameters:
        operation["parameters"] = [_parameter(name) for name in parameters]
    return operation


def _parameter(name: str) -> dict[str, Any]:
    description, schema = _PARAMETERS[name]
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}
