"""`python -m hutch.gateway`: serve the public API."""

from __future__ import annotations

import asyncio

import grpc
from grpc_reflection.v1alpha import reflection

from hutch.callers.issuers import Issuer
from hutch.callers.keys import KeyFileError, load_keys
from hutch.callers.tokens import Tokens
from hutch.games import RULESETS
from hutch.gateway.api import assembled
from hutch.gateway.calls import drain_into
from hutch.gateway.feeds import Feeds
from hutch.gateway.vigil import Vigil
from hutch.gateway.watching import Watching
from hutch.runtime import metrics
from hutch.runtime.drain import serve_until
from hutch.runtime.health import add_health
from hutch.runtime.needs import Needs
from hutch.runtime.process import Process, take_no_arguments
from hutch.runtime.scheduling import finish_first
from hutch.runtime.settings.gateway import GatewaySettings, TokenSettings
from hutch.runtime.tls import CertificateError, server_credentials
from hutch.store.store import Store
from hutch.turns.rules_link import RemoteRules, rules_credentials

#: Watched tables are looked at this often even if no doorbell rings.
POLL_SECONDS = 10.0


def main() -> None:
    """Run until told to stop."""
    take_no_arguments(__doc__)
    finish_first()
    Process("gateway", GatewaySettings).run(serve)


async def serve(process: Process[GatewaySettings], stop: asyncio.Event) -> None:
    """Serve the public API until `stop` is set."""
    settings = process.settings
    metrics.RULESET.allow(*RULESETS)
    token = settings.token
    external = _external(token)
    try:
        tokens = Tokens(
            load_keys(token.key_file),
            issuer=token.issuer,
            lifetime_seconds=token.lifetime_seconds,
            audience=token.audience,
            external=external,
        )
        door = _door(settings)
        to_rules = rules_credentials(settings.rules)
    except (KeyFileError, CertificateError) as fault:
        process.refuse(str(fault))
    store = await Store.open_once_up(
        settings.redis.url, stop, process.refuse, poll_s=POLL_SECONDS, **settings.redis.retention
    )
    if store is None:
        return
    async with store, RemoteRules(list(settings.rules.addresses), to_rules) as rules:
        api = assembled(settings, store, rules, tokens)
        server = grpc.aio.server(options=server_options(settings.limit.message_bytes))
        server.add_generic_rpc_handlers(
            [
                grpc.method_handlers_generic_handler(service, methods)
                for service, methods in api.services.items()
            ]
        )
        add_health(server, process.health, *api.services)
        if settings.gateway.reflection:
            reflection.enable_server_reflection([*api.services, reflection.SERVICE_NAME], server)
        port = process.listen(server, settings.gateway.bind, door, variable="HUTCH_GATEWAY_BIND")
        vigil = Vigil(tokens, api.streams, store.revocations, external)
        await vigil.look()
        needs = Needs(process.health, {"redis": store.tables.now_ms, "rules": rules.is_up})
        closing = asyncio.Event()
        beside = [
            asyncio.create_task(work)
            for work in (
                vigil.keep(),
                needs.keep_looking(),
                api.heart.keep_beating(closing),
                api.quotas.keep_telling(),
                _tell_watchers(closing, api.watching, api.feeds),
            )
        ]
        process.log.info("listening", address=settings.gateway.bind, port=port)
        try:
            await serve_until(stop, server, process.health, settings.drain, closing)
        finally:
            await drain_into(*beside)


def _external(token: TokenSettings) -> Issuer | None:
    """The other issuer whose tokens are taken, if there is one."""
    if not token.external_issuer:
        return None
    return Issuer(
        token.external_issuer, token.external_keys, refresh_seconds=token.external_refresh_seconds
    )


def _door(settings: GatewaySettings) -> grpc.ServerCredentials | None:
    """What clients are shown; None: nothing, for lack of TLS. Raises `CertificateError`."""
    gateway = settings.gateway
    if gateway.certificate_file is None or gateway.key_file is None:
        return None
    return server_credentials(gateway.certificate_file, gateway.key_file, gateway.client_ca_file)


def server_options(message_bytes: int) -> list[tuple[str, int]]:
    """How the server treats its clients' connections."""
    return [
        # A little more gets through, to be refused with its reason; the rest is cut off.
        ("grpc.max_receive_message_length", 4 * message_bytes),
        ("grpc.max_metadata_size", 16 * 1024),
        ("grpc.max_concurrent_streams", 1000),
        # Whoever connects and says nothing is gone soon.
        ("grpc.server_handshake_timeout_ms", 10_000),
        # Quiet streams stay: clients may ping every ten seconds, calls or not.
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.http2.ping_timeout_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        ("grpc.http2.max_ping_strikes", 5),
        ("grpc.so_reuseport", 0),
    ]


async def _tell_watchers(closing: asyncio.Event, watching: Watching, feeds: Feeds) -> None:
    await closing.wait()
    watching.stopping.set()
    feeds.wake_all()


if __name__ == "__main__":
    main()
