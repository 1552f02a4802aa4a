"""A game ends, keeps what it has, and asks questions that can be answered."""

from __future__ import annotations

from collections.abc import Iterator

from hutch.engine.legality import fault_in
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Point
from tests.properties.play import is_answerable, steps
from tests.properties.profile import Setting


def a_random_game_ends_well(setting: Setting, seed: int) -> None:
    """Within the profile's bound, with a result that fits the table."""
    *_, live = steps(setting, seed)
    result = live.result
    assert result is not None
    assert len(result.scores) == setting.seats
    assert result.winners or setting.profile.drawn, "somebody wins"
    assert list(result.winners) == sorted(set(result.winners) & set(range(setting.seats)))
    assert live.awaited() == ()
    assert live.deadlines() == []
    assert Live(setting.rules, live.record()).result == result


def nothing_is_lost_or_made(setting: Setting, seed: int) -> None:
    """What the profile says is conserved is the same after every answer."""
    conserved = setting.profile.conserved
    game = steps(setting, seed)
    at_first = conserved(next(game).table)
    for index, live in enumerate(game, start=1):
        assert conserved(live.table) == at_first, f"{setting}: after {index} answers"


def little_is_replayed(setting: Setting, seed: int) -> None:
    """Between two checkpoints there are no more inputs than the rules promise."""
    most = max(len(live.record().inputs) for live in steps(setting, seed))
    assert most <= setting.rules.replay_bound, f"{setting}: {most} inputs since a checkpoint"


def questions_are_well_formed(setting: Setting, seed: int) -> None:
    """Every question is answerable, legal by default, explained, and about cards that exist."""
    refs = {card.ref for card in setting.rules.catalogue()}
    seen: set[Ask] = set()
    for live in steps(setting, seed):
        for asks, offered in ((live.asks, False), (live.offers, True)):
            for seat, ask in asks.items():
                assert 0 <= seat < setting.seats
                if ask not in seen:
                    seen.add(ask)
                    for complaint in complaints(setting, ask, refs, offered=offered):
                        raise AssertionError(f"{setting}: {complaint}: {ask}")


def complaints(setting: Setting, ask: Ask, refs: set[str], *, offered: bool) -> Iterator[str]:
    """What is wrong with a question."""
    rules = setting.rules
    ids = [option.id for option in ask.options]
    if len(set(ids)) < len(ids):
        yield "two options have the same id"
    if not 0 <= ask.least <= ask.most:
        yield "its limits contradict each other"
    if any(option.most < 1 for option in ask.options):
        yield "an option can never be picked"
    if ask.topic not in rules.topics:
        yield "its topic has no text"
    if not offered:
        if not is_answerable(ask):
            yield "it cannot be answered"
        if fault := fault_in(ask, ask.default):
            yield f"its default is illegal ({fault.sentence})"
        if ask.clock.name not in rules.clocks:
            yield "its clock is not among those of the rules"
    points = [*ask.about, *[point for option in ask.options for point in option.points]]
    for point in points:
        if complaint := complaint_about(setting, point, refs):
            yield complaint


def complaint_about(setting: Setting, point: Point, refs: set[str]) -> str:
    """What is wrong with what a question points at; "" where nothing is."""
    match point:
        case Point("card", ref) if ref not in refs:
            return f"the catalogue has no card {ref!r}"
        case Point("seat", seat) if seat not in range(setting.seats):
            return f"the table has no seat {seat}"
        case Point("number" | "seat", value) if not isinstance(value, int):
            return f"{value!r} is no number"
    return ""
