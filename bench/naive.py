"""`python -m bench.naive`: the gateway as one writes it first, to compare with.

`SubmitAction` with the same checks and the same effects, on the same tables: the table is loaded,
the rules are asked with a unary call, and what has to be written is written, each with a command
of its own that is waited for. It shares with the real gateway what is not in question (tokens,
messages, meta, how a log entry is made). What it lacks is what it costs to do without: one script
that commits all or nothing, and commands that travel together.
"""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any
from uuid import UUID

import grpc
from redis.asyncio import Redis

from hutch.callers.caller import Caller
from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.games import RULESETS
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.internal.v1 import rules_service_pb2_grpc as rules_grpc
from hutch.runtime import metrics
from hutch.runtime.drain import serve_until
from hutch.runtime.process import Process
from hutch.runtime.settings.gateway import GatewaySettings
from hutch.store.commits import Stored
from hutch.store.keys import Keys, shard_of
from hutch.store.lanes import in_ms
from hutch.turns.attendance import require_seat
from hutch.turns.table_meta import decode_meta, encode_meta
from hutch.turns.telling import told
from hutch.turns.turn import digest_of
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Fault, Wrong, refusal_fault
from hutch.wire.framing import field
from hutch.wire.names import parse_seat

SERVICE = "hutch.v1.TableService"


class NaiveActions:
    """Takes actions, one command after another."""

    def __init__(self, redis: Redis, rules: rules_grpc.RulesServiceAsyncStub) -> None:
        self._redis = redis
        self._rules = rules
        self._keys = Keys()

    async def submit(self, caller: Caller, request: service_pb.SubmitActionRequest) -> bytes:
        """Answer a prompt: a `SubmitActionResponse`. Raises `Fault`."""
        table_id, seat = parse_seat(request.seat)
        request_id = UUID(request.request_id).hex
        command = rules_pb.ResolveRequest()
        command.submit.seat = seat
        command.submit.action.CopyFrom(request.action)
        digest = digest_of(caller.player.encode(), command.SerializeToString(deterministic=True))
        stored = await self._load(table_id, request_id)
        meta = decode_meta(stored.meta)
        require_seat(meta, seat, caller.player)
        if request.expected_revision and request.expected_revision != stored.revision:
            raise Fault(Wrong.REVISION_CONFLICT, "The table has moved on.")
        assert stored.record is not None
        command.record = stored.record
        command.at_ms = stored.now_ms
        command.revision = stored.revision + 1
        response = await self._rules.Resolve(command)
        if response.HasField("refusal"):
            raise refusal_fault(response.refusal)
        outcome = response.outcome
        await self._write(stored, outcome, request_id, digest)
        metrics.ACTIONS.labels(ruleset=meta.ruleset, by="person").inc()
        return field(1, outcome.shared + outcome.faces[seat])

    async def _load(self, table_id: str, request_id: str) -> Stored:
        names = ["revision", "meta", "record", f"q:{request_id}"]
        reply: list[Any] = await self._redis.hmget(self._keys.table(table_id), names)
        revision, meta, record, known = reply
        if revision is None:
            raise Fault(Wrong.TABLE_NOT_FOUND, f"There is no table {table_id}.")
        if known is not None:
            raise Fault(Wrong.REQUEST_ID_REUSED, "That was done before.")
        now_ms = in_ms(await self._redis.time())
        return Stored(table_id, int(revision), 0, meta, record, now_ms, now_ms)

    async def _write(
        self, stored: Stored, outcome: rules_pb.Outcome, request_id: str, digest: bytes
    ) -> None:
        redis, keys, table_id = self._redis, self._keys, stored.table_id
        meta = decode_meta(stored.meta)
        changed, told_fields = told(table_id, stored, meta, outcome, None)
        revision = stored.revision + 1
        due, hints, outbox, index, counts = keys.of_shard(
            shard_of(table_id), "due", "hints", "outbox", "index", "counts"
        )
        entry: dict[Any, Any] = {"ms": stored.now_ms, **told_fields}
        await redis.xadd(keys.log(table_id), entry, id=f"{revision}-1")
        fields: dict[Any, Any] = {"revision": revision, "record": outcome.record}
        if changed is not None:
            fields["meta"] = encode_meta(changed)
        await redis.hset(keys.table(table_id), mapping=fields)
        await redis.hset(keys.table(table_id), f"q:{request_id}", b"%d %b" % (revision, digest))
        await redis.rpush(keys.inputs(table_id), b"%d %b" % (stored.now_ms, outcome.inputs))
        if outcome.due_ms:
            await redis.zadd(due, {table_id: outcome.due_ms})
        else:
            await redis.zrem(due, table_id)
        await redis.zrem(hints, table_id)
        if changed is not None:
            await redis.xadd(outbox, {"table": table_id, "note": changed.state})
            await redis.zadd(index, {f"{changed.state} {meta.ruleset} {table_id}": 0})
            await redis.hincrby(counts, f"{changed.state} {meta.ruleset}", 1)
        await redis.publish(keys.bell(table_id), revision)


class NaiveService:
    """The method as gRPC calls it."""

    def __init__(self, tokens: Tokens, actions: NaiveActions) -> None:
        self._tokens = tokens
        self._actions = actions

    async def submit_action(
        self,
        request: service_pb.SubmitActionRequest,
        context: grpc.aio.ServicerContext[service_pb.SubmitActionRequest, bytes],
    ) -> bytes:
        """Answer a prompt."""
        started = perf_counter()
        try:
            caller = self._tokens.check(_token(context))
            response = await self._actions.submit(caller, request)
        except Fault as fault:
            await context.abort(fault.code, fault.sentence)
        metrics.REQUESTS.labels(method="SubmitAction", code="OK", reason="").inc()
        metrics.REQUEST_SECONDS.labels(method="SubmitAction").observe(perf_counter() - started)
        return response


def _token(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            return str(value).removeprefix("Bearer ")
    raise Fault(Wrong.TOKEN_MISSING, "No token came with the call.")


async def serve(process: Process[GatewaySettings], stop: asyncio.Event) -> None:
    """Serve `SubmitAction` until `stop` is set."""
    settings = process.settings
    metrics.RULESET.allow(*RULESETS)
    metrics.METHOD.allow("SubmitAction")
    tokens = Tokens(
        load_keys(settings.token.key_file),
        issuer=settings.token.issuer,
        lifetime_seconds=settings.token.lifetime_seconds,
    )
    redis = Redis.from_url(settings.redis.url, protocol=2, max_connections=128)
    async with redis, grpc.aio.insecure_channel(settings.rules.addresses[0]) as channel:
        service = NaiveService(tokens, NaiveActions(redis, rules_grpc.RulesServiceStub(channel)))
        submit: grpc.RpcMethodHandler[Any, Any] = grpc.unary_unary_rpc_method_handler(
            service.submit_action,
            request_deserializer=service_pb.SubmitActionRequest.FromString,
        )
        server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(SERVICE, {"SubmitAction": submit})]
        )
        port = server.add_insecure_port(settings.gateway.bind)
        process.log.info("listening", address=settings.gateway.bind, port=port)
        await serve_until(stop, server, process.health, settings.drain)


if __name__ == "__main__":
    Process("naive", GatewaySettings).run(serve)
