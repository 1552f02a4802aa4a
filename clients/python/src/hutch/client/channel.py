"""Channels: where the gateways are, and how a connection to them behaves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any, Final, Literal

import grpc

Balancing = Literal["failover", "round_robin"]

#: Calls that change nothing; the channel itself tries them again after a broken connection.
READS: Final = (
    ("hutch.v1.TableService", "GetTable"),
    ("hutch.v1.TableService", "ListTables"),
    ("hutch.v1.TableService", "GetView"),
    ("hutch.v1.TableService", "ListDeadlines"),
    ("hutch.v1.TableService", "GetReplay"),
    ("hutch.v1.TableService", "GetRecording"),
    ("hutch.v1.CampaignService", "GetCampaign"),
    ("hutch.v1.CampaignService", "ListCampaigns"),
    ("hutch.v1.CatalogService", "ListRulesets"),
    ("hutch.v1.CatalogService", "ListCards"),
)

_POLICIES: Final[dict[Balancing, str]] = {"failover": "pick_first", "round_robin": "round_robin"}


def open_channel(
    addresses: str | Sequence[str],
    *,
    balancing: Balancing = "failover",
    credentials: grpc.ChannelCredentials | None = None,
    options: Sequence[tuple[str, Any]] = (),
) -> grpc.aio.Channel:
    """A channel to one of those gateways (failover) or to all in turn (round robin).

    Nothing is connected before the first call. `options` are channel options of gRPC, in place of
    ours where the names are the same. Raises `ValueError` for addresses that do not fit together.
    """
    where = target(addresses)
    # Of an option that is given twice, gRPC takes the first.
    arguments = [*(dict(channel_options(balancing)) | dict(options)).items()]
    if credentials is None:
        return grpc.aio.insecure_channel(where, options=arguments)
    return grpc.aio.secure_channel(where, credentials, options=arguments)


def target(addresses: str | Sequence[str]) -> str:
    """The gRPC target for one address (`host:port`, or any gRPC target) or several `ip:port`."""
    if isinstance(addresses, str):
        return addresses
    if len(addresses) == 1:
        return addresses[0]
    if not addresses:
        raise ValueError("no address was given; give at least one, such as 127.0.0.1:50551")
    versions = {_ip_version(address) for address in addresses}
    if len(versions) > 1:
        raise ValueError(f"{', '.join(addresses)}: give either IPv4 or IPv6 addresses, not both")
    return f"ipv{versions.pop()}:{','.join(addresses)}"


def channel_options(balancing: Balancing) -> list[tuple[str, Any]]:
    """What every connection is set up with."""
    return [
        # A connection that died without a word is found within half a minute ...
        ("grpc.keepalive_time_ms", 20_000),
        # What gRPC calls the keepalive's timeout does nothing below that of all pings.
        ("grpc.http2.ping_timeout_ms", 10_000),
        # ... also under a stream on which only the server speaks.
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 2_000),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        ("grpc.enable_retries", 1),
        ("grpc.service_config", json.dumps(service_config(balancing))),
    ]


def service_config(balancing: Balancing) -> dict[str, Any]:
    """How calls are spread over the gateways, and which are tried again by the channel itself."""
    config: dict[str, Any] = {
        "loadBalancingConfig": [{_POLICIES[balancing]: {}}],
        "methodConfig": [
            {
                "name": [{"service": service, "method": method} for service, method in READS],
                "retryPolicy": {
                    "maxAttempts": 3,
                    "initialBackoff": "0.05s",
                    "maxBackoff": "0.5s",
                    "backoffMultiplier": 3,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            }
        ],
    }
    if balancing == "round_robin":
        # A gateway that is about to stop leaves the round before it refuses anything.
        config["healthCheckConfig"] = {"serviceName": ""}
    return config


def _ip_version(address: str) -> int:
    host, _, port = address.rpartition(":")
    try:
        version = ip_address(host.strip("[]")).version
    except ValueError:
        raise ValueError(
            f"{address} is not ip:port. Of several gateways, give IP addresses; or give one name "
            f"behind which DNS lists them all"
        ) from None
    if not port.isdecimal():
        raise ValueError(f"{address} has no port; give ip:port")
    return version
