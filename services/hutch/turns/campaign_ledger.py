"""The ledger of campaigns: how they are kept, and how the games they play are credited.

A campaign is stored like a table that has no game and never expires. Its game is credited by
pulling: whoever reads the campaign here first settles that game, once it is over. See decision 9.
"""

from __future__ import annotations

from hutch.games.rabbit_space.campaign import points
from hutch.games.rabbit_space.sheet import boxes_for
from hutch.store.commits import Commit, Committed, Conflict, Repeated, Stored
from hutch.turns.campaign_meta import CampaignMeta, decode_campaign, encode_campaign
from hutch.turns.contention import TRIES, stand_back
from hutch.turns.table_meta import decode_meta
from hutch.turns.turn_path import TurnPath
from hutch.wire.errors import Fault, Wrong, busy


class Ledger:
    """The campaigns as stored, each brought up to date with its table whenever it is read."""

    def __init__(self, path: TurnPath) -> None:
        self._path = path
        self._store = path.store

    async def find(self, campaign_id: str) -> CampaignMeta | None:
        """The campaign as it was left, whatever became of its game since."""
        stored = await self._store.load(_key(campaign_id))
        return None if stored is None else decode_campaign(stored.meta)

    async def settled(
        self, campaign_id: str, *, ended: bool = False
    ) -> tuple[Stored, CampaignMeta]:
        """The campaign as stored, and with its game settled; with `ended` one that is
        over is looked at as well. Raises `Fault` CAMPAIGN_NOT_FOUND."""
        for attempt in range(TRIES):
            stored = await self._store.load(_key(campaign_id))
            if stored is None:
                raise _not_found(campaign_id)
            meta = decode_campaign(stored.meta)
            if not meta.players and not ended:
                raise _not_found(campaign_id)
            if not await self._settle(meta):
                return stored, meta
            await self.commit(campaign_id, stored, meta)
            if attempt:
                await stand_back(attempt)
        raise busy("Others keep changing this campaign; try again.")

    async def commit(
        self, campaign_id: str, stored: Stored | None, meta: CampaignMeta
    ) -> Committed | Conflict | Repeated:
        """Store the campaign on top of what is stored (None: a new one)."""
        return await self._store.commit(
            Commit(
                table_id=_key(campaign_id),
                expected_revision=stored.revision if stored else 0,
                onto=stored.token if stored else b"",
                meta=encode_campaign(meta),
                finished=not meta.players,
            )
        )

    async def _settle(self, meta: CampaignMeta) -> bool:
        """Bring the campaign up to date with its table: whether that changed it."""
        game = meta.game
        if game is None:
            return False
        if meta.opening is not None:
            # Should somebody have done it since, this changes nothing.
            await self._path.commit_meta(game.table_id, None, meta.opening, unstarted=True)
            meta.opening = None
            return True
        stored = await self._store.load(game.table_id)
        if stored is None:
            game.state = "expired"
            return True
        table = decode_meta(stored.meta)
        match table.state:
            case "finished":
                game.state = "over"
                game.points = points(table.scores)
                game.boxes_earned = meta.boxes_left = boxes_for(game.points)
                return True
            case "abandoned":
                game.state = "given up"
                return True
            case _:
                return False


def _key(campaign_id: str) -> str:
    # No table can bear such an id.
    return f"campaign-{campaign_id}"


def _not_found(campaign_id: str) -> Fault:
    return Fault(
        Wrong.CAMPAIGN_NOT_FOUND, f"There is no campaign {campaign_id}; it never was, or is over."
    )
