"""Trace-event JSON with many names and categories: within the budget, or refused with the limit named."""

from __future__ import annotations

from tests.hostile.case import Indexed
from tests.hostile.json_big_cases import LIMIT, MILLION, big_case, differing
from tests.hostile.json_text import many

_LONG = "m" * 1000

CASES = [
    big_case(
        "names",
        "a million names",
        lambda: many(MILLION, differing('"pid":1,"tid":1,"name":"op %d"')),
        Indexed(MILLION, 1),
        LIMIT,
    ),
    big_case(
        "categories",
        "100,000 categories of each of ten names",
        lambda: many(MILLION, lambda k: f'{{"ph":"X","cat":"c{k // 10}","name":"n{k % 10}","ts":{k},"dur":1}}'),
        Indexed(MILLION, 1),
        LIMIT,
    ),
    big_case(
        "categories-of-a-long-name",
        "a name of 1 kB in 300,000 categories, a category of 1 kB of as many names",
        lambda: many(
            600_000,
            lambda k: f'{{"ph":"X","cat":"{_LONG if k % 2 else k}","name":"{k if k % 2 else _LONG}","ts":{k},"dur":1}}',
        ),
        LIMIT,
    ),
    big_case(
        "long-names",
        "2,000 names of 100 kB",
        lambda: many(2000, lambda k: f'{{"ph":"X","name":"{k}{"n" * 100_000}","ts":{k},"dur":1}}'),
        Indexed(2000, 1),
        LIMIT,
    ),
]
