"""Addresses: `host:port`, an IPv6 host in brackets."""

from __future__ import annotations


def split_address(address: str) -> tuple[str, int]:
    """Host, without brackets, and port of an address."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)
