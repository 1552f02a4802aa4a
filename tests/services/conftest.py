"""What the services' tests share: a stack, and players at it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from hutch.client import Hutch, Table, connect
from tests.stacks import RunningStack, stack

__all__ = ["ada", "ben", "stack", "table"]


@pytest.fixture
async def ada(stack: RunningStack) -> AsyncIterator[Hutch]:
    """A player."""
    async with connect(stack.gateway) as hutch:
        await hutch.guest("Ada")
        yield hutch


@pytest.fixture
async def ben(stack: RunningStack) -> AsyncIterator[Hutch]:
    """Another player."""
    async with connect(stack.gateway) as hutch:
        await hutch.guest("Ben")
        yield hutch


@pytest.fixture
async def table(ada: Hutch, ben: Hutch) -> Table:
    """A table of two that Ada opened and started; she has seat 0, Ben seat 1."""
    opened = await ada.create_table("rabbit-space", seats=2)
    await opened.claim(0)
    await ben.table(opened.name).claim(1)
    await opened.start()
    return opened
