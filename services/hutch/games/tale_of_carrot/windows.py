"""Windows: when tokens may be used, by whom, and using one (TC-096 to TC-100, O09)."""

from __future__ import annotations

from functools import lru_cache, partial

from hutch.engine import asking
from hutch.engine.asking import PASS, ask_seat
from hutch.engine.prompts import Ask, Option, Pick, Reply, word
from hutch.engine.rules import CHECKPOINT, Script
from hutch.games.tale_of_carrot.board import NOBODY, SLOTS, Board, Village, left_of
from hutch.games.tale_of_carrot.cards.tokens import TOKENS
from hutch.games.tale_of_carrot.events import TokenLaid, TokenTaken
from hutch.games.tale_of_carrot.moments import TaleTable
from hutch.games.tale_of_carrot.tables import RED
from hutch.games.tale_of_carrot.words import WINDOW, tables_of

RESERVE = "reserve:"


def may_answer(village: Village) -> bool:
    """Whether that player is asked in a token window: as far as all can see, they might use one.

    A player is left out only if the three slots are full and there is no reserve (O42): a Hero has
    three icons, known or not. A forfeited seat lets every chance go by.
    """
    return not (village.fallen or village.forfeited) and (
        len(village.slots) < SLOTS or bool(village.reserve)
    )


def anybody(t: TaleTable) -> bool:
    """Whether the window opens for anybody at all."""
    return any(map(may_answer, t.board.villages))


def token_window(t: TaleTable) -> Script[None]:
    """The window of the Adventure phase: white tokens for the active player, red for all."""
    return _window(t, white=True)


def red_window(t: TaleTable) -> Script[None]:
    """The window after declarations: red tokens only (TC-029, TC-035)."""
    return _window(t, white=False)


def usable(t: TaleTable, seat: int, *, white: bool) -> tuple[str, ...]:
    """What the seat may use now: tokens by name, those of its reserve behind `reserve:`."""
    board = t.board
    village = board.villages[seat]
    tables = tables_of(t)
    white = white and seat == board.active
    supply = board.supply
    slots = village.slots
    hero = tables.heroes[village.hero]
    icons = hero.icons
    found = []
    for token in hero.kinds if white else hero.red_kinds:
        if (
            supply[token]
            and (not slots or slots.count(token) < icons.count(token))
            and _has_object(token, board)
        ):
            found.append(token)
    for token in dict.fromkeys(village.reserve):
        if (white or tables.borders[token] == RED) and _has_object(token, board):
            found.append(RESERVE + token)
    return tuple(found)


def _has_object(token: str, board: Board) -> bool:
    """Whether there is anything for that token to act on (O45)."""
    needs = TOKENS[token].needs
    return needs is None or needs(board)


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
        if not may_answer(board.villages[seat]):
            return None
        return _question(topic, usable(t, seat, white=white))

    def play(reply: Reply) -> Script[bool]:
        yield from use_token(t, reply.seat, reply.option)
        if not board.cut:
            yield CHECKPOINT
        return board.cut

    if t.options.timing == "party":
        yield from asking.window(t, lambda: range(t.seats), build, play)
        return
    # One chance a seat, clockwise: the window closes when all have let theirs go by in a row.
    seat = board.active if board.last_user == NOBODY else left_of(board, board.last_user)
    villages, seats = board.villages, t.seats
    let_go = 0
    while let_go < seats:
        let_go += 1
        if may_answer(villages[seat]):
            question = _question(topic, usable(t, seat, white=white))
            reply = yield from ask_seat(t, seat, partial(build, seat), first=question)
            if reply is not None and reply.option != PASS.id:
                let_go = 0
                if (yield from play(reply)):
                    return
        seat = seat + 1 if seat + 1 < seats else 0


def use_token(t: TaleTable, seat: int, option: str) -> Script[None]:
    """Take a token, resolve it, and lay it into a slot; from a reserve, back to the supply."""
    from_reserve = option.startswith(RESERVE)
    token = option.removeprefix(RESERVE)
    t.emit(TokenTaken(seat, token, from_reserve))
    yield from TOKENS[token].effect(t, seat)
    if t.board.in_use is not None:  # else its user fell, and it went back at once (O45)
        t.emit(TokenLaid(seat, token, from_reserve))
