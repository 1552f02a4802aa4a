"""Addresses: `host:port`, an IPv6 host in brackets."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_network
from urllib.parse import unquote


def split_address(address: str) -> tuple[str, int]:
    """Host, without brackets, and port of an address."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def network_of(peer: str) -> str:
    """The network of a peer, as gRPC writes one: what its limits are counted for.

    Of IPv6 the first 64 bits: whoever has one address there has all of them.
    """
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind
    host = unquote(rest).rpartition(":")[0].strip("[]").partition("%")[0]
    if kind == "ipv4":
        return host
    address = IPv6Address(host)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address.packed, 64), strict=False))
