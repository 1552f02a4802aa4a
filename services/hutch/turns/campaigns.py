"""Campaigns: teams, their Evolution sheets, and the games they play one after another."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID, uuid5

from hutch.games.rabbit_space import RULES
from hutch.games.rabbit_space.board import MOST_SEATS
from hutch.games.rabbit_space.campaign import contradiction, options, why_not_vote
from hutch.games.rabbit_space.sheet import MISSIONS, SHEET, Sheet
from hutch.store.commits import Committed
from hutch.turns.attendance import require_bots_welcome
from hutch.turns.campaign_ledger import Ledger
from hutch.turns.campaign_meta import (
    CampaignMeta,
    GameMeta,
    PlayerMeta,
    campaign_message,
    next_mission,
)
from hutch.turns.contention import TRIES, stand_back
from hutch.turns.drafts import drafted
from hutch.turns.shelves import Shelves
from hutch.turns.table_meta import SeatMeta, TableMeta
from hutch.turns.turn import digest_of
from hutch.turns.turn_path import TurnPath
from hutch.v1 import campaign_pb2 as pb
from hutch.v1 import table_pb2
from hutch.wire.errors import Fault, Wrong, busy

#: A campaign remembers so many games, with the requests that were about them.
GAMES_KEPT = 100
INVITE_BYTES = 8
_SPACE = UUID("b0a5e2a4-3d6a-4d53-8a2e-2f1a0c9d6e57")

#: Changes a campaign as it is now; says whether there is anything to store. Raises `Fault`.
Change = Callable[[CampaignMeta], Awaitable[bool]]


class Campaigns:
    """Everything that happens to campaigns. Each call answers with the campaign as it is then, as
    its caller may see it, and may raise `Fault`."""

    def __init__(self, path: TurnPath, sheet: Sheet = SHEET) -> None:
        self._store = path.store
        self._sheet = sheet
        self._ledger = Ledger(path)
        self._shelves = Shelves(path.store)

    async def create(
        self,
        player: str,
        player_display_name: str,
        display_name: str,
        request_id: str,
        *,
        is_bot: bool = False,
    ) -> pb.Campaign:
        """Open a campaign. The same player and request id give the same campaign again."""
        campaign_id = uuid5(_SPACE, f"{player} {request_id}").hex[:20]
        meta = CampaignMeta(
            display_name=display_name,
            invite=secrets.token_hex(INVITE_BYTES),
            created_ms=await self._store.now_ms(),
            players=[PlayerMeta(player, player_display_name, is_bot=is_bot)],
        )
        await self._shelves.add(player, campaign_id, self._is_in)
        done = await self._ledger.commit(campaign_id, None, meta)
        if isinstance(done, Committed):
            return self._message(campaign_id, meta, done.revision, player)
        # Opened before, by this very request.
        stored, known = await self._ledger.settled(campaign_id)
        if known.display_name != display_name:
            raise Fault(
                Wrong.REQUEST_ID_REUSED,
                "request_id was used to open another campaign; use a fresh UUID.",
            )
        return self._message(campaign_id, known, stored.revision, player)

    async def get(self, campaign_id: str, player: str) -> pb.Campaign:
        """A campaign."""
        stored, meta = await self._ledger.settled(campaign_id)
        return self._message(campaign_id, meta, stored.revision, player)

    async def list_of(self, player: str) -> list[pb.Campaign]:
        """The player's campaigns, the newest first."""
        campaign_ids = await self._shelves.of(player)
        found = await asyncio.gather(*[self._of(one, player) for one in campaign_ids])
        return [message for message in reversed(found) if message is not None]

    async def join(
        self,
        campaign_id: str,
        player: str,
        display_name: str,
        invite: str,
        *,
        is_bot: bool = False,
    ) -> pb.Campaign:
        """Join the team."""

        async def sit(meta: CampaignMeta) -> bool:
            if meta.player(player) is not None:
                return False
            if not secrets.compare_digest(invite.encode(), meta.invite.encode()):
                raise Fault(
                    Wrong.INVITE_INVALID,
                    "The invite is not this campaign's; its players see the right one.",
                )
            if len(meta.players) == MOST_SEATS:
                raise Fault(
                    Wrong.CAMPAIGN_FULL,
                    f"The campaign has {MOST_SEATS} players, and no more fit at a table.",
                )
            await self._shelves.add(player, campaign_id, self._is_in)
            meta.players.append(PlayerMeta(player, display_name, is_bot=is_bot))
            return True

        return await self._change(campaign_id, player, sit)

    async def leave(self, campaign_id: str, player: str) -> pb.Campaign:
        """Leave the team. Leaving twice is leaving once."""

        async def stand_up(meta: CampaignMeta) -> bool:
            staying = [one for one in meta.players if one.player != player]
            left = len(staying) < len(meta.players)
            meta.players = staying
            return left

        return await self._change(campaign_id, player, stand_up, ended=True)

    async def vote(self, campaign_id: str, player: str, mission: str) -> pb.Campaign:
        """Vote on the mission of the next game; "" takes the vote back."""

        async def note(meta: CampaignMeta) -> bool:
            voter = _require_player(meta, player)
            if sentence := why_not_vote(self._sheet.unlocked(meta.checked), mission):
                if mission in MISSIONS:
                    raise Fault(Wrong.MISSION_LOCKED, sentence, {"mission": mission})
                raise Fault(Wrong.ARGUMENT_INVALID, sentence, {"field": "mission"})
            if voter.vote == mission:
                return False
            voter.vote = mission
            return True

        return await self._change(campaign_id, player, note)

    async def start_game(
        self, campaign_id: str, player: str, wished: table_pb2.Table, request_id: str
    ) -> pb.Campaign:
        """The host opens the table of the next game; boxes that were left are lost (O14)."""
        table_id = uuid5(_SPACE, f"{campaign_id} {request_id}").hex[:20]

        async def open_table(meta: CampaignMeta) -> bool:
            _require_host(meta, player)
            if meta.game is not None:
                raise Fault(
                    Wrong.CAMPAIGN_GAME_ON,
                    f"The game at tables/{meta.game.table_id} is on; finish it or give it up.",
                    {"table": f"tables/{meta.game.table_id}"},
                )
            table = await self._draft(campaign_id, meta, wished)
            game = GameMeta(
                table_id,
                evolutions=table.options["evolutions"],
                mission=table.options["mission"],
                started_ms=table.created_ms,
            )
            meta.games = [*meta.games, game][-GAMES_KEPT:]
            meta.opening = table
            meta.boxes_left = 0
            for one in meta.players:
                one.vote = ""
            return True

        digest = digest_of(player.encode(), wished.SerializeToString(deterministic=True))
        return await self._change(campaign_id, player, open_table, request=(request_id, digest))

    async def abandon_game(self, campaign_id: str, player: str, table_id: str) -> pb.Campaign:
        """The host gives the game at that table up. If it is not on any more nothing changes."""

        async def give_up(meta: CampaignMeta) -> bool:
            _require_host(meta, player)
            if meta.game is None or meta.game.table_id != table_id:
                return False
            meta.game.state = "given up"
            return True

        return await self._change(campaign_id, player, give_up)

    async def check_boxes(
        self, campaign_id: str, player: str, boxes: Sequence[str], request_id: str
    ) -> pb.Campaign:
        """The host checks those boxes, in that order, or none of them (RS-032, RS-033)."""

        async def check(meta: CampaignMeta) -> bool:
            _require_host(meta, player)
            if not boxes:
                raise Fault(
                    Wrong.ARGUMENT_INVALID,
                    "No box is named; name at least one.",
                    {"field": "boxes"},
                )
            if len(boxes) > meta.boxes_left:
                raise Fault(
                    Wrong.NO_BOXES_LEFT,
                    f"Boxes named: {len(boxes)}; that may be checked now: {meta.boxes_left}.",
                    {"boxes_left": str(meta.boxes_left)},
                )
            for box in boxes:
                if sentence := self._sheet.why_not(meta.checked, box):
                    raise Fault(Wrong.BOX_NOT_OPEN, sentence, {"box": box[:40]})
                meta.checked.append(box)
            meta.boxes_left -= len(boxes)
            meta.games[-1].boxes_checked += boxes
            return True

        digest = digest_of(player.encode(), *[box.encode() for box in boxes])
        return await self._change(campaign_id, player, check, request=(request_id, digest))

    # Inside

    async def _draft(
        self, campaign_id: str, meta: CampaignMeta, wished: table_pb2.Table
    ) -> TableMeta:
        """The table of the next game: as wished, with what the sheet and the votes decide."""
        table = table_pb2.Table()
        table.CopyFrom(wished)
        table.ruleset = wished.ruleset or RULES.name
        if table.ruleset != RULES.name:
            raise Fault(
                Wrong.ARGUMENT_INVALID,
                f"Campaigns are played with {RULES.name}; leave the ruleset out.",
                {"field": "table.ruleset"},
            )
        team = len(meta.players)
        if 0 < len(table.seats) < team:
            raise Fault(
                Wrong.ARGUMENT_INVALID,
                f"The team has {team} players; the table asks for {len(table.seats)} seats.",
                {"field": "table.seats"},
            )
        if not table.seats:
            table.seats.extend([table_pb2.Seat() for _ in range(team)])
        unlocked = self._sheet.unlocked(meta.checked)
        decided = options(unlocked, next_mission(meta))
        table.options.update(
            {name: value for name, value in decided.items() if name not in wished.options.fields}
        )
        draft = await drafted(self._store, meta.players[0].player, table)
        if name := contradiction(decided, draft.options):
            raise Fault(
                Wrong.SHEET_DECIDES,
                f"The Evolution sheet decides the option {name!r}; leave it out.",
                {"option": name},
            )
        draft.options |= decided
        if any(one.is_bot for one in meta.players):
            require_bots_welcome(draft)
        draft.campaign = campaign_id
        for seat, one in enumerate(meta.players):
            draft.seats[seat] = SeatMeta(player=one.player, display_name=one.display_name)
        return draft

    async def _change(
        self,
        campaign_id: str,
        player: str,
        change: Change,
        *,
        request: tuple[str, bytes] | None = None,
        ended: bool = False,
    ) -> pb.Campaign:
        """Change a campaign. `request` is the id and digest of one that counts once, of the game
        that is the latest then; `ended`: a campaign that is over is looked at as well."""
        for attempt in range(TRIES):
            stored, meta = await self._ledger.settled(campaign_id, ended=ended)
            is_done = request is not None and _is_known(meta, *request)
            if is_done or not await change(meta):
                return self._message(campaign_id, meta, stored.revision, player)
            if request is not None:
                request_id, digest = request
                meta.games[-1].requests[request_id] = digest
            match await self._ledger.commit(campaign_id, stored, meta):
                case Committed(revision=now) if meta.opening is None:
                    return self._message(campaign_id, meta, now, player)
                case Committed():
                    return await self.get(campaign_id, player)  # which opens the table
            await stand_back(attempt)
        raise busy("Others keep changing this campaign; retry with the same request_id.")

    async def _of(self, campaign_id: str, player: str) -> pb.Campaign | None:
        """A campaign of that player's; None where it is not, or not any more."""
        try:
            stored, meta = await self._ledger.settled(campaign_id)
        except Fault as fault:
            if fault.reason == Wrong.CAMPAIGN_NOT_FOUND:
                return None
            raise
        if meta.player(player) is None:
            return None
        return self._message(campaign_id, meta, stored.revision, player)

    async def _is_in(self, player: str, campaign_id: str) -> bool:
        meta = await self._ledger.find(campaign_id)
        return meta is not None and meta.player(player) is not None

    def _message(
        self, campaign_id: str, meta: CampaignMeta, revision: int, reader: str
    ) -> pb.Campaign:
        return campaign_message(self._sheet, campaign_id, meta, revision, reader)


def _is_known(meta: CampaignMeta, request_id: str, digest: bytes) -> bool:
    """Whether that request was carried out. Raises `Fault` where it was another of its id."""
    known = meta.digest_of(request_id)
    if known not in (None, digest):
        raise Fault(
            Wrong.REQUEST_ID_REUSED,
            "request_id was used for something else; use a fresh UUID.",
        )
    return known is not None


def _require_player(meta: CampaignMeta, player: str) -> PlayerMeta:
    found = meta.player(player)
    if found is None:
        raise Fault(Wrong.NOT_IN_CAMPAIGN, "You are not in this campaign; join it first.")
    return found


def _require_host(meta: CampaignMeta, player: str) -> None:
    _require_player(meta, player)
    if meta.players[0].player != player:
        raise Fault(Wrong.NOT_HOST, "Only the campaign's host may do that.")
