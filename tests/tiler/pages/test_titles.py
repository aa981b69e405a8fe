"""Records that are not there, in words."""

from __future__ import annotations

import pytest

from tilescope.tiler.pages import PageKey, record_title


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("events-4.17", "event 17 on track 4"),
        (PageKey(5, 3, 17, 31).text(), "page of track 191 at tile 17 of level 3"),
        (PageKey(5, 3, 17, 31).residual.text(), "residual to the page of track 191 at tile 17 of level 3"),
        ("flows-4.2.0", "flow of track 4 in tile 0 of level 2"),
        ("shapes-1", "track from 32 to 63"),
        ("names-7", "page 7 of names"),
        ("overview-0", "page 0 of the overview"),
        ("tracks", "tracks"),
    ],
)
def test_titles(name: str, title: str) -> None:
    assert record_title(name) == title
