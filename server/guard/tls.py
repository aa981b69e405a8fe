"""The certificate by which a server shows who it is, for HTTP as a context and for gRPC as PEM texts."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from pathlib import Path

from tilescope.tiler.errors import UsageError


@dataclass(frozen=True, slots=True)
class Pem:
    """Content of the two PEM files, as gRPC takes them."""

    certificate_chain: bytes
    private_key: bytes


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate chain and its private key, in PEM files. The key has no passphrase."""

    chain: Path
    private_key: Path

    def context(self) -> ssl.SSLContext:
        """For HTTP and the WebSocket: TLS 1.2 or newer. Raises `UsageError` when the files do not fit together."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            # With a password that is wrong: a key that needs one must not stop the start with a question.
            context.load_cert_chain(self.chain, self.private_key, password="")
        except ssl.SSLError as error:
            reason = error.reason or "no certificate or key in PEM form"
            raise UsageError(f"{self.chain}, {self.private_key}: cannot be used for TLS: {reason}") from None
        except OSError as error:  # it does not say of which file
            where = next((file for file in (self.chain, self.private_key) if not os.access(file, os.R_OK)), self.chain)
            raise UsageError(f"{where}: cannot be read: {error.strerror or error}") from None
        except ValueError as error:
            raise UsageError(f"{self.chain}, {self.private_key}: cannot be read: {error}") from None
        return context

    def pem(self) -> Pem:
        """For gRPC. Raises `UsageError` like `context`, which looks at the files first."""
        self.context()
        return Pem(self.chain.read_bytes(), self.private_key.read_bytes())


def choose_certificate(chain: Path | None, private_key: Path | None) -> Certificate | None:
    """The certificate of the command line; None: no TLS. Raises `UsageError` for one without the other."""
    if chain is None and private_key is None:
        return None
    if chain is None or private_key is None:
        raise UsageError("TLS needs both --certificate and --private-key")
    return Certificate(chain, private_key)
