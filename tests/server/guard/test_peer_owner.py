"""Connections of other accounts of this machine are known by their sockets."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from tilescope.server.guard.peer_owner import is_of_another

_CONNECT = """
import os, socket, sys
os.setuid(int(sys.argv[2]))
connection = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
connection.connect((sys.argv[1], int(sys.argv[3])))
connection.recv(1)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells")
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("account", [os.getuid(), 65534])
async def test_the_account_of_a_peer(host: str, account: int) -> None:
    if account != os.getuid() and os.getuid() != 0:
        pytest.skip("only root may be another account")
    judged: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def judge(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        judged.set_result(is_of_another(writer.transport))
        writer.close()

    async with await asyncio.start_server(judge, host, 0) as server:
        port = server.sockets[0].getsockname()[1]
        with subprocess.Popen([sys.executable, "-c", _CONNECT, host, str(account), str(port)]):
            assert await asyncio.wait_for(judged, 20) is (account != os.getuid())


def test_without_a_connection_nothing_is_known() -> None:
    assert not is_of_another(None)
