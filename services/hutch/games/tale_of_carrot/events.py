"""What can happen at the table beside its cards, and who may see what of it."""

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
from hutch.games.tale_of_carrot.card_events import HIDDEN, backs, clear
from hutch.games.tale_of_carrot.tables import CHAMPION

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
        return replace(self, rabbits=backs(self.rabbits), adventures=backs(self.adventures))


class HeroesDrawn(Event, frozen=True):
    """A player drew two Heroes to choose from."""

    seat: int
    heroes: tuple[str, ...]

    def apply(self, board: Board) -> None:
        board.villages[self.seat].drawn = list(self.heroes)

    def face(self, seat: int | None) -> HeroesDrawn:
        return self if seat == self.seat else replace(self, heroes=backs(self.heroes))


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
        if not village.fallen:
            board.acting.append(self.seat)
        board.declared = [one for one in board.declared if one.seat != self.seat]


class ChampionPlaced(Event, frozen=True):
    """The Champion's Hero card went into a Zone, and a Rabbit there was discarded."""

    seat: int
    zone: int
    replaced: str = ""

    def apply(self, board: Board) -> None:
        clear(board, self.zone)
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
            clear(board, zone)
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
        if self.seat in board.acting:
            board.acting.remove(self.seat)
        if not self.forfeited:
            board.falls += 1


class SeatForfeited(Event, frozen=True):
    """A player left for good; the Village falls at the end of the turn. Or is taken over again."""

    seat: int
    forfeited: bool

    def apply(self, board: Board) -> None:
        board.villages[self.seat].forfeited = self.forfeited


class GameWon(Event, frozen=True):
    """The game is over: who wins and why (`last-standing`, `shared-fall`, `jester`, ...).

    Nobody where all who were living left.
    """

    winners: tuple[int, ...]
    cause: str

    def apply(self, board: Board) -> None:
        board.winners = list(self.winners)
