"""Rabbit Space Training Center: train rabbits, certify them, send them into Space. For 1 to 4."""

from __future__ import annotations

from functools import partial
from importlib.resources.abc import Traversable
from typing import Final

from hutch.engine.rules import Rules
from hutch.games.rabbit_space import questions, turn
from hutch.games.rabbit_space.board import MOST_SEATS, Board, Options, new_board
from hutch.games.rabbit_space.cards import EVOLUTION_TABLES, HOUSE, TABLES, Deck, load
from hutch.games.rabbit_space.catalogue import catalogue
from hutch.games.rabbit_space.look import look, tell
from hutch.games.rabbit_space.sheet import SHEET, SHEET_TABLES, Sheet, has_sheet, load_sheet
from hutch.games.rabbit_space.tables import CardTableError

REVISION: Final = 1


def rules(deck: Deck = HOUSE, sheet: Sheet = SHEET) -> Rules:
    """The rules, played with the cards of that deck; campaigns with that Evolution sheet."""
    return Rules(
        name="rabbit-space",
        title="Rabbit Space Training Center",
        revision=_revision(deck),
        seats=range(1, MOST_SEATS + 1),
        board_type=Board,
        options_type=Options,
        new_board=new_board,
        setup=partial(turn.setup, deck),
        play=partial(turn.play, deck),
        leave=turn.leave,
        rejoin=turn.rejoin,
        resample=turn.resample,
        look=partial(look, deck),
        tell=partial(tell, deck),
        why_not=partial(questions.why_not, deck),
        check=check,
        absence={"bot": {"absent": "bot"}},
        tables=sheet,
        replay_bound=turn.REPLAY_BOUND,
        clocks=(questions.CLOCK, "decision"),
        catalogue=partial(catalogue, deck),
        topics=questions.TOPIC_TEXTS,
    )


def with_cards(folder: Traversable) -> Rules:
    """The rules, played with the tables in that folder. Raises `CardTableError`.

    Without an Evolution sheet there, campaigns are played with ours.
    """
    _check_names(folder)
    return rules(load(folder), load_sheet(folder) if has_sheet(folder) else SHEET)


def _check_names(folder: Traversable) -> None:
    """A table that may be missing is not to be missed for want of a letter in its name."""
    known = (*TABLES, *EVOLUTION_TABLES, *SHEET_TABLES)
    for name in sorted([entry.name for entry in folder.iterdir()]):
        if name.lower().endswith(".csv") and name not in known:
            tables = ", ".join(known)
            raise CardTableError(f"{name}: no table is called so; the tables are {tables}.")


def check(seats: int, options: Options) -> str:
    """RS-049: rivals need somebody to compete with."""
    if options.competitive and seats < 2:
        return "The competitive game needs at least 2 players; play alone for the team's score."
    return ""


def _revision(deck: Deck) -> int:
    """Our cards play under `REVISION`; other values are rules of their own.

    So a game that began with other cards is never played on with these, or the other way round. The
    number stays within 31 bits.
    """
    if deck is HOUSE:
        return REVISION
    return REVISION + 1000 * (1 + deck.digest % 2_000_000)


RULES: Final = rules()
