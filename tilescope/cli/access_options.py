"""Access to a server and its identity: options, and the settings made from them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.limit_options import limits_of
from tilescope.cli.say import complain
from tilescope.cli.work_rules_option import work_rules_of
from tilescope.tiler.errors import UsageError

if TYPE_CHECKING:
    from tilescope.server.settings import Settings


def add_access_options(parser: argparse.ArgumentParser) -> None:
    """Declares tokens, TLS, and what a proxy in front needs."""
    group = parser.add_argument_group("access")
    group.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="require the token in this file; default: the variable TILESCOPE_TOKEN; without it no token on 127.0.0.1, "
        "elsewhere a random one, which is printed",
    )
    group.add_argument(
        "--token",
        metavar="TOKEN",
        help="require this token; other users of this machine can see it, so prefer --token-file",
    )
    group.add_argument("--certificate", type=Path, metavar="FILE", help="serve over TLS: certificate chain, PEM")
    group.add_argument(
        "--private-key", type=Path, metavar="FILE", help="private key of the certificate, PEM, no passphrase"
    )
    group.add_argument(
        "--base-url", default="", metavar="/PREFIX", help="prefix of all paths, as seen by a proxy in front"
    )
    group.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="on 127.0.0.1, also accept this host name, for example that of a proxy in front, or all below one "
        "(*.example.org); repeatable",
    )
    group.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="let web pages from this origin (https://HOST) use the API, with a token also https://*.HOST; repeatable",
    )
    group.add_argument(
        "--allow-frame",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="let web pages from this origin (https://HOST, https://*.HOST, vscode-webview:) show the viewer in a "
        "frame; repeatable",
    )
    group.add_argument(
        "--perfetto-url",
        default="https://ui.perfetto.dev",
        metavar="URL",
        help="where the viewer opens Perfetto, for example a copy in your network; default: https://ui.perfetto.dev; "
        "none: it offers no Perfetto",
    )
    group.add_argument(
        "--allow-notes",
        action="store_true",
        help="let viewers keep marks and notes in the cache directory",
    )

    group.add_argument(
        "--capture-target",
        action="append",
        default=[],
        metavar="NAME=HOST:PORT",
        help="offer this profiler server by NAME in the viewer's dialog Capture; repeatable",
    )
    group.add_argument(
        "--allow-capture",
        action="append",
        default=[],
        metavar="HOST:PORT",
        help="let viewers capture from this address, beside those of --capture-target; repeatable; "
        "loopback: any port of this machine's loopback interface; none: no other; default: loopback",
    )


def make_settings(args: argparse.Namespace) -> Settings:
    """Settings of the server's behaviour towards its clients. Raises `UsageError`."""
    from tilescope.server.guard.access import OPEN, choose_access, is_loopback
    from tilescope.server.guard.allowed_names import is_pattern
    from tilescope.server.guard.capture_rules import parse_capture_rules
    from tilescope.server.guard.descriptors import fit, raise_limit
    from tilescope.server.guard.sql_rules import NO_SQL
    from tilescope.server.guard.tls import choose_certificate
    from tilescope.server.guard.upload_rules import NOBODY
    from tilescope.server.settings import (
        Settings,
        parse_base_path,
        parse_frame,
        parse_host,
        parse_origin,
        parse_perfetto_url,
    )

    if args.allow_host and not is_loopback(args.host):
        raise UsageError(f"--allow-host has no effect with --host {args.host}: all host names are accepted there")
    certificate = choose_certificate(args.certificate, args.private_key)
    if certificate is not None:
        certificate.context()  # what is wrong with it is to be said before anything is started
    settings = Settings(
        host=args.host,
        base_path=parse_base_path(args.base_url),
        access=choose_access(args.host, args.token, args.token_file),
        certificate=certificate,
        allow_hosts=frozenset(map(parse_host, args.allow_host)),
        allow_origins=frozenset(parse_origin(text, may_be_pattern=True) for text in args.allow_origin),
        allow_frames=frozenset(map(parse_frame, args.allow_frame)),
        perfetto_url=parse_perfetto_url(args.perfetto_url),
        allow_notes=args.allow_notes,
        start=OPEN,  # `with_uploads` decides
        uploads=NOBODY,
        sql=NO_SQL,  # `with_sql` decides
        captures=parse_capture_rules(args.capture_target, args.allow_capture),
        kept_answers_bytes=args.kept_answers,
        cache_bytes=args.question_cache,
        work_rules=work_rules_of(args),
        **limits_of(args),
    )
    patterns = sorted(filter(is_pattern, settings.allow_origins))
    if patterns and settings.access.is_open:
        raise UsageError(f"--allow-origin {patterns[0]} wants a token (--token-file): any page below it may ask")
    files = raise_limit()
    fitting = fit(settings, files)
    if fitting != settings:
        complain(
            f"ulimit -n is {files:,}: at most {fitting.max_connections:,} connections are accepted,"
            f" {fitting.max_connections_per_client:,} of one address"
        )
    return fitting


def warn_of_strangers(settings: Settings) -> None:
    """Says so when others than this machine's users can read the traces, or what is sent to them."""
    from tilescope.server.guard.access import is_loopback

    if settings.allow_hosts and settings.access.is_open:
        names = ", ".join(sorted(settings.allow_hosts))
        complain(f"no token: whoever reaches {names} can read these traces")
    if not is_loopback(settings.host) and settings.certificate is None:
        complain(
            f"listening on {settings.host} without TLS: the token and the traces can be read on their way"
            " (--certificate; or a tunnel, ssh -L)"
        )
