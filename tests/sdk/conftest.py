"""What the SDK's tests share: a contract service and clients of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from hutch.client import Hutch, Retries, connect
from tests.sdk.contract import ContractService
from tests.stacks import stack

__all__ = ["QUICK", "hutch", "service", "stack"]

#: Patience that fits a test: the service is on loopback.
QUICK = Retries(first_wait=0.002, longest_wait=0.05, give_up_after=20, try_timeout=5, silence=5)


@pytest.fixture
async def service() -> AsyncIterator[ContractService]:
    """A service that keeps the contract."""
    async with ContractService() as running:
        yield running


@pytest.fixture
async def hutch(service: ContractService) -> AsyncIterator[Hutch]:
    """A client of it."""
    async with connect(service.address, retries=QUICK) as client:
        yield client
