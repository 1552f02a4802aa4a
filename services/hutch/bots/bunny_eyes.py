"""What a bot of Killer Bunnies sees, put in order: rivals, bunnies, and what cards are worth."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, cast

from hutch.bots.strategy import Sight
from hutch.engine.rules import CatalogueCard, Rules
from hutch.killer_bunnies.v1 import board_pb2 as pb

#: How much a card is worth to run, by kind; bunnies and Carrots depend on what one has.
RUN_WORTH: Final = {
    "weapon": 4.0,
    "roamer": 4.0,
    "abduction": 5.0,
    "feed": 4.5,
    "player_attack": 3.0,
    "steal_bunny": 4.0,
    "theft": 4.0,
    "gamble": 3.0,
    "modifier": 3.5,
    "supply": 3.0,
    "revive": 4.0,
    "money": 4.0,
    "counter": 3.5,
    "weapon_helper": 2.5,
    "auction": 2.0,
}


class Eyes:
    """What a seat sees, put in order for the questions below."""

    def __init__(self, sight: Sight) -> None:
        self.view = cast("pb.Board", sight.view)
        self.cards = printed(sight.rules)
        self.seat = sight.seat
        self.own = self.view.seats[sight.seat]
        self.mine = [bunny for bunny in self.view.circle if bunny.seat == sight.seat]
        self.owner = {bunny.card: bunny.seat for bunny in self.view.circle}

    def kind(self, ref: str) -> str:
        """The kind of a card."""
        return self.cards[ref].kind if ref in self.cards else ""

    def threat(self, seat: int) -> float:
        """How dangerous a rival is: Carrots above all, then bunnies."""
        rival = self.view.seats[seat]
        bunnies = sum([bunny.seat == seat for bunny in self.view.circle])
        return 3.0 * len(rival.carrots) + (2.0 if bunnies == 1 else 1.0 if bunnies else 0.0)

    def harm(self, ref: str) -> float:
        """How good it is that this bunny suffers: good for a rival's, bad for one's own."""
        if ref not in self.owner:
            return 0.0
        seat = self.owner[ref]
        if seat == self.seat:
            return -12.0 if len(self.mine) == 1 else -6.0
        return 4.0 + self.threat(seat)

    def harm_around(self, ref: str, reach: int) -> float:
        """The same for all bunnies within so many spaces."""
        ring = [bunny.card for bunny in self.view.circle]
        if ref not in ring:
            return 0.0
        middle = ring.index(ref)
        near = {ring[(middle + step) % len(ring)] for step in range(-reach, reach + 1)}
        return sum([self.harm(card) for card in near])

    def hungry(self) -> list[pb.Bunny]:
        """One's own bunnies that starve soon, the cheapest to feed first."""
        waiting = [bunny for bunny in self.mine if bunny.feeds]
        return sorted(waiting, key=lambda bunny: sum(f.cabbage + f.water for f in bunny.feeds))

    def run_worth(self, ref: str) -> float:
        """How much one wants to run that card soon."""
        kind = self.kind(ref)
        if kind == "bunny":
            return 12.0 - 3.0 * min(3, len(self.mine))
        if kind == "carrot_choice":
            return 11.0 if self.mine else 4.0
        if self.cards[ref].facts.get("pink_box") and not self.mine:
            return 1.0
        return RUN_WORTH.get(kind, 1.0)


@lru_cache(maxsize=8)
def printed(rules: Rules) -> dict[str, CatalogueCard]:
    """The cards of those rules, by reference."""
    return {card.ref: card for card in rules.catalogue()}
