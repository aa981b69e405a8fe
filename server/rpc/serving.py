"""A gRPC server beside the HTTP server: on a port of its own, over the same runs, closed to the same strangers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import grpc
from aiohttp import web
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tilescope.server.guard.guests import Guests
from tilescope.server.keys import GUESTS, METRICS, QUESTIONS, REGISTRY, SETTINGS
from tilescope.server.metrics import Metrics
from tilescope.server.rpc.gate import SERVICE, Gate
from tilescope.server.rpc.idlers import Idlers
from tilescope.server.rpc.service import TilesService
from tilescope.server.runs.registry import Registry
from tilescope.server.services import Questions
from tilescope.server.settings import Settings
from tilescope.tiler.errors import UsageError

STOP_GRACE_S: Final = 2.0  # what calls that are being answered have left
MAX_REQUEST_BYTES: Final = 1024 * 1024  # a question that names as many tracks as it may
MAX_CALLS_AT_ONCE: Final = 1024  # a viewer has one or two, besides what is answered at once

_OPTIONS: Final = (
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_send_message_length", -1),  # no answer is larger than its limit of rows
    ("grpc.so_reuseport", 0),  # a port that is in use is an error, not shared
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.max_concurrent_streams", 256),  # of one connection
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.max_connection_idle_ms", 60_000),  # without calls: clients connect again by themselves
)


async def start(
    registry: Registry,
    questions: Questions,
    settings: Settings,
    port: int,
    metrics: Metrics | None = None,
    guests: Guests | None = None,
) -> tuple[Any, int]:
    """A server that answers, and its port; 0 takes any free one. Raises `UsageError` when it cannot have the port.

    `guests`: those of the HTTP server, which count together with its own.
    """
    metrics = metrics or Metrics()
    server = grpc.aio.server(
        interceptors=(Gate(settings.access, guests or Guests(settings, metrics), metrics),),
        options=(*_OPTIONS, ("grpc.max_allowed_incoming_connections", settings.max_connections)),
        maximum_concurrent_rpcs=MAX_CALLS_AT_ONCE,
    )
    tiles_pb2_grpc.add_TilesServicer_to_server(TilesService(registry, questions, metrics), server)
    health_servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(health_servicer, server)
    reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    bound = _bind(server, settings, port)
    await server.start()
    for name in ("", SERVICE):
        await health_servicer.set(name, health_pb2.HealthCheckResponse.SERVING)
    return server, bound


def beside_http(
    port: int, on_ready: Callable[[int], None], on_failure: Callable[[UsageError], None] | None = None
) -> Callable[[web.Application], AsyncIterator[None]]:
    """A cleanup context of the application: gRPC starts after the runs are known, and stops before they are closed.

    `on_failure`: told when the port cannot be had, and HTTP goes on alone. Without it that is an error.
    """

    async def context(app: web.Application) -> AsyncIterator[None]:
        try:
            server, bound = await start(app[REGISTRY], app[QUESTIONS], app[SETTINGS], port, app[METRICS], app[GUESTS])
        except UsageError as error:
            if on_failure is None:
                raise
            on_failure(error)
            yield
            return
        on_ready(bound)
        guests: Guests = app[GUESTS]
        idlers = Idlers(bound, guests.callers, app[SETTINGS].max_connections_per_client)
        watching = asyncio.create_task(idlers.watch())
        yield
        watching.cancel()
        await server.stop(STOP_GRACE_S)

    return context


def _bind(server: Any, settings: Settings, port: int) -> int:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"{host}:{port}"
    try:
        if settings.certificate is None:
            bound = server.add_insecure_port(address)
        else:
            pem = settings.certificate.pem()
            credentials = grpc.ssl_server_credentials([(pem.private_key, pem.certificate_chain)])
            bound = server.add_secure_port(address, credentials)
    except RuntimeError:
        bound = 0
    if not bound:
        raise UsageError(f"cannot listen on port {port} of {settings.host} for gRPC (choose another with --grpc-port)")
    return int(bound)
