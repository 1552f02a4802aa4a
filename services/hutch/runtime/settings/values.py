"""Values: what a setting may be, and the words that say so."""

from __future__ import annotations

import re
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import NoDecode

_ADDRESS = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>\d{1,5})")
#: A worker starts with some 70, and starts anew with more than half.
_LEAST_MEGABYTES = 256
_REDIS_SCHEMES = ("redis://", "rediss://", "unix://", "redis+cluster://", "rediss+cluster://")


class Allowed:
    """Says in words what a field takes, where its type does not say it."""

    def __init__(self, words: str) -> None:
        self.words = words


def _check_address(value: str) -> str:
    match = _ADDRESS.fullmatch(value)
    if match is None or int(match["port"]) > 65535:
        raise ValueError("not an address")
    return value


def _check_redis_url(value: str) -> str:
    if not value.startswith(_REDIS_SCHEMES):
        raise ValueError("not the URL of a Redis server")
    return value


def _check_broker_url(value: str) -> str:
    if value and "://" not in value:
        raise ValueError("not a URL")
    return value


def _check_memory(value: int) -> int:
    if value < (_LEAST_MEGABYTES if value else 0):
        raise ValueError("less than a worker needs")
    return value


def _check_key_source(value: str) -> str:
    url = urlsplit(value)
    if "://" in value and url.scheme not in ("http", "https"):
        raise ValueError("not a URL that keys can be fetched from")
    if url.scheme == "http" and not is_loopback(url.hostname or ""):
        raise ValueError("whoever sits between could put keys of their own in")
    return value


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches that host; a name counts only if it is `localhost`."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


Address = Annotated[
    str,
    AfterValidator(_check_address),
    Allowed("`host:port`, an IPv6 host in brackets; as a bind address, port 0 is any free port"),
]
Addresses = Annotated[
    tuple[Annotated[str, AfterValidator(_check_address)], ...],
    NoDecode,
    BeforeValidator(_split),
    Field(min_length=1),
    Allowed("one or more `host:port`, with commas between"),
]
RedisUrl = Annotated[
    str,
    AfterValidator(_check_redis_url),
    Allowed("`redis://…`, `rediss://…`, `unix://…`, `redis+cluster://…` or `rediss+cluster://…`"),
]
BrokerUrl = Annotated[
    str,
    AfterValidator(_check_broker_url),
    Allowed("a URL that Celery knows, such as `redis://…` or `amqp://…`, or empty"),
]
CardsFolder = Annotated[Path | None, Allowed("a path, or empty")]
MemoryBound = Annotated[
    int,
    AfterValidator(_check_memory),
    Allowed(f"0, or a whole number from {_LEAST_MEGABYTES} up"),
]
Seconds = Annotated[float, Field(gt=0, le=86400)]
OptionalPath = Annotated[
    Path | None, BeforeValidator(lambda value: value or None), Allowed("a path, or empty")
]
KeySource = Annotated[
    str,
    AfterValidator(_check_key_source),
    Allowed("a path, an `https://…` URL, an `http://…` URL of this machine, or empty"),
]
