"""Simulation: whole games of bots, in as many processes as there are cores."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from random import Random
from typing import Final

from hutch.bots import STRATEGIES, Move, Sight, random_play
from hutch.cli.balance.studies import Observation, Setting, Study, study_of
from hutch.cli.bot_games import played
from hutch.engine.live import Live
from hutch.games import RULESETS

#: Games that a process plays before it reports.
BATCH: Final = 20

Batch = list[tuple[int, Setting]]


def simulate(
    game: str,
    *,
    games: int,
    bots: tuple[str, ...],
    seed: int,
    processes: int,
    progress: Callable[[int], None],
) -> list[Observation]:
    """The observations of so many games; `progress` is told how many more are finished.

    The same arguments give the same observations, whatever the number of processes.
    """
    numbered = list(enumerate(study_of(RULESETS[game]).games(games)))
    batches = [numbered[at : at + BATCH] for at in range(0, len(numbered), BATCH)]
    found: dict[int, list[Observation]] = {}
    if processes == 1:
        for index, batch in enumerate(batches):
            found[index] = play(game, batch, bots, seed)
            progress(len(batch))
    else:
        # Spawned, for a fork would copy threads and channels of whoever asks.
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            waiting = iter(enumerate(batches))
            running: dict[Future[list[Observation]], int] = {}
            for index, batch in islice(waiting, 2 * processes):
                running[pool.submit(play, game, batch, bots, seed)] = index
            while running:
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    index = running.pop(done)
                    found[index] = done.result()
                    progress(len(batches[index]))
                    for following, batch in islice(waiting, 1):
                        running[pool.submit(play, game, batch, bots, seed)] = following
    return [one for index in sorted(found) for one in found[index]]


def play(game: str, batch: Batch, bots: tuple[str, ...], seed: int) -> list[Observation]:
    """The observations of a batch of games, each with a seed of its own."""
    study = study_of(RULESETS[game])
    return [
        one
        for number, setting in batch
        for one in study.observe(
            setting, finished(game, study, setting, bots, Random(f"{seed}.{number}"))
        )
    ]


def finished(game: str, study: Study, setting: Setting, bots: tuple[str, ...], rng: Random) -> Live:
    """A game played to its end. The strategies are seated at random."""
    seed = rng.randbytes(32)
    seated = [STRATEGIES[game][bots[seat % len(bots)]] for seat in range(setting.seats)]
    rng.shuffle(seated)

    def choose(live: Live, seat: int) -> Move:
        at_random = live.asks[seat].topic in study.at_random
        return (random_play.play if at_random else seated[seat])(Sight(live, seat), rng)

    return played(RULESETS[game], setting.seats, setting.options, seed, choose)
