"""What a seat may see: the typed board, and the typed form of every event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf.message import Message

from hutch.engine.events import Event
from hutch.games.tale_of_carrot.board import NOBODY, Board, place_of, zones_of
from hutch.games.tale_of_carrot.moments import TaleTable
from hutch.tale_of_carrot.v1 import tale_of_carrot_pb2 as pb

#: Fields of events whose typed form is a message of its own, or bears another name.
_FORMS: Final[Mapping[tuple[str, str], type[Message]]] = {
    ("TableLaid", "supply"): pb.TokenCount,
    ("HpChanged", "changes"): pb.HpChange,
    ("HpSet", "changes"): pb.HpMark,
}
_PLACES: Final[Mapping[str, str]] = {"zone": "place", "source": "source_place", "zones": "places"}


def look(t: TaleTable, viewer: int | None) -> pb.Board:
    """The table as that seat sees it, or the public (None). O42 says what is hidden."""
    board = t.board
    return pb.Board(
        turn=board.turn,
        active_seat=board.active,
        first_seat=board.first,
        step=pb.Step.ValueType(board.step),
        villages=[_village(board, seat, viewer) for seat in range(t.seats)],
        supply=[pb.TokenCount(token=token, count=n) for token, n in board.supply.items()],
        rabbits_in_deck=len(board.rabbits),
        rabbit_discards=board.rabbit_discards,
        adventures_in_deck=len(board.adventures),
        adventure_discards=board.adventure_discards,
        golemiglios=board.golemiglios,
        held=_held(board, viewer),
        going=board.going,
        adventure=board.adventure,
        token_in_use=_in_use(board),
        declared_seats=[declaration.seat for declaration in board.declared],
        raised=board.raised,
        cloak=_cloak(board),
        winners=board.winners or (),
        own_spare_hero="" if viewer is None else board.villages[viewer].spare,
    )


def tell(event: Event) -> Message:
    """An event, or a face of it, in its typed form.

    Every event has a message of its name whose fields bear the names of the event's; Zones are told
    as places.
    """
    name = type(event).__name__
    message: Message = getattr(pb, name)(**_told(event, name))
    return message


def _told(event: Event, name: str) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for field in event.__struct_fields__:
        value = getattr(event, field)
        form = _FORMS.get((name, field))
        if form is not None:
            value = [_filled(form, values) for values in value]
        elif field == "zones":
            value = [place_of(zone) for zone in value]
        elif field in _PLACES:
            value = place_of(value)
        elif field == "step":
            value = pb.Step.ValueType(value)
        told[_PLACES.get(field, field)] = value
    return told


def _filled(form: type[Message], values: tuple[Any, ...]) -> Message:
    names = [field.name for field in form.DESCRIPTOR.fields]
    return form(**dict(zip(names, values, strict=True)))


def _village(board: Board, seat: int, viewer: int | None) -> pb.Village:
    village = board.villages[seat]
    own = seat == viewer
    return pb.Village(
        seat=seat,
        hp=village.hp,
        fallen=village.fallen,
        zones=[pb.Zone(place=place_of(zone), card=board.zones[zone]) for zone in zones_of(seat)],
        slots=village.slots,
        reserve=village.reserve,
        shielded=village.shielded,
        hero=village.hero if own or village.revealed else "",
        revealed=village.revealed,
        supreme_used=village.spent,
        heroes_to_choose=village.drawn if own else (),
        has_hand=bool(village.hand),
        hand=village.hand if own or village.hand_known else "",
        pizzas=village.pizzas,
        last_damage=village.suffered,
        forfeited=village.forfeited,
    )


def _held(board: Board, viewer: int | None) -> pb.HeldRabbit | None:
    if board.holder == NOBODY:
        return None
    return pb.HeldRabbit(seat=board.holder, card=board.held if viewer == board.holder else "")


def _in_use(board: Board) -> pb.TokenInUse | None:
    used = board.in_use
    if used is None:
        return None
    return pb.TokenInUse(seat=used.seat, token=used.token, from_reserve=used.from_reserve)


def _cloak(board: Board) -> pb.Cloak | None:
    cloak = board.cloak
    return None if cloak is None else pb.Cloak(princess=cloak.princess, holder=cloak.holder)
