"""Set-up: decks, market, the deal, and the first two run cards (KB-008 to KB-017)."""

from __future__ import annotations

from msgspec.structs import replace

from hutch.engine import asking
from hutch.engine.prompts import Ask, Reply
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import (
    PLAYING,
    VACANT,
    Board,
    Game,
    Seat,
    seats_from,
    somebody_leaves,
)
from hutch.games.killer_bunnies.deciding import card_option, some_of, value_of
from hutch.games.killer_bunnies.events.piles import (
    CardsSetAside,
    MarketOpened,
    RunCardsLaid,
    Shuffled,
)
from hutch.games.killer_bunnies.market import choose_carrots
from hutch.games.killer_bunnies.options import Options, cards_of, carrots_of
from hutch.games.killer_bunnies.piles import HAND, deal
from hutch.games.killer_bunnies.printed import CARDS, STARTER

#: KB-004: the units of the Cabbage Cards, and of the Water Cards.
UNITS = (1, 1, 1, 1, 1, 2, 2, 2, 2, 5, 5, 10)
RUN_CARDS = 2


def new_board(seats: int, options: Options) -> Board:
    """The empty table."""
    free = set(options.free_seats)
    return Board(
        seats=[Seat(state=VACANT if seat in free else PLAYING) for seat in range(seats)],
        order=[seat for seat in range(seats) if seat not in free],
        first=options.first_seat,
        active=-1,
    )


def setup(table: Game) -> None:
    """Shuffle, open the market, and deal seven cards to each player."""
    options = table.options
    numbers = cards_of(options)
    carrots = carrots_of(options)
    choices = [number for number in numbers if CARDS[number].kind == "carrot_choice"]
    left_out = choices[: options.fewer_carrot_cards]
    pile = [
        number
        for number in numbers
        if CARDS[number].type not in ("carrot", "starter") and number not in left_out
    ]
    chance = table.chance
    if left_out:
        table.emit(CardsSetAside(left_out))
    table.emit(
        Shuffled(
            chance.shuffled("draw", pile),
            chance.shuffled("cabbage", UNITS),
            chance.shuffled("water", UNITS),
            chance.shuffled("carrots", carrots),
        )
    )
    table.emit(MarketOpened(STARTER, carrots))
    for seat in seats_from(table.board, table.board.first):
        deal(table, seat, HAND + RUN_CARDS)


def lay_run_cards(table: Game, seats: list[int]) -> Script[None]:
    """Each player lays two of his seven cards face down, Top Run first (KB-016).

    Before the first turn it is broken off where somebody leaves, who is out at once (O-61).
    """
    board = table.board
    waiting = [seat for seat in seats if board.seats[seat].hand and not board.seats[seat].top]

    def build(seat: int) -> Ask | None:
        if seat not in waiting or board.seats[seat].state != PLAYING:
            return None
        if board.stage == "lay" and somebody_leaves(board):
            return None
        options = [card_option("lay", card) for card in board.seats[seat].hand]
        count = min(RUN_CARDS, len(options))
        ask = some_of(board, seat, "run.lay", options, least=count, most=count)
        return replace(ask, ordered=True)

    def do(reply: Reply) -> bool:
        waiting.remove(reply.seat)
        top, *rest = [value_of(option) for option in reply.taken]
        table.emit(RunCardsLaid(reply.seat, top, rest[0] if rest else 0))
        return False

    yield from asking.each(table, seats, build, do)


def give_carrots(table: Game) -> Script[None]:
    """A shorter game: Carrots from the market, one at a time in order of play (KB-167, O-62)."""
    board = table.board
    for _ in range(table.options.starting_carrots):
        for seat in seats_from(board, board.first):
            yield from choose_carrots(table, seat, 1)
