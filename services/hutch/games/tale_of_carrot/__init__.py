"""Tale of Carrot: Rise of Hero. The last Hero standing wins. For 3 to 6."""

from __future__ import annotations

from functools import partial
from importlib.resources.abc import Traversable
from typing import Final

from hutch.engine.rules import Rules
from hutch.games.tale_of_carrot import catalogue, setup, turn
from hutch.games.tale_of_carrot.board import Board, empty_board
from hutch.games.tale_of_carrot.look import look, tell
from hutch.games.tale_of_carrot.refusing import why_not
from hutch.games.tale_of_carrot.resampling import resample
from hutch.games.tale_of_carrot.tables import Tables, load, printed
from hutch.games.tale_of_carrot.words import DECISION, WINDOW

REVISION: Final = 1

#: The most inputs between two checkpoints; the longest stretch is an Adventurer's five cards.
REPLAY_BOUND: Final = 48


def rules(tables: Tables | None = None) -> Rules:
    """The rules, played with those tables; without any, with the printed ones."""
    played = tables or printed()
    return Rules(
        name="tale-of-carrot",
        title="Tale of Carrot: Rise of Hero",
        revision=REVISION if tables is None else _revision(tables),
        seats=range(3, 7),
        board_type=Board,
        options_type=setup.Options,
        tables=played,
        new_board=lambda seats, options: empty_board(seats),
        setup=setup.deal,
        play=turn.play,
        leave=turn.leave,
        rejoin=turn.rejoin,
        resample=resample,
        look=look,
        tell=tell,
        why_not=why_not,
        check=partial(setup.fault_of, played),
        replay_bound=REPLAY_BOUND,
        clocks=("turn", DECISION.name, WINDOW.name),
        turn=turn.whose_turn,
        reactions=(WINDOW.name,),
        absence={"forfeited": {"leaving": "forfeit"}},
        catalogue=partial(catalogue.catalogue, played),
        topics=catalogue.TOPICS,
    )


def with_cards(folder: Traversable) -> Rules:
    """The rules, played with the card tables in that folder. Raises `TableError`."""
    return rules(load(folder))


def _revision(tables: Tables) -> int:
    """Other tables are rules of their own: no game goes over from one set to another.

    The number stays within 31 bits.
    """
    return REVISION + 1000 * (1 + tables.digest % 2_000_000)


RULES: Final = rules()
