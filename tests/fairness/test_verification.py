"""A game as it was verifies; whatever is changed in it is found, and said in a sentence."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from hutch.engine.chance import commitment, mix_seed
from hutch.engine.commands import Credit, Leave, PlayDefault, Rejoin, Submit, Tick, Undo
from hutch.engine.recording import Recording, decode_recording, encode_recording
from hutch.engine.records import Result
from hutch.games import RULESETS
from hutch.turns.recording import recording_message, recording_of
from hutch.turns.verification import PUBLIC, Unverifiable, Witness, verify
from hutch.v1 import table_pb2 as pb
from tests.fairness.games import DEAL_REVISION, DEALT_MS, played
from tests.fairness.vectors import GAME

SEED = 20261129


@pytest.fixture(scope="module")
def game() -> Recording:
    """A game of two against the clock, in which a player leaves and comes back."""
    return played(
        "rabbit-space",
        2,
        SEED,
        limits_ms={"phase": 1},
        time_bank_ms=3,
        meanwhile={
            2: Leave(1),
            3: Rejoin(1),
            4: PlayDefault(0),
            5: Tick(),
            6: Credit(DEALT_MS, DEALT_MS + 3_600_000),
        },
    )


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_game_as_it_was_verifies(ruleset: str) -> None:
    rules = RULESETS[ruleset]
    verdict = verify(played(ruleset, rules.seats[-1], SEED))
    assert not verdict.faults, f"seed {SEED}"
    assert any("all" in sentence and "commands" in sentence for sentence in verdict.checked)


def test_clocks_leaving_and_defaults_are_checked_as_well(game: Recording) -> None:
    assert verify(game).faults == ()


def test_a_recording_comes_back_from_json_and_from_its_message(game: Recording) -> None:
    assert decode_recording(encode_recording(game)) == game
    assert recording_of(recording_message(game)) == replace(game, told={})


def test_a_recording_from_before_there_were_time_banks_verifies_as_ever() -> None:
    game = played("rabbit-space", 2, SEED, limits_ms={"phase": 60_000})
    written = encode_recording(game)
    older = written.replace(b'"time_bank_ms": 0,\n', b"")
    assert older != written
    assert verify(decode_recording(older)).faults == ()


def test_a_game_that_was_given_up_verifies_as_far_as_it_went(game: Recording) -> None:
    told = {audience: batches[:4] for audience, batches in game.told.items()}
    cut = replace(game, commands=game.commands[:3], result=None, told=told)
    verdict = verify(cut)
    assert verdict.faults == ()
    assert "the game was given up before its end, so there is no result" in verdict.checked


def another_secret(game: Recording) -> Recording:
    return replace(game, secret=bytes(32))


def another_commitment(game: Recording) -> Recording:
    return replace(game, commitment=commitment(bytes(32)))


def another_secret_and_commitment(game: Recording) -> Recording:
    return replace(game, secret=bytes(32), commitment=commitment(bytes(32)))


def another_salt(game: Recording) -> Recording:
    return replace(game, salts=(game.salts[0], b"mine"))


def a_salt_too_few(game: Recording) -> Recording:
    return replace(game, salts=game.salts[:1])


def salts_split_elsewhere(game: Recording) -> Recording:
    first, second = game.salts
    return replace(game, salts=(first + second[:1], second[1:]))


def a_short_secret(game: Recording) -> Recording:
    return replace(game, secret=b"short")


def another_deck(game: Recording) -> Recording:
    """All is mixed as it should be, but from another secret than the cards that were told."""
    secret = bytes(32)
    return replace(
        game,
        secret=secret,
        commitment=commitment(secret),
        seed=mix_seed(secret, game.salts),
    )


def another_pick(game: Recording) -> Recording:
    return with_command(game, lambda one: replace(one, picks=()))


def another_seat(game: Recording) -> Recording:
    return with_command(game, lambda one: replace(one, seat=1 - one.seat))


def another_question(game: Recording) -> Recording:
    return with_command(game, lambda one: replace(one, number=one.number + 2_000))


def with_command(game: Recording, change: Callable[[Submit], Submit]) -> Recording:
    """The game with its last but one answer that picked something changed."""
    commands = list(game.commands)
    at = [
        index
        for index, one in enumerate(commands)
        if isinstance(one.command, Submit) and one.command.picks
    ][-2]
    command = commands[at].command
    assert isinstance(command, Submit)
    commands[at] = msgspec.structs.replace(commands[at], command=change(command))
    return replace(game, commands=commands)


def a_command_less(game: Recording) -> Recording:
    return replace(game, commands=[*game.commands[:10], *game.commands[11:]])


def a_command_more(game: Recording) -> Recording:
    last = game.commands[-1]
    more = replace(last, revision=last.revision + 1, command=Undo(0))
    return replace(game, commands=[*game.commands, more])


def a_doubled_revision(game: Recording) -> Recording:
    commands = list(game.commands)
    commands[5] = replace(commands[5], revision=commands[4].revision)
    return replace(game, commands=commands, told={})


def another_time(game: Recording) -> Recording:
    commands = list(game.commands)
    commands[5] = replace(commands[5], at_ms=commands[5].at_ms + 1)
    return replace(game, commands=commands)


def another_score(game: Recording) -> Recording:
    assert game.result is not None
    scores = (game.result.scores[0] + 1, *game.result.scores[1:])
    return replace(game, result=replace(game.result, scores=scores))


def another_winner(game: Recording) -> Recording:
    assert game.result is not None
    return replace(game, result=Result(game.result.scores, (), game.result.team))


def no_result(game: Recording) -> Recording:
    return replace(game, result=None)


def a_result_before_the_end(game: Recording) -> Recording:
    told = {audience: batches[:4] for audience, batches in game.told.items()}
    return replace(game, commands=game.commands[:3], told=told)


def a_batch_less(game: Recording) -> Recording:
    return with_told(game, lambda batches: [*batches[:3], *batches[4:]])


def a_batch_more(game: Recording) -> Recording:
    more = pb.EventBatch(revision=999_999).SerializeToString()
    return with_told(game, lambda batches: [*batches, more])


def another_event(game: Recording) -> Recording:
    """One event is told as that of another revision."""

    def change(batches: list[bytes]) -> list[bytes]:
        parsed = [pb.EventBatch.FromString(batch) for batch in batches]
        eventful = [batch for batch in parsed if batch.events]
        eventful[3].events[0].CopyFrom(eventful[-1].events[-1])
        return [batch.SerializeToString() for batch in parsed]

    return with_told(game, change)


def an_event_less(game: Recording) -> Recording:
    def change(batches: list[bytes]) -> list[bytes]:
        parsed = [pb.EventBatch.FromString(batch) for batch in batches]
        del next(batch for batch in parsed if batch.events).events[-1]
        return [batch.SerializeToString() for batch in parsed]

    return with_told(game, change)


def somebody_else_awaited(game: Recording) -> Recording:
    def change(batches: list[bytes]) -> list[bytes]:
        batch = pb.EventBatch.FromString(batches[2])
        batch.awaited_seats.append(7)
        return [*batches[:2], batch.SerializeToString(), *batches[3:]]

    return with_told(game, change)


def with_told(game: Recording, change: Callable[[list[bytes]], list[bytes]]) -> Recording:
    """The game with what the public was told changed."""
    return replace(game, told={**game.told, PUBLIC: change(game.told[PUBLIC])})


@pytest.mark.parametrize(
    ("tampered", "sentence"),
    [
        (another_secret, "The secret is not the one that was committed to"),
        (another_commitment, "The secret is not the one that was committed to"),
        (another_secret_and_commitment, "The seed is not mixed from the secret and the salts"),
        (another_salt, "The seed is not mixed from the secret and the salts"),
        (salts_split_elsewhere, "The seed is not mixed from the secret and the salts"),
        (a_salt_too_few, "There are 1 salts for 2 seats"),
        (a_short_secret, "The secret has 5 bytes"),
        (another_deck, f"Revision {DEAL_REVISION}: "),
        (another_pick, "; the rules give"),
        (another_seat, "Command "),
        (another_question, "Command "),
        (a_command_less, "but the recording holds no command for it"),
        (a_command_more, "is refused by the rules"),
        (a_doubled_revision, "revisions only grow"),
        (another_time, "another commit_time"),
        (another_score, "The result is not that of the rules"),
        (another_winner, "The result is not that of the rules"),
        (no_result, "the recording tells no result"),
        (a_result_before_the_end, "its commands do not end the game"),
        (a_batch_less, "is missing from what the public was told"),
        (a_batch_more, "Revision 999999 was told to the public"),
        (another_event, "the public was told as event 1"),
        (an_event_less, "events; the rules give"),
        (somebody_else_awaited, "another awaited_seats"),
    ],
)
def test_what_was_tampered_with_is_found(
    tampered: Callable[[Recording], Recording], sentence: str, game: Recording
) -> None:
    verdict = verify(tampered(game))
    assert any(sentence in fault for fault in verdict.faults), verdict.faults
    assert all(fault.endswith(".") for fault in verdict.faults)


def test_a_server_that_dealt_from_another_secret_throughout_is_found_by_the_noted_commitment(
    game: Recording,
) -> None:
    other = played("rabbit-space", 2, SEED + 1)
    assert verify(other).faults == ()
    noted = Witness(commitment=game.commitment)
    (fault,) = verify(other, noted).faults
    assert fault.startswith("The commitment is not the one that was noted")
    assert verify(game, noted).faults == ()


def test_a_salt_that_was_not_mixed_in_is_found_by_its_owner(game: Recording) -> None:
    assert verify(game, Witness(salts={1: game.salts[1]})).faults == ()
    (fault,) = verify(game, Witness(salts={1: b"mine"})).faults
    assert fault.startswith("The salt of seat 1 is not the one given")


def test_a_seat_that_was_told_another_card_than_it_had_finds_it(game: Recording) -> None:
    alone = replace(game, told={})
    kept = {"1": game.told["1"][2:5]}
    assert verify(alone, Witness(told=kept)).faults == ()
    other = played("rabbit-space", 2, SEED + 1)
    (fault,) = verify(alone, Witness(told={"1": other.told["1"][2:5]})).faults
    assert "seat 1 was told" in fault


def test_what_was_told_in_two_ways_cannot_both_be_true(game: Recording) -> None:
    batch = pb.EventBatch.FromString(game.told["1"][3])
    batch.awaited_seats.append(7)
    lie = batch.SerializeToString()
    alone = replace(game, told={})
    for kept in ([lie, *game.told["1"]], [*game.told["1"], lie]):
        (fault,) = verify(alone, Witness(told={"1": kept})).faults
        assert "seat 1 was told another awaited_seats" in fault
        assert verify(replace(game, told={"1": kept})).faults
    again = {"1": game.told["1"] * 2}  # as after a stream that was resumed a little earlier
    assert verify(alone, Witness(told=again)).faults == ()


def test_whatever_is_changed_in_a_recording_is_found() -> None:
    document = json.loads(GAME.read_bytes())
    for path in leaves(document):
        for changed in changes(document, path):
            try:
                faults = verify(decode_recording(json.dumps(changed).encode())).faults
            except (Unverifiable, msgspec.DecodeError):
                continue  # it cannot be checked, and says so
            assert faults or path == ["table"], f"{path} may be changed and nobody finds it"


def leaves(node: Any) -> Iterator[list[Any]]:
    """The way to every number, text and nothing in a JSON document."""
    match node:
        case dict() | list():
            items = node.items() if isinstance(node, dict) else enumerate(node)
            for key, value in items:
                for path in leaves(value):
                    yield [key, *path]
        case _:
            yield []


def changes(document: Any, path: list[Any]) -> Iterator[Any]:
    """The document with something else in that place, in a few ways."""
    *way, last = path
    whole = deepcopy(document)
    node = whole
    for key in way:
        node = node[key]
    value = node[last]
    for other in others(value):
        if other != value:
            node[last] = other
            yield whole


def others(value: Any) -> list[Any]:
    """Other values of the same type. Of bytes a bit is turned, one left out, and one added."""
    match value:
        case int():
            return [value + 1, value - 1, 1 << 40]
        case None:
            return [1]
        case _:
            try:
                data = b64decode(value, validate=True)
            except ValueError:
                return [f"{value}x"]
            turned = data[:-1] + bytes([data[-1] ^ 1]) if data else b"x"
            return [b64encode(one).decode() for one in (turned, data[:-1], data + b"\x00")]


def test_rules_that_are_not_at_hand_prove_nothing(game: Recording) -> None:
    with pytest.raises(Unverifiable, match="is not at hand here"):
        verify(replace(game, rules_revision=999))


def test_what_is_told_to_nobody_we_know_is_not_checked(game: Recording) -> None:
    with pytest.raises(Unverifiable, match="is no audience"):
        verify(replace(game, told={"9": []}))
    with pytest.raises(Unverifiable, match="broken batch"):
        verify(replace(game, told={PUBLIC: [b"\xff"]}))


def test_a_field_that_is_unknown_is_no_recording(game: Recording) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_recording(encode_recording(game).replace(b'"seats"', b'"seets"'))
