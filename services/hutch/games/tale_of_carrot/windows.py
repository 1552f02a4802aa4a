"""Windows: when tokens may be used, by whom, and using one (TC-096 to TC-100, O09)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from hutch.engine import asking
from hutch.engine.asking import PASS, ask_seat
from hutch.engine.prompts import Ask, Option, Pick, Reply, word
from hutch.engine.rules import CHECKPOINT, Script
from hutch.games.tale_of_carrot.board import NOBODY, SLOTS, Board, left_of
from hutch.games.tale_of_carrot.cards.tokens import TOKENS
from hutch.games.tale_of_carrot.events import TokenLaid, TokenTaken
from hutch.games.tale_of_carrot.moments import TaleTable
from hutch.games.tale_of_carrot.tables import RED
from hutch.games.tale_of_carrot.words import WINDOW, tables_of

RESERVE = "reserve:"


def may_answer(board: Board, seat: int) -> bool:
    """Whether that seat is asked in a token window: as far as all can see, it might use one.

    A seat is left out only if its three slots are full and it has no reserve (O42): a Hero has
    three icons, known or not.
    """
    village = board.villages[seat]
    return not village.fallen and (len(village.slots) < SLOTS or bool(village.reserve))


def anybody(t: TaleTable) -> bool:
    """Whether the window opens for anybody at all."""
    board = t.board
    return any(may_answer(board, seat) for seat in range(t.seats))


def token_window(t: TaleTable) -> Script[None]:
    """The window of the Adventure phase: white tokens for the active player, red for all."""
    return _window(t, white=True)


def red_window(t: TaleTable) -> Script[None]:
    """The window after declarations: red tokens only (TC-029, TC-035)."""
    return _window(t, white=False)


def usable(t: TaleTable, seat: int, *, white: bool) -> Iterator[str]:
    """What the seat may use now: tokens by name, those of its reserve behind `reserve:`."""
    board = t.board
    village = board.villages[seat]
    tables = tables_of(t)
    white = white and seat == board.active
    for token in _unused_icons(tables.heroes[village.hero].icons, tuple(village.slots)):
        if (
            board.supply[token]
            and (white or tables.borders[token] == RED)
            and TOKENS[token].usable(board)
        ):
            yield token
    for token in dict.fromkeys(village.reserve):
        if (white or tables.borders[token] == RED) and TOKENS[token].usable(board):
            yield RESERVE + token


@lru_cache(maxsize=4096)
def _unused_icons(icons: tuple[str, ...], slots: tuple[str, ...]) -> tuple[str, ...]:
    left = list(icons)
    for token in slots:
        left.remove(token)
    return tuple(dict.fromkeys(left))


@lru_cache(maxsize=4096)
def _question(topic: str, options: tuple[str, ...]) -> Ask:
    return Ask(
        topic,
        (*[Option(option, (word(option),)) for option in options], PASS),
        default=(Pick(PASS.id),),
        clock=WINDOW,
    )


def _window(t: TaleTable, *, white: bool) -> Script[None]:
    board = t.board
    topic = "tokens" if white else "tokens.red"

    def build(seat: int) -> Ask | None:
        if not may_answer(board, seat) or board.villages[seat].forfeited:
            return None
        return _question(topic, tuple(usable(t, seat, white=white)))

    def play(reply: Reply) -> Script[bool]:
        yield from use_token(t, reply.seat, reply.option)
        yield CHECKPOINT
        return board.cut

    if t.options.timing == "party":
        yield from asking.window(t, lambda: range(t.seats), build, play)
        return
    # One chance a seat, clockwise: the window closes when all have let theirs go by in a row.
    seat = board.active if board.last_user == NOBODY else left_of(board, board.last_user)
    let_go = 0
    while let_go < t.seats:
        reply = None
        if may_answer(board, seat):
            reply = yield from ask_seat(t, seat, lambda seat=seat: build(seat))  # type: ignore[misc]
        if reply is None or reply.option == PASS.id:
            let_go += 1
        else:
            let_go = 0
            if (yield from play(reply)):
                return
        seat = left_of(board, seat)


def use_token(t: TaleTable, seat: int, option: str) -> Script[None]:
    """Take a token, resolve it, and lay it into a slot; from a reserve, back to the supply."""
    from_reserve = option.startswith(RESERVE)
    token = option.removeprefix(RESERVE)
    t.emit(TokenTaken(seat, token, from_reserve))
    yield from TOKENS[token].effect(t, seat)
    if t.board.in_use is not None:  # else its user fell, and it went back at once (O45)
        t.emit(TokenLaid(seat, token, from_reserve))
