"""Sharing out: work on many shards, within one limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, TypeVar

from hutch.store.keys import ALL_SHARDS, Keys, checked_shards
from hutch.store.lanes import Argument
from hutch.store.pipelining import Pipelining

T = TypeVar("T")


async def take_fairly(
    shards: Iterable[int], limit: int, take: Callable[[int, int], Awaitable[list[T]]]
) -> list[T]:
    """Take at most `limit` things from the shards, by rounds in which each gives its even share.

    `take(shard, share)` takes at most `share` from one shard. A shard that gave less is empty.
    """
    taken: list[T] = []
    asked = checked_shards(shards)
    while asked and len(taken) < limit:
        left = limit - len(taken)
        share = max(1, left // len(asked))
        now, later = asked[:left], asked[left:]
        batches = await asyncio.gather(*[take(shard, share) for shard in now])
        for batch in batches:
            taken += batch
        full = [shard for shard, batch in zip(now, batches, strict=True) if len(batch) >= share]
        asked = later + full
    return taken


def pairs(flat: list[Any]) -> Iterator[tuple[Any, Any]]:
    """A flat reply, two by two."""
    items = iter(flat)
    return zip(items, items, strict=True)


async def of_shards(
    pipelining: Pipelining,
    keys: Keys,
    command: str,
    name: str,
    *arguments: Argument,
    shards: Iterable[int] = ALL_SHARDS,
) -> list[Any]:
    """The replies to one command on the key of that name in every shard, in one round trip."""
    return await asyncio.gather(
        *[
            pipelining.call(shard, command, *keys.of_shard(shard, name), *arguments)
            for shard in shards
        ]
    )
