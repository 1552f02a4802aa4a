"""The turn as one sequence, and the game as turns.

`SEQUENCE` is the whole timing: each step, when it takes place, and what happens in it. Whether a
step takes place depends only on what everybody can see. The board is complete at the beginning of
each step, so that a game goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from msgspec import Struct

from hutch.engine.asking import ask_seat, pass_or, sealed
from hutch.engine.prompts import Ask, Option, card, picks, word
from hutch.engine.records import Result
from hutch.engine.rules import CHECKPOINT, Script
from hutch.games.tale_of_carrot.board import Board, Step, clockwise, left_of, living
from hutch.games.tale_of_carrot.cards import heroes_once
from hutch.games.tale_of_carrot.cards.adventures import draw_adventure
from hutch.games.tale_of_carrot.damage import attack, end_if_decided, fall
from hutch.games.tale_of_carrot.events import (
    AdventureCalled,
    HeroKept,
    SeatForfeited,
    StepBegan,
    SupremeActivated,
    SupremeDeclared,
    TurnBegan,
)
from hutch.games.tale_of_carrot.moments import ACTIVATION, GIFTS, REQUIREMENT, SWAP, TaleTable
from hutch.games.tale_of_carrot.setup import highest_number
from hutch.games.tale_of_carrot.windows import anybody, red_window, token_window
from hutch.games.tale_of_carrot.words import (
    WINDOW,
    GameEnded,
    play_rabbit,
    say_yes,
    tables_of,
    win,
)

LAST_TURN: Final = 300
DECLARE: Final = Option("declare", (word("declare"),))


class Timing(Struct, frozen=True):
    """A step of the turn. Once the active player fell, only those `despite_fall` still come."""

    step: Step
    takes_place: Callable[[TaleTable], bool]
    play: Callable[[TaleTable], Script[None]]
    despite_fall: bool = False


# What happens in the steps, in their order


def invasion(t: TaleTable) -> Script[None]:
    """The active player draws a Rabbit and places it (TC-019, TC-020, TC-054)."""
    yield from play_rabbit(t, t.board.active, invading=True)


def swap(t: TaleTable) -> Script[None]:
    """The Mage may swap, whoever is active (O30)."""
    for seat, act in SWAP.in_effect(t.board):
        yield from act(t, seat)


def gifts(t: TaleTable) -> Script[None]:
    """The active player may buy moves from the Gondolier (O34)."""
    for seat, act in GIFTS.in_effect(t.board):
        yield from act(t, seat)


def call(t: TaleTable) -> Script[None]:
    """The active player says whether they go on an adventure; the answer binds (TC-032)."""
    active = t.board.active
    going = yield from say_yes(t, active, "adventure.go", default=False)
    t.emit(AdventureCalled(active, going))


def adventure(t: TaleTable) -> Script[None]:
    """The active player draws and resolves an Adventure card (TC-022)."""
    yield from draw_adventure(t, t.board.active, by_rule=True)


def declarations(t: TaleTable) -> Script[None]:
    """Clockwise, each player declares their Supreme or passes, once (TC-026 to TC-028, O10)."""
    board = t.board
    for seat in declarers(t):
        reply = yield from ask_seat(t, seat, partial(_declaration, t, seat))
        if reply is not None and reply.option == DECLARE.id:
            hp, left = board.villages[seat].hp, len(living(board))
            t.emit(SupremeDeclared(seat, hp, left, heroes_once.surrounded(board, seat)))


def supremes(t: TaleTable) -> Script[None]:
    """Declared Supremes act one after another, clockwise from the active player (TC-030)."""
    board = t.board
    if board.raised:  # a Necromancer was half-way at the checkpoint
        yield from heroes_once.place_raised(t)
        yield CHECKPOINT
    while board.declared:
        waiting = {declaration.seat for declaration in board.declared}
        seat = next(seat for seat in clockwise(board, board.active) if seat in waiting)
        hero = board.villages[seat].hero
        t.emit(SupremeActivated(seat, hero))
        act = ACTIVATION.acts.get(hero)
        if act is not None:  # else it only acts at moments to come
            yield from act(t, seat)
        yield CHECKPOINT


# When the steps take place


def active_lives(board: Board) -> bool:
    """Whether the active player is not defeated: a fallen Village has a shorter turn."""
    return not board.villages[board.active].fallen


def a_mage_waits(t: TaleTable) -> bool:
    """Whether a Rabbit was placed and an activated Mage is there to swap it."""
    return t.board.placed and bool(SWAP.in_effect(t.board))


def gifts_are_taken(t: TaleTable) -> bool:
    """Whether the active player can give to an activated Gondolier who is somebody else."""
    board = t.board
    takers = GIFTS.in_effect(board)
    return bool(takers) and takers[0][0] != board.active and active_lives(board)


def adventure_waits(t: TaleTable) -> bool:
    """Whether the active player may go on an adventure, as a card is left (TC-055)."""
    board = t.board
    return active_lives(board) and bool(board.adventures or board.adventure_discards)


def declarers(t: TaleTable) -> list[int]:
    """Who is asked to declare, from what all can see: HP low enough for *some* Hero (O10)."""
    board = t.board
    villages = board.villages
    most = highest_number(tables_of(t), t.seats, t.options)
    return [
        seat
        for seat in clockwise(board, board.active)
        if villages[seat].hp <= most and not (villages[seat].revealed or villages[seat].fallen)
    ]


def may_declare(t: TaleTable, seat: int) -> bool:
    """Whether that seat's Hero can be declared now (TC-031); a skull Hero never is."""
    village = t.board.villages[seat]
    number = tables_of(t).heroes[village.hero].hp_to_declare
    if not number or village.hp > number:
        return False
    asks_for = REQUIREMENT.acts.get(village.hero)
    return asks_for is None or asks_for(t.board, seat)


def why_not_declare(t: TaleTable, seat: int) -> str:
    """Why that seat's Hero cannot be declared now; "" where it can."""
    if may_declare(t, seat):
        return ""
    village = t.board.villages[seat]
    hero = tables_of(t).heroes[village.hero]
    if not hero.hp_to_declare:
        return f"The {hero.name}'s Supreme acts by itself at 0 HP; it is never declared."
    if village.hp > hero.hp_to_declare:
        return f"The {hero.name} declares at {hero.hp_to_declare} HP or less, and has {village.hp}."
    return f"What the {hero.name}'s Supreme needs is not on the table."


def _always(t: TaleTable) -> bool:
    return True


def _declared(t: TaleTable) -> bool:
    return bool(t.board.declared)


SEQUENCE: Final = (
    # Invasion
    Timing(Step.INVASION, _always, invasion),
    Timing(Step.SWAP, a_mage_waits, swap),
    Timing(Step.GIFTS, gifts_are_taken, gifts),
    # Adventure
    Timing(Step.CALL, adventure_waits, call),
    Timing(Step.TOKENS, anybody, token_window),
    Timing(Step.ADVENTURE, lambda t: t.board.going, adventure),
    Timing(Step.TOKENS_AGAIN, lambda t: t.board.went and anybody(t), token_window),
    # Revelation
    Timing(Step.DECLARATIONS, lambda t: bool(declarers(t)), declarations),
    Timing(Step.RED_TOKENS, lambda t: _declared(t) and anybody(t), red_window),
    Timing(Step.SUPREMES, _declared, supremes, despite_fall=True),
    # Every Carrot for Itself
    Timing(Step.ATTACK, _always, attack),
)


def turn(t: TaleTable) -> Script[None]:
    """One turn, from the step the board stands at to the beginning of the next turn."""
    board = t.board
    begun, *later = SEQUENCE[board.step - Step.INVASION :]
    yield from begun.play(t)
    for timing in later:
        if (board.cut and not timing.despite_fall) or not timing.takes_place(t):
            continue
        t.emit(StepBegan(timing.step))
        yield CHECKPOINT
        yield from timing.play(t)
    end_turn(t)
    yield CHECKPOINT


def whose_turn(t: TaleTable) -> tuple[int, str] | None:
    """The active player and the turn's number, once there are turns."""
    board = t.board
    return (board.active, str(board.turn)) if board.turn else None


def end_turn(t: TaleTable) -> None:
    """Forfeited seats fall, the turn ends, and the next seat is active, fallen or not."""
    board = t.board
    leaving = [seat for seat in living(board, board.active) if board.villages[seat].forfeited]
    for seat in leaving:
        fall(t, seat, forfeited=True)
    if not living(board):  # O57: to leave is no way to win.
        win(t, (), "all-left")
    end_if_decided(t, leaving)
    if board.turn >= LAST_TURN:
        win(t, living(board), "last-turn")
    t.emit(TurnBegan(left_of(board, board.active), board.turn + 1))


def leave(t: TaleTable, seat: int) -> None:
    """A player left: where that forfeits, the seat falls at the end of the turn (O57)."""
    if t.options.leaving == "forfeit" and not t.board.villages[seat].forfeited:
        t.emit(SeatForfeited(seat, True))


def rejoin(t: TaleTable, seat: int) -> None:
    """A seat that was left has a player again."""
    if t.board.villages[seat].forfeited:
        t.emit(SeatForfeited(seat, False))


def play(t: TaleTable) -> Script[Result]:
    """The whole game: Heroes are kept, then turn follows turn until somebody wins."""
    board = t.board
    try:
        if board.step is Step.HEROES:
            yield from keep_heroes(t)
            t.emit(TurnBegan(board.first, 1))
            yield CHECKPOINT
        while True:
            yield from turn(t)
    except GameEnded:
        winners = tuple(sorted(board.winners or ()))
        return Result(tuple([int(seat in winners) for seat in range(t.seats)]), winners)


def keep_heroes(t: TaleTable) -> Script[None]:
    """Everybody keeps one of two Heroes, all at once and unseen (TC-011, O04)."""
    villages = t.board.villages

    def which(seat: int) -> Ask | None:
        if villages[seat].forfeited:
            return None
        drawn = villages[seat].drawn
        return Ask(
            "hero.keep",
            tuple([Option(ref, (card(ref),)) for ref in drawn]),
            default=picks(drawn[0]),
        )

    chosen = yield from sealed(t, range(t.seats), which)
    for seat, village in enumerate(villages):
        hero = chosen[seat][0].option if seat in chosen else village.drawn[0]
        t.emit(HeroKept(seat, hero))


def _declaration(t: TaleTable, seat: int) -> Ask | None:
    if t.board.villages[seat].forfeited:
        return None
    return _MAY if may_declare(t, seat) else _CANNOT


# TC-028, O10: what was said aloud stands, be it only a pass.
_MAY: Final = pass_or("supreme.declare", (DECLARE,), clock=WINDOW, final=True)
_CANNOT: Final = pass_or("supreme.declare", (), clock=WINDOW, final=True)
