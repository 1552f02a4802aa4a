"""What is stored of a campaign: its team, its Evolution sheet and its games."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from hutch.games.rabbit_space.board import Mission
from hutch.games.rabbit_space.campaign import chosen_mission
from hutch.games.rabbit_space.sheet import EVOLUTIONS, Box, Sheet
from hutch.turns.table_meta import TableMeta
from hutch.v1 import campaign_pb2 as pb
from hutch.wire.names import TableName, campaign_name, player_name

GameState = Literal["on", "over", "given up", "expired"]

_GAME_STATES = {
    "on": pb.CAMPAIGN_GAME_STATE_ON,
    "over": pb.CAMPAIGN_GAME_STATE_OVER,
    "given up": pb.CAMPAIGN_GAME_STATE_GIVEN_UP,
    "expired": pb.CAMPAIGN_GAME_STATE_EXPIRED,
}


class PlayerMeta(Struct, array_like=True):
    """A player of the team. `vote`: "" for none. `is_bot`: a program joined, and said so."""

    player: str
    display_name: str
    vote: str = ""
    is_bot: bool = False


class GameMeta(Struct, array_like=True):
    """A game of the campaign. `evolutions` and `mission` are what it was played with; `requests`,
    each id with a digest, are those that started it and checked boxes for it: they count once."""

    table_id: str
    evolutions: list[str]
    mission: str
    started_ms: int
    state: GameState = "on"
    points: int = 0
    boxes_earned: int = 0
    boxes_checked: list[str] = []
    requests: dict[str, bytes] = {}


class CampaignMeta(Struct, array_like=True):
    """A campaign. The first of its players is the host; without players it is over.

    `opening` is the table of the latest game until it is known to be stored: whoever finds it
    stores it.
    """

    display_name: str
    invite: str
    created_ms: int
    players: list[PlayerMeta]
    checked: list[str] = []
    boxes_left: int = 0
    games: list[GameMeta] = []
    opening: TableMeta | None = None

    @property
    def game(self) -> GameMeta | None:
        """The game that is on."""
        return self.games[-1] if self.games and self.games[-1].state == "on" else None

    def digest_of(self, request_id: str) -> bytes | None:
        """What the request of that id asked for; None where it was not carried out."""
        for game in self.games:
            if request_id in game.requests:
                return game.requests[request_id]
        return None

    def player(self, player: str) -> PlayerMeta | None:
        """That player of the team; None for somebody else."""
        return next((one for one in self.players if one.player == player), None)


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(CampaignMeta)


def encode_campaign(meta: CampaignMeta) -> bytes:
    """The campaign as bytes."""
    return _encoder.encode(meta)


def decode_campaign(data: bytes) -> CampaignMeta:
    """The campaign that those bytes hold."""
    return _decoder.decode(data)


def campaign_message(
    sheet: Sheet, campaign_id: str, meta: CampaignMeta, revision: int, reader: str
) -> pb.Campaign:
    """A campaign as that player may see it: the invite is for the team alone."""
    unlocked = sheet.unlocked(meta.checked)
    message = pb.Campaign(
        name=campaign_name(campaign_id),
        display_name=meta.display_name,
        revision=revision,
        boxes=[_box_message(sheet, meta.checked, box) for box in sheet.boxes.values()],
        boxes_left=meta.boxes_left,
        evolutions=unlocked.evolutions,
        missions=unlocked.missions,
        next_mission=next_mission(meta),
        games=[_game_message(game) for game in meta.games],
    )
    message.create_time.FromMilliseconds(meta.created_ms)
    for one in meta.players:
        message.players.add(
            player=player_name(one.player), display_name=one.display_name, vote=one.vote
        )
    if meta.players:
        message.host = player_name(meta.players[0].player)
    if meta.player(reader) is not None:
        message.invite = meta.invite
    if meta.game is not None:
        message.table = str(TableName(meta.game.table_id))
    return message


def next_mission(meta: CampaignMeta) -> Mission:
    """The mission that the votes choose; "" for none."""
    votes = [one.vote for one in meta.players]
    return chosen_mission(votes, host=votes[0]) if votes else ""


def _box_message(sheet: Sheet, checked: list[str], box: Box) -> pb.EvolutionBox:
    state = pb.BOX_STATE_CLOSED
    if sheet.is_checked(checked, box.name):
        state = pb.BOX_STATE_CHECKED
    elif not sheet.why_not(checked, box.name):
        state = pb.BOX_STATE_OPEN
    message = pb.EvolutionBox(
        box=box.name, state=state, x=box.x, y=box.y, beside=sorted(sheet.lines[box.name])
    )
    if box.planet in EVOLUTIONS:
        message.evolution = box.planet
    elif box.planet:
        message.mission = box.planet
    return message


def _game_message(game: GameMeta) -> pb.CampaignGame:
    message = pb.CampaignGame(
        table=str(TableName(game.table_id)),
        state=_GAME_STATES[game.state],
        evolutions=game.evolutions,
        mission=game.mission,
        points=game.points,
        boxes_earned=game.boxes_earned,
        boxes_checked=game.boxes_checked,
    )
    message.start_time.FromMilliseconds(game.started_ms)
    return message
