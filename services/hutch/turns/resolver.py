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
from hutch.engine.replay import Opening, dealt, encode_logged, encode_opening
from hutch.internal.v1 import rules_service_pb2 as pb
from hutch.runtime import metrics
from hutch.runtime.tracing import Trace, follow
from hutch.wire.errors import Wrong
from hutch.wire.failures import where_of
from hutch.wire.prompts import picks_of, result_message
from hutch.wire.views import NOTHING_OPEN, OpenNumbers, batch_parts, open_numbers, view_of

log = structlog.get_logger(__name__)

#: The fact of a refusal that says what failed in the rules: for operators, not for clients.
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
        answer = pb.ResolveResponse()
        trace = _follow(request)
        self._deal(answer, request)
        _log_answer("dealt", trace, answer, request.revision)
        return answer

    def _deal(self, answer: pb.ResolveResponse, request: pb.DealRequest) -> None:
        rules = games.RULESETS.get(request.ruleset)
        if rules is None:
            _refuse(answer, kernel.rules_gone(request.ruleset, 0))
            return
        try:
            options = msgspec.json.decode(request.options or b"{}")
        except msgspec.DecodeError as fault:
            _refuse(answer, Refusal(Reason.BAD_OPTIONS, f"The options are no JSON: {fault}."))
            return
        try:
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
            outcome = dealt(rules, opening)
            if isinstance(outcome, Refusal):
                _refuse(answer, outcome)
                return
            self._accept(answer, outcome, NOTHING_OPEN, encode_opening(opening), request)
        except Exception as error:
            log.exception("deal_failed", ruleset=request.ruleset)
            _own_up(answer, error)

    def resolve(self, request: pb.ResolveRequest) -> pb.ResolveResponse:
        """Apply one command."""
        answer = pb.ResolveResponse()
        self._resolve(answer, request)
        return answer

    def resolve_batch(self, batch: pb.ResolveBatchesRequest) -> pb.ResolveBatchesResponse:
        """Apply commands of many tables, each for itself."""
        answers = pb.ResolveBatchesResponse()
        for request in batch.requests:
            self._resolve(answers.responses.add(), request)
        return answers

    def _resolve(self, answer: pb.ResolveResponse, request: pb.ResolveRequest) -> None:
        trace = _follow(request)
        self._apply(answer, request)
        _log_answer("resolved", trace, answer, request.revision)

    def _apply(self, answer: pb.ResolveResponse, request: pb.ResolveRequest) -> None:
        started = perf_counter()
        data, at_ms = request.record, request.at_ms
        try:  # a bug in the rules must not take the other tables along
            live = self._take(data)
            if isinstance(live, Refusal):
                _refuse(answer, live)
                return
            rules = live.rules
            before, pending = open_numbers(live), _pending(live)
            command = command_of(request)
            outcome = kernel.resolve(rules, live, command, at_ms=at_ms)
            if isinstance(outcome, Refusal):
                self._keep(data, live)
                _refuse(answer, outcome)
                return
            self._accept(answer, outcome, before, encode_logged(at_ms, command), request)
            for cause, _ in _pending(outcome.live) - pending:
                metrics.RULE_DEADLINES.labels(ruleset=rules.name, cause=cause).inc()
        except Exception as error:
            log.exception("resolve_failed", revision=request.revision)
            _own_up(answer, error)
            return
        metrics.RESOLVE_SECONDS.labels(ruleset=rules.name).observe(perf_counter() - started)

    def render(self, request: pb.RenderRequest) -> pb.RenderResponse:
        """Show a game as a seat, or the public, may see it."""
        answer = pb.RenderResponse()
        try:
            live = self._take(request.record)
            if isinstance(live, Refusal):
                _refuse(answer, live)
                return answer
            seat = None if request.seat < 0 else request.seat
            answer.view.CopyFrom(view_of(live, seat, request.at_ms))
            answer.due_ms = live.next_due_ms() or 0
        except Exception as error:
            log.exception("render_failed", seat=request.seat)
            _own_up(answer, error)
            return answer
        self._keep(request.record, live)
        return answer

    def live(self, record: bytes) -> Live | Refusal:
        """The game of that record, to look at and not to move."""
        live = self._take(record)
        if not isinstance(live, Refusal):
            self._keep(record, live)
        return live

    def _accept(
        self,
        answer: pb.ResolveResponse,
        outcome: kernel.Outcome,
        before: OpenNumbers,
        logged: bytes,
        request: pb.DealRequest | pb.ResolveRequest,
    ) -> None:
        """Tell in `answer` what an accepted command led to."""
        live = outcome.live
        record = encode_record(live.record())
        shared, faces = batch_parts(
            live, outcome.events, before, revision=request.revision, at_ms=request.at_ms
        )
        told = answer.outcome
        told.record = record
        told.inputs = logged
        told.shared = shared
        told.faces.extend(faces)
        told.awaited.extend(live.awaited())
        told.rules_revision = live.rules.revision
        # What says nothing is left away: most turns have none of it.
        if due_ms := live.next_due_ms():
            told.due_ms = due_ms
        if outcome.rewound:
            told.rewound = True
        if outcome.timed_out:
            told.timed_out.extend(outcome.timed_out)
        if live.result is not None:
            told.result.CopyFrom(result_message(live.result))
        else:
            self._keep(record, live)

    def _take(self, data: bytes) -> Live | Refusal:
        """The live game that stands where the record does; it is no longer kept."""
        live = self._live.pop(data, None)
        if live is not None:
            return live
        record = decode_record(data)
        rules = games.find(record.ruleset, record.rules_revision)
        if rules is None:
            return kernel.rules_gone(record.ruleset, record.rules_revision)
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


def _log_answer(event: str, trace: Trace | None, answer: pb.ResolveResponse, revision: int) -> None:
    """Log what was answered to a caller who wants to see it."""
    if trace is not None and trace.is_sampled:
        log.info(event, revision=revision, refused=answer.refusal.reason or None)


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


def _refuse(answer: pb.ResolveResponse | pb.RenderResponse, refusal: Refusal) -> None:
    told = pb.Refusal(reason=refusal.reason.value, sentence=refusal.sentence, facts=refusal.facts)
    answer.refusal.CopyFrom(told)


def _own_up(answer: pb.ResolveResponse | pb.RenderResponse, error: Exception) -> None:
    """Tell in `answer` that the rules failed, whatever is in it already."""
    failed = pb.Refusal(
        reason=Wrong.INTERNAL.value,
        sentence="The rules failed on this; nothing was changed. Report it.",
        facts={FAILURE: where_of(error)},
    )
    answer.refusal.CopyFrom(failed)
