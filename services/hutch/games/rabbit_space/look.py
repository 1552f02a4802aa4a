"""What a seat may see: the typed board, and the typed form of every event."""

from __future__ import annotations

from typing import Final

from google.protobuf.message import Message
from msgspec.structs import replace

from hutch.engine.events import Event
from hutch.engine.prompts import Picks
from hutch.engine.table import Table
from hutch.games.rabbit_space.board import FACE_DOWN, NONE, Board, Gift, SeatBoard, Step
from hutch.games.rabbit_space.cards import Deck, Resource
from hutch.games.rabbit_space.counting import production, score
from hutch.games.rabbit_space.events import (
    Arranged,
    Cards,
    CardsDealt,
    CardsDiscarded,
    CardsDrawn,
    CardSetAside,
    Certified,
    Counted,
    DrawPileRenewed,
    GameEnded,
    GiftLaidOut,
    Given,
    PlayerLeft,
    PlayerReturned,
    Promoted,
    Readied,
    ReadyTakenBack,
    RoundBegan,
    SentIntoSpace,
    StepBegan,
    TracksReset,
)
from hutch.games.rabbit_space.missions import station_ref
from hutch.games.rabbit_space.module_events import (
    EventsShuffled,
    EventTurnedUp,
    Kept,
    Landed,
    MissionBegan,
    RobotPromoted,
    RobotWaits,
    Stationed,
    StationsDealt,
    StationTurned,
    Stored,
)
from hutch.games.rabbit_space.questions import gift_of, placed, question
from hutch.rabbit_space.v1 import rabbit_space_pb2 as pb

_RESOURCES: Final[dict[Resource, pb.Resource.ValueType]] = {
    "carrot": pb.RESOURCE_CARROT,
    "gold": pb.RESOURCE_GOLD,
    "helmet": pb.RESOURCE_HELMET,
}


def look(deck: Deck, table: Table[Board], viewer: int | None) -> pb.Board:
    """The table as that seat sees it, or the public (None).

    O30: in a team hands, arrangements and gifts are open. Among rivals a hand, and what is laid out
    sealed, is its owner's.
    """
    board = table.board
    secret = table.options.competitive
    seats = [
        _seat(deck, table, index, see_hand=not secret or index == viewer)
        for index in range(table.seats)
    ]
    return pb.Board(
        round=board.round,
        step=pb.Step.ValueType(board.step),
        competitive=secret,
        seats=seats,
        draw_pile_size=len(board.pile),
        discard_pile=_refs(deck, board.discard),
        set_aside_count=len(board.aside),
        team_score=None if secret else sum([seat.score for seat in seats]),
        mission=board.mission,
        event_colour=board.event,
        events_left=len(board.events),
        command_center=_placed(deck, board.command_center, pb.SIDE_ASTRONAUT),
    )


def _seat(deck: Deck, table: Table[Board], index: int, *, see_hand: bool) -> pb.SeatBoard:
    own = table.board.seats[index]
    ready = question(deck, table, index) is None
    if (choice := table.sealed.get(index)) is not None:
        ready = True
        if see_hand:  # its owner
            own = _as_laid_out(deck, table.board.step, own, choice.picks)
    return pb.SeatBoard(
        seat=index,
        carrots=own.carrots,
        gold=own.gold,
        helmets=own.helmets,
        hand=_refs(deck, own.hand) if see_hand else (),
        hand_size=len(own.hand),
        training_center=_placed(deck, own.training_center, pb.SIDE_TRAINEE),
        level_1=_placed(deck, own.level_1, pb.SIDE_TRAINEE),
        level_2=_placed(deck, own.level_2, pb.SIDE_ASTRONAUT),
        space=_flown(deck, own.space),
        gift=_gift(own.gift),
        ready=ready,
        left=own.left,
        score=score(deck, own),
        production=pb.Production(
            carrots=production(deck, own, "carrot"),
            gold=production(deck, own, "gold"),
            helmets=production(deck, own, "helmet"),
        ),
        mission_card="" if own.mission == NONE else deck.refs[own.mission],
        moon=_flown(deck, own.moon),
        warehouse=own.warehouse,
        station="" if own.station == NONE else station_ref(own.station),
        station_side=own.side,
        robot_waits=own.robot,
        carrots_kept=own.kept[0],
        gold_kept=own.kept[1],
    )


def tell(deck: Deck, event: Event) -> Message:
    """An event, or a face of it, in its typed form."""
    match event:
        case CardsDealt(starting=starting, pile=pile, missions=missions):
            return pb.CardsDealt(
                starting_cards=_by_seat(deck, starting),
                draw_pile_size=len(pile),
                missions=_refs(deck, missions),
            )
        case RoundBegan(round=number):
            return pb.RoundBegan(round=number)
        case StepBegan(step=step):
            return pb.StepBegan(step=pb.Step.ValueType(step))
        case CardsDrawn(cards=cards):
            return pb.CardsDrawn(hands=_by_seat(deck, cards))
        case DrawPileRenewed(pile=pile):
            return pb.DrawPileRenewed(draw_pile_size=len(pile))
        case Arranged(seat=seat, training_center=training_center, hand=hand, ready=ready):
            return pb.Arranged(
                seat=seat,
                training_center=_refs(deck, training_center),
                hand=_refs(deck, hand),
                ready=ready,
            )
        case GiftLaidOut(seat=seat, gift=gift, ready=ready):
            return pb.GiftLaidOut(seat=seat, gift=_gift(gift), ready=ready)
        case ReadyTakenBack(seat=seat):
            return pb.ReadyTakenBack(seat=seat)
        case CardsDiscarded(cards=cards):
            return pb.CardsDiscarded(hands=_by_seat(deck, cards))
        case Counted(resource=resource, amounts=amounts, lost=lost):
            return pb.Counted(resource=_RESOURCES[resource], amounts=amounts, lost=lost)
        case Given(giver=giver, receiver=receiver, resource=resource, amount=amount, kept=kept):
            return pb.Given(
                giver=giver,
                receiver=receiver,
                resource=_RESOURCES[resource],
                amount=amount,
                kept=kept,
            )
        case Promoted(seat=seat, card=card, cost=cost):
            return pb.Promoted(seat=seat, card=deck.refs[card], cost=cost)
        case Certified(seat=seat, card=card, cost=cost):
            return pb.Certified(seat=seat, card=deck.refs[card], cost=cost)
        case SentIntoSpace(seat=seat, card=card, cost=cost):
            return pb.SentIntoSpace(seat=seat, card=deck.refs[card], cost=cost)
        case Readied(seat=seat):
            return pb.Readied(seat=seat)
        case TracksReset():
            return pb.TracksReset()
        case CardSetAside():
            return pb.CardSetAside()
        case GameEnded(scores=scores, winners=winners, team=team):
            return pb.GameEnded(scores=scores, winners=winners, team_score=team)
        case PlayerLeft(seat=seat):
            return pb.PlayerLeft(seat=seat)
        case PlayerReturned(seat=seat):
            return pb.PlayerReturned(seat=seat)
        case _:
            return _tell_of_modules(deck, event)


def _tell_of_modules(deck: Deck, event: Event) -> Message:
    """An event of Evolutions or missions in its typed form."""
    match event:
        case RobotWaits(seat=seat):
            return pb.RobotWaits(seat=seat)
        case RobotPromoted(seat=seat, card=card):
            return pb.RobotPromoted(seat=seat, card=deck.refs[card])
        case Kept(seat=seat, carrots=carrots, gold=gold):
            return pb.Kept(seat=seat, carrots=carrots, gold=gold)
        case Stationed(seat=seat, card=card, cost=cost):
            return pb.Stationed(seat=seat, card=deck.refs[card], cost=cost)
        case Stored(seat=seat, carrots=carrots):
            return pb.Stored(seat=seat, carrots=carrots)
        case Landed(seat=seat, card=card, cost=cost):
            return pb.Landed(seat=seat, card=deck.refs[card], cost=cost)
        case MissionBegan(planet=planet):
            return pb.MissionBegan(planet=planet)
        case EventsShuffled(colours=colours):
            return pb.EventsShuffled(events=len(colours))
        case EventTurnedUp(colour=colour):
            return pb.EventTurnedUp(colour=colour)
        case StationsDealt(stations=stations):
            refs = [station_ref(station) for station in stations]
            return pb.StationsDealt(stations=refs)
        case StationTurned(seat=seat, side=side):
            return pb.StationTurned(seat=seat, side=side)
    raise TypeError(f"{type(event).__name__} is no event of this game")


def _as_laid_out(deck: Deck, step: Step, own: SeatBoard, picks: Picks) -> SeatBoard:
    """A player's board with the sealed choice laid out on it."""
    if step is not Step.ARRANGE:
        return replace(own, gift=gift_of(picks))
    training_center = placed(deck, own, picks)
    hand = [card for card in own.training_center + own.hand if card not in training_center]
    return replace(own, training_center=training_center, hand=hand)


def _by_seat(deck: Deck, cards: Cards) -> list[pb.SeatCards]:
    return [
        pb.SeatCards(
            seat=seat,
            count=len(held),
            cards=[deck.refs[card] for card in held if card != FACE_DOWN],
        )
        for seat, held in enumerate(cards)
    ]


def _refs(deck: Deck, cards: list[int] | tuple[int, ...]) -> list[str]:
    refs = deck.refs
    return [refs[card] for card in cards]


def _placed(deck: Deck, cards: list[int], side: pb.Side.ValueType) -> list[pb.PlacedCard]:
    refs = deck.refs
    return [pb.PlacedCard(card=refs[card], side=side) for card in cards]


def _flown(deck: Deck, cards: list[int]) -> list[pb.PlacedCard]:
    """Cards that are away: Astronauts, and Satellites, which have no such side (RS-041)."""
    refs, kinds = deck.refs, deck.kinds
    return [
        pb.PlacedCard(
            card=refs[card],
            side=pb.SIDE_TRAINEE if kinds[card] == "satellite" else pb.SIDE_ASTRONAUT,
        )
        for card in cards
    ]


def _gift(gift: Gift | None) -> pb.Gift | None:
    return None if gift is None else pb.Gift(receiver=gift.receiver, amount=gift.amount)
