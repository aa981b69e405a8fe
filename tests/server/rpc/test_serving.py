"""Health, reflection, tokens, TLS, and ports that are in use."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from aiohttp import web
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tests.server.rpc.conftest import Site
from tilescope.server.app import make_app
from tilescope.server.guard.access import Access
from tilescope.server.guard.tls import Certificate
from tilescope.server.rpc import beside_http, start
from tilescope.server.rpc.gate import SERVICE
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.services import Questions
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.errors import UsageError
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store
from tilescope.v1 import tiles_pb2 as pb

TOKEN = "0123456789abcdef0123"


async def test_health(site: Site) -> None:
    stub = health_pb2_grpc.HealthStub(site.channel)
    for service in ("", SERVICE):
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_a_client_that_knows_nothing_learns_all_by_reflection(site: Site) -> None:
    def ask() -> dict[str, Any]:
        with grpc.insecure_channel(site.address) as channel:
            database = ProtoReflectionDescriptorDatabase(channel)
            assert SERVICE in database.get_services()
            pool = DescriptorPool(database)
            service = pool.FindServiceByName(SERVICE)
            assert {method.name for method in service.methods} == {
                *("ListRuns", "Index", "Open", "Names", "Shape", "Pages", "View"),
                *("ListTools", "Ask", "Details", "Events", "Watch", "ListAttachments", "ReadAttachment"),
            }
            method = service.FindMethodByName("ListRuns")
            call = channel.unary_unary(
                f"/{SERVICE}/{method.name}",
                request_serializer=lambda message: message.SerializeToString(),
                response_deserializer=GetMessageClass(method.output_type).FromString,
            )
            found: dict[str, Any] = MessageToDict(call(GetMessageClass(method.input_type)()))
            return found

    answer = await asyncio.to_thread(ask)
    assert [run["id"] for run in answer["runs"]] == [site.run]


@pytest.mark.parametrize("settings", [Settings(access=Access(TOKEN))])
async def test_the_token_is_demanded_of_every_call_but_health(site: Site) -> None:
    async def call(*metadata: tuple[str, str]) -> Any:
        return await site.tiles.ListRuns(pb.ListRunsRequest(), metadata=metadata)

    needed, wrong = "requires a token", "the token is wrong"
    for metadata, words in (
        ((), needed),
        ((("authorization", "Bearer wrong"),), wrong),
        ((("authorization", TOKEN),), needed),
        ((("authorization", f"Bearer {TOKEN}"), ("authorization", "Bearer other")), needed),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call(*metadata)
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
        assert words in refused.value.details()
    assert (await call(("authorization", f"Bearer {TOKEN}"))).runs
    for stream in (site.tiles.View(pb.ViewRequest()), site.tiles.Pages(iter(()))):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            async for _ in stream:
                pass
        assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
    health = health_pb2_grpc.HealthStub(site.channel)
    assert (await health.Check(health_pb2.HealthCheckRequest())).status == health_pb2.HealthCheckResponse.SERVING


def empty_registry(folder: Path) -> Registry:
    return Registry([folder], CacheDirectory(folder / "cache"), OpenStores(open_run_store), discover)


async def test_tls(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1", "localhost")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    for part in issued.cert_chain_pems:
        part.write_to_path(tmp_path / "chain.pem", append=True)
    settings = Settings(certificate=Certificate(tmp_path / "chain.pem", tmp_path / "key.pem"))
    registry = empty_registry(tmp_path)
    questions = Questions(registry)
    await registry.start()
    server, port = await start(registry, questions, settings, 0)
    credentials = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
    async with grpc.aio.secure_channel(f"localhost:{port}", credentials) as channel:
        assert not (await tiles_pb2_grpc.TilesStub(channel).ListRuns(pb.ListRunsRequest())).runs
    async with grpc.aio.secure_channel(f"localhost:{port}", grpc.ssl_channel_credentials()) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await tiles_pb2_grpc.TilesStub(channel).ListRuns(pb.ListRunsRequest(), timeout=5)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    await server.stop(None)
    await questions.close()
    await registry.close()


async def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    registry = empty_registry(tmp_path)
    questions = Questions(registry)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} of 127.0.0.1"):
            await start(registry, questions, DEFAULTS, port)
    await questions.close()


async def test_http_goes_on_alone_when_it_may(tmp_path: Path) -> None:
    ready: list[int] = []
    failures: list[UsageError] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        app = make_app(empty_registry(tmp_path))
        app.cleanup_ctx.append(beside_http(port, ready.append, failures.append))
        runner = web.AppRunner(app)
        await runner.setup()
        await runner.cleanup()
    assert (ready, len(failures)) == ([], 1)
    assert f"port {port}" in str(failures[0])
