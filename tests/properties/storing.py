"""A game goes on alike from its bytes: in this process, in another, and from its log."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hutch.engine import kernel
from hutch.engine.commands import Command, Credit
from hutch.engine.kernel import Outcome
from hutch.engine.records import encode_record
from hutch.engine.refusals import Refusal
from hutch.engine.replay import Logged, Opening, decode_logged, encode_logged, replay
from tests.properties.play import again, some_answer, some_command
from tests.properties.profile import BANK_MS, DEALT_AT_MS, LIMIT_MS, Setting

#: How often an outage is credited.
CREDITS = 0.05


def storing_changes_nothing(setting: Setting, seed: int) -> None:
    """A whole random game, resolved from its bytes at each step and in this process."""
    rng = Random(seed)
    here = setting.deal(seed)
    record = here.record
    while here.live.result is None:
        command = some_answer(here.live, rng)
        there = both_ways(setting, here, command, at_ms=0)
        assert isinstance(there, Outcome)
        here, record = there, there.record
    assert record.result is not None


def any_story_is_the_same_everywhere(
    setting: Setting, seed: int, *, answers: int, commands: int
) -> None:
    """After some answers, commands of every kind, on clocks: stored, live and replayed alike."""
    rng = Random(seed)
    game = setting.deal(seed, clocks=True)
    at_ms = DEALT_AT_MS
    log: list[bytes] = []
    for index in range(answers + commands):
        if game.live.result is not None:
            break
        choose = some_answer if index < answers else some_command
        command = choose(game.live, rng)
        at_ms += rng.randrange(LIMIT_MS // 2) if index >= answers else 0
        if index >= answers and rng.random() < CREDITS:
            command = Credit(at_ms - rng.randrange(1, LIMIT_MS), at_ms)
        outcome = both_ways(setting, game, command, at_ms=at_ms)
        if isinstance(outcome, Outcome):
            game = outcome
            log.append(encode_logged(at_ms, command))
            nobody_waits_for_ever(setting, game)
    opening = Opening(
        ruleset=setting.rules.name,
        rules_revision=setting.rules.revision,
        seats=setting.seats,
        options=dict(setting.options),
        seed=game.record.seed,
        at_ms=DEALT_AT_MS,
        limits_ms=game.record.limits_ms,
        time_bank_ms=BANK_MS,
    )
    replays_to(setting, opening, [decode_logged(data) for data in log], game)


def nobody_waits_for_ever(setting: Setting, game: Outcome) -> None:
    """Until the game is over somebody is awaited, and a clock runs for each who is."""
    live = game.live
    assert (live.result is None) == bool(live.awaited()), str(setting)
    for seat in live.awaited():
        assert live.questions(seat)[0].deadline_ms is not None, f"{setting}: seat {seat}"


def both_ways(
    setting: Setting, game: Outcome, command: Command, *, at_ms: int
) -> Outcome | Refusal:
    """The outcome of a command from the game's bytes and in this process: they are the same."""
    stored = kernel.resolve(setting.rules, again(game.record), command, at_ms=at_ms)
    here = kernel.resolve(setting.rules, game.live, command, at_ms=at_ms)
    if not isinstance(stored, Outcome) or not isinstance(here, Outcome):
        assert stored == here, f"{setting}: {command}"
        return here
    assert stored.events == here.events, f"{setting}: {command}"
    assert encode_record(stored.record) == encode_record(here.record), f"{setting}: {command}"
    for seat in range(setting.seats):
        assert stored.live.questions(seat) == here.live.questions(seat), f"{setting}: {command}"
    return here


def replays_to(setting: Setting, opening: Opening, log: Sequence[Logged], game: Outcome) -> None:
    """That log, played once more from its deal, leads to that game."""
    last = None
    for outcome in replay(setting.rules, opening, log):
        assert isinstance(outcome, Outcome), f"{setting}: the log is refused: {outcome}"
        last = outcome
    assert last is not None
    assert encode_record(last.record) == encode_record(game.record), str(setting)
