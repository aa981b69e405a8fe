"""A profiler server that is a real gRPC server, and answers as it is told; in this process, or in one of its own.

python -m tests.capture.fake_profiler SIZE_MB    serves a trace of that size, and prints its port
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

import grpc

from tilescope.capture import ProfilerAddress
from tilescope.profiler import profiler_pb2 as pb

SERVICE: Final = "tensorflow.ProfilerService"

Method = Callable[[Any, grpc.ServicerContext], Any]


class FakeProfiler:
    """What was asked of a server, and how it answers: methods by their names; what has none is not implemented."""

    def __init__(self, methods: dict[str, Method]) -> None:
        self.methods = methods
        self.asked: list[tuple[str, Any]] = []  # method and request, in their order

    def requests(self, method: str) -> list[Any]:
        return [request for name, request in self.asked if name == method]

    @contextmanager
    def serving(self, port: int = 0) -> Iterator[ProfilerAddress]:
        """Listens within the block."""
        unlimited = (("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0))
        server = grpc.server(ThreadPoolExecutor(8), options=unlimited)
        handlers = {name: self._handler(name) for name in self.methods}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
        port = server.add_insecure_port(f"127.0.0.1:{port}")
        server.start()
        try:
            yield ProfilerAddress("127.0.0.1", port)
        finally:
            server.stop(grace=None).wait()

    def _handler(self, name: str) -> grpc.RpcMethodHandler:
        kinds: dict[str, Any] = {
            "Profile": pb.ProfileRequest,
            "StartContinuousProfiling": pb.ProfileRequest,
            "Terminate": pb.TerminateRequest,
            "Monitor": pb.MonitorRequest,
            "GetSnapshot": pb.GetSnapshotRequest,
            "StopContinuousProfiling": pb.StopContinuousProfilingRequest,
        }

        def answer(request: Any, context: grpc.ServicerContext) -> Any:
            self.asked.append((name, request))
            return self.methods[name](request, context)

        return grpc.unary_unary_rpc_method_handler(
            answer,
            request_deserializer=kinds[name].FromString,
            response_serializer=lambda response: (
                response if isinstance(response, bytes) else response.SerializeToString()
            ),
        )


def answering(xspace: bytes = b"", **fields: Any) -> Method:
    """A method that gives this trace at once."""
    return lambda request, context: pb.ProfileResponse(xspace=xspace, **fields)


def refusing(code: grpc.StatusCode, message: str) -> Method:
    """A method that fails."""

    def refuse(request: Any, context: grpc.ServicerContext) -> Any:
        context.abort(code, message)

    return refuse


def in_turn(*methods: Method) -> Method:
    """The first call is for the first method, and so on; the last one stays."""
    left = list(methods)
    return lambda request, context: (left.pop(0) if len(left) > 1 else left[0])(request, context)


class Recording:
    """`Profile` that goes on until `Terminate`, as real servers do, or until it is cancelled."""

    def __init__(self, xspace: bytes) -> None:
        self.xspace = xspace
        self.began = threading.Event()
        self.ended = threading.Event()  # asked to end, or cancelled
        self.methods: dict[str, Method] = {"Profile": self._profile, "Terminate": self._terminate}

    def _profile(self, request: pb.ProfileRequest, context: grpc.ServicerContext) -> Any:
        context.add_callback(self.ended.set)
        self.began.set()
        self.ended.wait(60)
        return pb.ProfileResponse(xspace=self.xspace)

    def _terminate(self, request: pb.TerminateRequest, context: grpc.ServicerContext) -> Any:
        self.ended.set()
        return pb.TerminateResponse()


def main() -> None:
    """Serves until standard input ends."""
    head = b"\x42"  # field 8, of bytes
    size = int(sys.argv[1]) * 1_000_000
    length, rest = b"", size
    while rest >= 0x80:
        length, rest = length + bytes([rest & 0x7F | 0x80]), rest >> 7
    answer = head + length + bytes([rest]) + bytes(range(256)) * (size // 256) + bytes(size % 256)
    with FakeProfiler({"Profile": lambda request, context: answer}).serving() as address:
        print(address.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
