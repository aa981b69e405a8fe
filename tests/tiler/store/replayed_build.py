"""A build in slow motion: a finished store is written anew step by step, as a real build would.

As a program (`python replayed_build.py FINISHED STORE BUILD`) it is the process that builds: it takes a step for each
line on standard input, `show`, `block N` or `publish`, and answers `ok`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilescope.tiler.pages import TRACKS_PER_BLOCK, compress, decompress
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.tracks import BLOCK_TRACKS, TRACKS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.generation import Generation
from tilescope.tiler.store.store import Store, need

_OF_THE_RUN = b"TNAEO"  # kinds of records that are not of a block
_AT_THE_END = b"BI"  # and those that are written last


class ReplayedBuild:
    """Writes the generation `build` of the store at `target` from the one that is published at `finished`."""

    def __init__(self, finished: Path, target: Path, build: str) -> None:
        source = open_run_store(finished)
        self._records = list(source.records())
        self._manifest = source.internals()
        self._tracks = json.loads(decompress(need(source, TRACKS)))["tracks"]
        source.close()
        target.mkdir(parents=True, exist_ok=True)
        self.blocks: int = self._manifest["public"]["blocks"]
        self._generation = Generation(target, build)

    def show(self, revision: int, state: str = "indexing") -> None:
        """Manifest, tracks, names and overview are there."""
        of_build = {"build": self._generation.build, "state": state, "revision": revision}
        manifest = {**self._manifest, "public": {**self._manifest["public"], **of_build}}
        of_run = [(key, value) for key, value in self._records if key[0] in _OF_THE_RUN]
        self._generation.data.put_many([*of_run, (MANIFEST.key(), compress(json.dumps(manifest).encode()))])

    def finish(self, block: int) -> None:
        """All of the block is there, its shape record last."""
        entries = [(key, value) for key, value in self._records if _block_of(key) == block]
        told = [track for track in self._tracks if track["id"] // TRACKS_PER_BLOCK == block]
        entries.append((BLOCK_TRACKS.key(block), compress(json.dumps(told).encode())))
        self._generation.data.put_many([entry for entry in entries if entry[0][:1] != b"S"])
        self._generation.data.put_many([entry for entry in entries if entry[0][:1] == b"S"])

    def publish(self) -> None:
        """It is the current generation."""
        self.show(1, "ready")
        self._generation.data.remove(BLOCK_TRACKS.key(block) for block in range(self.blocks))
        self._generation.data.put_many(record for record in self._records if record[0][0] in _AT_THE_END)
        self._generation.publish()

    def abandon(self) -> None:
        """Nothing is left of it."""
        self._generation.abandon()


class Builder:
    """The process of such a build, from outside."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child

    def step(self, what: str) -> None:
        """Has it take a step."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(what + "\n")
        self._child.stdin.flush()
        assert self._child.stdout.readline() == "ok\n"

    def kill(self) -> None:
        """Ends it as a crash would."""
        self._child.kill()
        self._child.wait()


@contextmanager
def builder(finished: Path, target: Path, build: str) -> Iterator[Builder]:
    """A process that builds, until the block ends."""
    command = [sys.executable, __file__, str(finished), str(target), build]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        yield Builder(child)


def _block_of(key: bytes) -> int | None:
    if key[0] in _OF_THE_RUN + _AT_THE_END + MANIFEST.key():
        return None
    number = int.from_bytes(key[1:5], "big")  # of a block, or of a track
    return number if key[:1] in b"PS" else number // TRACKS_PER_BLOCK


def _main(finished: str, target: str, build: str) -> None:
    replayed = ReplayedBuild(Path(finished), Path(target), build)
    for line in sys.stdin:
        match line.split():
            case ["show", revision]:
                replayed.show(int(revision))
            case ["block", block]:
                replayed.finish(int(block))
            case ["publish"]:
                replayed.publish()
            case ["abandon"]:
                replayed.abandon()
        print("ok", flush=True)


def tracks_of(store: Store) -> list[dict[str, object]]:
    """The tracks of an open store."""
    tree: dict[str, list[dict[str, object]]] = json.loads(decompress(need(store, TRACKS)))
    return tree["tracks"]


if __name__ == "__main__":
    _main(*sys.argv[1:])
