"""Pages over gRPC as fast as one call takes them: the WebSocket's pages, for a stock client."""

from __future__ import annotations

import time

import grpc

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from bench.one_stream import Throughput, typical_lists
from bench.server_process import ServerProcess
from bench.stream_client import CREDIT_BYTES
from tilescope.tiler.query import QueryReader
from tilescope.v1 import tiles_pb2 as pb


async def grpc_throughput(reader: QueryReader, server: ServerProcess, seconds: float) -> Throughput:
    """Lists of pages of about 48 kB (of any size, where there are none), one after the other."""
    lists = typical_lists(reader)
    _, _, _, run, _, build = server.build_path().split("/")
    pages = size_bytes = 0
    async with grpc.aio.insecure_channel(server.grpc_address) as channel:
        call = tiles_pb2_grpc.TilesStub(channel).Pages()
        await call.write(pb.PagesRequest(start=pb.PagesStart(run=run, build=build)))
        await call.write(pb.PagesRequest(credit=pb.Credit(bytes=CREDIT_BYTES)))
        server_cpu, client_cpu = server.cpu_seconds(), time.process_time()
        begin = time.perf_counter()
        want_id = 0
        while (elapsed := time.perf_counter() - begin) < seconds:
            want_id += 1
            keys = [pb.PageKey(**key._asdict()) for key in next(lists)]
            await call.write(pb.PagesRequest(want=pb.Want(id=want_id, pages=keys, received=pages)))
            is_done = False
            while not is_done:
                response = await call.read()
                size = sum(len(page.data) for page in response.pages)
                await call.write(pb.PagesRequest(credit=pb.Credit(bytes=size)))
                pages += len(response.pages)
                size_bytes += size
                is_done = response.HasField("done")
        call.cancel()
    server_cpu, client_cpu = server.cpu_seconds() - server_cpu, time.process_time() - client_cpu
    return Throughput(pages, size_bytes, elapsed, server_cpu / elapsed, client_cpu / elapsed)
