"""Reads JSON of a page of the Cloud TPU profiler: it has no events, and is kept whole for the tool that shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tilescope.tiler.details.stepwise_json import must_fit
from tilescope.tiler.errors import DamagedTrace, TooLarge
from tilescope.tiler.readers.cloud_tpu.signature import page_of
from tilescope.tiler.readers.eventless import EventlessReader

ID: Final = "cloud_tpu"

# Thousands of cores with some hundred bytes each and step.
MAX_PAGE_BYTES: Final = 32 << 20

# Trees of operations have some ten levels, each of an object and a list.
MAX_DEPTH: Final = 200


class CloudTpuReader(EventlessReader):
    """Reader of one page."""

    ID = ID

    def _content(self) -> tuple[str, bytes]:
        content = self._source.read(MAX_PAGE_BYTES + 1)
        path = self._source.path
        if len(content) > MAX_PAGE_BYTES:
            raise TooLarge(path, f"is a page of the Cloud TPU profiler with more than {MAX_PAGE_BYTES:,} bytes")
        if self._source.problem is not None:
            raise DamagedTrace(path, self._source.problem, advice="copy the original again")
        must_fit(content, path, self._room.bytes)
        parsed = _parsed(content, path)
        if _is_deeper(parsed, MAX_DEPTH):
            raise DamagedTrace(path, f"is JSON that is nested more than {MAX_DEPTH} levels deep")
        page = page_of(parsed)
        if page is None:
            raise DamagedTrace(path, "begins as a page of the Cloud TPU profiler, but has not what one has")
        return f"page/{page}", content


def _parsed(content: bytes, path: Path) -> Any:
    try:
        text = content.decode("utf-8-sig")
        return json.loads(text)
    except UnicodeDecodeError as error:
        raise DamagedTrace(path, "is not UTF-8", offset=error.start) from None
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        raise DamagedTrace(path, f"is not JSON: {error.msg}", offset=offset, advice="copy the original again") from None
    except RecursionError:
        raise DamagedTrace(path, f"is JSON that is nested more than {MAX_DEPTH} levels deep") from None
    except ValueError as error:  # a number of thousands of digits
        raise DamagedTrace(path, f"is not JSON of a profiler: {error}") from None


def _is_deeper(parsed: Any, depth: int) -> bool:
    level = [parsed]
    for _ in range(depth):
        inner = (node.values() if isinstance(node, dict) else node for node in level)
        level = [child for values in inner for child in values if isinstance(child, dict | list)]
        if not level:
            return False
    return True
