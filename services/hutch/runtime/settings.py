"""Settings: every one a `HUTCH_…` variable of the environment, checked before a process starts.

A process reads one class, composed of small groups: `HUTCH_LOG_LEVEL` is the field `level` of the
group `log`. `hutch.runtime.variables` reads them.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX: Final = "HUTCH_"

_ADDRESS = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>\d{1,5})")
#: A worker starts with some 70, and starts anew with more than half.
_LEAST_MEGABYTES = 256
_REDIS_SCHEMES = ("redis://", "rediss://", "unix://", "redis+cluster://", "rediss+cluster://")


class Allowed:
    """Says in words what a field takes, where its type does not say it."""

    def __init__(self, words: str) -> None:
        self.words = words


def _check_address(value: str) -> str:
    match = _ADDRESS.fullmatch(value)
    if match is None or int(match["port"]) > 65535:
        raise ValueError("not an address")
    return value


def _check_redis_url(value: str) -> str:
    if not value.startswith(_REDIS_SCHEMES):
        raise ValueError("not the URL of a Redis server")
    return value


def _check_broker_url(value: str) -> str:
    if value and "://" not in value:
        raise ValueError("not a URL")
    return value


def _check_memory(value: int) -> int:
    if value < (_LEAST_MEGABYTES if value else 0):
        raise ValueError("less than a worker needs")
    return value


def _check_key_source(value: str) -> str:
    url = urlsplit(value)
    if "://" in value and url.scheme not in ("http", "https"):
        raise ValueError("not a URL that keys can be fetched from")
    if url.scheme == "http" and not is_loopback(url.hostname or ""):
        raise ValueError("whoever sits between could put keys of their own in")
    return value


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches that host; a name counts only if it is `localhost`."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


Address = Annotated[
    str,
    AfterValidator(_check_address),
    Allowed("`host:port`, an IPv6 host in brackets; as a bind address, port 0 is any free port"),
]
Addresses = Annotated[
    tuple[Annotated[str, AfterValidator(_check_address)], ...],
    NoDecode,
    BeforeValidator(_split),
    Field(min_length=1),
    Allowed("one or more `host:port`, with commas between"),
]
RedisUrl = Annotated[
    str,
    AfterValidator(_check_redis_url),
    Allowed("`redis://…`, `rediss://…`, `unix://…`, `redis+cluster://…` or `rediss+cluster://…`"),
]
BrokerUrl = Annotated[
    str,
    AfterValidator(_check_broker_url),
    Allowed("a URL that Celery knows, such as `redis://…` or `amqp://…`, or empty"),
]
CardsFolder = Annotated[Path | None, Allowed("a path, or empty")]
MemoryBound = Annotated[
    int,
    AfterValidator(_check_memory),
    Allowed(f"0, or a whole number from {_LEAST_MEGABYTES} up"),
]
Seconds = Annotated[float, Field(gt=0, le=86400)]
OptionalPath = Annotated[
    Path | None, BeforeValidator(lambda value: value or None), Allowed("a path, or empty")
]
KeySource = Annotated[
    str,
    AfterValidator(_check_key_source),
    Allowed("a path, an `https://…` URL, an `http://…` URL of this machine, or empty"),
]


_HALF = "{0}_CERTIFICATE_FILE and {0}_KEY_FILE go together; set both or neither."


class Group(BaseModel):
    """Settings that belong together; its field's name is the first word after `HUTCH_`."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class LogSettings(Group):
    """How a process logs."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Log lines below this level are left out."
    )
    format: Literal["auto", "json", "console"] = Field(
        default="auto",
        description="One JSON object a line, or lines for people; `auto` is for people on a "
        "terminal and JSON elsewhere.",
    )


class MetricsSettings(Group):
    """Where a process is watched."""

    bind: Address = Field(
        default="127.0.0.1:0",
        description="Where `/metrics`, `/readyz` and `/livez` are served. Each process needs one "
        "of its own.",
    )


class CardSettings(Group):
    """The cards that are played with."""

    dir: CardsFolder = Field(
        default=None,
        description="A folder with card tables of your own: a sub-folder for each game, such as "
        "`rabbit-space`, with files like those in the game's `data`. The same for all processes.",
    )


class DrainSettings(Group):
    """How a process stops."""

    notice_seconds: float = Field(
        default=0.0,
        ge=0,
        le=600,
        description="Time between reporting NOT_SERVING and closing the door, for load balancers "
        "to look elsewhere.",
    )
    grace_seconds: Seconds = Field(
        default=10.0, description="Time that calls and streams have to end after SIGTERM."
    )


class RedisSettings(Group):
    """Where the games are."""

    url: RedisUrl = Field(
        default="redis://127.0.0.1:6379/0",
        description="The Redis server, or nodes of a cluster with commas between, that holds the "
        "games. May carry a user and a password.",
    )
    finished_seconds: int = Field(
        default=604_800,
        ge=1,
        le=31_536_000,
        description="A finished table is kept this long. A day at least, for as long as requests "
        "may be repeated; the same for all processes.",
    )
    unstarted_seconds: int = Field(
        default=86_400,
        ge=1,
        le=31_536_000,
        description="A table that nobody starts is kept this long.",
    )

    @property
    def retention(self) -> dict[str, Any]:
        """How long tables are kept, as a store is told."""
        return {
            "finished_ttl_s": self.finished_seconds,
            "unstarted_ttl_s": self.unstarted_seconds,
        }


class RulesClientSettings(Group):
    """Where the rules are asked, and how each side knows the other."""

    addresses: Addresses = Field(
        default=("127.0.0.1:50561",),
        description="The rules processes. Work is spread over all of them.",
    )
    ca_file: OptionalPath = Field(
        default=None,
        description="The CA that the rules' certificates must come from. Empty: no TLS.",
    )
    certificate_file: OptionalPath = Field(
        default=None, description="The certificate that is shown to the rules."
    )
    key_file: OptionalPath = Field(default=None, description="The key of that certificate.")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.certificate_file is None) != (self.key_file is None):
            raise ValueError(_HALF.format("HUTCH_RULES"))
        if self.certificate_file is not None and self.ca_file is None:
            raise ValueError(
                "HUTCH_RULES_CA_FILE is needed: a certificate is only shown to rules that have "
                "shown one from a CA that is known."
            )
        return self


class RulesServerSettings(Group):
    """Where the rules are served."""

    bind: Address = Field(default="127.0.0.1:50561", description="Where a rules process listens.")
    certificate_file: OptionalPath = Field(
        default=None, description="The rules' certificate, for TLS. Empty: no TLS."
    )
    key_file: OptionalPath = Field(default=None, description="The key of that certificate.")
    ca_file: OptionalPath = Field(
        default=None,
        description="The CA that the callers' certificates must come from. Empty: anybody may ask.",
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.certificate_file is None) != (self.key_file is None):
            raise ValueError(_HALF.format("HUTCH_RULES"))
        if self.ca_file is not None and self.certificate_file is None:
            raise ValueError(
                "HUTCH_RULES_CERTIFICATE_FILE is needed: callers' certificates are checked over "
                "TLS only."
            )
        return self


class GatewayBindSettings(Group):
    """The public door."""

    bind: Address = Field(default="127.0.0.1:50551", description="Where the gateway listens.")
    reflection: bool = Field(
        default=False, description="Serve gRPC reflection, for tools that explore the API."
    )
    certificate_file: OptionalPath = Field(
        default=None,
        description="The gateway's certificate and those up to its CA, for TLS. Read again when it "
        "changes. Empty: no TLS.",
    )
    key_file: OptionalPath = Field(default=None, description="The key of that certificate.")
    client_ca_file: OptionalPath = Field(
        default=None,
        description="The CA that clients' certificates must come from, besides their tokens. "
        "Empty: they need none.",
    )
    plaintext: bool = Field(
        default=False,
        description="Serve without TLS at an address that other machines reach: something in front "
        "of the gateway ends TLS, or keeps everybody else out.",
    )

    @model_validator(mode="after")
    def _is_safe(self) -> Self:
        if (self.certificate_file is None) != (self.key_file is None):
            raise ValueError(_HALF.format("HUTCH_GATEWAY"))
        if self.certificate_file is not None:
            return self
        if self.client_ca_file is not None:
            raise ValueError(
                "HUTCH_GATEWAY_CERTIFICATE_FILE is needed: clients' certificates are checked over "
                "TLS only."
            )
        if not self.plaintext and not is_loopback(self.bind.rpartition(":")[0]):
            raise ValueError(
                f"HUTCH_GATEWAY_BIND is {self.bind!r}, which others reach, and tokens would "
                "cross the network in the clear. Set HUTCH_GATEWAY_CERTIFICATE_FILE and "
                "HUTCH_GATEWAY_KEY_FILE; or HUTCH_GATEWAY_PLAINTEXT=1 if something in front of the "
                "gateway ends TLS."
            )
        return self


class TokenSettings(Group):
    """The tokens that name players."""

    key_file: Path = Field(
        default=Path("hutch-keys.json"),
        description="The file with the keys that sign tokens, the same for all gateways. "
        "Made at the first start if it is missing; read again when it changes.",
    )
    issuer: str = Field(
        default="hutch",
        min_length=1,
        description="Who signed: tokens of another issuer are refused.",
    )
    lifetime_seconds: int = Field(
        default=604_800, ge=60, le=31_536_000, description="How long a token lasts."
    )
    audience: str = Field(
        default="hutch",
        min_length=1,
        description="Whom tokens are for: those for another service are refused.",
    )
    guests: bool = Field(default=True, description="Give a token to whoever asks for one.")
    external_issuer: str = Field(
        default="", description="Another issuer whose tokens are taken too. Empty: none."
    )
    external_keys: KeySource = Field(
        default="", description="Where that issuer's public keys are, as a JWK set."
    )
    external_refresh_seconds: Seconds = Field(
        default=300.0, description="That issuer's keys are fetched again after this time."
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if bool(self.external_issuer) != bool(self.external_keys):
            raise ValueError(
                "HUTCH_TOKEN_EXTERNAL_ISSUER and HUTCH_TOKEN_EXTERNAL_KEYS go together; set both "
                "or neither."
            )
        if self.external_issuer == self.issuer:
            raise ValueError(
                "HUTCH_TOKEN_EXTERNAL_ISSUER is HUTCH_TOKEN_ISSUER; it must be another one."
            )
        return self


class LimitSettings(Group):
    """How much one caller may ask for, of all gateways together. Beyond it: RESOURCE_EXHAUSTED,
    with a time to retry."""

    message_bytes: int = Field(
        default=65_536,
        ge=1_024,
        le=4_194_304,
        description="The largest message taken from a client.",
    )
    actions_per_second: float = Field(
        default=200.0, ge=0, description="Actions a player may send, on average; 0: no limit."
    )
    actions_burst: int = Field(
        default=400, ge=1, description="Actions a player may send at once after a rest."
    )
    calls_per_second: float = Field(
        default=100.0, ge=0, description="Other calls a player may make, on average; 0: no limit."
    )
    calls_burst: int = Field(
        default=200, ge=1, description="Other calls a player may make at once after a rest."
    )
    actions_at_once: int = Field(
        default=256,
        ge=1,
        description="Actions of all players that a gateway has under way at once.",
    )
    calls_at_once: int = Field(
        default=64,
        ge=1,
        description="Other calls of all players that a gateway has under way at once.",
    )
    patience_seconds: Seconds = Field(
        default=3.0,
        description="An action or call that finds all places taken waits for one this long.",
    )
    guests_per_minute: float = Field(
        default=600.0,
        ge=0,
        description="Guests made from one network address, on average; 0: no limit.",
    )
    refusals_per_second: float = Field(
        default=50.0,
        ge=0,
        description="Calls with a token that is refused, from one network address, on average; "
        "0: no limit.",
    )
    streams: int = Field(default=64, ge=1, description="Streams a player may have open.")
    watches: int = Field(default=512, ge=1, description="Tables watched over one `Play` stream.")
    spectators: int = Field(
        default=1_000,
        ge=1,
        description="Watchers of the public's view of one table.",
    )
    lease_seconds: Seconds = Field(
        default=15.0,
        description="Streams and watchers of a gateway that was killed count for so long.",
    )
    tables: int = Field(
        default=256,
        ge=0,
        le=4_096,
        description="Tables a player may have opened that are not over; 0: no limit. Those of "
        "campaigns do not count.",
    )
    bot_seats: int = Field(
        default=256,
        ge=0,
        le=4_096,
        description="Seats that a player with a bot's token may have taken in games that are not "
        "over; 0: no limit. Those of campaigns do not count.",
    )


class StreamSettings(Group):
    """Streams to clients."""

    slow_seconds: Seconds = Field(
        default=10.0,
        description="A reader that takes nothing for this long has its stream ended; its last "
        "token resumes it.",
    )
    heartbeat_seconds: Seconds = Field(
        default=10.0, description="A stream with nothing to tell says so this often."
    )


class OutageSettings(Group):
    """Outages, whose time is credited to every clock that ran."""

    grace_seconds: float = Field(
        default=5.0,
        ge=2,
        le=3600,
        description="Where no gateway could take an answer for longer than this, the time is "
        "credited, and no default is played meanwhile. The same for all gateways.",
    )


class TimekeeperTimingSettings(Group):
    """How due timers are taken."""

    lease_seconds: Seconds = Field(
        default=0.5,
        description="A timer taken by a timekeeper is free for another after this time, should "
        "the first one die.",
    )
    poll_seconds: Seconds = Field(
        default=0.25,
        description="Redis is asked for due timers at least this often, whatever was announced.",
    )
    still_seconds: Seconds = Field(
        default=60.0,
        description="A table that nothing but the service could move counts as stuck after "
        "standing still for this time.",
    )


class BrokerSettings(Group):
    """Celery's broker."""

    url: BrokerUrl = Field(
        default="",
        description="Where Celery's messages go. Empty: logical database 1 of the server in "
        "`HUTCH_REDIS_URL`, which must then not be a cluster.",
    )
    key_file: OptionalPath = Field(
        default=None,
        description="The file with the keys that seal Celery's messages, one a line, the same for "
        "dispatchers and workers: the last one seals, all are trusted, others' messages are "
        "dropped. Made at the first start if it is missing; read again when it changes. Empty: no "
        "seals.",
    )


class BotSettings(Group):
    """Bots' turns."""

    hint_retry_seconds: Seconds = Field(
        default=2.0,
        description="An awaited bot that has not answered is handed out again after this time.",
    )
    attempts: int = Field(
        default=3,
        ge=1,
        le=100,
        description="After this many the default is played for the bot; the next time it gets one "
        "fewer, and in the end none in that game.",
    )
    answer_seconds: Seconds = Field(
        default=1.0,
        description="Processor time that a bot may take for an answer. One that takes longer has "
        "failed, as one that raises.",
    )
    memory_megabytes: MemoryBound = Field(
        default=1_000,
        description="Memory for data that a worker may take with its bots; 0: no limit. A bot that "
        "reaches it has failed, and a worker that is left with more than half of it starts anew. "
        "On Linux.",
    )
    slice_seconds: Seconds = Field(
        default=0.5, description="How long one task goes on playing a table of bots."
    )
    batch: int = Field(default=64, ge=1, le=4096, description="Awaited seats in one task, at most.")


class AnalyticsSettings(Group):
    """Statistics of finished games."""

    poll_seconds: Seconds = Field(
        default=1.0, description="Finished games are looked for this often."
    )
    retry_seconds: Seconds = Field(
        default=10.0,
        description="A finished game that was not tallied is handed out again after this time; "
        "while that goes on, later and later.",
    )
    batch: int = Field(default=64, ge=1, le=4096, description="Games in one task, at most.")


class DataSettings(Group):
    """Where `hutch up` keeps its files."""

    dir: Path = Field(
        default=Path(".hutch"), description="The folder of the embedded Redis and the token keys."
    )


class Settings(BaseSettings):
    """What every process has."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="_",
        env_nested_max_split=1,
        extra="ignore",
        frozen=True,
    )
    title: ClassVar[str] = "Every process"

    log: LogSettings = LogSettings()
    metrics: MetricsSettings = MetricsSettings()
    drain: DrainSettings = DrainSettings()
    cards: CardSettings = CardSettings()
    die_with_parent: int = Field(
        default=0,
        ge=0,
        description="Stop when the process that started this one dies: its process id, or 1 for "
        "whichever it is. 0: live on.",
    )


class RulesSettings(Settings):
    """`python -m hutch.rules`."""

    title = "Rules"
    rules: RulesServerSettings = RulesServerSettings()


class GatewaySettings(Settings):
    """`python -m hutch.gateway`."""

    title = "Gateway"
    gateway: GatewayBindSettings = GatewayBindSettings()
    redis: RedisSettings = RedisSettings()
    rules: RulesClientSettings = RulesClientSettings()
    token: TokenSettings = TokenSettings()
    limit: LimitSettings = LimitSettings()
    stream: StreamSettings = StreamSettings()
    outage: OutageSettings = OutageSettings()


class TimekeeperSettings(Settings):
    """`python -m hutch.timekeeper`."""

    title = "Timekeeper"
    redis: RedisSettings = RedisSettings()
    rules: RulesClientSettings = RulesClientSettings()
    timekeeper: TimekeeperTimingSettings = TimekeeperTimingSettings()


class WorkerSettings(Settings):
    """`python -m hutch.workers`, the dispatcher as well as the Celery workers."""

    title = "Dispatcher and workers"
    redis: RedisSettings = RedisSettings()
    rules: RulesClientSettings = RulesClientSettings()
    broker: BrokerSettings = BrokerSettings()
    bots: BotSettings = BotSettings()
    analytics: AnalyticsSettings = AnalyticsSettings()

    @model_validator(mode="after")
    def _has_broker(self) -> Self:
        if not self.broker.url and "+cluster://" in self.redis.url:
            raise ValueError(
                "HUTCH_BROKER_URL is needed: Celery's messages cannot go through the cluster in "
                "HUTCH_REDIS_URL."
            )
        return self

    @property
    def broker_url(self) -> str:
        """Where Celery's messages go."""
        return self.broker.url or _second_database(self.redis.url)


class StackSettings(Settings):
    """`hutch up`."""

    title = "`hutch up`"
    data: DataSettings = DataSettings()


class ClientSettings(Settings):
    """`hutch demo`."""

    title = "`hutch demo`"
    address: Address = Field(default="127.0.0.1:50551", description="The gateway to play at.")


PROCESSES: Final[tuple[type[Settings], ...]] = (
    Settings,
    RulesSettings,
    GatewaySettings,
    TimekeeperSettings,
    WorkerSettings,
    StackSettings,
    ClientSettings,
)


def _second_database(redis_url: str) -> str:
    """Logical database 1 of that server, in Celery's spelling."""
    if redis_url.startswith("unix://"):
        path = redis_url.removeprefix("unix://").partition("?")[0]
        return f"redis+socket://{path}?virtual_host=1"
    server, question, query = redis_url.partition("?")
    scheme, _, rest = server.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/1{question}{query}"
