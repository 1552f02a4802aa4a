"""Killer Bunnies and the Quest for the Magic Carrot: the base game."""

from hutch.engine.rules import Rules
from hutch.games.killer_bunnies import cards as _cards
from hutch.games.killer_bunnies.board import Board
from hutch.games.killer_bunnies.catalogue import TOPICS, catalogue
from hutch.games.killer_bunnies.deadlines import FEED_THE_BUNNY, pending
from hutch.games.killer_bunnies.deciding import REACTION
from hutch.games.killer_bunnies.interrupts import interject, offers
from hutch.games.killer_bunnies.look import look, tell
from hutch.games.killer_bunnies.options import Options, check
from hutch.games.killer_bunnies.reasons import why_not
from hutch.games.killer_bunnies.resampling import resample
from hutch.games.killer_bunnies.seating import leave, rejoin
from hutch.games.killer_bunnies.setup import new_board, setup
from hutch.games.killer_bunnies.turn import play

__all__ = ["RULES"]

#: Importing the cards has filled the registry that everything here reads.
assert _cards.__all__

RULES = Rules(
    name="killer-bunnies",
    title="Killer Bunnies and the Quest for the Magic Carrot",
    revision=1,
    seats=range(2, 9),
    board_type=Board,
    new_board=new_board,
    setup=setup,
    play=play,
    look=look,
    tell=tell,
    resample=resample,
    replay_bound=150,
    why_not=why_not,
    offers=offers,
    interject=interject,
    pending=pending,
    causes=(FEED_THE_BUNNY,),
    leave=leave,
    rejoin=rejoin,
    vacant=lambda seats, options: sorted(set(options.free_seats)),
    check=check,
    options_type=Options,
    clocks=("turn", REACTION.name, "decision"),
    reactions=(REACTION.name,),
    catalogue=catalogue,
    topics=TOPICS,
)
