"""Addresses as people write them."""

from __future__ import annotations

import pytest

from tilescope.cli.addresses import path_or_address
from tilescope.remote.address import Address, is_address
from tilescope.tiler.errors import UsageError

SECRET = "sesame-0815"


@pytest.mark.parametrize(
    ("text", "origin", "path", "name", "shown"),
    [
        ("s3://bucket/a/b.pb", "s3://bucket", "a/b.pb", "b.pb", "s3://bucket/a/b.pb"),
        ("gs://bucket", "gs://bucket", "", "bucket", "gs://bucket/"),
        ("s3://bucket/a b?c#d", "s3://bucket", "a b?c#d", "a b?c#d", "s3://bucket/a b?c#d"),
        ("https://Host:443/x%20y?sig=1", "https://host", "x%20y", "x y", "https://host/x%20y"),
        ("http://[::1]:8000/x", "http://[::1]:8000", "x", "x", "http://[::1]:8000/x"),
    ],
)
def test_parts(text: str, origin: str, path: str, name: str, shown: str) -> None:
    address = Address.parse(text)
    assert (address.origin, address.path, address.name, address.shown) == (origin, path, name, shown)


@pytest.mark.parametrize(
    "text",
    [
        f"https://user:{SECRET}@host/x",
        f"s3://{SECRET}@bucket/x",
        f"az://container/x?sv=1&sig={SECRET}",
        f"s3://bucket/x?X-Amz-Signature={SECRET}",
        f"ftp://host/{SECRET}",
        f"https:///{SECRET}",
        f"http://host:port/{SECRET}",
        f"https://host/\n{SECRET}",
        f"https://host/{SECRET}" + "x" * 9000,
    ],
)
def test_no_addresses(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Address.parse(text)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("text", ["s3://b/k", "HTTPS://host/x", "gs://b", "az://c/k", "http://h/"])
def test_is_address(text: str) -> None:
    assert is_address(text)
    assert path_or_address(text) == text


@pytest.mark.parametrize("text", ["s3", "./s3:/b", "file:///x", "C://x", "-"])
def test_is_no_address(text: str) -> None:
    assert not is_address(text)
    assert not isinstance(path_or_address(text), str)
