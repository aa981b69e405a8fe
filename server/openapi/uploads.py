"""The operations on uploads and on addresses that are opened, as OpenAPI path items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilescope.server.openapi.headers import headers
from tilescope.server.openapi.schemas import BYTES, reference
from tilescope.server.paths import API


def upload_items(make: Callable[..., dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """`make` makes an operation of (summary, answers, errors, parameters, notes)."""

    def answer(description: str, type_name: str) -> dict[str, Any]:
        content = {"application/json": {"schema": reference(type_name)}}
        return {"description": description, "headers": headers("Cache-Control"), "content": content}

    def body(media: str, schema: dict[str, Any]) -> dict[str, Any]:
        return {"requestBody": {"required": True, "content": {media: {"schema": schema}}}}

    state = {"200": answer("The upload as it is now.", "Upload")}
    upload, file = ("upload",), ("upload", "number", "start")
    begin = make(
        "Begin an upload",
        {"201": answer("It has begun.", "Upload")},
        (400, 403, 404, 408, 413, 429, 500, 507),
        (),
        "For the pages of this server and for programs, where this server opens files. 429 as well where too little "
        "room is left for uploads.",
    )
    piece = make(
        "Send a piece of a file",
        state,
        (400, 403, 404, 408, 409, 413, 500, 507),
        file,
        "At most 8 MiB, as they are, with their length. 409 where other bytes have come than those before `start`, or "
        "another request sends this file.",
    )
    listed = make(
        "List the runs of an upload that is whole, and index them",
        state,
        (400, 403, 404, 409, 422, 500, 507),
        upload,
        "400 or 422 where there is no trace in it: then it is removed. 409 while bytes lack. The request has "
        "`Content-Type: application/json`, and no body.",
    )
    removed = make(
        "Remove an upload, whole or not",
        {"204": {"description": "It is removed.", "headers": headers("Cache-Control")}},
        (403, 404, 409, 500),
        upload,
        "",
    )
    room = make("Whether files are opened here", {"200": answer("The rules.", "UploadRoom")}, (403, 500), (), "")
    address = make(
        "Open an address",
        {"200": answer("Its runs are in the list.", "OpenedAddress")},
        (400, 403, 408, 413, 422, 429, 500, 507),
        (),
        "For the pages of this server and for programs: a trace, an archive or a bucket below the prefixes that the "
        "server was started with. 403 for another address, 400 or 422 where nothing there can be read.",
    )
    path = f"{API}/uploads/{{upload}}"
    return {
        f"{API}/uploads": {
            "get": room | _named("getUploads"),
            "post": begin | body("application/json", reference("UploadOrder")) | _named("beginUpload"),
        },
        f"{API}/addresses": {
            "post": address | body("application/json", reference("AddressOrder")) | _named("openAddress")
        },
        path: {
            "get": make("How far an upload is", state, (403, 404, 500), upload, "") | _named("getUpload"),
            "delete": removed | _named("removeUpload"),
        },
        f"{path}/files/{{number}}/{{start}}": {
            "put": piece | body("application/octet-stream", BYTES) | _named("putPiece")
        },
        f"{path}/runs": {"post": listed | _named("listUpload")},
    }


def _named(operation_id: str) -> dict[str, str]:
    return {"operationId": operation_id}
