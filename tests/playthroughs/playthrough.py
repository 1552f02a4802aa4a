"""A playthrough: a game to play the same way each time, and its telling in text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from hutch.bots import STRATEGIES, Sight
from hutch.engine import kernel
from hutch.engine.commands import Command, Submit, Tick
from hutch.engine.events import Event
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live
from hutch.engine.prompts import Pick
from hutch.engine.rules import Rules
from hutch.games import RULESETS
from tests.playthroughs.text import command_text, event_text, question_text

FOLDER = Path(__file__).parent
STARTS_AT_MS = 0


@dataclass(frozen=True, kw_only=True)
class Playthrough:
    """A game to play: by whom, and what else happens.

    `by`: the strategy that answers for all seats, or one for each; `clock` for a game in which
    nobody answers (it needs `limits_ms`). `script`: the first answers, such as `"2 B07 R31"` (seat
    and options, `R31*2` for a count, `"2+ R31"` to take up an offer). `meanwhile`: other commands,
    by the number of the step that they are.
    """

    name: str
    title: str
    ruleset: str
    seats: int
    seed: int
    by: str | tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    limits_ms: Mapping[str, int] = field(default_factory=dict)
    script: tuple[str, ...] = ()
    meanwhile: Mapping[int, Command] = field(default_factory=dict)
    most_steps: int = 20_000

    @property
    def rules(self) -> Rules:
        """The rules it is played by: the newest."""
        return RULESETS[self.ruleset]

    @property
    def path(self) -> Path:
        """Where its text is stored."""
        return FOLDER / self.ruleset.replace("-", "_") / f"{self.name}.txt"


def tell(playthrough: Playthrough) -> str:
    """The game as text."""
    return "\n".join(_lines(playthrough)) + "\n"


def _lines(playthrough: Playthrough) -> Iterator[str]:
    rules = playthrough.rules
    by = playthrough.by if isinstance(playthrough.by, str) else ", ".join(playthrough.by)
    chosen = ", ".join([f"{name} {value}" for name, value in playthrough.options.items()])
    limits = ", ".join([f"{name} {ms} ms" for name, ms in playthrough.limits_ms.items()])
    yield f"{playthrough.title}"
    yield f"{rules.title}, revision {rules.revision}; {playthrough.seats} seats"
    yield f"options: {chosen or 'none'}; limits: {limits or 'none'}"
    yield f"played by: {by}; seed: {playthrough.seed}"
    yield ""
    yield " deal"
    game = _dealt(playthrough)
    asked: dict[tuple[int, int], str] = {}
    yield from _what_came(game, asked)
    rng = Random(playthrough.seed)
    at_ms = STARTS_AT_MS
    for step in range(1, playthrough.most_steps + 1):
        if game.live.result is not None:
            break
        command = _next(playthrough, game.live, step, rng)
        if isinstance(command, Tick):
            at_ms = max(at_ms, game.live.next_due_ms() or at_ms)
        yield f"{step:5}  {command_text(game.live, command, at_ms)}"
        outcome = kernel.resolve(rules, game.live, command, at_ms=at_ms)
        assert isinstance(outcome, Outcome), f"{playthrough.name}, step {step}: {outcome}"
        game = outcome
        if game.rewound:
            yield "       ! taken back"
        yield from _what_came(game, asked)
    result = game.live.result
    assert result is not None, f"{playthrough.name}: no end after {playthrough.most_steps} steps"
    team = "" if result.team is None else f"; team {result.team}"
    yield ""
    yield f"scores: {_numbers(result.scores)}; winners: {_numbers(result.winners)}{team}"


def _dealt(playthrough: Playthrough) -> Outcome:
    outcome = kernel.deal(
        playthrough.rules,
        seats=playthrough.seats,
        options=dict(playthrough.options),
        seed=playthrough.seed.to_bytes(32, "big"),
        at_ms=STARTS_AT_MS,
        limits_ms=playthrough.limits_ms,
    )
    assert isinstance(outcome, Outcome), f"{playthrough.name}: {outcome}"
    return outcome


def _next(playthrough: Playthrough, live: Live, step: int, rng: Random) -> Command:
    """What is done in that step."""
    if step in playthrough.meanwhile:
        return playthrough.meanwhile[step]
    scripted = step - 1 - sum(1 for other in playthrough.meanwhile if other < step)
    if scripted < len(playthrough.script):
        return _scripted(live, playthrough.script[scripted])
    if playthrough.by == "clock":
        return Tick()
    seat = live.awaited()[int(rng.random() * len(live.awaited()))]
    by = playthrough.by if isinstance(playthrough.by, str) else playthrough.by[seat]
    number, picks = STRATEGIES[playthrough.ruleset][by](Sight(live, seat), rng)
    return Submit(seat, number, picks)


def _scripted(live: Live, line: str) -> Submit:
    """The answer that a line of a script gives."""
    who, *taken = line.split()
    seat = int(who.rstrip("+"))
    numbers = live.offer_numbers if who.endswith("+") else live.ask_numbers
    picks = []
    for one in taken:
        option, _, count = one.partition("*")
        picks.append(Pick(option, int(count or 1)))
    return Submit(seat, numbers[seat], tuple(picks))


def _what_came(game: Outcome, asked: dict[tuple[int, int], str]) -> Iterator[str]:
    """What happened, how each seat was told of it, and what is newly asked."""
    for event in game.events:
        yield f"       . {event_text(game.live.rules.tell(event))}"
        for audiences, told in _tellings(game.live, event):
            yield f"           {audiences}: {told}"
    still: dict[tuple[int, int], str] = {}
    for seat in range(game.live.table.seats):
        for question in game.live.questions(seat):
            still[seat, question.number] = line = question_text(question, game.live.asks.get(seat))
            if (seat, question.number) not in asked:
                yield f"       ? {line}"
    asked.clear()
    asked.update(still)


def _tellings(live: Live, event: Event) -> Iterator[tuple[str, str]]:
    """Who is told of an event otherwise than it truly was, and how."""
    rules = live.rules
    truth = event_text(rules.tell(event))
    told: dict[str, list[int | None]] = {}
    for audience in (*range(live.table.seats), None):
        face = event.face(audience)
        text = "nothing" if face is None else event_text(rules.tell(face))
        if text != truth:
            told.setdefault(text, []).append(audience)
    for text, audiences in told.items():
        yield _names(audiences), text


def _names(audiences: list[int | None]) -> str:
    seats = [audience for audience in audiences if audience is not None]
    names = [f"seat{'s' if len(seats) > 1 else ''} {_numbers(seats)}"] if seats else []
    return ", ".join(names + ["public"] * (None in audiences))


def _numbers(numbers: list[int] | tuple[int, ...]) -> str:
    return " ".join([str(number) for number in numbers])
