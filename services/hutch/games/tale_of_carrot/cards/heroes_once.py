"""Heroes whose Supreme is used once and is then over (TC-061).

The HP to declare with and the icons stand in `data/heroes.csv`.
"""

from __future__ import annotations

from typing import Final

from hutch.engine.prompts import Ask, Option, Pick, Picks, card, word
from hutch.engine.rules import Script
from hutch.games.tale_of_carrot.board import (
    Board,
    owner_of,
    zones_from,
    zones_of,
)
from hutch.games.tale_of_carrot.card_events import GolemigliosLaid, RabbitsRaised
from hutch.games.tale_of_carrot.cards.adventures import draw_adventure
from hutch.games.tale_of_carrot.damage import hits_of, strike
from hutch.games.tale_of_carrot.events import HpSet, ReserveTaken
from hutch.games.tale_of_carrot.moments import (
    LAST_STAND,
    REQUIREMENT,
    REVENGE,
    TRIUMPH,
    Hit,
    TaleTable,
    supreme,
)
from hutch.games.tale_of_carrot.tables import RED, TOKENS, WHITE
from hutch.games.tale_of_carrot.words import (
    after_replacement,
    choose,
    choose_player,
    choose_zone,
    discard_from,
    is_rabbit,
    others_of,
    place_rabbit,
    rabbit_zones,
    recover,
    tables_of,
)

ADVENTURES: Final = 5
ARROWS: Final = 15
GRAIL_TOKENS: Final = 4
LAST_CHANCE_HP: Final = 3
SHOT_FROM: Final = 4

# At 0 HP, undeclared (TC-045, TC-066)


@supreme(
    "assassin",
    "At 0 HP: back to 3 HP, then another player suffers what the Assassin suffered last.",
    at=LAST_STAND,
)
def assassin(t: TaleTable, seat: int) -> None:
    t.emit(HpSet(((seat, LAST_CHANCE_HP),)))


@REVENGE.of("assassin")
def assassin_strikes_back(t: TaleTable, seat: int) -> Script[None]:
    amount = t.board.villages[seat].suffered
    target = yield from choose_player(t, seat, "assassin.target", amount=amount, others=True)
    if target is not None:
        yield from strike(t, [Hit(target, amount)])


@supreme(
    "jester",
    "Wins by being the second to fall, alone or together with others.",
    at=TRIUMPH,
)
def jester(fallen_before: int) -> bool:
    return fallen_before == 1


@supreme(
    "paladin",
    "At 0 HP: back to 1 HP; every Rabbit that can hurt the Paladin is discarded, 1 HP for each.",
    at=LAST_STAND,
)
def paladin(t: TaleTable, seat: int) -> None:
    board = t.board
    t.emit(HpSet(((seat, 1),)))
    threats = [zone for zone in rabbit_zones(board, seat) if _points_at(t, zone, seat)]
    for zone in threats:
        discard_from(t, zone)
    if threats:
        recover(t, seat, len(threats))


def _points_at(t: TaleTable, zone: int, seat: int) -> bool:
    """Whether the Rabbit in that Zone can deal damage to the seat (O21)."""
    board = t.board
    attacker = tables_of(t).attackers[board.zones[zone]]
    hits = hits_of(board, owner_of(zone), attacker)
    return any(hit.seat == seat and hit.amount > 0 for hit in hits)


# Declared


@supreme("gunslinger", "Everyone else with 4 HP or more gets the Gunslinger's HP; then 1 damage.")
def gunslinger(t: TaleTable, seat: int) -> Script[None]:
    board = t.board
    hp = board.villages[seat].hp
    others = others_of(board, seat)
    aimed_at = tuple([(one, hp) for one in others if board.villages[one].hp >= SHOT_FROM])
    if aimed_at:
        t.emit(HpSet(aimed_at))
    yield from strike(t, [Hit(other, 1) for other in others])


def surrounded(board: Board, seat: int) -> bool:
    """Whether every Zone of all other Villages is taken, the Champion's too (O23)."""
    own = zones_of(seat)
    return all(card or zone in own for zone, card in enumerate(board.zones))


REQUIREMENT.of("archer")(surrounded)


@supreme("archer", "With all Zones of all other Villages taken: 15 damage to everyone else.")
def archer(t: TaleTable, seat: int) -> Script[None]:
    if surrounded(t.board, seat):
        yield from strike(t, [Hit(other, ARROWS) for other in others_of(t.board, seat)])


@supreme("huntress", "A Rabbit attacks at once with twice its damage; it heals nobody.")
def huntress(t: TaleTable, seat: int) -> Script[None]:
    board = t.board
    own = zones_of(seat)
    zone = yield from choose_zone(
        t,
        seat,
        "huntress.rabbit",
        lambda: rabbit_zones(board, seat),
        default=lambda zones: next((zone for zone in zones if zone not in own), zones[0]),
    )
    if zone is None:
        return
    hits = hits_of(board, owner_of(zone), tables_of(t).attackers[board.zones[zone]])
    yield from strike(
        t, [Hit(hit.seat, 2 * hit.amount, hit.danger) for hit in hits if hit.amount > 0]
    )


@supreme("necromancer", "Place any number of Rabbits from the discard pile, in any Villages.")
def necromancer(t: TaleTable, seat: int) -> Script[None]:
    board = t.board

    def which() -> Ask | None:
        options = tuple([Option(ref, (card(ref),)) for ref in board.rabbit_discards])
        if not options:
            return None
        return Ask("necromancer.rabbits", options, least=0, most=len(options))

    picks = yield from choose(t, seat, which)
    if picks:
        t.emit(RabbitsRaised(seat, tuple([pick.option for pick in picks])))
        yield from place_raised(t)


def place_raised(t: TaleTable) -> Script[None]:
    """The Necromancer places the raised Rabbits one by one; may go on from a checkpoint."""
    board = t.board
    villages = board.villages
    seat = next(seat for seat in range(t.seats) if villages[seat].hero == "necromancer")
    while board.raised:
        yield from t.checkpoint()
        yield from _place_next(t, seat)


def _place_next(t: TaleTable, seat: int) -> Script[None]:
    def which() -> Ask:
        options = tuple([Option(ref, (card(ref),)) for ref in t.board.raised])
        return Ask("necromancer.next", options, default=(Pick(options[0].id),))

    picks = yield from choose(t, seat, which)
    assert picks, "one of them must be picked"
    rabbit = picks[0].option
    yield from place_rabbit(t, seat, lambda: rabbit)


@supreme("adventurer", "Resolve 5 Adventure cards in a row; they do not hurt the Adventurer.")
def adventurer(t: TaleTable, seat: int) -> Script[None]:
    for _ in range(ADVENTURES):
        if t.board.villages[seat].fallen:
            return
        yield from draw_adventure(t, seat, unhurt=seat)


@supreme("evoker", "Every Rabbit in the others' Villages is exchanged for a Golemiglio.")
def evoker(t: TaleTable, seat: int) -> Script[None]:
    board = t.board
    own = zones_of(seat)
    zones = [
        zone for zone in zones_from(board, seat) if zone not in own and is_rabbit(board.zones[zone])
    ][: board.golemiglios]
    if not zones:
        return
    t.emit(GolemigliosLaid(seat, tuple(zones)))
    for zone in zones:
        yield from after_replacement(t, zone)


@supreme("priestess", "Take the Holy Grail: 4 tokens from the supply as a reserve of one's own.")
def priestess(t: TaleTable, seat: int) -> Script[None]:
    yield from _take(t, seat, TOKENS, GRAIL_TOKENS)


@supreme("thief", "Take the Thief's Bag: a white and a red token as a reserve of one's own.")
def thief(t: TaleTable, seat: int) -> Script[None]:
    borders = tables_of(t).borders
    for border in (WHITE, RED):
        yield from _take(t, seat, tuple([one for one in TOKENS if borders[one] == border]), 1)


def _take(t: TaleTable, seat: int, kinds: tuple[str, ...], wanted: int) -> Script[None]:
    """So many tokens of those types go from the supply into the player's reserve."""
    picks = yield from choose(t, seat, lambda: _reserve(t.board, kinds, wanted))
    tokens = tuple([pick.option for pick in picks or () for _ in range(pick.count)])
    if tokens:
        t.emit(ReserveTaken(seat, tokens))


def _reserve(board: Board, kinds: tuple[str, ...], wanted: int) -> Ask | None:
    """Which tokens to take: what the supply lacks is skipped (O33)."""
    stock = {token: board.supply[token] for token in kinds if board.supply[token]}
    if not stock:
        return None
    most = min(wanted, sum(stock.values()))
    options = tuple(
        [Option(token, (word(token),), min(most, count)) for token, count in stock.items()]
    )
    return Ask("reserve.tokens", options, least=most, most=most, default=_lowest(stock, most))


def _lowest(stock: dict[str, int], wanted: int) -> Picks:
    """The lowest types, none twice while another is there."""
    counts = dict.fromkeys(stock, 0)
    while sum(counts.values()) < wanted:
        for token in stock:
            if counts[token] < stock[token] and sum(counts.values()) < wanted:
                counts[token] += 1
    return tuple([Pick(token, count) for token, count in counts.items() if count])
