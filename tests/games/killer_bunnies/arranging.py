"""Arranging: a table in the game's words, its dice scripted, and ways to play on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from hutch.engine import kernel
from hutch.engine.chance import Chance
from hutch.engine.events import Event
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Pick, Picks
from hutch.engine.refusals import Refusal
from hutch.games.killer_bunnies import RULES
from hutch.games.killer_bunnies.board import Away, Board, Bunny, Roamer
from hutch.games.killer_bunnies.circle import find
from hutch.games.killer_bunnies.events.piles import MarketOpened
from hutch.games.killer_bunnies.options import cards_of
from hutch.games.killer_bunnies.printed import CARDS, STARTER
from tests.games.killer_bunnies import card_report

SEED = bytes(range(32))
#: Cards for any time: in the discards unless a test deals them out, so that no window opens.
ANSWERS = (80, 81, 82, 151, 152)
FILLER = (*range(16, 24), *range(121, 125), 51, 52, 56, 64, 65, 142, 143, 144, 136, 55, 135, 53)


class ScriptedDice(Chance):
    """Dice that fall as a test says; cards are shuffled as ever."""

    def __init__(self, dice: Sequence[int]) -> None:
        super().__init__(SEED)
        self.dice = list(dice)

    def roll(self, stream: str, sides: int) -> int:
        if not self.dice:
            raise AssertionError("a die was rolled that the test does not foresee")
        return self.dice.pop(0)


@dataclass
class Player:
    """What a player has. A hand is filled up to five with Run cards that bring nothing about."""

    bunnies: Sequence[int] = ()
    hand: Sequence[int] = ()
    top: int = 0
    bottom: int = 0
    saved: Sequence[int] = ()
    dolla: Sequence[int] = ()
    cabbage: Sequence[int] = ()
    water: Sequence[int] = ()
    carrots: Sequence[int] = ()
    karma: Sequence[int] = ()
    lost_turns: Sequence[int] = ()
    full: bool = True


@dataclass
class Playing:
    """A game at hand, and short ways to play it."""

    live: Live
    dice: ScriptedDice
    told: list[Event] = field(default_factory=list)

    @property
    def board(self) -> Board:
        board: Board = self.live.table.board
        return board

    def bunny(self, card: int) -> Bunny:
        """That bunny, which must be in the circle."""
        found = find(self.board, card)
        assert found is not None, f"bunny {card} is not in the circle"
        return found

    def circle(self) -> list[int]:
        """The bunnies in ring order."""
        return [bunny.card for bunny in self.board.circle]

    def owners(self) -> dict[int, int]:
        """Who owns which bunny."""
        return {bunny.card: bunny.seat for bunny in self.board.circle}

    def topic(self, seat: int) -> str:
        """What the seat is asked about, or "" where it is not."""
        ask = self.live.asks.get(seat)
        return "" if ask is None else ask.topic

    def options(self, seat: int) -> list[str]:
        """What the seat may pick."""
        return [option.id for option in self.ask(seat).options]

    def offers(self, seat: int) -> list[str]:
        """What the seat may do beside the question."""
        offer = self.live.offers.get(seat)
        return [] if offer is None else [option.id for option in offer.options]

    def ask(self, seat: int) -> Ask:
        """The question of a seat that must answer."""
        assert seat in self.live.asks, f"seat {seat} is not asked; {self.live.asks}"
        return self.live.asks[seat]

    def answer(self, seat: int, *picks: str | tuple[str, int]) -> Playing:
        """Answer what the seat is asked."""
        return self._given(seat, self.ask(seat), self.live.ask_numbers[seat], _picks(picks))

    def take(self, seat: int, option: str) -> Playing:
        """Take up an offer."""
        offer = self.live.offers[seat]
        return self._given(seat, offer, self.live.offer_numbers[seat], _picks((option,)))

    def go(self, *steps: str | tuple[int, str]) -> Playing:
        """Answer one question after another: a bare pick is of the one seat that is asked."""
        for step in steps:
            if isinstance(step, str):
                (seat,) = self.live.asks
                self.answer(seat, step)
            else:
                self.answer(*step)
        return self

    def default(self, times: int = 1) -> Playing:
        """Let the clock answer for whoever is asked, lowest seat first."""
        for _ in range(times):
            ask = self.ask(min(self.live.asks))
            self.live.play_default(min(self.live.asks))
            self._note(ask, ask.default)
        return self

    def _given(self, seat: int, ask: Ask, number: int, picks: Picks) -> Playing:
        fault = self.live.answer(seat, number, picks)
        assert fault is None, fault
        self._note(ask, picks)
        return self

    def _note(self, ask: Ask, picks: Picks) -> None:
        events = self.live.forget_events()
        card_report.note(ask, picks, events)
        self.told += events

    def end_turn(self) -> Playing:
        """Play defaults until the turn is over."""
        turn = self.board.turn
        while self.board.turn == turn and self.live.result is None:
            self.default()
        return self

    def until(self, seat: int, topic: str) -> Playing:
        """Play defaults until the seat is asked about that."""
        for _ in range(100):
            if self.topic(seat) == topic:
                return self
            self.default()
        raise AssertionError(f"seat {seat} was never asked about {topic}")

    def all_pass(self) -> Playing:
        """Everybody passes on the window that is open."""
        while (
            seat := next((s for s, a in self.live.asks.items() if _is_window(a)), None)
        ) is not None:
            self.answer(seat, "pass")
        return self

    def refusal(self, seat: int, option: str) -> str:
        """The sentence that refuses an option; the answer changes nothing."""
        number = self.live.ask_numbers.get(seat, self.live.offer_numbers.get(seat, -1))
        before = RULES.encode_board(self.board)
        fault = self.live.answer(seat, number, (Pick(option),))
        assert isinstance(fault, Refusal), f"{option} was accepted"
        assert RULES.encode_board(self.board) == before
        return fault.sentence

    def happened(self, kind: type[Event]) -> list[Any]:
        """The events of a kind so far."""
        return [event for event in self.told if isinstance(event, kind)]


def _is_window(ask: Ask) -> bool:
    return ask.topic.startswith("window.") or ask.topic == "weapon.again"


def _picks(picks: Sequence[str | tuple[str, int]]) -> Picks:
    return tuple([Pick(pick) if isinstance(pick, str) else Pick(*pick) for pick in picks])


def arrange(
    *players: Player,
    dice: Sequence[int] = (),
    pile: Sequence[int] = (),
    discards: Sequence[int] = (),
    active: int = 0,
    stage: str = "before",
    turn: int = 10,
    market: Sequence[int] = tuple(range(1, 13)),
    market_card: int = STARTER,
    spent_dolla: Sequence[int] = (),
    spent_cabbage: Sequence[int] = (),
    spent_water: Sequence[int] = (),
    cabbage: Sequence[int] | None = None,
    water: Sequence[int] | None = None,
    small_carrots: Sequence[int] = tuple(range(1, 13)),
    roamers: Sequence[Roamer] = (),
    away: Away | None = None,
    under: Mapping[int, Sequence[int]] | None = None,
    traded: Sequence[int] = (),
    empty_pile: bool = False,
    limits_ms: dict[str, int] | None = None,
    **options: Any,
) -> Playing:
    """A table in the middle of a game. `pile` is drawn first; all other cards lie below it.

    `under` puts modifiers under bunnies. Carrots that players have are not in the market.
    """
    outcome = kernel.deal(
        RULES, seats=len(players), options=options, seed=SEED, at_ms=0, limits_ms=limits_ms
    )
    assert isinstance(outcome, kernel.Outcome), outcome
    opened = [event for event in outcome.events if isinstance(event, MarketOpened)]
    card_report.note(Ask("", ()), (), opened)
    record = outcome.record
    board: Board = RULES.decode_board(record.board)
    board.stage = stage  # type: ignore[assignment]
    board.turn, board.active, board.market_card = turn, active, market_card
    board.roamers, board.away, board.traded = list(roamers), away, list(traded)
    board.spent_dolla, board.discards = list(spent_dolla), list(discards)
    board.small_carrots = list(small_carrots)
    held = {carrot for player in players for carrot in player.carrots}
    board.market = [carrot for carrot in market if carrot not in held]
    board.circle = [
        Bunny(card, seat, list((under or {}).get(card, ())))
        for seat, player in enumerate(players)
        for card in player.bunnies
    ]
    for seat, player in enumerate(players):
        place = board.seats[seat]
        place.hand, place.top, place.bottom = list(player.hand), player.top, player.bottom
        place.saved, place.dolla = list(player.saved), list(player.dolla)
        place.cabbage, place.water = list(player.cabbage), list(player.water)
        place.carrots = list(player.carrots)
        place.karma, place.lost_turns = list(player.karma), list(player.lost_turns)
    board.spent_cabbage, board.spent_water = list(spent_cabbage), list(spent_water)
    if cabbage is not None:
        board.cabbage = list(reversed(cabbage))
    if water is not None:
        board.water = list(reversed(water))
    _lay_out_the_rest(board, players, list(pile), record.options, empty_pile)
    record = msgspec.structs.replace(record, board=RULES.encode_board(board), standing=[])
    chance = ScriptedDice(dice)
    return Playing(Live(RULES, record, chance=chance), chance)


def launched(card: int, target: str, *players: Player, **more: object) -> Playing:
    """The game after seat 0 has flipped a weapon and launched it at that target."""
    first, *rest = players
    first.top = card
    return arrange(first, *rest, **more).go("flip", "play", target)  # type: ignore[arg-type]


def _lay_out_the_rest(
    board: Board, players: Sequence[Player], pile: list[int], options: Any, empty_pile: bool
) -> None:
    used = set(pile) | set(board.discards) | set(board.spent_dolla) | {board.market_card}
    for seat in board.seats:
        used.update(seat.hand, seat.saved, seat.dolla, seat.karma, seat.lost_turns)
        used.update((seat.top, seat.bottom))
    for bunny in board.circle:
        used.update((bunny.card, *bunny.under))
    used.update(roamer.card for roamer in board.roamers)
    if board.away is not None:
        used.add(board.away.card)
    filler = [card for card in FILLER if card not in used]
    for seat, player in zip(board.seats, players, strict=True):
        while player.full and len(seat.hand) < 5:
            used.add(filler[0])
            seat.hand.append(filler.pop(0))
    for card in ANSWERS:
        if card not in used:
            used.add(card)
            board.discards.append(card)
    left = [
        card
        for card in cards_of(RULES.decode_options(bytes(options)))
        if card not in used and CARDS[card].type not in ("carrot", "starter")
    ]
    if empty_pile:
        board.aside, left = left, []
    # Harmless cards first, so that a draw that no test speaks of brings nothing about.
    left.sort(key=lambda card: (CARDS[card].type == "run", card))
    board.pile = left + list(reversed(pile))
