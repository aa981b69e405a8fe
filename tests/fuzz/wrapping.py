"""How a mutant lies on disk: plain, compressed, in an archive, with others in a folder, now and then damaged."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zipfile
from pathlib import Path

from tests.fuzz import trace_event_mutants, xspace_mutants

# A mutant that is damaged as bytes rarely gets past the outline: few are.
_DAMAGED_SHARE = 0.04


def write_mutant(seed: int, folder: Path) -> Path:
    """Writes the files of one seed into an empty folder; the path to index."""
    rng = random.Random(seed)
    files = [_trace(rng) for _ in range(rng.choice((1, 1, 1, 1, 2, 3)))]
    wrapping = rng.choice(("plain", "plain", "gzip", "members", "zip", "tar", "tgz", "folder"))
    if wrapping == "folder" or (len(files) > 1 and wrapping in ("plain", "gzip", "members")):
        return _write_folder(rng, folder / "2026_01_31_10_00_00", files)
    name, data = files[0]
    path = folder / ("archive" if wrapping in ("zip", "tar", "tgz") else name)
    if wrapping == "zip":
        data = _zipped(rng, files)
    elif wrapping in ("tar", "tgz"):
        data = _tarred(files) if wrapping == "tar" else gzip.compress(_tarred(files), 1, mtime=0)
    elif wrapping != "plain":
        data = _compressed(rng, data, 3 if wrapping == "members" else 1)
    path.write_bytes(_damaged(rng, data) if rng.random() < _DAMAGED_SHARE else data)
    return path


def _trace(rng: random.Random) -> tuple[str, bytes]:
    host = rng.choice(("host0", "host1", "a"))
    if rng.random() < 0.5:
        return f"{host}.xplane.pb", xspace_mutants.mutant(rng)
    return f"{host}.trace.json", trace_event_mutants.mutant(rng)


def _write_folder(rng: random.Random, folder: Path, files: list[tuple[str, bytes]]) -> Path:
    folder.mkdir()
    for name, data in files:
        if rng.random() < 0.3:
            (folder / f"{name}.gz").write_bytes(gzip.compress(data, 1, mtime=0))
        else:
            (folder / name).write_bytes(data)
    return folder


def _compressed(rng: random.Random, data: bytes, members: int) -> bytes:
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(members - 1))
    parts = [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    return b"".join(gzip.compress(part, 1, mtime=0) for part in parts)


def _zipped(rng: random.Random, files: list[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for k, (name, data) in enumerate(files):
            archive.writestr(zipfile.ZipInfo(f"run{k}/{name}"), data)
    return out.getvalue()


def _tarred(files: list[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for k, (name, data) in enumerate(files):
            info = tarfile.TarInfo(f"run{k}/{name}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def _damaged(rng: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    if not out:
        return data
    match rng.randrange(3):
        case 0:
            del out[rng.randrange(len(out)) :]
        case 1:
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
        case _:
            at = rng.randrange(len(out))
            out[at : at + rng.randrange(20)] = rng.randbytes(rng.randrange(20))
    return bytes(out)
