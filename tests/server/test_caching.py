from __future__ import annotations

import json
import math
import os

import pytest

from tilescope.server.caching import content_hash
from tilescope.server.json_text import json_body


def test_json_is_compact_and_keeps_letters() -> None:
    assert json_body({"name": "é漢", "n": [1, None]}) == '{"name":"é漢","n":[1,null]}'.encode()


def test_a_file_name_that_is_no_utf8_does_not_hide_the_rest() -> None:
    name = os.fsdecode(b"host\xff.pb")
    assert json.loads(json_body([name, "other"])) == ["host?.pb", "other"]


def test_nan_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_body(math.nan)


def test_tags_are_of_the_content() -> None:
    assert content_hash(b"a") == content_hash(b"a") != content_hash(b"b")
