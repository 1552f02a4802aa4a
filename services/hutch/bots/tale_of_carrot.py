"""Strategies for Tale of Carrot: Rise of Hero.

`greedy` weighs every card in a Zone by whom it hurts: damage to itself counts in full, damage to
one of several rivals only in part. It looks at the typed view alone, and at what the catalogue says
is printed on the cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from random import Random
from typing import Final, NamedTuple, cast

from hutch.bots.strategy import Move, Sight
from hutch.engine.prompts import Ask, Pick, Picks, picks
from hutch.engine.rules import Rules
from hutch.tale_of_carrot.v1 import tale_of_carrot_pb2 as pb

#: What a point of damage to oneself weighs, against the same divided among all rivals.
OWN_PAIN: Final = 1.3
#: A shield or a scare is worth its token from that much damage on.
WORTH_A_TOKEN: Final = 3
#: HP from which an adventure is a risk worth taking.
BRAVE: Final = 3
PASS: Final = "pass"

#: Heroes from the most to the least wanted: as they fare in `hutch report balance`.
WANTED: Final = (
    "mage",
    "necromancer",
    "paladin",
    "jester",
    "assassin",
    "champion",
    "pizza_maker",
    "shaman",
    "priestess",
    "gunslinger",
    "adventurer",
    "guardian",
    "evoker",
    "berserker",
    "thief",
    "huntress",
    "gondolier",
    "archer",
    "princess",
)
#: Tokens for a reserve, from the most to the least wanted.
RESERVE: Final = ("heal2", "shield", "damage1", "discard_rabbit", "play_rabbit", "adventure")


class Numbers(NamedTuple):
    """What a card in a Zone deals: to the left, its own Village and the right."""

    left: int
    own: int
    right: int


class Place(NamedTuple):
    """A Zone: whose Village, and which card lies there."""

    owner: int
    card: str


class Table:
    """The view of one seat, with the numbers of the cards."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self.me: int = sight.seat
        self.numbers = printed(sight.rules)

    @cached_property
    def view(self) -> pb.Board:
        """What the seat sees."""
        return cast("pb.Board", self._sight.view)

    @cached_property
    def villages(self) -> list[pb.Village]:
        """The Villages, by seat."""
        return list(self.view.villages)

    @cached_property
    def rivals(self) -> list[int]:
        """The other living players."""
        return [one.seat for one in self.villages if not one.fallen and one.seat != self.me]

    @property
    def hp(self) -> int:
        """The own HP."""
        return self.villages[self.me].hp

    def place(self, option: str) -> Place:
        """The Zone that an option names."""
        owner = int(option.removeprefix("village:").partition("/")[0])
        zones = self.villages[owner].zones
        return Place(owner, next(zone.card for zone in zones if zone.place == option))

    def damage(self, card: str, owner: int, seat: int) -> int:
        """What that card, lying with `owner`, deals to a seat."""
        numbers = self.numbers[card]
        seats = len(self.villages)
        total = numbers.own if owner == seat else 0
        if (owner + 1) % seats == seat:
            total += numbers.left
        if (owner - 1) % seats == seat:
            total += numbers.right
        return total

    def worth(self, card: str, owner: int) -> float:
        """What it is worth that this card lies with `owner`."""
        if not card:
            return 0.0
        pain = OWN_PAIN * self.damage(card, owner, self.me)
        gain = sum([self.damage(card, owner, rival) for rival in self.rivals])
        return gain / max(1, len(self.rivals)) - pain

    def held(self, option: str) -> float:
        """What it is worth that the card in a Zone lies there."""
        place = self.place(option)
        return self.worth(place.card, place.owner)

    def gained(self, card: str, option: str) -> float:
        """What is gained if that card covers the one in a Zone."""
        return self.worth(card, self.place(option).owner) - self.held(option)

    def incoming(self) -> int:
        """The damage that this turn's attack would deal to the own Village."""
        active = self.view.active_seat
        cards = [zone.card for zone in self.villages[active].zones if zone.card]
        return sum([self.damage(card, active, self.me) for card in cards])

    def prey(self, amount: int) -> int:
        """Whom to hurt: somebody who falls by it, or else the strongest."""
        cloak = self.view.cloak if self.view.HasField("cloak") else None
        rivals = self.rivals
        if cloak is not None and cloak.holder == self.me:
            rivals = [rival for rival in rivals if rival != cloak.princess] or rivals
        weak = [rival for rival in rivals if self.villages[rival].hp <= amount]
        return max(weak or rivals, key=lambda rival: self.villages[rival].hp)


def greedy(sight: Sight, rng: Random) -> Move:
    """The answer that hurts rivals most and oneself least, looking no step further."""
    question = sight.questions[0]
    ask = question.ask
    if len(ask.options) == 1 and ask.least == 1:
        return question.number, picks(ask.options[0].id)
    choose = _CHOICES.get(ask.topic)
    return question.number, ask.default if choose is None else choose(Table(sight), ask)


@lru_cache(maxsize=8)
def printed(rules: Rules) -> dict[str, Numbers]:
    """The numbers of every card that can lie in a Zone, by its reference."""
    return {
        card.ref: Numbers(*[int(card.facts[side]) for side in ("left", "self", "right")])
        for card in rules.catalogue()
        if "left" in card.facts
    }


def _ids(ask: Ask) -> list[str]:
    return [option.id for option in ask.options]


def _keep(table: Table, ask: Ask) -> Picks:
    return picks(min(_ids(ask), key=WANTED.index))


def _put(table: Table, ask: Ask) -> Picks:
    card = str(ask.about[0].value)
    return picks(max(_ids(ask), key=lambda option: table.gained(card, option)))


def _discard(table: Table, ask: Ask) -> Picks:
    return picks(min(_ids(ask), key=table.held))


def _swap(table: Table, ask: Ask) -> Picks:
    card = str(ask.about[0].value)

    def gain(option: str) -> float:
        return 0.0 if option == PASS else table.gained(card, option)

    return picks(max(_ids(ask), key=gain))


def _give(table: Table, ask: Ask) -> Picks:
    """Give an HP away where that spares at least two."""

    def spared(option: str) -> int:
        return 1 if option == PASS else table.damage(table.place(option).card, table.me, table.me)

    best = max(_ids(ask), key=spared)
    return picks(best if spared(best) > 1 and table.hp > BRAVE else PASS)


def _go(table: Table, ask: Ask) -> Picks:
    return picks("yes" if table.hp >= BRAVE else "no")


def _token(table: Table, ask: Ask) -> Picks:
    for option in ask.options:
        if option.id != PASS and _USES[option.id.removeprefix("reserve:")](table):
            return picks(option.id)
    return picks(PASS)


def _strike(table: Table, ask: Ask) -> Picks:
    amount = int(ask.about[0].value) if ask.about else 0
    return _seat(ask, table.prey(amount))


def _strongest(table: Table, ask: Ask) -> Picks:
    return _seat(ask, max(table.rivals, key=lambda rival: table.villages[rival].hp))


def _myself(table: Table, ask: Ask) -> Picks:
    return _seat(ask, table.me)


def _seat(ask: Ask, seat: int) -> Picks:
    wanted = f"seat:{seat}"
    return ask.default if ask.option(wanted) is None else picks(wanted)


def _declare(table: Table, ask: Ask) -> Picks:
    return picks(ask.options[0].id)


def _hunt(table: Table, ask: Ask) -> Picks:
    return picks(max(_ids(ask), key=table.held))


def _raise(table: Table, ask: Ask) -> Picks:
    """Raise what does most good, as far as there are free Zones for it."""
    free = [village.seat for village in table.villages for zone in village.zones if not zone.card]

    def gain(card: str) -> float:
        return max([table.worth(card, owner) for owner in free], default=0.0)

    found = sorted(_ids(ask), key=gain, reverse=True)
    return picks(*[card for card in found[: len(free)] if gain(card) > 0])


def _stock(table: Table, ask: Ask) -> Picks:
    left = {option.id: option.most for option in ask.options}
    taken: dict[str, int] = {}
    wanted = [token for _ in range(ask.most) for token in RESERVE if token in left]
    for token in wanted:
        if left[token] and sum(taken.values()) < ask.most:
            left[token] -= 1
            taken[token] = taken.get(token, 0) + 1
    return tuple([Pick(token, count) for token, count in taken.items()])


def _yes(table: Table, ask: Ask) -> Picks:
    return picks("yes")


#: Whether a token is worth its use now.
_USES: Final[Mapping[str, Callable[[Table], bool]]] = {
    "damage1": lambda table: True,
    "play_rabbit": lambda table: True,
    "adventure": lambda table: table.hp >= BRAVE,
    "heal2": lambda table: table.hp <= 7,
    "discard_rabbit": lambda table: table.incoming() >= min(WORTH_A_TOKEN, table.hp),
    "shield": lambda table: (
        table.incoming() >= min(WORTH_A_TOKEN, table.hp) and not table.villages[table.me].shielded
    ),
}

_CHOICES: Final[Mapping[str, Callable[[Table, Ask], Picks]]] = {
    "hero.keep": _keep,
    "rabbit.place": _put,
    "champion.zone": _put,
    "gift.zone": _put,
    "rabbit.discard": _discard,
    "mage.swap": _swap,
    "gift.rabbit": _give,
    "adventure.go": _go,
    "tokens": _token,
    "tokens.red": _token,
    "player.damage": _strike,
    "assassin.target": _strike,
    "player.heal": _myself,
    "player.shield": _myself,
    "cloak.holder": _strongest,
    "supreme.declare": _declare,
    "huntress.rabbit": _hunt,
    "necromancer.rabbits": _raise,
    "reserve.tokens": _stock,
    "berserker.draw": _yes,
}
