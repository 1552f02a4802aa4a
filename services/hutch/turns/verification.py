"""Verification: a recording played once more by the rules, and held against all that was told.

Nothing here trusts the server that the recording comes from: the seed is mixed anew, every command
is resolved anew and every batch is put together anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message
from msgspec import Struct

from hutch import games
from hutch.engine.chance import SECRET_BYTES, commitment, mix_seed
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live
from hutch.engine.recording import Recorded, Recording
from hutch.engine.records import Result
from hutch.engine.refusals import Refusal
from hutch.engine.replay import replay
from hutch.engine.rules import Rules
from hutch.v1 import table_pb2 as pb
from hutch.wire.views import NOTHING_OPEN, OpenNumbers, batch_parts, open_numbers

PUBLIC = "public"
#: As much of an event as a sentence repeats.
_ECHO = 300

#: Batches by revision, by audience: a seat's number or `public`. Some revision may have been told
#: more than once, and not always alike.
Told = Mapping[str, Mapping[int, list[pb.EventBatch]]]


class Witness(Struct, frozen=True, kw_only=True):
    """What somebody knows without asking the server afterwards.

    `commitment` as noted before the salts were sent, `salts` by seat as chosen, and `told`, batches
    as they came during the game: any of them, the rest is not missed.
    """

    commitment: bytes | None = None
    salts: Mapping[int, bytes] = {}
    told: Mapping[str, Sequence[bytes]] = {}


class Verdict(Struct, frozen=True):
    """What was found: `checked` says in sentences what holds, `faults` what does not."""

    checked: tuple[str, ...]
    faults: tuple[str, ...]


class Unverifiable(Exception):
    """The recording cannot be checked here; that says nothing against it."""


def verify(recording: Recording, witness: Witness | None = None) -> Verdict:
    """Check a recording, and what a witness has to add. Raises `Unverifiable`."""
    witness = witness or Witness()
    rules = games.find(recording.ruleset, recording.rules_revision)
    if rules is None:
        raise Unverifiable(
            f"Revision {recording.rules_revision} of {recording.ruleset!r} is not at hand here; "
            f"verify with a Hutch that has it."
        )
    if faults := tuple(_faults_of_seed(recording, witness)):
        return Verdict((), faults)
    checked = [
        f"the secret fits the commitment {recording.commitment.hex()}",
        "the seed is mixed from the secret and the salts of all seats",
    ]
    if witness.commitment is not None:
        checked.append("the commitment is the one that was noted")
    checked += [f"the salt given for seat {seat} is in the mix" for seat in sorted(witness.salts)]
    logs = _logs(recording.told, recording.seats)
    kept = _logs(witness.told, recording.seats)
    replayed = _Replayed(recording, logs, kept)
    if fault := replayed.run(rules):
        return Verdict(tuple(checked), (fault,))
    checked.append(f"the rules accept the deal and all {len(recording.commands)} commands")
    for audience, log in logs.items():
        checked.append(f"all {len(log)} batches told to {_name(audience)} are as the rules say")
    for audience, log in kept.items():
        checked.append(f"the {len(log)} batches kept by {_name(audience)} are as the rules say")
    if recording.result is None:
        checked.append("the game was given up before its end, so there is no result")
    else:
        checked.append(f"the result is that of the rules: {_result_text(recording.result)}")
    return Verdict(tuple(checked), ())


def _faults_of_seed(recording: Recording, witness: Witness) -> Iterator[str]:
    if len(recording.secret) != SECRET_BYTES:
        yield f"The secret has {len(recording.secret)} bytes; it must have {SECRET_BYTES}."
        return
    if commitment(recording.secret) != recording.commitment:
        yield (
            f"The secret is not the one that was committed to: its SHA-256 is "
            f"{commitment(recording.secret).hex()}, published was {recording.commitment.hex()}."
        )
    if witness.commitment is not None and witness.commitment != recording.commitment:
        yield (
            f"The commitment is not the one that was noted: {recording.commitment.hex()} "
            f"here, {witness.commitment.hex()} noted."
        )
    if len(recording.salts) != recording.seats:
        yield f"There are {len(recording.salts)} salts for {recording.seats} seats."
        return
    for seat, salt in sorted(witness.salts.items()):
        if seat >= recording.seats or recording.salts[seat] != salt:
            yield f"The salt of seat {seat} is not the one given: {salt.hex() or 'none'}."
    mixed = mix_seed(recording.secret, recording.salts)
    if mixed != recording.seed:
        yield (
            f"The seed is not mixed from the secret and the salts: they give {mixed.hex()}, the "
            f"game was dealt from {recording.seed.hex()}."
        )


class _Replayed:
    """A recording on its way through the rules."""

    def __init__(self, recording: Recording, logs: Told, kept: Told) -> None:
        self._recording = recording
        self._logs = logs
        self._kept = kept

    def run(self, rules: Rules) -> str:
        """The first thing that does not fit, as a sentence; "" where all does."""
        recording = self._recording
        before = NOTHING_OPEN
        steps = [(recording.deal_revision, recording.deal_ms, "The deal"), *self._steps()]
        if fault := self._fault_in_numbers({step[0] for step in steps}):
            return fault
        live: Live | None = None
        last = recording.deal_revision - 1
        for (revision, at_ms, what), outcome in zip(
            steps, replay(rules, recording.opening, recording.log), strict=False
        ):
            if revision <= last:
                return f"{what} has revision {revision}, after {last}; revisions only grow."
            last = revision
            if isinstance(outcome, Refusal):
                return f"{what} is refused by the rules: {outcome.sentence}"
            live = outcome.live
            if fault := self._fault_in_told(outcome, before, revision, at_ms):
                return fault
            before = open_numbers(live)
        assert live is not None  # a replay begins with the deal
        return self._fault_in_result(live)

    def _steps(self) -> list[tuple[int, int, str]]:
        return [
            (recorded.revision, recorded.at_ms, _what(number, recorded))
            for number, recorded in enumerate(self._recording.commands, 1)
        ]

    def _fault_in_told(
        self, outcome: Outcome, before: OpenNumbers, revision: int, at_ms: int
    ) -> str:
        shared, faces = batch_parts(
            outcome.live, outcome.events, before, revision=revision, at_ms=at_ms
        )
        for audience, log in self._logs.items():
            if revision not in log:
                return f"Revision {revision} is missing from what {_name(audience)} was told."
        for logs in (self._logs, self._kept):
            for audience, log in logs.items():
                for batch in log.get(revision, ()):
                    face = faces[-1] if audience == PUBLIC else faces[int(audience)]
                    ours = pb.EventBatch.FromString(shared + face)
                    if batch != ours:
                        return _difference(audience, batch, ours)
        return ""

    def _fault_in_numbers(self, revisions: set[int]) -> str:
        for logs in (self._logs, self._kept):
            for audience, log in logs.items():
                if surplus := sorted(set(log) - revisions):
                    return (
                        f"Revision {surplus[0]} was told to {_name(audience)}, but the recording "
                        f"holds no command for it."
                    )
        return ""

    def _fault_in_result(self, live: Live) -> str:
        ours, theirs = live.result, self._recording.result
        if ours == theirs:
            return ""
        if theirs is None:
            return "The game came to its end, but the recording tells no result."
        if ours is None:
            return (
                f"The recording tells a result ({_result_text(theirs)}), but its commands do not "
                f"end the game."
            )
        return (
            f"The result is not that of the rules: recorded is {_result_text(theirs)}, the rules "
            f"give {_result_text(ours)}."
        )


def _logs(told: Mapping[str, Sequence[bytes]], seats: int) -> Told:
    """The batches by revision. Raises `Unverifiable` for what holds none."""
    logs: dict[str, dict[int, list[pb.EventBatch]]] = {}
    for audience, batches in told.items():
        if audience != PUBLIC and not (audience.isdecimal() and int(audience) < seats):
            raise Unverifiable(f"{audience!r} is no audience; it is `public` or a seat's number.")
        try:
            parsed = [pb.EventBatch.FromString(batch) for batch in batches]
        except DecodeError:
            raise Unverifiable(f"What {_name(audience)} was told holds a broken batch.") from None
        log = logs[audience] = {}
        for batch in parsed:
            log.setdefault(batch.revision, []).append(batch)
    return logs


def _what(number: int, recorded: Recorded) -> str:
    kind = type(recorded.command).__name__
    seat = getattr(recorded.command, "seat", None)
    whose = "" if seat is None else f" of seat {seat}"
    return f"Command {number} ({kind}{whose}, revision {recorded.revision})"


def _difference(audience: str, told: pb.EventBatch, ours: pb.EventBatch) -> str:
    """A sentence for two batches of a revision that differ."""
    where = f"Revision {told.revision}: {_name(audience)} was told"
    for number, (one, other) in enumerate(zip(told.events, ours.events, strict=False), 1):
        if one != other:
            return f"{where} as event {number} {_text(one)}; the rules give {_text(other)}."
    if len(told.events) != len(ours.events):
        return f"{where} {len(told.events)} events; the rules give {len(ours.events)}."
    names = [field.name for field in pb.EventBatch.DESCRIPTOR.fields]
    other_fields = [name for name in names if getattr(told, name) != getattr(ours, name)]
    return f"{where} another {' and '.join(other_fields)} than the rules give."


def _text(message: Message) -> str:
    text = text_format.MessageToString(message, as_one_line=True).strip()
    return text if len(text) <= _ECHO else f"{text[:_ECHO]}…"


def _result_text(result: Result) -> str:
    scores = " ".join(map(str, result.scores))
    winners = " ".join(map(str, result.winners))
    team = "" if result.team is None else f", team {result.team}"
    return f"scores {scores}, winners {winners}{team}"


def _name(audience: str) -> str:
    return "the public" if audience == PUBLIC else f"seat {audience}"
