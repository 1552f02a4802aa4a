"""Feeding: pending Feed cards, Danishes, Flo, and feeding that is forced (KB-074 to KB-081)."""

from __future__ import annotations

from hutch.engine.prompts import Ask, Option
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import PLAYING, Board, Bunny, Feed, Game
from hutch.games.killer_bunnies.circle import find, has_halo
from hutch.games.killer_bunnies.deaths import kill
from hutch.games.killer_bunnies.deciding import card_option, decide, question, value_of, word_option
from hutch.games.killer_bunnies.events.bunnies import FeedsDiscarded, FloServed
from hutch.games.killer_bunnies.events.piles import CardPlayed
from hutch.games.killer_bunnies.market import buy, supplies_for_sale
from hutch.games.killer_bunnies.piles import discard
from hutch.games.killer_bunnies.printed import CARDS, DANISHES, FLO
from hutch.games.killer_bunnies.purse import has, pay


def hungry(board: Board) -> list[Bunny]:
    """The bunnies with pending Feed cards."""
    return [bunny for bunny in board.circle if bunny.feeds]


def is_due(board: Board, bunny: Bunny, feed: Feed) -> bool:
    """Whether an unmet Feed card is due at the end of this turn (O-51), which is none lost (O-07).

    A lost turn begins with the roamers, when hunger is over.
    """
    may_starve = board.stage in ("before", "after", "between", "starve")
    return may_starve and bunny.seat == board.active and feed.since < board.turn


def starving(board: Board) -> list[int]:
    """The turn player's bunnies that die of hunger at the end of this turn."""
    return [
        bunny.card
        for bunny in board.circle
        if bunny.feeds and any(is_due(board, bunny, feed) for feed in bunny.feeds)
    ]


def due_turn(board: Board, bunny: Bunny, feed: Feed) -> int:
    """The number of the turn at whose end a Feed card is due, lost turns counted (O-07)."""
    if is_due(board, bunny, feed):
        return board.turn
    order = board.order
    if bunny.seat not in order:
        return board.turn + 1
    here = order.index(board.active) if board.active in order else -1
    ahead = (order.index(bunny.seat) - here) % len(order) or len(order)
    return board.turn + ahead + len(order) * len(board.seats[bunny.seat].lost_turns)


def why_not_feed(table: Game, seat: int, card: int) -> str:
    """Why a seat cannot meet that pending Feed card; it is met whole or not at all (O-51)."""
    if seat != table.board.active:
        return "You may feed only in a turn of your own (KB-078)."
    printed = CARDS[card]
    if not any(feed.card == card for bunny in table.board.circle for feed in bunny.feeds):
        return f"{printed.name} does not lie on any bunny."
    if has(table, seat, "cabbage") < printed.cabbage or has(table, seat, "water") < printed.water:
        return f"It takes {printed.cabbage} Cabbage and {printed.water} Water Units (KB-074)."
    return ""


def feeds_payable(table: Game, seat: int) -> list[int]:
    """The pending Feed cards, on anybody's bunny, that the seat can meet (KB-078, O-29)."""
    hungry_ones = hungry(table.board)
    if not hungry_ones:
        return []
    cabbage, water = has(table, seat, "cabbage"), has(table, seat, "water")
    return [
        feed.card
        for bunny in hungry_ones
        for feed in bunny.feeds
        if cabbage >= CARDS[feed.card].cabbage and water >= CARDS[feed.card].water
    ]


def feed(table: Game, seat: int, card: int) -> None:
    """Meet a pending Feed card."""
    printed = CARDS[card]
    pay(table, seat, "cabbage", printed.cabbage)
    pay(table, seat, "water", printed.water)
    for bunny in table.board.circle:
        if any(pending.card == card for pending in bunny.feeds):
            table.emit(FeedsDiscarded(bunny.card, [card], True))
            return


def feed_fully(table: Game, bunny: Bunny) -> None:
    """A Danish meets every demand on one bunny (KB-079)."""
    if bunny.feeds:
        table.emit(FeedsDiscarded(bunny.card, [pending.card for pending in bunny.feeds], True))


def can_flo_serve(board: Board, seat: int) -> bool:
    """Whether the seat owns Flo and she still has her Danish (KB-080)."""
    return not board.flo_used and FLO in board.seats[seat].carrots


def flo_feeds(table: Game, seat: int, bunny: Bunny) -> None:
    """Flo's free feeding for one bunny, worth a Danish (KB-080)."""
    table.emit(FloServed(seat, bunny.card))
    feed_fully(table, bunny)


def starve(table: Game) -> Script[None]:
    """All due and unfed bunnies of the turn player die together (KB-074, O-34)."""
    yield from kill(table, starving(table.board))


def feed_now(table: Game, card: int, *, cabbage: int, water: int) -> Script[None]:
    """Forced feeding, at once; a bunny that cannot be fed dies (KB-081, O-50).

    A Danish, or Flo's, meets whatever else is demanded for the bunny as well (O-51).
    """
    board = table.board
    while (bunny := find(board, card)) is not None and not has_halo(bunny):
        seat = bunny.seat
        able = has(table, seat, "cabbage") >= cabbage and has(table, seat, "water") >= water

        def build(seat: int = seat, able: bool = able) -> Ask:
            return question(board, seat, "bunny.feed", _ways(table, seat, able), about=card)

        if len(_ways(table, seat, able)) == 1 and board.seats[seat].state == PLAYING:
            option = _ways(table, seat, able)[0].id
        else:
            option = (yield from decide(table, seat, build, interruptible=False)).option
        if option == "pay":
            pay(table, seat, "cabbage", cabbage)
            pay(table, seat, "water", water)
            return
        if option == "starve":
            yield from kill(table, [card])
            return
        if option == "flo":
            flo_feeds(table, seat, bunny)
            return
        if option.startswith("play:"):
            danish = value_of(option)
            table.emit(CardPlayed(seat, danish, True))
            feed_fully(table, bunny)
            discard(table, danish)
            return
        yield from buy(table, seat, option, supplies_for_sale)


def _ways(table: Game, seat: int, able: bool) -> list[Option]:
    """Who has the units must feed; the turn player may first buy or play a saved Danish (O-50)."""
    board = table.board
    ways = [word_option("pay" if able else "starve")]
    if can_flo_serve(board, seat):
        ways.append(word_option("flo"))
    if seat == board.active:
        saved = board.seats[seat].saved
        ways += [card_option("play", card) for card in DANISHES if card in saved]
        if not able:
            ways += supplies_for_sale(table, seat)
    return ways
