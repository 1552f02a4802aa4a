"""Revocations: players, sessions and tokens that are refused before their tokens end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from redis.exceptions import RedisClusterException, RedisError

from hutch.store.connect import Client
from hutch.store.errors import StoreError, translated
from hutch.store.keys import Keys

#: Names are kept so much longer than asked for, because clocks may be wrong: those who revoke, and
#: those who check tokens, each have one.
SLACK_SECONDS = 86_400


class Revocations:
    """A sorted set of names by the time at which they are forgotten, in seconds since 1970.

    `translate` makes an error of ours of what went wrong on the way to Redis.
    """

    def __init__(
        self,
        client: Client,
        keys: Keys,
        translate: Callable[[BaseException], StoreError] = translated,
    ) -> None:
        self._client: Any = client
        self._key = keys.revoked
        self._translate = translate

    async def add(self, name: str, lasting_s: float) -> None:
        """Refuse that name for so long: at least as long as the tokens that it is about live."""
        try:
            await self._client.zremrangebyscore(self._key, 0, time.time() - SLACK_SECONDS)
            await self._client.zadd(self._key, {name: time.time() + lasting_s})
        except (RedisError, RedisClusterException, OSError) as fault:
            raise self._translate(fault) from fault

    async def remove(self, name: str) -> bool:
        """Refuse that name no longer: whether it was refused."""
        try:
            return bool(await self._client.zrem(self._key, name))
        except (RedisError, RedisClusterException, OSError) as fault:
            raise self._translate(fault) from fault

    async def names(self) -> frozenset[str]:
        """All that is refused now."""
        try:
            since = time.time() - SLACK_SECONDS
            found = await self._client.zrangebyscore(self._key, since, "+inf")
        except (RedisError, RedisClusterException, OSError) as fault:
            raise self._translate(fault) from fault
        return frozenset(one.decode() for one in found)
