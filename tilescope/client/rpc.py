"""A tile server over gRPC."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import parse_qs, urlsplit

# Programs that start others beside a client get no warnings from it.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc
from google.protobuf import json_format, struct_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tilescope.client.arrow_tables import ArrowIfPossible
from tilescope.client.errors import Refused, Unreachable, refusal
from tilescope.client.retries import wait_s
from tilescope.client.source import NO_SQL_THERE, Build, Value, key_lists, ref_of
from tilescope.tiler.errors import TilescopeError, UsageError
from tilescope.tiler.pages import PageKey, record_title
from tilescope.tiler.schema import LIMITS, Group, Track, without_absent
from tilescope.tiler.tools import Answer, Table
from tilescope.tiler.tools.answer_json import decode
from tilescope.v1 import tiles_pb2 as pb

if TYPE_CHECKING:
    from tilescope.tiler.sql import SqlAnswer

CODE_METADATA: Final = "tilescope-code"

_OPTIONS: Final = (("grpc.max_receive_message_length", -1),)  # track trees of large runs
_INT64: Final = frozenset({FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64})

T = TypeVar("T")


class GrpcSource:
    """A server by its address: `grpc://host:port`, or `grpcs://host:port` with TLS.

    `ca_file` has the certificates to trust for a server with TLS; by default those that come with gRPC.
    """

    def __init__(self, url: str, *, token: str | None = None, ca_file: str | None = None) -> None:
        parts = urlsplit(url)
        self._address = parts.netloc
        self._credentials: Any = None
        if parts.scheme == "grpcs":
            self._credentials = grpc.ssl_channel_credentials(None if ca_file is None else Path(ca_file).read_bytes())
        token = token or parse_qs(parts.query).get("token", [None])[0]
        self._metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self._channel: Any = None
        self._arrow = ArrowIfPossible()
        self._page_keys = LIMITS.page_keys  # in one want-list, unless the server says otherwise

    @property
    def place(self) -> str:
        return self._address

    async def runs(self) -> list[dict[str, Any]]:
        answer = await self._answer(self._tiles.ListRuns, pb.ListRunsRequest())
        return [to_json(run) for run in answer.runs]

    async def index(self, run: str) -> dict[str, Any]:
        return to_json(await self._answer(self._tiles.Index, pb.IndexRequest(run=run)))

    async def watch(self, run: str) -> AsyncGenerator[dict[str, Any], None]:
        call = self._tiles.Watch(pb.WatchRequest(run=run), metadata=self._metadata)
        try:
            async for response in call:
                kind = response.WhichOneof("update")
                update = to_json(getattr(response, kind))
                yield {"type": kind, **update.pop("progress", {}), **update}
        except grpc.aio.AioRpcError as error:
            raise self._refusal(error) from None
        finally:
            call.cancel()

    async def manifest(self, run: str) -> dict[str, Any]:
        manifest = to_json((await self._open(run)).manifest)
        self._page_keys = manifest["limits"]["page_keys"]
        return manifest

    async def tracks(self, build: Build) -> dict[str, Any]:
        opened = await self._open(build.run)
        if opened.manifest.build != build.id:
            raise Refused("unknown_build", f"there is no build {build.id} any more: fetch the manifest again")
        return {
            "groups": [without_absent(Group, to_json(group)) for group in opened.groups],
            "tracks": [without_absent(Track, to_json(track)) for track in opened.tracks],
        }

    async def names(self, build: Build, page: int) -> list[list[str]]:
        request = pb.NamesRequest(run=build.run, build=build.id, page=page)
        answer = await self._answer(self._tiles.Names, request)
        return [[name.name, name.category] for name in answer.names]

    async def shape(self, build: Build, block: int) -> bytes:
        request = pb.ShapeRequest(run=build.run, build=build.id, block=block)
        answer = await self._answer(self._tiles.Shape, request)
        return bytes(answer.record)

    async def pages(self, build: Build, keys: Sequence[PageKey]) -> AsyncIterator[tuple[PageKey, bytes]]:
        if not keys:
            return
        call = self._tiles.Pages(metadata=self._metadata)
        try:
            await call.write(pb.PagesRequest(start=pb.PagesStart(run=build.run, build=build.id)))
            for number, batch in enumerate(key_lists(keys, self._page_keys), 1):
                wanted = [pb.PageKey(**key._asdict()) for key in batch]
                await call.write(pb.PagesRequest(want=pb.Want(id=number, pages=wanted)))
                is_done = False
                while not is_done:
                    if (response := await call.read()) is grpc.aio.EOF:
                        raise Unreachable("the connection was closed before all pages were sent")
                    for missing in response.missing:
                        name = record_title(_page_key(missing.key).text())
                        raise Refused("not_found", f"there is no {name} in build {build.id}")
                    size_bytes = 0
                    for page in response.pages:
                        data = page.data
                        yield _page_key(page.key), data
                        size_bytes += len(data)
                    await call.write(pb.PagesRequest(credit=pb.Credit(bytes=size_bytes)))
                    is_done = response.HasField("done")
            await call.done_writing()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
            raise await self._reason(call, error) from None
        finally:
            call.cancel()

    async def attachments(self, build: Build) -> list[dict[str, Any]]:
        request = pb.ListAttachmentsRequest(run=build.run, build=build.id)
        answer = await self._answer(self._tiles.ListAttachments, request)
        return [to_json(attachment) for attachment in answer.attachments]

    async def attachment(self, build: Build, number: int) -> AsyncGenerator[bytes, None]:
        request = pb.ReadAttachmentRequest(run=build.run, build=build.id, attachment=number)
        call = self._tiles.ReadAttachment(request, metadata=self._metadata)
        try:
            async for part in call:
                yield part.data
        except grpc.aio.AioRpcError as error:
            raise self._refusal(error) from None
        finally:
            call.cancel()

    async def event(self, build: Build, track: int, ordinal: int) -> dict[str, Any]:
        request = pb.DetailsRequest(run=build.run, build=build.id, track=track, ordinal=ordinal)
        return to_json(await self._answer(self._tiles.Details, request))

    async def tools(self, build: Build) -> list[dict[str, Any]]:
        request = pb.ListToolsRequest(run=build.run, build=build.id)
        listed: list[dict[str, Any]] = to_json(await self._answer(self._tiles.ListTools, request))["tools"]
        return listed

    async def ask(self, build: Build, tool: str, values: Mapping[str, Value]) -> Answer:
        request = pb.AskRequest(run=build.run, build=build.id, tool=tool, question=json.dumps(values).encode())
        return decode(await self._answer(self._parts, request))

    async def table(self, build: Build, tool: str, values: Mapping[str, Value], name: str) -> Table:
        question = json.dumps(values).encode()
        request = pb.AskRequest(run=build.run, build=build.id, tool=tool, question=question, table=name)
        in_arrow = pb.AskRequest(
            run=build.run, build=build.id, tool=tool, question=question, table=name, format="arrow"
        )
        return await self._arrow.table(
            name, lambda: self._answer(self._parts, in_arrow), lambda: self._answer(self._parts, request)
        )

    async def sql(self, build: Build, statement: str, rows: int) -> SqlAnswer:
        raise UsageError(NO_SQL_THERE)

    def ref(self, build: Build) -> str:
        return ref_of(build)

    async def close(self) -> None:
        if self._channel is not None:
            await self._channel.close()
            self._channel = None

    @property
    def _tiles(self) -> Any:
        if self._channel is None:
            if self._credentials is None:
                self._channel = grpc.aio.insecure_channel(self._address, options=_OPTIONS)
            else:
                self._channel = grpc.aio.secure_channel(self._address, self._credentials, options=_OPTIONS)
        return tiles_pb2_grpc.TilesStub(self._channel)

    async def _open(self, run: str) -> pb.OpenResponse:
        return await self._answer(self._tiles.Open, pb.OpenRequest(run=run))

    async def _answer(self, call: Callable[..., Awaitable[T]], request: Message) -> T:
        for tries in itertools.count(1):
            try:
                return await call(request, metadata=self._metadata)
            except grpc.aio.AioRpcError as error:
                pause_s = None
                if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                    pause_s = wait_s(tries, _entries(error.trailing_metadata()).get("retry-after"))
                if pause_s is None:
                    raise self._refusal(error) from None
            await asyncio.sleep(pause_s)
        raise AssertionError("there is always another try, or a refusal")

    async def _parts(self, request: pb.AskRequest, metadata: Any) -> bytes:
        """The whole answer of a tool, which comes in parts."""
        return b"".join([part.data async for part in self._tiles.Ask(request, metadata=metadata)])

    async def _reason(self, call: Any, error: Exception) -> TilescopeError:
        """The error that ended a stream: writing to one that has ended says only that it has."""
        if isinstance(error, grpc.aio.AioRpcError):
            return self._refusal(error)
        return self._refusal_of(await call.code(), await call.details(), _entries(await call.trailing_metadata()))

    def _refusal(self, error: Any) -> TilescopeError:
        return self._refusal_of(error.code(), error.details(), _entries(error.trailing_metadata()))

    def _refusal_of(self, status: Any, details: str, metadata: dict[str, str]) -> TilescopeError:
        code = metadata.get(CODE_METADATA)
        if code is not None:
            return refusal(code, details)
        return Unreachable(f"{self._address}: {details} ({status.name.lower()})")


def to_json(message: Message) -> dict[str, Any]:
    """A message as docs/api.md has it: 64-bit integers as text; null for what is not set."""
    fields: Sequence[FieldDescriptor] = message.DESCRIPTOR.fields  # type: ignore[assignment]  # one of two classes
    return {field.name: _field(message, field) for field in fields}


def _field(message: Message, field: FieldDescriptor) -> Any:
    value = getattr(message, field.name)
    if field.has_presence and not message.HasField(field.name):
        return None
    entry = field.message_type
    if entry is not None and entry.GetOptions().map_entry:
        value_field = entry.fields_by_name["value"]
        return {str(key): _scalar(value_field, item) for key, item in sorted(value.items())}
    if _is_repeated(field):
        return [_scalar(field, item) for item in value]
    return _scalar(field, value)


def _is_repeated(field: Any) -> bool:
    """True if a field is a list. protobuf 5 has no `is_repeated`, and later ones warn of `label` or have none."""
    is_repeated: bool | None = getattr(field, "is_repeated", None)
    return bool(field.label == field.LABEL_REPEATED) if is_repeated is None else is_repeated


def _entries(metadata: Any) -> dict[str, str]:
    """Metadata by name. It is gone through in pairs: its `keys` are wrong in grpcio before 1.80."""
    return dict(tuple(metadata or ()))


def _scalar(field: FieldDescriptor, value: Any) -> Any:
    if isinstance(value, struct_pb2.Value):
        return json_format.MessageToDict(value)
    if isinstance(value, Message):
        return to_json(value)
    return str(value) if field.cpp_type in _INT64 else value


def _page_key(key: pb.PageKey) -> PageKey:
    return PageKey(key.block, key.level, key.index, key.slot, key.part)
