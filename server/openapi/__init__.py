"""The OpenAPI 3.1 description of the API."""

from tilescope.server.openapi.document import describe_api

__all__ = ["describe_api"]
