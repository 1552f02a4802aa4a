"""Cards that give a bunny to whoever wins it: Defector Detector and Bunny Block Bid."""

from __future__ import annotations

from hutch.engine.asking import PASS
from hutch.engine.prompts import Ask
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game, seats_from
from hutch.games.killer_bunnies.circle import find
from hutch.games.killer_bunnies.deciding import (
    choose_bunny,
    decide,
    number_option,
    question,
    value_of,
)
from hutch.games.killer_bunnies.dice import contest
from hutch.games.killer_bunnies.events.turns import BidMade, Launched
from hutch.games.killer_bunnies.interrupts import Threat, window
from hutch.games.killer_bunnies.placing import change_owners
from hutch.games.killer_bunnies.printed import printed
from hutch.games.killer_bunnies.purse import has, pay


@printed(
    "Defector Detector",
    55,
    kind="steal_bunny",
    pink=True,
    text="All players roll for any bunny; the highest takes it. You may roll again once.",
)
def defector_detector(table: Game, seat: int, card: int) -> Script[None]:
    """KB-114: players without bunnies roll too (O-26)."""
    board = table.board
    bunny = yield from choose_bunny(table, seat, "defector.target", lambda one: True, about=card)
    if bunny is None:
        return
    table.emit(Launched(seat, card, bunny.card))
    threat = Threat("launch", card, seat, bunny.card)
    yield from window(table, threat)
    if threat.is_void(board):
        return
    winner = yield from contest(table, seat, seats_from(board, seat), card, highest=True)
    yield from change_owners(table, [(bunny.card, winner)])


@printed(
    "Bunny Block Bid",
    135,
    kind="auction",
    pink=True,
    text="Auction any bunny: the highest bidder pays the discards and takes it.",
)
def bunny_block_bid(table: Game, seat: int, card: int) -> Script[None]:
    """KB-138, O-53: bids rise by at least 1; who passes is out; nobody need bid."""
    board = table.board
    bunny = yield from choose_bunny(table, seat, "auction.bunny", lambda one: True, about=card)
    if bunny is None:
        return
    bidders = seats_from(board, seat)
    highest, leader = 0, -1
    while bidders and bidders != [leader]:
        bidder = bidders.pop(0)
        bid = yield from _bid(table, bidder, bunny.card, highest)
        table.emit(BidMade(bidder, bunny.card, bid))
        if find(board, bunny.card) is not bunny:
            return
        if bid:
            highest, leader = bid, bidder
            bidders.append(bidder)
    if leader >= 0:
        pay(table, leader, "dolla", highest)
        yield from change_owners(table, [(bunny.card, leader)])


def _bid(table: Game, seat: int, bunny: int, highest: int) -> Script[int]:
    """A bid above the highest within the seat's Dolla, or 0 for a pass; none for a bunny gone."""
    if has(table, seat, "dolla") <= highest:
        return 0

    def build() -> Ask:
        money = has(table, seat, "dolla") if find(table.board, bunny) else 0
        bids = [number_option("bid", dolla) for dolla in range(highest + 1, money + 1)]
        return question(
            table.board, seat, "auction.bid", [*bids, PASS], about=bunny, default=PASS.id
        )

    option = (yield from decide(table, seat, build)).option
    return 0 if option == PASS.id else value_of(option)
