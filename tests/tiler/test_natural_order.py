from __future__ import annotations

import random

from tilescope.tiler.natural_order import natural_key


def test_numbers_count_and_not_their_digits() -> None:
    ordered = ["TPU", "TPU:0", "TPU:2", "TPU:2 b", "TPU:10", "TPU:10.9", "TPU:10.10", "a", "x9y", "x10"]
    assert sorted(random.Random(1).sample(ordered, len(ordered)), key=natural_key) == ordered
    assert natural_key("host007") == natural_key("host7")


def test_names_come_from_files_and_may_be_anything() -> None:
    assert natural_key("n" + "9" * 5000) < natural_key("n1" + "0" * 5000)
    assert natural_key("1²") != natural_key("12")
