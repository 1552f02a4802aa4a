"""The manifest of a game: what the kernel needs to know about its rules."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from google.protobuf.message import Message

from hutch.engine.deadlines import Pending
from hutch.engine.events import Event
from hutch.engine.prompts import Ask, Picks, Prompt, Reply
from hutch.engine.records import Result

if TYPE_CHECKING:
    from random import Random

    from hutch.engine.table import Table

R = TypeVar("R")


class Checkpoint:
    """What a script yields at a clean moment: it holds nothing that the board does not."""


CHECKPOINT: Final = Checkpoint()

#: A script: yields prompts and checkpoints, receives replies, returns `R`.
Script = Generator[Prompt | Checkpoint, Reply, R]

#: Sent instead of an answer when the open question may have changed: ask again, computed afresh.
AGAIN: Final = Reply(-1, ())


class NoOptions(msgspec.Struct, frozen=True):
    """The options of a game that has none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Rules:
    """One revision of one game's rules.

    `new_board` gives the empty board; `setup` deals by emitting events; `play` is the game as a
    script, written so that it goes on from any checkpoint's board. `look` builds the typed view of
    a seat (None: the public's) and `tell` the typed form of an event's face: a message of a kind
    that the game's `Event` can hold.
    """

    name: str
    title: str
    revision: int
    seats: range
    board_type: type[Any]
    new_board: Callable[[int, Any], Any]
    setup: Callable[[Table[Any]], None]
    play: Callable[[Table[Any]], Script[Result]]
    look: Callable[[Table[Any], int | None], Message]
    tell: Callable[[Event], Message]
    #: Everything that `seat` cannot see, shuffled in place: the worlds a search bot plays in.
    resample: Callable[[Table[Any], int | None, Random], None]
    #: The most inputs between two checkpoints; a test holds the game to it.
    replay_bound: int
    #: A sentence for a pick that is no option, from the guards that left it out. "" = none.
    why_not: Callable[[Table[Any], int, Ask, str], str] = lambda table, seat, ask, option: ""
    #: Cards playable at any time: offered beside every question, and what playing one does.
    offers: Callable[[Table[Any]], Mapping[int, Ask]] | None = None
    interject: Callable[[Table[Any], int, Picks], Script[None]] | None = None
    #: Deadlines that the rules themselves set.
    pending: Callable[[Table[Any]], list[Pending]] = lambda table: []
    #: What they may be called.
    causes: tuple[str, ...] = ()
    #: What the rules do when a player leaves for good, or comes back. Events only, no questions.
    leave: Callable[[Table[Any], int], None] = lambda table, seat: None
    rejoin: Callable[[Table[Any], int], None] = lambda table, seat: None
    #: Seats that nobody holds at the deal; whoever takes one later rejoins it.
    vacant: Callable[[int, Any], list[int]] = lambda seats, options: []
    #: Players and options that do not fit together: a sentence, or "" where they do.
    check: Callable[[int, Any], str] = lambda seats, options: ""
    options_type: type[Any] = NoOptions
    #: What a table's policy for absent players (`away`, `bot`, `forfeited`) means for the options,
    #: where the table does not say otherwise.
    absence: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: What is read of the card tables that the game is played with; the game says what that is.
    tables: Any = None
    #: The names of clocks that questions run on: a table may set a limit for each. Questions whose
    #: clock has none run on `decision`, so that a table may time every question by itself.
    clocks: tuple[str, ...] = ("decision",)
    #: Those on which one may merely react: letting them run out is how one passes.
    reactions: tuple[str, ...] = ()
    #: Whose turn it is, and what tells it from other turns, where all that this seat is asked on
    #: `decision` shares the clock `turn` at tables that limit it.
    turn: Callable[[Table[Any]], tuple[int, str] | None] = lambda table: None
    #: The card catalogue: typed by the game, texts in our own words.
    catalogue: Callable[[], list[CatalogueCard]] = list
    #: What each question is about, by topic.
    topics: Mapping[str, str] = field(default_factory=dict)

    def encode_board(self, board: Any) -> bytes:
        """The board as bytes."""
        return _encoder.encode(board)

    def decode_board(self, data: bytes) -> Any:
        """The board that those bytes hold."""
        return _decoder(self.board_type).decode(data)

    def decode_options(self, data: bytes) -> Any:
        """The options of a table. Raises `msgspec.ValidationError` naming the field at fault."""
        return _decoder(self.options_type).decode(data)


class CatalogueCard(msgspec.Struct, frozen=True):
    """A card as a client may look it up. `ref` is the name that options and views use."""

    ref: str
    name: str
    kind: str
    text: str
    facts: dict[str, str] = {}


_encoder = msgspec.msgpack.Encoder()


_decoders: dict[type[Any], msgspec.msgpack.Decoder[Any]] = {}


def _decoder(of_type: type[Any]) -> msgspec.msgpack.Decoder[Any]:
    decoder = _decoders.get(of_type)
    if decoder is None:
        decoder = _decoders[of_type] = msgspec.msgpack.Decoder(of_type)
    return decoder
