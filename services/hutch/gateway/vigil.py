"""The vigil: once a second, look whether those who were let in may still be."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import structlog

from hutch.callers.issuers import Issuer
from hutch.callers.tokens import Tokens
from hutch.gateway.streams import Streams
from hutch.store.errors import StoreUnavailable
from hutch.store.revocations import Revocations

log = structlog.get_logger(__name__)

PERIOD_SECONDS = 1.0


class Vigil:
    """Keeps keys and revocations as they are now, and ends the streams of those refused by them.

    While Redis is away the last known revocations hold: nothing can be played meanwhile.
    """

    def __init__(
        self,
        tokens: Tokens,
        streams: Streams,
        revocations: Revocations,
        external: Issuer | None,
    ) -> None:
        self._tokens = tokens
        self._streams = streams
        self._revocations = revocations
        self._external = external

    async def look(self) -> None:
        """Look once."""
        self._tokens.refresh_keys()
        with suppress(StoreUnavailable):
            self._tokens.revoke(await self._revocations.names())
        if self._external is not None and await self._external.refresh():
            self._tokens.forget()
        self._streams.end_those(self._tokens.refusal)

    async def keep(self) -> None:
        """Look again and again, for ever."""
        while True:
            try:
                await self.look()
            except Exception:  # without it, nobody's revocation would be noticed any more
                log.exception("vigil_failed")
            await asyncio.sleep(PERIOD_SECONDS)
