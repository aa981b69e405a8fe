"""A real nginx: before a server, with the configuration of docs/proxy.md, or with another one."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.absence import find_program

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "proxy.md"
PREFIX = "/tools/tilescope"
STRIPPED = "/stripped"

_NGINX = find_program("nginx")

# Of tests: before their fixtures are made, which a test that is skipped within would leave half-open.
needs_nginx = pytest.mark.skipif(
    _NGINX is None, reason="nginx is not installed: make nginx, or apt-get install nginx-light"
)

_CONFIGURATION = """
{user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr warn;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    proxy_cache_path {folder}/cache keys_zone=tiles:1m;
    {servers}
}}
"""

_HTTP_SERVER = """
server {{
    listen 127.0.0.1:{port};
    proxy_cache tiles;
    add_header X-Cache $upstream_cache_status always;
    {location}
}}
"""

_GRPC_SERVER = """
server {{
    listen 127.0.0.1:{port} http2;
    {location}
}}
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def nginx_before(server_port: int, folder: Path, *, takes_prefix_off: bool = False) -> Iterator[str]:
    """The URL of the proxy without the prefix."""
    location, map_block, _ = _documented()
    location = _leading_to(server_port, location)
    if takes_prefix_off:
        location = location.replace(f"{PREFIX}/", f"{STRIPPED}/").replace(f":{server_port};", f":{server_port}/;")
    port = free_port()
    server = _HTTP_SERVER.format(port=port, location=location)
    with _nginx(folder, map_block + server, port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def nginx_of_files(files: Path, folder: Path) -> Iterator[str]:
    """The URL of a folder of files."""
    port = free_port()
    server = f"server {{ listen 127.0.0.1:{port}; root {files}; }}"
    with _nginx(folder, server, port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def nginx_before_grpc(server_port: int, folder: Path) -> Iterator[int]:
    """The port of the proxy."""
    *_, location = _documented()
    port = free_port()
    server = _GRPC_SERVER.format(port=port, location=_leading_to(server_port, location))
    with _nginx(folder, server, port):
        yield port


@contextmanager
def static_nginx(folder: Path, configuration: str) -> Iterator[str]:
    """The URL of a server with this configuration."""
    port = free_port()
    with _nginx(folder / "nginx", f"server {{ listen 127.0.0.1:{port};\n{configuration} }}", port):
        yield f"http://127.0.0.1:{port}/"


def _documented() -> list[str]:
    """The location of HTTP, what stands outside of it, and the location of gRPC."""
    return re.findall(r"```nginx\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)


def _leading_to(server_port: int, location: str) -> str:
    found = re.sub(r"(?<=127\.0\.0\.1:)880[89](?=;)", str(server_port), location)
    assert found != location
    return found


@contextmanager
def _nginx(folder: Path, servers: str, port: int) -> Iterator[None]:
    assert _NGINX is not None, "the test wants `needs_nginx`"
    folder.mkdir()
    file = folder / "nginx.conf"
    # Workers of an nginx that root started are somebody else by default, who may not enter our folder.
    user = "user root;" if os.geteuid() == 0 else ""
    file.write_text(_CONFIGURATION.format(user=user, folder=folder, servers=servers))
    process = subprocess.Popen([_NGINX, "-c", str(file), "-p", str(folder)], stderr=subprocess.PIPE, text=True)
    try:
        _wait_for(port, process)
        yield
    finally:
        process.terminate()
        process.communicate(timeout=10)


def _wait_for(port: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"nginx ended: {process.communicate()[1]}")
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("nginx does not listen")
