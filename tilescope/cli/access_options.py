"""Who may ask a server, and how it shows who it is: options, and the settings made from them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.limit_options import limits_of
from tilescope.cli.say import complain

if TYPE_CHECKING:
    from tilescope.server.settings import Settings


def add_access_options(parser: argparse.ArgumentParser) -> None:
    """Declares tokens, TLS, and what a proxy in front needs."""
    group = parser.add_argument_group("who may ask")
    group.add_argument(
        "--token", metavar="TOKEN", help="demand this token; others on this machine may see it: rather use the next one"
    )
    group.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="demand the token in this file; default: the variable TILESCOPE_TOKEN, or none on 127.0.0.1, "
        "or one that is made up and printed",
    )
    group.add_argument("--certificate", type=Path, metavar="FILE", help="speak TLS: certificate chain in PEM form")
    group.add_argument("--private-key", type=Path, metavar="FILE", help="its private key in PEM form, no passphrase")
    group.add_argument(
        "--base-url", default="", metavar="/PREFIX", help="put this before all paths, as a proxy in front has them"
    )
    group.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="on 127.0.0.1, answer to this host name too, that of a proxy in front; may be given several times",
    )
    group.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="let web pages of this origin (https://HOST) use the API; may be given several times",
    )


def make_settings(args: argparse.Namespace) -> Settings:
    """How the server treats those who ask it. Raises `UsageError`."""
    from tilescope.server.guard.access import choose_access
    from tilescope.server.guard.tls import choose_certificate
    from tilescope.server.settings import Settings, parse_base_path, parse_host, parse_origin

    certificate = choose_certificate(args.certificate, args.private_key)
    if certificate is not None:
        certificate.context()  # what is wrong with it is to be said before anything is started
    return Settings(
        host=args.host,
        base_path=parse_base_path(args.base_url),
        access=choose_access(args.host, args.token, args.token_file),
        certificate=certificate,
        allow_hosts=frozenset(map(parse_host, args.allow_host)),
        allow_origins=frozenset(map(parse_origin, args.allow_origin)),
        kept_answers_bytes=args.kept_answers,
        **limits_of(args),
    )


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
