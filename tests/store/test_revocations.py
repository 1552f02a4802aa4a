"""Revocations last at least as long as the tokens that they are about."""

from __future__ import annotations

from hutch.store.revocations import SLACK_SECONDS
from hutch.store.store import Store


async def test_a_revocation_outlasts_clocks_that_are_hours_apart(store: Store) -> None:
    two_hours_behind = -7200.0
    await store.revocations.add("ada", 60 + two_hours_behind)
    await store.revocations.add("ben", 60)
    assert await store.revocations.names() == {"ada", "ben"}


async def test_a_revocation_is_forgotten_in_the_end(store: Store) -> None:
    await store.revocations.add("ada", -SLACK_SECONDS - 1)
    assert await store.revocations.names() == frozenset()
    await store.revocations.add("ben", 60)
    assert await store.client.zcard(store.keys.revoked) == 1


async def test_a_pardon_takes_a_revocation_back(store: Store) -> None:
    await store.revocations.add("ada", 60)
    assert await store.revocations.remove("ada")
    assert not await store.revocations.remove("ada")
    assert await store.revocations.names() == frozenset()
