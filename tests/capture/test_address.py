from __future__ import annotations

import pytest

from tilescope.capture import ProfilerAddress, parse_address, parse_addresses
from tilescope.capture.failures import CaptureCause, Failure
from tilescope.capture.run_folder import host_names
from tilescope.tiler.errors import UsageError


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("localhost:9012", "localhost", 9012),
        (" 10.0.0.1:1 ", "10.0.0.1", 1),
        ("[::1]:65535", "::1", 65535),
        ("grpc://t1v-n-0.example.com.:8466", "t1v-n-0.example.com.", 8466),
        ("http://a_b:80/", "a_b", 80),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    address = parse_address(text)
    assert address == ProfilerAddress(host, port)
    assert parse_address(str(address)) == address


NO_ADDRESSES = (
    *("", "localhost", "localhost:", ":80", "a:0", "a:65536", "a:٣"),
    *("::1:80", "[::1]", "[x]:1", "[::1:1", "a b:1", "-a:1", "a/b:1", "a\n:1"),
)


@pytest.mark.parametrize("text", NO_ADDRESSES)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UsageError, match=r"write HOST:PORT"):
        parse_address(text)


def test_the_name_of_a_tpu_leads_to_its_address() -> None:
    with pytest.raises(UsageError, match=r"'my-tpu' .* it has no port .*gcloud compute tpus tpu-vm describe"):
        parse_address("my-tpu")
    assert any("tpu-vm describe" in hint for hint in Failure(CaptureCause.UNKNOWN_HOST).hints)


def test_lists() -> None:
    assert [str(address) for address in parse_addresses("b:1, a:2,,[::1]:3,")] == ["b:1", "a:2", "[::1]:3"]
    for text, why in (("", "no address"), (",", "no address"), ("a:1,a:1", "a:1 is named twice")):
        with pytest.raises(UsageError, match=why):
            parse_addresses(text)
    with pytest.raises(UsageError, match="2,000 addresses are more than one capture takes"):
        parse_addresses(",".join(f"h{k}:1" for k in range(2000)))


def test_names_of_files_are_safe_and_unique() -> None:
    assert host_names(parse_addresses("a:1,b:1")) == ("a", "b")
    assert host_names(parse_addresses("a:1,A:2,[::1]:3")) == ("a_1", "A_2", "__1")
    named = [ProfilerAddress(f"10.0.0.{k}", 9, name) for k, name in enumerate(("trainer", "a b", "a_b"))]
    assert host_names(named) == ("trainer", "a_b_10.0.0.1_9", "a_b_10.0.0.2_9")
