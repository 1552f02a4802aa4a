"""What is stored of a table beside its game: who sits where, and how it is to be played."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from google.protobuf import json_format
from msgspec import Struct

from hutch.engine.chance import commitment
from hutch.v1 import table_pb2 as pb
from hutch.wire.names import TableName, campaign_name, player_name

State = Literal["gathering", "playing", "finished", "abandoned"]
#: What becomes of the seat of an absent player.
Absent = Literal["away", "bot", "forfeited"]

_STATES = {
    "gathering": pb.TABLE_STATE_GATHERING,
    "playing": pb.TABLE_STATE_PLAYING,
    "finished": pb.TABLE_STATE_FINISHED,
    "abandoned": pb.TABLE_STATE_ABANDONED,
}
STATE_NAMES: dict[int, State] = {
    number: name  # type: ignore[misc]
    for name, number in _STATES.items()
}
_ABSENCES = {
    "away": pb.ABSENCE_AWAY,
    "bot": pb.ABSENCE_BOT,
    "forfeited": pb.ABSENCE_FORFEITED,
}


class SeatMeta(Struct, array_like=True):
    """A place: a player's id or a bot's strategy, or both empty. Both: the bot stands in.

    `left`: its player gave it up, and the game was told. `timeouts`: how often in a row the
    player's time ran out. `given_up`: how often its bot could not be made to answer.
    """

    player: str = ""
    display_name: str = ""
    bot: str = ""
    salt: bytes = b""
    left: bool = False
    absence: Absent | None = None
    timeouts: int = 0
    given_up: int = 0

    @property
    def is_free(self) -> bool:
        """Whether a player may take it before the deal."""
        return not self.player and not self.bot

    @property
    def is_absent(self) -> bool:
        """Whether it has a player, who is absent."""
        return self.absence is not None or self.left

    @property
    def is_answered_for(self) -> bool:
        """Whether the service answers its questions: with a bot, or by default."""
        return bool(self.bot) or self.absence is not None

    @property
    def is_lost(self) -> bool:
        """Whether its player, if it has one, has no right to it any more."""
        return self.left or self.absence == "forfeited"


class AbsenceMeta(Struct, frozen=True, array_like=True):
    """What a table does about absent players: what becomes of the seat, and after how many
    time-outs in a row (0: never by time)."""

    seat: Absent = "bot"
    after_timeouts: int = 0


class TableMeta(Struct, array_like=True):
    """A table beside its game. `secret` is the server's part of the seed: shown after the end."""

    ruleset: str
    host: str
    seats: list[SeatMeta]
    options: dict[str, Any]
    limits_ms: dict[str, int]
    secret: bytes
    created_ms: int
    state: State = "gathering"
    rules_revision: int = 0
    scores: list[int] = []
    winners: list[int] = []
    team: int | None = None
    people_only: bool = False
    #: The id of the campaign that the game belongs to.
    campaign: str = ""
    time_bank_ms: int = 0
    absence: AbsenceMeta = AbsenceMeta()

    @property
    def is_over(self) -> bool:
        """Whether nothing is played any more, so that nothing needs to be hidden."""
        return self.state in ("finished", "abandoned")


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(TableMeta)


def encode_meta(meta: TableMeta) -> bytes:
    """The meta as bytes."""
    return _encoder.encode(meta)


def decode_meta(data: bytes) -> TableMeta:
    """The meta that those bytes hold."""
    return _decoder.decode(data)


def table_message(table_id: str, meta: TableMeta, revision: int, epoch: int = 0) -> pb.Table:
    """The public face of a table. Secret and salts are in it only once the game is over.

    What is stored of it has no epoch: that is of whoever reads it."""
    name = TableName(table_id)
    over = meta.is_over
    message = pb.Table(
        name=str(name),
        ruleset=meta.ruleset,
        rules_revision=meta.rules_revision,
        state=_STATES[meta.state],
        revision=revision,
        epoch=epoch,
        host=player_name(meta.host),
        seed_commitment=commitment(meta.secret),
        people_only=meta.people_only,
        campaign=campaign_name(meta.campaign),
        absence=pb.AbsencePolicy(
            seat=_ABSENCES[meta.absence.seat], after_timeouts=meta.absence.after_timeouts
        ),
    )
    message.create_time.FromMilliseconds(meta.created_ms)
    json_format.ParseDict(meta.options, message.options)
    for clock, limit in sorted(meta.limits_ms.items()):
        message.limits[clock].FromMilliseconds(limit)
    if meta.time_bank_ms:
        message.time_bank.FromMilliseconds(meta.time_bank_ms)
    for index, seat in enumerate(meta.seats):
        message.seats.add(
            name=str(TableName(table_id, index)),
            player=player_name(seat.player),
            display_name=seat.display_name,
            bot=seat.bot,
            left=seat.left,
            salt=seat.salt if over else b"",
            absence=_ABSENCES[seat.absence] if seat.absence else pb.ABSENCE_UNSPECIFIED,
            timeouts=seat.timeouts,
        )
    if over:
        message.seed = meta.secret
    if meta.state == "finished":
        message.result.CopyFrom(
            pb.Result(scores=meta.scores, winners=meta.winners, team_score=meta.team)
        )
    return message
