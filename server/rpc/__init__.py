"""The gRPC API."""

from tilescope.server.rpc.serving import beside_http, start

__all__ = ["beside_http", "start"]
