"""Addresses as they are written, and the networks that they stand for."""

from __future__ import annotations

import pytest

from hutch.runtime.addresses import network_of, split_address


def test_an_address_is_a_host_and_a_port() -> None:
    assert split_address("[::1]:80") == ("::1", 80)
    assert split_address("example.org:80") == ("example.org", 80)


@pytest.mark.parametrize(
    ("peer", "network"),
    [
        ("ipv4:192.0.2.7:40112", "192.0.2.7"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:40112", "2001:db8:1:2::/64"),
        ("ipv6:%5B2001:db8:1:2::1%5D:40113", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:3::1]:40113", "2001:db8:1:3::/64"),
        ("ipv6:%5Bfe80::1%25eth0%5D:40112", "fe80::/64"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:40112", "192.0.2.7"),
        ("unix:", "unix"),
        ("unix:/run/hutch.sock", "unix"),
    ],
)
def test_callers_are_told_apart_by_what_one_of_them_is_given(peer: str, network: str) -> None:
    """Of IPv4 an address; of IPv6 a network of 2^64 addresses, which are all the same caller's."""
    assert network_of(peer) == network
