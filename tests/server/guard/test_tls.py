from __future__ import annotations

import ssl
from pathlib import Path

import pytest
import trustme

from tilescope.server.guard.tls import Certificate, choose_certificate
from tilescope.tiler.errors import UsageError


@pytest.fixture
def files(tmp_path: Path) -> Certificate:
    issued = trustme.CA().issue_cert("localhost")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    for blob in issued.cert_chain_pems:
        blob.write_to_path(chain, append=True)
    issued.private_key_pem.write_to_path(key)
    return Certificate(chain, key)


def test_a_certificate_serves_both_http_and_grpc(files: Certificate) -> None:
    context = files.context()
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    pem = files.pem()
    assert pem.certificate_chain.startswith(b"-----BEGIN CERTIFICATE-----")
    assert b"PRIVATE KEY-----" in pem.private_key


def test_files_that_do_not_fit_are_wrong_usage(files: Certificate, tmp_path: Path) -> None:
    other = tmp_path / "other.pem"
    trustme.CA().issue_cert("localhost").private_key_pem.write_to_path(other)
    empty = tmp_path / "empty.pem"
    empty.write_text("")
    for chain, key in [
        (files.chain, other),
        (files.chain, empty),
        (empty, files.private_key),
        (files.chain, tmp_path / "nothing"),
        (tmp_path, files.private_key),
    ]:
        with pytest.raises(UsageError, match=r"TLS|read"):
            Certificate(chain, key).pem()


def test_both_files_are_needed(tmp_path: Path) -> None:
    assert choose_certificate(None, None) is None
    for chain, key in [(tmp_path / "a", None), (None, tmp_path / "b")]:
        with pytest.raises(UsageError, match="both"):
            choose_certificate(chain, key)
