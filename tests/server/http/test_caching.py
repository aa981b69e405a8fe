from __future__ import annotations

import json
import math
import os

import pytest

from tilescope.server.http.caching import content_hash
from tilescope.server.json_text import json_body
from tilescope.tiler.schema import ErrorAnswer


def test_json_is_compact_and_keeps_letters() -> None:
    assert json_body({"name": "é漢", "n": [1, None]}) == '{"name":"é漢","n":[1,null]}'.encode()


def test_a_file_name_that_is_no_utf8_does_not_hide_the_rest() -> None:
    name = os.fsdecode(b"host\xff.pb")
    assert json.loads(json_body([name, "other"])) == ["host?.pb", "other"]


def test_a_struct_is_written_as_its_schema_says_whatever_stands_in_its_texts() -> None:
    error = ErrorAnswer.from_code("not_found", os.fsdecode(b"there is no host\xff.pb"))
    expected = {"error": {"code": "not_found", "message": "there is no host?.pb"}}
    assert json.loads(json_body(error)) == expected
    assert json_body(ErrorAnswer.from_code("too_many", "é")) == '{"error":{"code":"too_many","message":"é"}}'.encode()


def test_nan_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_body(math.nan)


def test_tags_are_of_the_content() -> None:
    assert content_hash(b"a") == content_hash(b"a") != content_hash(b"b")
