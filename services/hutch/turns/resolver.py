"""The resolver: commands in, outcomes out. What a rules process does, without its socket."""

from __future__ import annotations

from collections import OrderedDict
from time import perf_counter

import msgspec
import structlog

from hutch import games
from hutch.engine import commands, kernel
from hutch.engine.live import Live
from hutch.engine.prompts import Point
from hutch.engine.records import decode_record, encode_record
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.replay import Opening, encode_logged, encode_opening
from hutch.internal.v1 import rules_service_pb2 as pb
from hutch.runtime import metrics
from hutch.runtime.tracing import Trace, follow
from hutch.wire.answers import accepted, batch_of, refused
from hutch.wire.failures import where_of
from hutch.wire.prompts import picks_of
from hutch.wire.views import NOTHING_OPEN, OpenNumbers, batch_parts, open_numbers, view_of

log = structlog.get_logger(__name__)

#: Reason of a refusal that is no player's mistake but a fault of ours.
INTERNAL = "INTERNAL"
#: The fact of such a refusal that says what failed: for operators, not for clients.
FAILURE = "failure"


class Resolver:
    """Resolves commands. Stateless: it keeps live games at hand, by the exact bytes of their
    records, and any of them may be dropped at any time."""

    def __init__(self, *, cached_games: int = 2048) -> None:
        self._cached_games = cached_games
        self._live: OrderedDict[bytes, Live] = OrderedDict()
        for rules in games.RULESETS.values():
            metrics.CAUSE.allow(*rules.causes)

    def deal(self, request: pb.DealRequest) -> pb.ResolveResponse:
        """Start a game."""
        trace = _follow(request)
        answer = self._deal(request)
        _log_answer("dealt", trace, answer, request.revision)
        return pb.ResolveResponse.FromString(answer)

    def _deal(self, request: pb.DealRequest) -> bytes:
        rules = games.RULESETS.get(request.ruleset)
        if rules is None:
            return refused(_refusal(_gone(request.ruleset, 0)))
        try:
            options = msgspec.json.decode(request.options or b"{}")
        except msgspec.DecodeError as fault:
            refusal = Refusal(Reason.BAD_OPTIONS, f"The options are no JSON: {fault}.")
            return refused(_refusal(refusal))
        try:
            outcome = kernel.deal(
                rules,
                seats=request.seats,
                options=options,
                seed=request.seed,
                at_ms=request.at_ms,
                limits_ms=dict(request.limits_ms),
                time_bank_ms=request.time_bank_ms,
            )
            if isinstance(outcome, Refusal):
                return refused(_refusal(outcome))
            opening = Opening(
                ruleset=rules.name,
                rules_revision=rules.revision,
                seats=request.seats,
                options=options,
                seed=request.seed,
                at_ms=request.at_ms,
                limits_ms=dict(request.limits_ms),
                time_bank_ms=request.time_bank_ms,
            )
            return self._accept(outcome, NOTHING_OPEN, encode_opening(opening), request)
        except Exception as error:
            log.exception("deal_failed", ruleset=request.ruleset)
            return refused(_fault(error))

    def resolve(self, request: pb.ResolveRequest) -> pb.ResolveResponse:
        """Apply one command."""
        return pb.ResolveResponse.FromString(self._resolve(request))

    def resolve_batch(self, batch: pb.ResolveBatchesRequest) -> bytes:
        """Apply commands of many tables, each for itself; a `ResolveBatchesResponse`."""
        return batch_of([self._resolve(request) for request in batch.requests])

    def _resolve(self, request: pb.ResolveRequest) -> bytes:
        trace = _follow(request)
        answer = self._apply(request)
        _log_answer("resolved", trace, answer, request.revision)
        return answer

    def _apply(self, request: pb.ResolveRequest) -> bytes:
        started = perf_counter()
        data, at_ms = request.record, request.at_ms
        live = self._take(data)
        if isinstance(live, Refusal):
            return refused(_refusal(live))
        rules = live.rules
        try:
            before, pending = open_numbers(live), _pending(live)
            command = command_of(request)
            outcome = kernel.resolve(rules, live, command, at_ms=at_ms)
            if isinstance(outcome, Refusal):
                self._keep(data, live)
                return refused(_refusal(outcome))
            answer = self._accept(outcome, before, encode_logged(at_ms, command), request)
            for cause, _ in _pending(outcome.live) - pending:
                metrics.RULE_DEADLINES.labels(ruleset=rules.name, cause=cause).inc()
        except Exception as error:  # a bug in the rules must not take the other tables along
            log.exception("resolve_failed", ruleset=rules.name, revision=request.revision)
            return refused(_fault(error))
        metrics.RESOLVE_SECONDS.labels(ruleset=rules.name).observe(perf_counter() - started)
        return answer

    def render(self, request: pb.RenderRequest) -> pb.RenderResponse:
        """Show a game as a seat, or the public, may see it."""
        live = self._take(request.record)
        if isinstance(live, Refusal):
            return pb.RenderResponse(refusal=_refusal(live))
        seat = None if request.seat < 0 else request.seat
        view = view_of(live, seat, request.at_ms)
        self._keep(request.record, live)
        return pb.RenderResponse(view=view, due_ms=live.next_due_ms() or 0)

    def live(self, record: bytes) -> Live | Refusal:
        """The game of that record, to look at and not to move."""
        live = self._take(record)
        if not isinstance(live, Refusal):
            self._keep(record, live)
        return live

    def _accept(
        self,
        outcome: kernel.Outcome,
        before: OpenNumbers,
        logged: bytes,
        request: pb.DealRequest | pb.ResolveRequest,
    ) -> bytes:
        """The answer to a command that was accepted, whose game is kept at hand."""
        live = outcome.live
        record = encode_record(live.record())
        told = batch_parts(
            live, outcome.events, before, revision=request.revision, at_ms=request.at_ms
        )
        if live.result is None:
            self._keep(record, live)
        return accepted(
            live, record, logged, told, rewound=outcome.rewound, timed_out=outcome.timed_out
        )

    def _take(self, data: bytes) -> Live | Refusal:
        """The live game that stands where the record does; it is no longer kept."""
        live = self._live.pop(data, None)
        if live is not None:
            return live
        record = decode_record(data)
        rules = games.find(record.ruleset, record.rules_revision)
        if rules is None:
            return _gone(record.ruleset, record.rules_revision)
        return Live(rules, record)

    def _keep(self, data: bytes, live: Live) -> None:
        self._live[data] = live
        if len(self._live) > self._cached_games:
            self._live.popitem(last=False)


def _follow(request: pb.DealRequest | pb.ResolveRequest) -> Trace | None:
    """Follow whose call the request comes of."""
    trace = Trace(request.trace_id, request.is_sampled) if request.trace_id else None
    follow(trace)
    return trace


def _log_answer(event: str, trace: Trace | None, answer: bytes, revision: int) -> None:
    """Log what was answered to a caller who wants to see it."""
    if trace is not None and trace.is_sampled:
        refusal = pb.ResolveResponse.FromString(answer).refusal
        log.info(event, revision=revision, refused=refusal.reason or None)


def _pending(live: Live) -> set[tuple[str, tuple[Point, ...]]]:
    """The deadlines that the rules have set."""
    if not live.rules.causes or live.result is not None:
        return set()
    return {(one.cause, one.about) for one in live.rules.pending(live.table)}


def command_of(request: pb.ResolveRequest) -> commands.Command:
    """The command in a request. Raises `ValueError` where it holds none."""
    match request.WhichOneof("command"):
        case "submit":
            submit = request.submit
            action = submit.action
            return commands.Submit(submit.seat, action.prompt_id, picks_of(action))
        case "tick":
            return commands.Tick()
        case "leave":
            return commands.Leave(request.leave.seat)
        case "rejoin":
            return commands.Rejoin(request.rejoin.seat)
        case "play_default":
            return commands.PlayDefault(request.play_default.seat)
        case "undo":
            return commands.Undo(request.undo.seat)
        case "credit":
            return commands.Credit(request.credit.from_ms, request.credit.until_ms)
    raise ValueError("the request holds no command")


def _refusal(refusal: Refusal) -> pb.Refusal:
    return pb.Refusal(reason=refusal.reason.value, sentence=refusal.sentence, facts=refusal.facts)


def _fault(error: Exception) -> pb.Refusal:
    """What says that the rules failed."""
    return pb.Refusal(
        reason=INTERNAL,
        sentence="The rules failed on this; nothing was changed. Report it.",
        facts={FAILURE: where_of(error)},
    )


def _gone(ruleset: str, revision: int) -> Refusal:
    return Refusal(
        Reason.RULES_GONE,
        f"This server has no revision {revision} of {ruleset!r}; the game needs one that has it.",
        {"ruleset": ruleset, "revision": str(revision)},
    )
