"""Gambles against each other: Poverty Poker and Russian Roulette."""

from __future__ import annotations

from typing import Final

from hutch.engine.prompts import Ask, Option, Pick, word
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Board, Game, Supply, purse_of, seats_from
from hutch.games.killer_bunnies.circle import bunnies_of, find, has_halo, opponents
from hutch.games.killer_bunnies.deaths import kill
from hutch.games.killer_bunnies.deciding import (
    card_option,
    card_point,
    choose_bunny,
    choose_seat,
    clock_of,
    decide,
    number_option,
    some_of,
    value_of,
)
from hutch.games.killer_bunnies.dice import contest
from hutch.games.killer_bunnies.events.goods import CarrotMoved
from hutch.games.killer_bunnies.events.turns import Risked, StakeNamed
from hutch.games.killer_bunnies.placing import change_owners
from hutch.games.killer_bunnies.printed import printed
from hutch.games.killer_bunnies.purse import hand_over, total

MONEY: tuple[Supply, ...] = ("dolla", "cabbage", "water")
ITEMS = (*MONEY, "carrots", "bunnies")
Stake = dict[str, int]
#: The Carrots and the bunnies that a player risks.
Risk = tuple[list[int], list[int]]
_NOTHING: Final[Risk] = ([], [])


def means(board: Board, seat: int) -> Stake:
    """What a seat could stake of each kind; debts and abducted bunnies do not count (O-52)."""
    player = board.seats[seat]
    stake: Stake = {supply: total(supply, purse_of(player, supply)) for supply in MONEY}
    return {
        **stake,
        "carrots": len(player.carrots),
        "bunnies": len(bunnies_of(board, seat)),
    }


def common_means(board: Board, seat: int, other: int) -> Stake:
    """The greatest stake that both own."""
    mine, theirs = means(board, seat), means(board, other)
    return {item: min(mine[item], theirs[item]) for item in ITEMS}


def rivals(board: Board, seat: int) -> list[int]:
    """The opponents with whom some stake is shared."""
    return [
        other for other in opponents(board, seat) if any(common_means(board, seat, other).values())
    ]


@printed(
    "Poverty Poker",
    65,
    kind="gamble",
    pink=True,
    text="Name a stake you own. All who own it too must play; the highest roll takes everything. "
    "You may roll again once.",
    guard=lambda board, seat, card: (
        "" if rivals(board, seat) else "No stake of yours is owned by an opponent as well (O-52)."
    ),
)
def poverty_poker(table: Game, seat: int, card: int) -> Script[None]:
    """KB-118 to KB-121. The stake is measured by one opponent, so that somebody must play."""
    board = table.board
    rival = yield from choose_seat(
        table, seat, "poker.rival", lambda: rivals(board, seat), about=card
    )
    if rival is None:
        return
    measure = rival

    def build() -> Ask:
        shared = common_means(board, seat, measure)
        options = tuple(
            [Option(item, (word(item),), shared[item]) for item in ITEMS if shared[item]]
        )
        return Ask(
            "poker.stake",
            options,
            1,
            sum([option.most for option in options]),
            default=(Pick(options[0].id),),
            about=(card_point(card),),
            clock=clock_of(board, seat),
        )

    reply = yield from decide(table, seat, build, interruptible=False)
    stake = {**dict.fromkeys(ITEMS, 0), **{pick.option: pick.count for pick in reply.picks}}
    table.emit(StakeNamed(seat, **stake))
    players = [player for player in seats_from(board, seat) if _owns(board, player, stake)]
    risks = dict.fromkeys(players, _NOTHING)

    def undecided() -> list[int]:
        """Who has to name what he risks; anew where it died meanwhile and he has more of it."""
        return [
            player
            for player in players
            if _owns(board, player, stake) and not _stands(board, player, risks[player], stake)
        ]

    while seats := undecided():
        player = seats[0]
        carrots = risks[player][0] or (
            yield from _risk(table, player, "carrots", stake["carrots"], card)
        )
        bunnies = yield from _risk(table, player, "bunnies", stake["bunnies"], card)
        risks[player] = (carrots, bunnies)
        table.emit(Risked(player, carrots, bunnies))
    # Bunnies may have died meanwhile: who has not the whole stake any more does not play.
    players = [player for player in players if _owns(board, player, stake)]
    if len(players) < 2:
        return
    winner = yield from contest(table, seat, players, card, highest=True)
    for loser in players:
        if loser == winner:
            continue
        for supply in MONEY:
            hand_over(table, loser, winner, supply, stake[supply])
        carrots, bunnies = risks[loser]
        for carrot in carrots:
            table.emit(CarrotMoved(loser, winner, carrot))
        yield from change_owners(table, [(bunny, winner) for bunny in bunnies])


def _owns(board: Board, seat: int, stake: Stake) -> bool:
    """Whether a player has the whole stake (KB-119)."""
    owned = means(board, seat)
    return all(owned[item] >= stake[item] for item in ITEMS)


def _stands(board: Board, seat: int, risk: Risk, stake: Stake) -> bool:
    """Whether a player named all that he risks, and all of it is still his (KB-119)."""
    carrots, bunnies = risk
    own = [bunny.card for bunny in bunnies_of(board, seat) if bunny.card in bunnies]
    return len(carrots) == stake["carrots"] and len(own) == stake["bunnies"]


def _risk(table: Game, seat: int, item: str, count: int, card: int) -> Script[list[int]]:
    """The Carrots or bunnies that a player risks; no question where he has no choice (KB-121)."""
    board = table.board

    def owned() -> list[Option]:
        if item == "carrots":
            return [number_option("carrot", carrot) for carrot in board.seats[seat].carrots]
        return [card_option("bunny", bunny.card) for bunny in bunnies_of(board, seat)]

    if not count:
        return []
    if len(owned()) <= count:
        return [value_of(option.id) for option in owned()]

    def build() -> Ask:
        options = owned()
        most = min(count, len(options))
        return some_of(board, seat, f"poker.{item}", options, least=most, most=most, about=card)

    reply = yield from decide(table, seat, build)
    return [value_of(option) for option in reply.taken]


@printed(
    "Russian Roulette",
    143,
    kind="gamble",
    pink=True,
    text="All players with a bunny stake one and roll; the lowest loses it. You may roll again "
    "once.",
)
def russian_roulette(table: Game, seat: int, card: int) -> Script[None]:
    """KB-143, KB-144: Halo bunnies are never staked, and a lone player loses (O-72)."""
    board = table.board
    staked: dict[int, int] = {}

    def undecided() -> list[int]:
        """All who can stake a bunny and have none, or none that still lives, at stake."""
        able = {bunny.seat for bunny in board.circle if not has_halo(bunny)}
        return [
            player
            for player in seats_from(board, seat)
            if player in able and find(board, staked.get(player, 0)) is None
        ]

    while seats := undecided():
        player = seats[0]
        bunny = yield from choose_bunny(
            table,
            player,
            "roulette.stake",
            lambda one, player=player: one.seat == player and not has_halo(one),  # type: ignore[misc]
            about=card,
        )
        if bunny is not None:
            staked[player] = bunny.card
            table.emit(Risked(player, [], [bunny.card]))
    players = [player for player in staked if find(board, staked[player]) is not None]
    if players:
        loser = yield from contest(table, seat, players, card, highest=False)
        yield from kill(table, [staked[loser]])
