"""Settings of a server's behaviour towards its clients, as the command line decided them, in one value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tilescope.server.guard.access import OPEN, Access
from tilescope.server.guard.allowed_names import ANY_BELOW, is_pattern
from tilescope.server.guard.capture_rules import NOTHING_BUT_LOOPBACK, CaptureRules
from tilescope.server.guard.sql_rules import NO_SQL, SqlRules
from tilescope.server.guard.tls import Certificate
from tilescope.server.guard.upload_rules import NOBODY, UploadRules
from tilescope.tiler.caches import DEFAULT_LIMIT_BYTES
from tilescope.tiler.errors import UsageError
from tilescope.tiler.work_rules import NO_WORK_RULES, WorkRules

DEFAULT_HOST: Final = "127.0.0.1"
VSCODE: Final = "vscode-webview:"  # the scheme of pages in its editors
PERFETTO: Final = "https://ui.perfetto.dev"

_HOST: Final = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_BASE: Final = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_ORIGIN: Final = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
_PAGE: Final = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+(/[!-~]*)?")


@dataclass(frozen=True, slots=True)
class Settings:
    """The defaults are those of a server for this machine alone."""

    host: str = DEFAULT_HOST  # the address that it is bound to
    base_path: str = ""  # before all paths, such as "/tools/tilescope": where a proxy has us
    access: Access = OPEN
    start: Access = OPEN  # the secret of this start; open: whoever may see the runs may send traces and statements
    certificate: Certificate | None = None  # TLS, if there is one
    allow_hosts: frozenset[str] = frozenset()  # names that are answered on a loopback address, besides loopback names
    allow_origins: frozenset[str] = frozenset()  # web pages of other servers that may use the API
    allow_frames: frozenset[str] = frozenset()  # web pages of other servers that may show ours in a frame
    perfetto_url: str | None = PERFETTO  # where the viewer opens Perfetto; None: nowhere
    allow_notes: bool = False  # whether marks of runs may be written, beside their stores
    captures: CaptureRules = NOTHING_BUT_LOOPBACK  # from where may be captured
    uploads: UploadRules = NOBODY  # who may send traces
    sql: SqlRules = NO_SQL  # who may run statements
    # Limits of connections, streams among them. 200 viewers of one machine are 400 streams.
    max_connections: int = 4096
    max_connections_per_client: int = 1024
    # Limits of questions (statistics, search, events) at once, until their answers are sent.
    max_questions: int = 128
    max_questions_per_client: int = 32
    max_questions_per_connection: int = 8  # over gRPC; over HTTP there is one anyway
    kept_answers_bytes: int = 64_000_000  # of tools, for those who ask the same again
    cache_bytes: int = DEFAULT_LIMIT_BYTES  # of each process that answers questions, for the next one
    work_rules: WorkRules = NO_WORK_RULES  # of the user, by which tools tell kinds of work


DEFAULTS: Final = Settings()


def parse_origin(text: str, *, may_be_pattern: bool = False) -> str:
    """An origin as browsers write it, such as `https://notebooks.example.org`; as a pattern `https://*.example.org`.

    Raises `UsageError`.
    """
    origin = text.lower()
    is_below = may_be_pattern and is_pattern(origin)
    if _ORIGIN.fullmatch(origin.replace(ANY_BELOW, "", 1) if is_below else origin) is None:
        pattern = ", or https://*.example.org" if may_be_pattern else ""
        raise UsageError(
            f"{text}: an origin is a scheme, a host and perhaps a port: https://notebooks.example.org{pattern}"
        )
    return origin


def parse_frame(text: str) -> str:
    """The same of pages that may show ours in a frame, among them those of VS Code. Raises `UsageError`."""
    return VSCODE if text.lower() == VSCODE else parse_origin(text, may_be_pattern=True)


def is_host_name(text: str) -> bool:
    """True if a text has letters, digits, dots and hyphens alone, in lower case."""
    return _HOST.fullmatch(text) is not None


def parse_host(text: str) -> str:
    """A host name as it stands in `Host`, without a port, or a pattern of such names. Raises `UsageError`."""
    host = text.lower()
    if not is_host_name(host.removeprefix(ANY_BELOW) if is_pattern(host) else host):
        raise UsageError(
            f"{text}: a host name has letters, digits, dots and hyphens: profiles.example.org, or *.example.org"
        )
    return host


def parse_base_path(text: str) -> str:
    """A prefix of paths, without a slash at its end; empty for none. Raises `UsageError`."""
    stripped = text.strip("/")
    base = f"/{stripped}" if stripped else ""
    if _BASE.fullmatch(base) is None:
        raise UsageError(f"{text}: a prefix is a path of plain names, such as /tools/tilescope")
    return base


def parse_perfetto_url(text: str) -> str | None:
    """The address of a page with Perfetto's user interface; None for `none`. Raises `UsageError`."""
    if text == "none":
        return None
    if _PAGE.fullmatch(text) is None:
        raise UsageError(f"{text}: the address of Perfetto is an URL such as {PERFETTO}, or none")
    return text
