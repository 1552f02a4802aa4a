"""Looking: the board as a seat, or the public, may see it, and events in their typed form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from google.protobuf.message import Message

from hutch.engine.events import Event
from hutch.games.killer_bunnies.board import (
    JOINING,
    LEAVING,
    PLAYING,
    VACANT,
    Board,
    Bunny,
    Game,
    Goods,
    Seat,
)
from hutch.games.killer_bunnies.circle import clovers_under
from hutch.games.killer_bunnies.events.goods import Handed, Paid, Received
from hutch.games.killer_bunnies.feeding import due_turn
from hutch.games.killer_bunnies.market import prices
from hutch.games.killer_bunnies.printed import CARDS
from hutch.games.killer_bunnies.purse import total
from hutch.killer_bunnies.v1 import board_pb2, events_pb2

STATES = {VACANT: "vacant", PLAYING: "playing", LEAVING: "leaving", JOINING: "joining"}


def look(table: Game, seat: int | None) -> board_pb2.Board:
    """What lies on the table, built from what `seat` may see."""
    board = table.board
    cabbage, water, carrot = prices(board) or (0, 0, 0)
    view = board_pb2.Board(
        turn=board.turn,
        active_seat=board.active,
        stage=board.stage,
        plays=board.plays,
        half_price=board.half_price,
        flo_used=board.flo_used,
        seats=[_seat(player, index == seat) for index, player in enumerate(board.seats)],
        order=board.order,
        circle=[_bunny(board, bunny) for bunny in board.circle],
        roamers=[
            board_pb2.Roamer(card=ref(one.card), seat=one.seat, bunny=ref(one.bunny))
            for one in board.roamers
        ],
        infected=refs(board.infected),
        market=board_pb2.Market(
            card=ref(board.market_card),
            open=prices(board) is not None,
            cabbage_price=cabbage,
            water_price=water,
            carrot_price=carrot,
            carrots=board.market,
        ),
        piles=_piles(board),
        resolving=refs(board.resolving),
        debts=[
            board_pb2.Debt(seat=debt.seat, supply=debt.supply, amount=debt.amount)
            for debt in board.debts
        ],
        traded=refs(board.traded),
    )
    if board.away is not None:
        view.abductee.CopyFrom(board_pb2.Abductee(card=ref(board.away.card), seat=board.away.seat))
    if board.offer is not None:
        offer = board.offer
        party = seat in (offer.by, offer.to)
        view.offer.CopyFrom(
            board_pb2.Offer(
                seat=offer.by,
                to=offer.to,
                give=goods(offer.give),
                want=goods(offer.want),
                hand=refs(offer.hand) if party else [""] * len(offer.hand),
                wish=offer.wish,
                named=refs(offer.named) if party else [""] * len(offer.named),
            )
        )
    if board.roll is not None:
        roll = board.roll
        view.roll.CopyFrom(
            board_pb2.Roll(seat=roll.seat, dice=roll.dice, bunny=ref(roll.bunny), beat=roll.beat)
        )
    if board.shown is not None:
        shown = board.shown
        party = seat in (shown.seat, shown.to)
        view.shown.CopyFrom(
            board_pb2.Shown(seat=shown.seat, to=shown.to, cards=refs(shown.cards) if party else [])
        )
    return view


def _seat(player: Seat, own: bool) -> board_pb2.Seat:
    return board_pb2.Seat(
        state=STATES[player.state],
        hand=refs(player.hand) if own else [],
        hand_count=len(player.hand),
        top_run=ref(player.top) if own else "",
        has_top_run=player.top > 0,
        bottom_run=ref(player.bottom) if own else "",
        has_bottom_run=player.bottom > 0,
        saved=refs(player.saved),
        dolla_cards=refs(player.dolla),
        dolla=total("dolla", player.dolla),
        cabbage=player.cabbage,
        water=player.water,
        carrots=player.carrots,
        bad_karma=refs(player.karma),
        lost_turns=refs(player.lost_turns),
    )


def _bunny(board: Board, bunny: Bunny) -> board_pb2.Bunny:
    return board_pb2.Bunny(
        card=ref(bunny.card),
        seat=bunny.seat,
        modifiers=refs(bunny.under),
        clovers=clovers_under(bunny),
        feeds=[
            board_pb2.Feed(
                card=ref(feed.card),
                cabbage=CARDS[feed.card].cabbage,
                water=CARDS[feed.card].water,
                due_turn=due_turn(board, bunny, feed),
            )
            for feed in bunny.feeds
        ],
        trojan=ref(bunny.trojan),
    )


def _piles(board: Board) -> board_pb2.Piles:
    return board_pb2.Piles(
        draw_count=len(board.pile),
        discards=refs(board.discards),
        spent_dolla=refs(board.spent_dolla),
        cabbage_count=len(board.cabbage),
        water_count=len(board.water),
        spent_cabbage=board.spent_cabbage,
        spent_water=board.spent_water,
        small_carrot_count=len(board.small_carrots),
        turned_carrots=board.turned,
    )


def goods(side: Goods) -> board_pb2.Goods:
    """One side of a trade."""
    return board_pb2.Goods(
        dolla=side.dolla,
        cabbage=side.cabbage,
        water=side.water,
        carrots=side.carrots,
        bunnies=refs(side.bunnies),
        saved=refs(side.saved),
    )


def ref(card: int) -> str:
    """A card as clients know it; nothing for one that cannot be seen, or for none."""
    return CARDS[card].ref if card else ""


def refs(cards: Iterable[int]) -> list[str]:
    """Cards as clients know them."""
    return [ref(card) for card in cards]


def tell(event: Event) -> Message:
    """An event's face in its typed form: each event has a message of its own name and fields.

    Where the message has a text and the event a number, it is a card. Cabbage and Water Cards are
    none that the catalogue knows: they are told by their units (KB-004).
    """
    name = type(event).__name__
    texts = _TEXTS[name]
    facts = {
        field: _told(getattr(event, field), field in texts) for field in event.__struct_fields__
    }
    match event:
        case Paid() | Received() | Handed() if event.supply != "dolla":
            facts["cards"], facts["units"] = [], event.cards
    message: Message = getattr(events_pb2, name)(**facts)
    return message


def _told(value: Any, text: bool) -> Any:
    match value:
        case Goods():
            return goods(value)
        case int() if text:
            return ref(value)
        case list() if text:
            return refs(value)
    return value


#: For each event's message, its fields that are texts.
_TEXTS: Final = {
    kind.message_type.name: frozenset(
        [one.name for one in kind.message_type.fields if one.type == one.TYPE_STRING]
    )
    for kind in events_pb2.Event.DESCRIPTOR.fields
    if kind.message_type is not None
}
