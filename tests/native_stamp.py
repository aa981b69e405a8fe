"""Whether the native sources are those that the full checks have passed: clang-tidy with its analyzer, and sanitizers.

`tiler/native/CHECKED` has their digest. `make native-checks` runs these checks, which take most of an hour on two
cores, and then writes it: `python -m tests.native_stamp`. While it differs, CI runs the quick ones.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAMP = ROOT / "tiler" / "native" / "CHECKED"


def sources(root: Path = ROOT) -> list[Path]:
    """What the checks look at, in a fixed order."""
    native = root / "tiler" / "native"
    return [root / "CMakeLists.txt", root / ".clang-tidy", *sorted(p for p in native.rglob("*.[ch]pp") if p.is_file())]


def digest(root: Path = ROOT) -> str:
    """Of names and contents."""
    total = hashlib.sha256()
    for path in sources(root):
        content = path.read_bytes()
        total.update(f"{path.relative_to(root)}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def is_checked() -> bool:
    """Whether the full checks have passed these sources."""
    return STAMP.is_file() and STAMP.read_text().split()[:1] == [digest()]


if __name__ == "__main__":
    STAMP.write_text(f"{digest()}\n")
