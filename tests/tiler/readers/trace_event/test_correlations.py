"""Which slices say by `args.correlation` what launched them, or what they launched."""

from __future__ import annotations

import pytest

from tests.tiler.readers.trace_event.trace_event_file import array, read

NONE = -1


def key(args: str, cat: str = '"kernel"', ph: str = "X") -> int:
    text = f'{{"ph":"{ph}","name":"k","ts":1,"dur":1,"pid":1,"tid":1,"cat":{cat},"args":{args}}}'
    (row,) = read(array(text)).rows
    return row.key


def launch(number: int) -> int:
    return -2 - 2 * number


def device(number: int) -> int:
    return -3 - 2 * number


@pytest.mark.parametrize(
    "cat",
    ["cuda_runtime", "cuda_driver", "hip_runtime", "xpu_runtime", "privateuse1_driver", "mtia_runtime", "Runtime"],
)
def test_launches(cat: str) -> None:
    assert key('{"correlation":7}', f'"{cat}"') == launch(7)
    assert key('{"correlation":7}', f'"{cat}"', "B") == launch(7)


@pytest.mark.parametrize("cat", ["kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset", "mtia_ccp_events"])
def test_work_of_devices(cat: str) -> None:
    assert key('{"correlation":7}', f'"{cat}"') == device(7)


@pytest.mark.parametrize(
    "cat", ["cpu_op", "gpu_user_annotation", "cuda_sync", "", "runtimes", "my kernels", "kernel,x"]
)
def test_neither(cat: str) -> None:
    assert key('{"correlation":7}', f'"{cat}"') == NONE


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ('{"correlation":1}', device(1)),
        ('{ "a" : [1] , "correlation" : 12 , "b" : "}" }', device(12)),
        ('{"correlation":"12"}', device(12)),
        ('{"correlation":2305843009213693951}', device((1 << 61) - 1)),
        ('{"a":{"correlation":1},"correlation":2}', device(2)),
        ('{"a":{"correlation":1}}', NONE),
        ('{"a":"correlation","correlation":3}', device(3)),
        ('{"a":"correlation"}', NONE),
        ('{"a":"\\"correlation\\":4"}', NONE),
        ('{"correlation":5,"correlation":6}', device(5)),
        ('{"correlation":0}', NONE),
        ('{"correlation":-1}', NONE),
        ('{"correlation":1.5}', NONE),
        ('{"correlation":null}', NONE),
        ('{"correlation":[1]}', NONE),
        ('{"correlation":2305843009213693952}', NONE),
        ('{"correlation":99999999999999999999}', NONE),
        ('{"Correlation":1}', NONE),
        ('"correlation"', NONE),
        ("{}", NONE),
    ],
)
def test_numbers(args: str, expected: int) -> None:
    assert key(args) == expected
