"""Containers of Azure, served by Azurite: what S3 and Azure have in common is tested in test_bucket.py."""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket
import subprocess
import time
from collections.abc import Iterator
from email.utils import formatdate
from random import Random

import pytest
import urllib3

from tests.absence import find_program
from tilescope.remote import open_blob, open_place
from tilescope.tiler.blobs import BlobRange
from tilescope.tiler.errors import BlobChanged, BlobMissing

pytest.importorskip("obstore", reason="without obstore there is no Azure to read from")
PROGRAM = find_program("azurite-blob")
if PROGRAM is None:
    pytest.skip("azurite-blob is not installed (npm install -g azurite)", allow_module_level=True)

ACCOUNT = "devstoreaccount1"  # Azurite has this one, and publishes its key
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
CONTENT = Random(3).randbytes(33 << 20)  # more than one part, and than one piece that is read ahead


def make_container(origin: str, name: str) -> None:
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06", "Content-Length": "0"}
    signed = "PUT" + "\n" * 12 + "".join(f"{key}:{headers[key]}\n" for key in ("x-ms-date", "x-ms-version"))
    signed += f"/{ACCOUNT}/{ACCOUNT}/{name}\nrestype:container"
    signature = hmac.new(base64.b64decode(KEY), signed.encode(), hashlib.sha256).digest()
    headers["Authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(signature).decode()}"
    url = f"{origin}/{ACCOUNT}/{name}?restype=container"
    response = urllib3.request("PUT", url, headers=headers, retries=False, timeout=60)
    assert response.status == 201, response.data


@pytest.fixture(scope="module", autouse=True)
def azure() -> Iterator[None]:
    """Sets the environment of a server with the empty container `traces`."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    origin = f"http://127.0.0.1:{port}"
    options = ["--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--disableTelemetry"]
    command = [str(PROGRAM), *options, "--blobHost", "127.0.0.1", "--blobPort", str(port)]
    with (
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process,
        pytest.MonkeyPatch.context() as patched,
    ):
        try:
            for _ in range(1200):
                with socket.socket() as client:
                    if client.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            else:
                raise TimeoutError("Azurite does not listen")
            make_container(origin, "traces")
            patched.setenv("AZURE_STORAGE_USE_EMULATOR", "true")
            patched.setenv("AZURITE_BLOB_STORAGE_URL", origin)
            yield
        finally:
            process.terminate()


def put(address: str, content: bytes) -> None:
    folder, _, name = address.rpartition("/")
    with open_place(folder).put(name) as writer:
        writer.write(content)
        writer.commit()


def test_what_is_put_in_parts_is_read_by_ranges() -> None:
    put("az://traces/parts/trace", CONTENT)
    blob = open_blob("az://traces/parts/trace")
    assert blob.state().size_bytes == len(CONTENT)
    ranges = [BlobRange(0, 10), BlobRange(5 << 20, 18 << 20), BlobRange(len(CONTENT) - 1, len(CONTENT) + 9)]
    assert blob.read_many(ranges) == [CONTENT[start:stop] for start, stop in ranges]
    assert b"".join(blob.stream(3)) == CONTENT[3:]
    assert blob.address == "az://traces/parts/trace"


def test_an_object_that_is_replaced() -> None:
    put("az://traces/replaced", b"first")
    blob = open_blob("az://traces/replaced")
    assert blob.read(0, 3) == b"fir"
    put("az://traces/replaced", b"other")
    with pytest.raises(BlobChanged):
        blob.read(3, 5)


def test_listings_in_pages() -> None:
    names = sorted(["a", "a-b", "b/1", "b/x y", "b/é", "c?d#e"], key=str.encode)
    for name in names:
        put(f"az://traces/listed/{name}", name.encode())
    listed = open_place("az://traces/listed/")
    for limit in (1, 2, 1000):
        seen_names: list[str] = []
        after = None
        while True:
            page = listed.list(after=after, limit=limit)
            seen_names += [entry.name for entry in page.entries]
            if (after := page.next_after) is None:
                break
        assert seen_names == names
    assert [entry.name for entry in listed.list("b/").entries] == ["b/1", "b/x y", "b/é"]


def test_no_container_and_no_object() -> None:
    with open_place("az://traces").put("uncommitted") as writer:
        writer.write(b"abc")
    for address in ("az://traces/uncommitted", "az://nothing-here/trace"):
        with pytest.raises(BlobMissing, match=f"{address}: there is no such object or bucket"):
            open_blob(address).state()
    with pytest.raises(BlobMissing, match="az://nothing-here/: there is no such bucket"):
        open_place("az://nothing-here/").list()
