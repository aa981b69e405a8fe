"""A server of S3 for tests: moto's, as a process of its own, and buckets in it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

SECRET = "sesame-0815"


def skip_without_s3() -> None:
    """Skips a module where the packages are not there."""
    missing = [name for name in ("obstore", "moto", "flask", "flask_cors") if find_spec(name) is None]
    if missing:
        pytest.skip(f"without {', '.join(missing)} there is no S3 to read from", allow_module_level=True)


@contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """The environment with which its buckets are read."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(600):
                with socket.socket() as client:
                    if client.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            else:
                raise TimeoutError("moto_server does not listen")
            yield {
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
                "AWS_ALLOW_HTTP": "true",
                "AWS_ACCESS_KEY_ID": "test",
                "AWS_SECRET_ACCESS_KEY": SECRET,
                "AWS_REGION": "us-east-1",
            }
        finally:
            process.terminate()


def make_bucket(name: str) -> None:
    """Makes a bucket in the server of the environment."""
    import urllib3

    # Without a signature, which moto does not ask for. Its first answer takes seconds, of which urllib3 gives it three.
    response = urllib3.request("PUT", f"{os.environ['AWS_ENDPOINT_URL']}/{name}", retries=False, timeout=60)
    assert response.status == 200
