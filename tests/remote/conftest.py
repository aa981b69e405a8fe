"""The server of S3 that the tests of this folder share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.remote.s3_server import make_bucket, s3_server


@pytest.fixture(scope="session")
def s3() -> Iterator[None]:
    """Sets the environment of a server with the empty bucket `traces`."""
    before = dict(os.environ)
    with s3_server() as environment:
        os.environ.update(environment)
        try:
            make_bucket("traces")
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
