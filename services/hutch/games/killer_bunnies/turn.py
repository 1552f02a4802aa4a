"""The turn, stage by stage; every stage begins with a checkpoint (O-33, O-34)."""

from __future__ import annotations

from typing import Final

from hutch.engine import asking
from hutch.engine.prompts import Ask, Option
from hutch.engine.records import Result
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import (
    Board,
    Game,
    is_deserted,
    is_over,
    next_in_order,
    somebody_leaves,
)
from hutch.games.killer_bunnies.circle import find, has_triplet
from hutch.games.killer_bunnies.deciding import (
    card_option,
    decide,
    question,
    value_of,
    word_option,
)
from hutch.games.killer_bunnies.ending import finish
from hutch.games.killer_bunnies.events.piles import (
    BottomRunLaid,
    CardPlayed,
    CardSaved,
    HandCardsDiscarded,
    RunCardSlid,
    TopRunFlipped,
)
from hutch.games.killer_bunnies.events.turns import PlayMade, StageReached, TurnBegan, TurnLost
from hutch.games.killer_bunnies.feeding import feed, flo_feeds, starve, starving
from hutch.games.killer_bunnies.interrupts import Threat, interject, window
from hutch.games.killer_bunnies.market import buy
from hutch.games.killer_bunnies.moments import anytime_and_trades, moment_ask
from hutch.games.killer_bunnies.piles import HAND, discard, draw_up, perform
from hutch.games.killer_bunnies.playable import why_not_decline, why_not_play, why_not_save
from hutch.games.killer_bunnies.printed import TOP_RUN_ROTATE
from hutch.games.killer_bunnies.roaming import attack_again, due_roamer
from hutch.games.killer_bunnies.seating import clear_seats, seat_newcomers
from hutch.games.killer_bunnies.setup import give_carrots, lay_run_cards
from hutch.games.killer_bunnies.trading import negotiate, open_trade, partners

PLAY: Final = word_option("play")
SAVE: Final = word_option("save")
DISCARD: Final = word_option("discard")


def play(table: Game) -> Script[Result]:
    """The whole game, from any checkpoint's board.

    Who leaves gives his Carrots back before it is asked whether the last is taken (KB-166).
    """
    board = table.board
    while True:
        yield from table.checkpoint()
        if somebody_leaves(board):
            yield from clear_seats(table)
        if is_over(board) or is_deserted(board):
            return finish(table)
        match board.stage:
            case "lay":
                yield from lay_run_cards(table, list(board.order))
                if not somebody_leaves(board):
                    table.emit(StageReached("gifts"))
            case "gifts":
                yield from give_carrots(table)
                table.emit(StageReached("begin"))
            case "begin":
                yield from _begin(table)
            case "before" | "after" | "between":
                yield from _open_moment(table)
            case "starve":
                yield from _end(table)
            case _:
                yield from _roam(table)


def _begin(table: Game) -> Script[None]:
    """The next seat's turn, unless it is lost (KB-109, O-07)."""
    board = table.board
    yield from seat_newcomers(table)
    seat = board.first if board.active < 0 else next_in_order(board, board.active)
    lost = board.seats[seat].lost_turns
    if lost:
        table.emit(TurnLost(board.turn + 1, seat, lost[0]))
    else:
        table.emit(TurnBegan(board.turn + 1, seat))


def _open_moment(table: Game) -> Script[None]:
    """One act of an open moment: the turn player's, a trade of another, or an any-time card.

    None where somebody leaves: nothing is being resolved, so it counts at once (O-61).
    """
    board = table.board
    seat = board.active

    willing: list[int] = []

    def build() -> dict[int, Ask]:
        willing[:] = partners(table)
        left = somebody_leaves(board) or is_deserted(board)
        return {} if left else {seat: moment_ask(table, willing)}

    reply = yield from asking.ask(
        table, build, lambda: anytime_and_trades(table, willing), interruptible=False
    )
    if reply is None:
        return
    verb, _, rest = reply.option.partition(":")
    if reply.offered:
        if verb == "trade":
            yield from negotiate(table, reply.seat, int(rest))
        else:
            yield from interject(table, reply.seat, reply.picks)
        return
    match verb:
        case "flip":
            yield from _flip(table, seat)
        case "hand":
            table.emit(CardPlayed(seat, int(rest), False))
            yield from perform(table, seat, int(rest))
            table.emit(PlayMade(seat))
        case "discard":
            table.emit(HandCardsDiscarded(seat, [int(rest)]))
            table.emit(PlayMade(seat))
        case "no-play":
            table.emit(PlayMade(seat))
        case "close":
            yield from _replace(table)
        case "end":
            yield from _close(table)
        case "buy":
            yield from buy(table, seat, reply.option)
        case "feed":
            feed(table, seat, int(rest))
        case "flo":
            bunny = find(board, int(rest))
            assert bunny is not None
            flo_feeds(table, seat, bunny)
        case "saved":
            table.emit(CardPlayed(seat, int(rest), True))
            yield from perform(table, seat, int(rest))
        case _:
            yield from open_trade(table)


def _flip(table: Game, seat: int) -> Script[None]:
    """KB-024 a to c: flip the Top Run card, then play, save or discard it."""
    board = table.board
    card = board.seats[seat].top
    table.emit(TopRunFlipped(seat, card))

    options = _uses(board, seat, card)
    use = options[0].id
    if len(options) > 1:

        def build() -> Ask:
            return question(board, seat, "run.use", _uses(board, seat, card), about=card)

        use = (yield from decide(table, seat, build)).option
    match use:
        case "play":
            if card == TOP_RUN_ROTATE and board.seats[seat].bottom:
                table.emit(RunCardSlid(seat))  # O-56: what takes its place is passed on
            yield from perform(table, seat, card)
        case "save":
            table.emit(CardSaved(seat, card))
        case _:
            discard(table, card)
    table.emit(PlayMade(seat))


def _uses(board: Board, seat: int, card: int) -> list[Option]:
    """What may be done with a flipped card."""
    found = []
    if not why_not_play(board, seat, card):
        found.append(PLAY)
    if not why_not_save(board, seat, card):
        found.append(SAVE)
    if not why_not_decline(board, seat, card):
        found.append(DISCARD)
    return found or [DISCARD]


def _replace(table: Game) -> Script[None]:
    """Slide, draw, lay a new Bottom Run card (KB-026, KB-027, O-55)."""
    board = table.board
    seat = board.active
    player = board.seats[seat]
    if not player.top and player.bottom:
        table.emit(RunCardSlid(seat))
    lays = not player.bottom
    yield from draw_up(table, seat, HAND + 1 if lays else HAND)
    if lays and player.hand and not is_over(board):

        def build() -> Ask:
            cards = [card_option("lay", card) for card in player.hand]
            return question(board, seat, "run.bottom", cards)

        reply = yield from decide(table, seat, build, interruptible=False)
        table.emit(BottomRunLaid(seat, value_of(reply.option)))
    # KB-061, O-64: the triplet counts when the first replacement is done.
    if board.plays == 1 and has_triplet(board, seat):
        table.emit(StageReached("between"))
    else:
        yield from _close(table)


def _close(table: Game) -> Script[None]:
    """The plays are made: to what is due at the end of the turn, or at once to the next one."""
    if starving(table.board):
        table.emit(StageReached("starve"))
    elif due_roamer(table) is not None:
        table.emit(StageReached("roam"))
    elif somebody_leaves(table.board):
        table.emit(StageReached("begin"))
    else:
        yield from _begin(table)


def _end(table: Game) -> Script[None]:
    """What is due at the end of the turn: first hunger, then roamers (O-08, O-34)."""
    board = table.board
    dying = starving(board)
    if dying:
        bunny = find(board, dying[0])
        assert bunny is not None
        yield from window(table, Threat("end", bunny.feeds[0].card, board.active))
        yield from starve(table)
    table.emit(StageReached("roam"))


def _roam(table: Game) -> Script[None]:
    """The turn player's roamers, one after another; then the next seat."""
    roamer = due_roamer(table)
    if roamer is None:
        table.emit(StageReached("begin"))
    else:
        yield from attack_again(table, roamer)
