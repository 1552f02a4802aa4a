"""Looking: the board as a seat, or the public, may see it, and events in their typed form."""

from __future__ import annotations

from typing import Any

import msgspec

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
            board_pb2.Roamer(card=one.card, seat=one.seat, bunny=one.bunny) for one in board.roamers
        ],
        infected=board.infected,
        market=board_pb2.Market(
            card=board.market_card,
            open=prices(board) is not None,
            cabbage_price=cabbage,
            water_price=water,
            carrot_price=carrot,
            carrots=board.market,
        ),
        piles=_piles(board),
        resolving=board.resolving,
        debts=[
            board_pb2.Debt(seat=debt.seat, supply=debt.supply, amount=debt.amount)
            for debt in board.debts
        ],
        traded=board.traded,
    )
    if board.away is not None:
        view.abductee.CopyFrom(board_pb2.Abductee(card=board.away.card, seat=board.away.seat))
    if board.offer is not None:
        offer = board.offer
        party = seat in (offer.by, offer.to)
        view.offer.CopyFrom(
            board_pb2.Offer(
                seat=offer.by,
                to=offer.to,
                give=goods(offer.give),
                want=goods(offer.want),
                hand=offer.hand if party else [0] * len(offer.hand),
                wish=offer.wish,
                named=offer.named if party else [0] * len(offer.named),
            )
        )
    if board.shown is not None:
        shown = board.shown
        party = seat in (shown.seat, shown.to)
        view.shown.CopyFrom(
            board_pb2.Shown(seat=shown.seat, to=shown.to, cards=shown.cards if party else [])
        )
    return view


def _seat(player: Seat, own: bool) -> board_pb2.Seat:
    return board_pb2.Seat(
        state=STATES[player.state],
        hand=player.hand if own else [],
        hand_count=len(player.hand),
        top_run=player.top if own else 0,
        has_top_run=player.top > 0,
        bottom_run=player.bottom if own else 0,
        has_bottom_run=player.bottom > 0,
        saved=player.saved,
        dolla_cards=player.dolla,
        dolla=total("dolla", player.dolla),
        cabbage=player.cabbage,
        water=player.water,
        carrots=player.carrots,
        bad_karma=player.karma,
        lost_turns=player.lost_turns,
    )


def _bunny(board: Board, bunny: Bunny) -> board_pb2.Bunny:
    return board_pb2.Bunny(
        card=bunny.card,
        seat=bunny.seat,
        modifiers=bunny.under,
        clovers=clovers_under(bunny),
        feeds=[
            board_pb2.Feed(
                card=feed.card,
                cabbage=CARDS[feed.card].cabbage,
                water=CARDS[feed.card].water,
                due_turn=due_turn(board, bunny, feed),
            )
            for feed in bunny.feeds
        ],
        trojan=bunny.trojan,
    )


def _piles(board: Board) -> board_pb2.Piles:
    return board_pb2.Piles(
        draw_count=len(board.pile),
        discards=board.discards,
        spent_dolla=board.spent_dolla,
        cabbage_count=len(board.cabbage),
        water_count=len(board.water),
        spent_cabbage=board.spent_cabbage,
        spent_water=board.spent_water,
        small_carrot_count=len(board.small_carrots),
        turned_carrots=board.turned,
    )


def goods(side: Goods) -> board_pb2.Goods:
    """One side of a trade."""
    return board_pb2.Goods(**msgspec.structs.asdict(side))


def tell(event: Event) -> events_pb2.Event:
    """An event's face in its typed form: each event has a message of its own name and fields."""
    name = type(event).__name__
    message = getattr(events_pb2, name)
    facts = {field: _told(getattr(event, field)) for field in event.__struct_fields__}
    return events_pb2.Event(**{_FIELDS[name]: message(**facts)})


def _told(value: Any) -> Any:
    return goods(value) if isinstance(value, Goods) else value


#: Message name -> the field of `Event` that holds it.
_FIELDS = {
    field.message_type.name: field.name
    for field in events_pb2.Event.DESCRIPTOR.fields
    if field.message_type is not None
}
