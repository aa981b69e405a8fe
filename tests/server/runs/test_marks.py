"""Files of marks with values of wrong types anywhere: marks, or a refusal of the file, and nothing else."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wrong_types import wrong
from tilescope.server.runs.lasting_tracks import LastingTracks
from tilescope.server.runs.marks import BuildPlaces, MarkFiles
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress

_TREE: Final = compress(b'{"groups":[],"tracks":[]}')
_MARK: Final = {"id": "a", "kind": "mark", "start": "5", "end": "7", "name": "b", "tracks": ["x", 1], "colour": 3}
PLACES: Final = BuildPlaces(1, 0, LastingTracks(lambda: _TREE))


@given(st.fixed_dictionaries({key: wrong(value) for key, value in {"version": 2, "marks": [_MARK]}.items()}))
def test_wrong_types_anywhere(content: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run" / "marks.json"
        path.parent.mkdir()
        path.write_text(json.dumps(content))
        refusal = None
        try:
            MarkFiles(Path(folder)).read("run", PLACES)
        except DamagedStore as error:
            refusal = error
        assert refusal is None or "marks.json" in str(refusal)


@pytest.mark.parametrize("content", ["", "null", "[]", "5", '{"version":2}', '{"version":3}', "{", "[" * 9999])
def test_what_is_no_outline_at_all(tmp_path: Path, content: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "marks.json").write_text(content)
    if content:
        with pytest.raises(DamagedStore, match=r"marks\.json"):
            MarkFiles(tmp_path).read("run", PLACES)
    else:
        assert MarkFiles(tmp_path).read("run", PLACES).marks == []
