"""Interrupts: cards for any time, and the windows in which they answer (O-38, O-39)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from hutch.engine import asking
from hutch.engine.prompts import Ask, Option, Picks, Reply
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import PLAYING, Board, Bunny, Game, is_over, seats_from
from hutch.games.killer_bunnies.circle import cyber_on, find, has_halo, roamer_on, spread
from hutch.games.killer_bunnies.deciding import REACTION, card_option, card_point, value_of
from hutch.games.killer_bunnies.events.piles import CardPlayed, SavedCardDiscarded
from hutch.games.killer_bunnies.feeding import starving
from hutch.games.killer_bunnies.piles import HAND, discard, draw_up
from hutch.games.killer_bunnies.playable import why_not_pink
from hutch.games.killer_bunnies.printed import MINILITH, SPATULA, SUIT, SUNNY_DAY
from hutch.games.killer_bunnies.reuse import is_hidden

#: What a window is about. `launch`: a card lies on its target, nothing is rolled; `attack`: a
#: roamer is about to attack; `explosion`: a Trojan is; `end`: something is due at a turn's end;
#: `loss`: Maggots or Drought lies before its victim.
Moment = Literal["launch", "attack", "explosion", "end", "loss"]


@dataclass(slots=True)
class Threat:
    """What lies on the table to be answered. Answers change it."""

    moment: Moment
    card: int
    seat: int
    bunny: int = 0
    level: int = 0
    reach: int = 0
    at_cyber: bool = False
    #: Whom Maggots or Drought is laid before.
    victim: int = -1
    cancelled: bool = False
    #: Seats whose bunnies the weapon does not touch (O-71).
    spared: list[int] = field(default_factory=list)
    #: The launcher's bunnies whose Trojan the launch sets off, while it lies there (O-42).
    fuses: list[int] = field(default_factory=list)

    def is_void(self, board: Board) -> bool:
        """Whether nothing is left to answer: it is cancelled, its target is gone (O-47), it hits
        nobody any more, or what was about to happen will not."""
        if self.cancelled:
            return True
        match self.moment:
            case "launch":
                target = cyber_on if self.at_cyber else find
                return target(board, self.bunny) is None or self._hits_nobody(board)
            case "attack":
                return roamer_on(board, self.bunny, self.card) is None
            case "explosion":
                bunny = find(board, self.bunny)
                return bunny is None or bunny.trojan != self.card
            case "end":
                return not starving(board)
            case "loss":
                return False

    def hits(self, bunny: Bunny) -> bool:
        """Halo bunnies are skipped in a range, and so are those of a spared player (O-46, O-71)."""
        return bunny.seat not in self.spared and not has_halo(bunny)

    def _hits_nobody(self, board: Board) -> bool:
        """Whether a weapon that spares somebody has nothing else in its range (O-71)."""
        return bool(self.spared) and not any(
            self.hits(bunny) or (self.reach and cyber_on(board, bunny.card))
            for bunny, _ in spread(board, self.bunny, self.reach)
        )


@dataclass(frozen=True, slots=True)
class AnyTime:
    """When an any-time card has an occasion, and what it does then."""

    occasion: Callable[[Board, int, Threat | None], bool]
    answer: Callable[[Game, int, int, Threat | None], Script[None]]
    #: Bug Off and Noah's Flood answer only where they lie saved (KB-146, KB-147).
    saved_only: bool = False


ANY_TIME: Final[dict[int, AnyTime]] = {}
#: Those that may be used without a window.
ANY_MOMENT: Final = frozenset({SPATULA, SUNNY_DAY, SUIT, MINILITH})


def playable_now(board: Board, seat: int, threat: Threat | None) -> list[int]:
    """The any-time cards that a seat holds and may play at this moment."""
    player = board.seats[seat]
    held = [card for card in player.hand if card in ANY_TIME and not ANY_TIME[card].saved_only]
    held += [card for card in player.saved if card in ANY_TIME]
    return [
        card
        for card in held
        if ANY_TIME[card].occasion(board, seat, threat) and not why_not_pink(board, seat, card)
    ]


def play_any_time(table: Game, seat: int, card: int, threat: Threat | None) -> Script[None]:
    """Play an any-time card; one from the hand is replaced at once (O-02). It is no turn."""
    hand = table.board.seats[seat].hand
    held, from_hand = len(hand), card in hand
    table.emit(CardPlayed(seat, card, not from_hand))
    yield from ANY_TIME[card].answer(table, seat, card, threat)
    discard(table, card)
    if from_hand:
        # KB-165: who has not laid his run cards yet holds seven.
        yield from draw_up(table, seat, max(HAND, held))


def window(table: Game, threat: Threat) -> Script[None]:
    """All who may answer are asked together; the first card is resolved wholly, then again (O-39).

    To give nothing away, everybody is asked who holds unseen cards while an unseen card could
    answer.
    """
    board = table.board
    if is_over(board):
        return
    order = seats_from(board, threat.seat)
    order = [*order[1:], order[0]] if order[0] == threat.seat else order
    askable: list[int] | None = None

    def seats() -> list[int]:
        nonlocal askable
        if askable is None:
            askable = _who_might_answer(board, order, threat)
        return [seat for seat in askable if board.seats[seat].state == PLAYING]

    def build(seat: int) -> Ask:
        options = [card_option("play", card) for card in playable_now(board, seat, threat)]
        return asking.pass_or(
            f"window.{threat.moment}",
            options,
            about=(card_point(threat.card), card_point(threat.bunny))
            if threat.bunny
            else (card_point(threat.card),),
            clock=REACTION,
        )

    def play(reply: Reply) -> Script[bool]:
        nonlocal askable
        yield from play_any_time(table, reply.seat, value_of(reply.option), threat)
        askable = None
        return threat.is_void(board)

    yield from asking.window(table, seats, build, play, interruptible=False)


def _who_might_answer(board: Board, order: list[int], threat: Threat) -> list[int]:
    unseen = [
        card for card, entry in ANY_TIME.items() if not entry.saved_only and is_hidden(board, card)
    ]
    return [
        seat
        for seat in order
        if any(
            card in ANY_TIME
            and ANY_TIME[card].occasion(board, seat, threat)
            and not why_not_pink(board, seat, card)
            for card in (
                *board.seats[seat].saved,
                *(unseen if board.seats[seat].hand else ()),
            )
        )
    ]


_OFFERS: dict[tuple[str, ...], Ask] = {}


def offer_of(options: list[Option]) -> Ask:
    """The offer of those options, made once."""
    key = tuple([option.id for option in options])
    ask = _OFFERS.get(key)
    if ask is None:
        ask = _OFFERS[key] = Ask("any-time", tuple(options))
    return ask


def options_now(board: Board, seat: int) -> list[Option]:
    """What a seat may do beside any question; The Minilith may go in its owner's turn (KB-151)."""
    player = board.seats[seat]
    if player.state != PLAYING or (
        ANY_MOMENT.isdisjoint(player.hand) and ANY_MOMENT.isdisjoint(player.saved)
    ):
        return []
    options = [card_option("play", card) for card in playable_now(board, seat, None)]
    if seat == board.active and MINILITH in player.saved:
        options.append(card_option("drop", MINILITH))
    return options


def offers(table: Game) -> dict[int, Ask]:
    """Cards playable at any time, offered beside every question."""
    board = table.board
    if is_over(board):
        return {}
    found: dict[int, Ask] = {}
    holds_none = ANY_MOMENT.isdisjoint
    for seat in board.order:
        player = board.seats[seat]
        if holds_none(player.hand) and holds_none(player.saved):
            continue
        if options := options_now(board, seat):
            found[seat] = offer_of(options)
    return found


def interject(table: Game, seat: int, picks: Picks) -> Script[None]:
    """Carry out what was taken of the offers."""
    option = picks[0].option
    card = value_of(option)
    if option.startswith("drop:"):
        table.emit(SavedCardDiscarded(seat, card))
        return
    yield from play_any_time(table, seat, card, None)
