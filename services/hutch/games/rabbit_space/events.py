"""What can happen, what it does to the board, and who may see what of it."""

from __future__ import annotations

from typing import ClassVar, Final

from hutch.engine.events import Event
from hutch.games.rabbit_space.board import (
    FACE_DOWN,
    HELMETS_AT_START,
    NOTHING_KEPT,
    Board,
    Gift,
    Step,
)
from hutch.games.rabbit_space.cards import Resource

#: The track of a player's board that counts each resource.
TRACKS: Final[dict[Resource, str]] = {"carrot": "carrots", "gold": "gold", "helmet": "helmets"}

#: Cards by seat.
Cards = tuple[tuple[int, ...], ...]


class CardsDealt(Event, frozen=True):
    """The starting cards were dealt, the others shuffled into the draw pile (RS-007, RS-008)."""

    starting: Cards
    pile: tuple[int, ...]
    #: Saturn: each seat's Mission.
    missions: tuple[int, ...] = ()

    def apply(self, board: Board) -> None:
        for seat, cards in zip(board.seats, self.starting, strict=True):
            seat.level_1.extend(cards)
        for seat, mission in zip(board.seats, self.missions, strict=False):
            seat.mission = mission
        board.pile.extend(self.pile)

    def face(self, seat: int | None) -> CardsDealt:
        return CardsDealt(self.starting, _face_down(self.pile), self.missions)


class RoundBegan(Event, frozen=True):
    """A round began, 1 to 7."""

    round: int

    def apply(self, board: Board) -> None:
        board.round = self.round


class StepBegan(Event, frozen=True):
    """Everybody may now do what the step allows; nobody is ready yet."""

    step: Step

    def apply(self, board: Board) -> None:
        board.step = self.step
        for seat in board.seats:
            seat.ready = False
            seat.gift = None


class CardsDrawn(Event, frozen=True):
    """Cards were drawn, one each in seat order, again and again (RS-011).

    Among rivals (`secret`) a player sees the own cards alone.
    """

    cards: Cards
    secret: bool

    reveals: ClassVar[bool] = True  # in a team, to all

    def apply(self, board: Board) -> None:
        for seat, cards in zip(board.seats, self.cards, strict=True):
            seat.hand.extend(cards)
        del board.pile[len(board.pile) - sum([len(cards) for cards in self.cards]) :]

    def face(self, seat: int | None) -> CardsDrawn:
        if not self.secret:
            return self
        seen = [
            cards if owner == seat else _face_down(cards) for owner, cards in enumerate(self.cards)
        ]
        return CardsDrawn(tuple(seen), True)


class DrawPileRenewed(Event, frozen=True):
    """The draw pile had run out: the discard pile was shuffled into a new one (RS-012)."""

    pile: tuple[int, ...]

    def apply(self, board: Board) -> None:
        board.batch |= dict.fromkeys(sorted(self.pile), max(board.batch.values(), default=0) + 1)
        board.pile = list(self.pile)
        board.discard = []

    def face(self, seat: int | None) -> DrawPileRenewed:
        return DrawPileRenewed(_face_down(self.pile))


class Arranged(Event, frozen=True):
    """A player placed cards in the Training Center; the others are in hand (RS-013)."""

    seat: int
    training_center: tuple[int, ...]
    hand: tuple[int, ...]
    ready: bool

    reveals: ClassVar[bool] = True  # among rivals, told when all are ready

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.training_center = list(self.training_center)
        seat.hand = list(self.hand)
        seat.ready = self.ready


class GiftLaidOut(Event, frozen=True):
    """A player laid out a gift for the end of the step, or none."""

    seat: int
    gift: Gift | None
    ready: bool

    reveals: ClassVar[bool] = True  # among rivals, told when all are ready

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.gift = self.gift
        seat.ready = self.ready


class ReadyTakenBack(Event, frozen=True):
    """A player wants to go on planning."""

    seat: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].ready = False


class CardsDiscarded(Event, frozen=True):
    """What was not placed left the hands (RS-014)."""

    cards: Cards

    reveals: ClassVar[bool] = True  # among rivals

    def apply(self, board: Board) -> None:
        for seat, cards in zip(board.seats, self.cards, strict=True):
            board.discard.extend(cards)
            seat.hand = []


class Counted(Event, frozen=True):
    """A resource was counted: what each track shows now, and what was too much for it."""

    resource: Resource
    amounts: tuple[int, ...]
    lost: tuple[int, ...]

    def apply(self, board: Board) -> None:
        track = TRACKS[self.resource]
        for seat, amount in zip(board.seats, self.amounts, strict=True):
            setattr(seat, track, amount)
            if seat.kept != NOTHING_KEPT:
                carrots, gold = seat.kept
                seat.kept = (0 if track == "carrots" else carrots, 0 if track == "gold" else gold)


class Given(Event, frozen=True):
    """A gift was handed over. `kept` is what the receiver had no room for (O10)."""

    giver: int
    receiver: int
    resource: Resource
    amount: int
    kept: int

    def apply(self, board: Board) -> None:
        giver, receiver = board.seats[self.giver], board.seats[self.receiver]
        if self.resource == "carrot":
            giver.carrots -= self.amount
            receiver.carrots += self.amount
        else:
            giver.gold -= self.amount
            receiver.gold += self.amount


class Promoted(Event, frozen=True):
    """A card went from the Training Center to Level 1, for Carrots (RS-019)."""

    seat: int
    card: int
    cost: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.carrots -= self.cost
        move(self.card, seat.training_center, seat.level_1)


class Certified(Event, frozen=True):
    """A card went from Level 1 to its Astronaut side on Level 2, for Gold (RS-024)."""

    seat: int
    card: int
    cost: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.gold -= self.cost
        move(self.card, seat.level_1, seat.level_2)


class SentIntoSpace(Event, frozen=True):
    """A card went from Level 2 into Space, for Gold (RS-025); a Satellite from Level 1."""

    seat: int
    card: int
    cost: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.gold -= self.cost
        # RS-041: a Satellite comes from Level 1.
        move(self.card, seat.level_2 if self.card in seat.level_2 else seat.level_1, seat.space)


class Readied(Event, frozen=True):
    """A player spends nothing more in this step."""

    seat: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].ready = True


class TracksReset(Event, frozen=True):
    """All tracks went back to their start; what was neither spent nor kept is lost (RS-027)."""

    def apply(self, board: Board) -> None:
        for seat in board.seats:
            seat.carrots, seat.gold = seat.kept
            seat.helmets = HELMETS_AT_START


class CardSetAside(Event, frozen=True):
    """The top card of the draw pile was set aside, unseen (RS-029)."""

    card: int

    def apply(self, board: Board) -> None:
        board.aside.append(board.pile.pop())

    def face(self, seat: int | None) -> CardSetAside:
        return CardSetAside(FACE_DOWN)


class GameEnded(Event, frozen=True):
    """The cards in Space were added up (RS-030). `team`: the common score, where there is one."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    team: int | None

    def apply(self, board: Board) -> None:
        board.step = Step.OVER


class PlayerLeft(Event, frozen=True):
    """A player left; the seat stays with its cards (O31)."""

    seat: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].left = True


class PlayerReturned(Event, frozen=True):
    """A seat that was left has a player again."""

    seat: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].left = False


def _face_down(cards: tuple[int, ...]) -> tuple[int, ...]:
    return (FACE_DOWN,) * len(cards)


def move(card: int, source: list[int], target: list[int]) -> None:
    """A card goes from one place to another."""
    source.remove(card)
    target.append(card)
