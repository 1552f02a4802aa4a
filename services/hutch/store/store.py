"""A store: the tables and everything beside them, over one client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NoReturn, Self

from hutch.store.budgets import Budgets
from hutch.store.connect import Client, connect
from hutch.store.contact import Contact
from hutch.store.doorbell import POLL_S, Doorbell
from hutch.store.engagements import Engagements
from hutch.store.errors import StoreError, StoreUnavailable
from hutch.store.hints import Hints
from hutch.store.holdings import Holdings
from hutch.store.index import Index
from hutch.store.inspection import Inspection
from hutch.store.keys import NAMESPACE, Keys
from hutch.store.outbox import Outbox
from hutch.store.pipelining import Pipelining
from hutch.store.pulse import Pulse
from hutch.store.revocations import Revocations
from hutch.store.tables import TableStore
from hutch.store.tallies import Tallies
from hutch.store.timers import Timers

FINISHED_TTL_S: Final = 7 * 24 * 3600
UNSTARTED_TTL_S: Final = 24 * 3600
_RETRY_S: Final = 0.5


class Store:
    """What a process needs of Redis. Open one with `Store.open`, and close it with `aclose`."""

    def __init__(
        self,
        client: Client,
        *,
        namespace: str = NAMESPACE,
        finished_ttl_s: int = FINISHED_TTL_S,
        unstarted_ttl_s: int = UNSTARTED_TTL_S,
        poll_s: float = POLL_S,
        contact: Contact | None = None,
    ) -> None:
        self.client = client
        self.contact = contact or Contact()
        self.keys = Keys(namespace)
        self.pipelining = Pipelining(client, self.keys, self.contact)
        self.tables = TableStore(
            self.pipelining,
            self.keys,
            finished_ttl_s=finished_ttl_s,
            unstarted_ttl_s=unstarted_ttl_s,
        )
        self.timers = Timers(self.pipelining, self.keys)
        self.hints = Hints(self.pipelining, self.keys)
        self.outbox = Outbox(self.pipelining, self.keys)
        self.index = Index(self.pipelining, self.keys)
        self.pulse = Pulse(self.pipelining, self.keys)
        self.inspection = Inspection(self.pipelining, self.keys, self.pulse)
        self.revocations = Revocations(client, self.keys, self.contact.noted)
        self.tallies = Tallies(self.pipelining, self.keys)
        self.budgets = Budgets(self.pipelining, self.keys)
        self.holdings = Holdings(self.pipelining, self.keys)
        self.engagements = Engagements(self.pipelining, self.keys)
        self.doorbell = Doorbell(client, self.keys, self.contact, poll_s=poll_s)

    @classmethod
    async def open(cls, url: str, *, name: str = "hutch", **options: Any) -> Self:
        """Connect, and check the server. `name` shows in `CLIENT LIST`; options as for the class.

        Raises `StoreUnavailable`, `StoreTooOld`, or `StoreError` for a URL that does not fit.
        """
        return cls(await connect(url, name=name), **options)

    @classmethod
    async def open_once_up(
        cls, url: str, stop: asyncio.Event, refuse: Callable[[str], NoReturn], **options: Any
    ) -> Self | None:
        """As `open`, but wait where nothing answers, for a process that starts while Redis is away.
        What to wait for would not help is given to `refuse`.

        None where `stop` was set meanwhile.
        """
        contact = Contact()
        while not stop.is_set():
            try:
                return await cls.open(url, contact=contact, **options)
            except StoreUnavailable as fault:
                contact.failed(fault)
            except StoreError as fault:
                refuse(f"HUTCH_REDIS_URL: {fault}")
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _RETRY_S)
        return None

    async def aclose(self) -> None:
        """Finish what was issued, then close the connections."""
        await self.pipelining.aclose()
        await self.client.aclose()

    async def __aenter__(self) -> Self:
        await self.doorbell.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.doorbell.__aexit__()
        await self.aclose()
