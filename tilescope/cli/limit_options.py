"""Limits on what one client may take of a server: options, and the settings made from them."""

from __future__ import annotations

import argparse

# As in tilescope.server.settings, which is slow to import; a test compares them.
_CONNECTIONS = 1024
_QUESTIONS = 32
_QUESTIONS_PER_CONNECTION = 8


def add_limit_options(parser: argparse.ArgumentParser, *, has_grpc: bool) -> None:
    """Declares the limits of one client; without gRPC not those that only its connections have."""
    group = parser.add_argument_group(
        "limits per client", "a client is an IP address: all users behind one proxy count as one client"
    )
    group.add_argument(
        "--connections-per-client",
        type=parse_limit,
        default=_CONNECTIONS,
        metavar="N",
        help=f"open connections from one address, HTTP and gRPC together; default: {_CONNECTIONS:,}",
    )
    group.add_argument(
        "--questions-per-client",
        type=parse_limit,
        default=_QUESTIONS,
        metavar="N",
        help=f"questions (statistics, search, events) from one address, running or waiting; default: {_QUESTIONS}",
    )
    if not has_grpc:
        parser.set_defaults(questions_per_connection=_QUESTIONS_PER_CONNECTION)
        return
    group.add_argument(
        "--questions-per-connection",
        type=parse_limit,
        default=_QUESTIONS_PER_CONNECTION,
        metavar="N",
        help=f"the same for one gRPC connection (over HTTP always 1); default: {_QUESTIONS_PER_CONNECTION}",
    )


def limits_of(args: argparse.Namespace) -> dict[str, int]:
    """The members of the settings. Those of all clients together are never below those of one."""
    from tilescope.server.settings import DEFAULTS

    return {
        "max_connections": max(DEFAULTS.max_connections, args.connections_per_client),
        "max_connections_per_client": args.connections_per_client,
        "max_questions": max(DEFAULTS.max_questions, args.questions_per_client),
        "max_questions_per_client": args.questions_per_client,
        "max_questions_per_connection": args.questions_per_connection,
    }


def parse_limit(text: str) -> int:
    """A number from 1 on, for argparse."""
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0 and len(text) <= 9):
        raise argparse.ArgumentTypeError("a limit is a number from 1 to 999,999,999")
    return int(text)
