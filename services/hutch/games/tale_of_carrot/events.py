"""What can happen at the table: what it does to the board, and who may see what of it."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from hutch.engine.events import Event
from hutch.games.tale_of_carrot.board import (
    MOST_HP,
    NOBODY,
    START_HP,
    Board,
    Cloak,
    Declaration,
    Step,
    TokenInUse,
    zones_of,
)
from hutch.games.tale_of_carrot.tables import CHAMPION, GOLEMIGLIO

HIDDEN = ""


def _backs(cards: tuple[str, ...]) -> tuple[str, ...]:
    return (HIDDEN,) * len(cards)


# The deal


class TableLaid(Event, frozen=True):
    """The decks were shuffled, tokens and Support cards laid out, the first player drawn by lot."""

    first: int
    rabbits: tuple[str, ...]
    adventures: tuple[str, ...]
    supply: tuple[tuple[str, int], ...]
    golemiglios: int

    def apply(self, board: Board) -> None:
        board.first = board.active = self.first
        board.rabbits = list(self.rabbits)
        board.adventures = list(self.adventures)
        board.supply = dict(self.supply)
        board.golemiglios = self.golemiglios
        for village in board.villages:
            village.hp = START_HP

    def face(self, seat: int | None) -> TableLaid:
        return replace(self, rabbits=_backs(self.rabbits), adventures=_backs(self.adventures))


class HeroesDrawn(Event, frozen=True):
    """A player drew two Heroes to choose from."""

    seat: int
    heroes: tuple[str, ...]

    def apply(self, board: Board) -> None:
        board.villages[self.seat].drawn = list(self.heroes)

    def face(self, seat: int | None) -> HeroesDrawn:
        return self if seat == self.seat else replace(self, heroes=_backs(self.heroes))


class HeroKept(Event, frozen=True):
    """A player kept one Hero face down and put the other back."""

    seat: int
    hero: str

    def apply(self, board: Board) -> None:
        village = board.villages[self.seat]
        village.hero = self.hero
        village.spare = next((other for other in village.drawn if other != self.hero), "")
        village.drawn = []

    def face(self, seat: int | None) -> HeroKept:
        return self if seat == self.seat else replace(self, hero=HIDDEN)


# The turn


class TurnBegan(Event, frozen=True):
    """The turn before ended, its shields with it, and this seat is active now."""

    seat: int
    turn: int

    def apply(self, board: Board) -> None:
        board.active = self.seat
        board.turn = self.turn
        board.step = Step.INVASION
        board.placed = board.going = board.went = board.cut = False
        board.last_user = NOBODY
        for village in board.villages:
            village.shielded = False


class StepBegan(Event, frozen=True):
    """A later step of the turn began."""

    step: Step

    def apply(self, board: Board) -> None:
        board.step = self.step
        board.last_user = NOBODY


class AdventureCalled(Event, frozen=True):
    """The active player said whether they go on an adventure."""

    seat: int
    going: bool

    def apply(self, board: Board) -> None:
        board.going = self.going


# Rabbits


class DeckShuffled(Event, frozen=True):
    """A discard pile was shuffled into a new deck: `rabbits` or `adventures`."""

    deck: str
    cards: tuple[str, ...]

    def apply(self, board: Board) -> None:
        if self.deck == "rabbits":
            board.rabbits, board.rabbit_discards = list(self.cards), []
        else:
            board.adventures, board.adventure_discards = list(self.cards), []

    def face(self, seat: int | None) -> DeckShuffled:
        return replace(self, cards=_backs(self.cards))


class RabbitDrawn(Event, frozen=True):
    """A player drew a Rabbit, which is to be placed; only they see it yet."""

    seat: int
    card: str

    def apply(self, board: Board) -> None:
        board.held = board.rabbits.pop()
        board.holder = self.seat

    def face(self, seat: int | None) -> RabbitDrawn:
        return self if seat == self.seat else replace(self, card=HIDDEN)


class RabbitPlaced(Event, frozen=True):
    """A Rabbit went into a Zone, and what lay there was discarded. `invading`: in Invasion."""

    reveals: ClassVar[bool] = True

    seat: int
    card: str
    zone: int
    replaced: str = ""
    invading: bool = False

    def apply(self, board: Board) -> None:
        if board.held:
            board.held, board.holder = "", NOBODY
        else:
            board.raised.remove(self.card)
        _clear(board, self.zone)
        board.zones[self.zone] = self.card
        if self.invading:
            board.placed = True


class RabbitDiscarded(Event, frozen=True):
    """A Rabbit left its Zone: to the discard pile, a Golemiglio to the Support cards."""

    card: str
    zone: int

    def apply(self, board: Board) -> None:
        _clear(board, self.zone)


class RabbitMoved(Event, frozen=True):
    """A Rabbit moved to a free Zone."""

    card: str
    source: int
    zone: int

    def apply(self, board: Board) -> None:
        board.zones[self.zone] = board.zones[self.source]
        board.zones[self.source] = ""


class RabbitShown(Event, frozen=True):
    """A Rabbit was drawn, shown to all and discarded (the Berserker)."""

    reveals: ClassVar[bool] = True

    seat: int
    card: str

    def apply(self, board: Board) -> None:
        board.rabbit_discards.append(board.rabbits.pop())


class RabbitsRaised(Event, frozen=True):
    """The Necromancer took Rabbits from the discard pile, to place them."""

    seat: int
    cards: tuple[str, ...]

    def apply(self, board: Board) -> None:
        board.raised = list(self.cards)
        board.rabbit_discards = [card for card in board.rabbit_discards if card not in self.cards]


class GolemigliosLaid(Event, frozen=True):
    """Golemigli took the places of the Rabbits in those Zones."""

    seat: int
    zones: tuple[int, ...]

    def apply(self, board: Board) -> None:
        for zone in self.zones:
            _clear(board, zone)
            board.zones[zone] = GOLEMIGLIO
            board.golemiglios -= 1


class HandDrawn(Event, frozen=True):
    """The Mage drew a Rabbit into the hand."""

    seat: int
    card: str

    def apply(self, board: Board) -> None:
        village = board.villages[self.seat]
        village.hand = board.rabbits.pop()
        village.hand_known = False

    def face(self, seat: int | None) -> HandDrawn:
        return self if seat == self.seat else replace(self, card=HIDDEN)


class RabbitSwapped(Event, frozen=True):
    """The Mage laid the card in hand into a Zone and took the Rabbit there."""

    reveals: ClassVar[bool] = True

    seat: int
    zone: int
    laid: str
    taken: str

    def apply(self, board: Board) -> None:
        village = board.villages[self.seat]
        board.zones[self.zone], village.hand = village.hand, board.zones[self.zone]
        village.hand_known = True


class HandDiscarded(Event, frozen=True):
    """A defeated Mage's card in hand was discarded."""

    reveals: ClassVar[bool] = True

    seat: int
    card: str

    def apply(self, board: Board) -> None:
        village = board.villages[self.seat]
        board.rabbit_discards.append(village.hand)
        village.hand, village.hand_known = "", False


# Adventures


class AdventureDrawn(Event, frozen=True):
    """An Adventure card was drawn and is resolved now. `by_rule`: the turn's own draw (TC-022)."""

    reveals: ClassVar[bool] = True

    seat: int
    card: str
    by_rule: bool = False

    def apply(self, board: Board) -> None:
        board.adventure = board.adventures.pop()
        if self.by_rule:
            board.went = True


class AdventureDiscarded(Event, frozen=True):
    """The Adventure card is over and went to its discard pile."""

    card: str

    def apply(self, board: Board) -> None:
        board.adventure_discards.append(board.adventure)
        board.adventure = ""


class PizzasAdded(Event, frozen=True):
    """The Pizzas were shuffled into the Adventure deck, after its discards if it was empty."""

    seat: int
    cards: tuple[str, ...]

    def apply(self, board: Board) -> None:
        if not board.adventures:
            board.adventure_discards = []
        board.adventures = list(self.cards)

    def face(self, seat: int | None) -> PizzasAdded:
        return replace(self, cards=_backs(self.cards))


class PizzaServed(Event, frozen=True):
    """A drawn Pizza was placed before the Pizza Maker."""

    seat: int
    pizzas: int

    def apply(self, board: Board) -> None:
        board.adventure = ""
        board.villages[self.seat].pizzas = self.pizzas


# Tokens


class TokenTaken(Event, frozen=True):
    """A player uses an Ability token, from the supply or from their own reserve."""

    seat: int
    token: str
    from_reserve: bool

    def apply(self, board: Board) -> None:
        if self.from_reserve:
            board.villages[self.seat].reserve.remove(self.token)
        else:
            board.supply[self.token] -= 1
        board.in_use = TokenInUse(self.seat, self.token, self.from_reserve)
        board.last_user = self.seat


class TokenLaid(Event, frozen=True):
    """The used token went into a slot, or back to the supply if it came from a reserve."""

    seat: int
    token: str
    to_supply: bool

    def apply(self, board: Board) -> None:
        if self.to_supply:
            board.supply[self.token] += 1
        else:
            board.villages[self.seat].slots.append(self.token)
        board.in_use = None


class ReserveTaken(Event, frozen=True):
    """Tokens went from the supply onto a Support card, as a player's own reserve."""

    seat: int
    tokens: tuple[str, ...]

    def apply(self, board: Board) -> None:
        for token in self.tokens:
            board.supply[token] -= 1
            board.villages[self.seat].reserve.append(token)


class Shielded(Event, frozen=True):
    """A player suffers no damage until the end of the turn."""

    seat: int

    def apply(self, board: Board) -> None:
        board.villages[self.seat].shielded = True


# HP


class HpChanged(Event, frozen=True):
    """Damage suffered and HP recovered at one moment: seat, damage, healing (TC-041)."""

    changes: tuple[tuple[int, int, int], ...]

    def apply(self, board: Board) -> None:
        for seat, damage, healing in self.changes:
            village = board.villages[seat]
            village.hp = max(0, min(MOST_HP, village.hp + healing - damage))
            if damage:
                village.suffered = damage


class HpSet(Event, frozen=True):
    """HP became that number; no damage was suffered: seat, HP."""

    changes: tuple[tuple[int, int], ...]

    def apply(self, board: Board) -> None:
        for seat, hp in self.changes:
            board.villages[seat].hp = hp


class HpGiven(Event, frozen=True):
    """The active player gave 1 HP to the Gondolier."""

    giver: int
    taker: int

    def apply(self, board: Board) -> None:
        board.villages[self.giver].hp -= 1
        taker = board.villages[self.taker]
        taker.hp = min(MOST_HP, taker.hp + 1)


# Supremes


class SupremeDeclared(Event, frozen=True):
    """A player declared their Supreme; which one is not known yet."""

    seat: int
    hp: int
    living: int
    surrounded: bool

    def apply(self, board: Board) -> None:
        board.declared.append(Declaration(self.seat, self.hp, self.living, self.surrounded))


class SupremeActivated(Event, frozen=True):
    """A player revealed their Hero, whose Supreme acts now."""

    reveals: ClassVar[bool] = True

    seat: int
    hero: str

    def apply(self, board: Board) -> None:
        village = board.villages[self.seat]
        village.revealed = village.spent = True
        board.declared = [one for one in board.declared if one.seat != self.seat]


class ChampionPlaced(Event, frozen=True):
    """The Champion's Hero card went into a Zone, and a Rabbit there was discarded."""

    seat: int
    zone: int
    replaced: str = ""

    def apply(self, board: Board) -> None:
        _clear(board, self.zone)
        board.zones[self.zone] = CHAMPION


class CloakGiven(Event, frozen=True):
    """The Princess gave the Knight's Cloak to a player."""

    princess: int
    holder: int

    def apply(self, board: Board) -> None:
        board.cloak = Cloak(self.princess, self.holder)


class CloakPulled(Event, frozen=True):
    """The Princess falls, and the Cloak takes its holder to 0 HP."""

    holder: int

    def apply(self, board: Board) -> None:
        board.villages[self.holder].hp = 0
        board.cloak = None


class CloakEnded(Event, frozen=True):
    """The Cloak lost its meaning: nobody but its holder would be left."""

    holder: int

    def apply(self, board: Board) -> None:
        board.cloak = None


# Defeat and the end


class HeroRevealed(Event, frozen=True):
    """A defeated player's Hero was turned up, without acting."""

    reveals: ClassVar[bool] = True

    seat: int
    hero: str

    def apply(self, board: Board) -> None:
        board.villages[self.seat].revealed = True


class VillageFell(Event, frozen=True):
    """A player was defeated: Rabbits discarded, tokens returned, the Village turned over."""

    seat: int
    forfeited: bool = False

    def apply(self, board: Board) -> None:
        village = board.villages[self.seat]
        village.hp, village.fallen, village.shielded = 0, True, False
        for zone in zones_of(self.seat):
            _clear(board, zone)
        for token in (*village.slots, *village.reserve):
            board.supply[token] += 1
        village.slots, village.reserve = [], []
        if board.in_use is not None and board.in_use.seat == self.seat:
            board.supply[board.in_use.token] += 1
            board.in_use = None
        # What belongs to the Hero goes too (TC-084, O31, O25, O35).
        if village.hero == CHAMPION and CHAMPION in board.zones:
            board.zones[board.zones.index(CHAMPION)] = ""
        if village.hero == "necromancer":
            board.rabbit_discards += board.raised
            board.raised = []
        village.pizzas = 0
        if board.cloak is not None and self.seat in (board.cloak.princess, board.cloak.holder):
            board.cloak = None
        board.declared = [one for one in board.declared if one.seat != self.seat]
        if self.seat == board.active:
            board.cut = True
        if not self.forfeited:
            board.falls += 1


class SeatForfeited(Event, frozen=True):
    """A player left for good; the Village falls at the end of the turn. Or is taken over again."""

    seat: int
    forfeited: bool

    def apply(self, board: Board) -> None:
        board.villages[self.seat].forfeited = self.forfeited


class GameWon(Event, frozen=True):
    """The game is over: who wins and why (`last-standing`, `shared-fall`, `jester`, ...)."""

    winners: tuple[int, ...]
    cause: str

    def apply(self, board: Board) -> None:
        board.winners = list(self.winners)


def _clear(board: Board, zone: int) -> None:
    """Empty a Zone: a Rabbit goes to its pile, a Golemiglio and the Champion do not (O28, O32)."""
    match board.zones[zone]:
        case "":
            return
        case card if card == GOLEMIGLIO:
            board.golemiglios += 1
        case card if card != CHAMPION:
            board.rabbit_discards.append(card)
    board.zones[zone] = ""
