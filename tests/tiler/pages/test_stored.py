"""A page and its residual in one stored value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import PageKey, Part, join_parts, part_of


@given(st.binary(min_size=1, max_size=50), st.binary(max_size=50))
def test_both_come_back(page: bytes, residual: bytes) -> None:
    stored = join_parts(page, residual)
    assert part_of(stored, Part.PAGE) == page
    assert part_of(stored, Part.RESIDUAL) == (residual or None)
    assert part_of(stored, 2) is None


@pytest.mark.parametrize("stored", [b"", b"\x01\x00\x00", b"\x05\x00\x00\x00page", b"\xff\xff\xff\xffpage"])
@pytest.mark.parametrize("part", Part)
def test_a_value_that_is_too_short_is_refused(stored: bytes, part: Part) -> None:
    with pytest.raises(DamagedStore, match="a stored page"):
        part_of(stored, part)


def test_a_page_and_its_residual_have_one_name_and_two_keys() -> None:
    page = PageKey(1, 2, 3, 4)
    assert page.residual == (1, 2, 3, 4, 1)
    assert (page.to_json(), page.residual.to_json()) == ([1, 2, 3, 4], [1, 2, 3, 4, 1])
    assert (page.text(), page.residual.text()) == ("pages-1.2.3.4", "residuals-1.2.3.4")
