"""Settings: every one a `HUTCH_…` variable of the environment, checked before a process starts.

A process reads one class, composed of small groups: `HUTCH_LOG_LEVEL` is the field `level` of the
group `log`. `docs/settings.md` is this module printed: `python -m hutch.runtime.settings`.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeVar, get_args, get_origin

import annotated_types
import pydantic_settings
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from hutch.runtime.redaction import mask_credentials

PREFIX: Final = "HUTCH_"

_ADDRESS = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>\d{1,5})")
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
Seconds = Annotated[float, Field(gt=0, le=86400)]


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


class RulesClientSettings(Group):
    """Where the rules are asked."""

    addresses: Addresses = Field(
        default=("127.0.0.1:50561",),
        description="The rules processes. Work is spread over all of them.",
    )


class RulesServerSettings(Group):
    """Where the rules are served."""

    bind: Address = Field(default="127.0.0.1:50561", description="Where a rules process listens.")


class GatewayBindSettings(Group):
    """The public door."""

    bind: Address = Field(default="127.0.0.1:50551", description="Where the gateway listens.")
    reflection: bool = Field(
        default=False, description="Serve gRPC reflection, for tools that explore the API."
    )


class TokenSettings(Group):
    """The tokens that name players."""

    key_file: Path = Field(
        default=Path("hutch-keys.json"),
        description="The file with the keys that sign tokens, the same for all gateways. "
        "Made at the first start if it is missing.",
    )
    issuer: str = Field(
        default="hutch",
        min_length=1,
        description="Who signed: tokens of another issuer are refused.",
    )
    lifetime_seconds: int = Field(
        default=604_800, ge=60, le=31_536_000, description="How long a token lasts."
    )


class LimitSettings(Group):
    """How much one caller may ask for. Beyond it: RESOURCE_EXHAUSTED, with a time to retry."""

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
    guests_per_minute: float = Field(
        default=600.0,
        ge=0,
        description="Guests made from one network address, on average; 0: no limit.",
    )
    streams: int = Field(
        default=64, ge=1, description="Streams a player may have open on one gateway."
    )
    watches: int = Field(default=512, ge=1, description="Tables watched over one `Play` stream.")


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


class TimekeeperTimingSettings(Group):
    """How due timers are taken."""

    lease_seconds: Seconds = Field(
        default=5.0,
        description="A timer taken by a timekeeper is free for another after this time, should "
        "the first one die.",
    )
    poll_seconds: Seconds = Field(
        default=0.25,
        description="Redis is asked for due timers at least this often, whatever was announced.",
    )


class BrokerSettings(Group):
    """Celery's broker."""

    url: BrokerUrl = Field(
        default="",
        description="Where Celery's messages go. Empty: logical database 1 of the server in "
        "`HUTCH_REDIS_URL`, which must then not be a cluster.",
    )


class BotSettings(Group):
    """Bots' turns."""

    hint_retry_seconds: Seconds = Field(
        default=2.0,
        description="An awaited bot that has not answered is handed out again after this time.",
    )
    hint_attempts: int = Field(
        default=5, ge=1, le=100, description="After this many the clock plays for the bot."
    )
    slice_seconds: Seconds = Field(
        default=0.5, description="How long one task goes on playing a table of bots."
    )
    batch: int = Field(default=64, ge=1, le=4096, description="Awaited seats in one task, at most.")


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

AnySettings = TypeVar("AnySettings", bound=Settings)


class SettingsError(Exception):
    """Variables that do not fit. The message names each, its value and what is allowed."""


def load(kind: type[AnySettings]) -> AnySettings:
    """The settings of a process, from the environment.

    Raises:
        SettingsError: at least one variable does not fit.
    """
    try:
        return kind()
    except pydantic_settings.SettingsError:
        # A group's name alone is read as JSON for the whole group, which is not documented.
        groups = {PREFIX + location[0].upper() for location, _ in _fields(kind) if location[1:]}
        names = ", ".join(sorted(groups & os.environ.keys()))
        raise SettingsError(
            f"{names} is the name of a group; set the group's own variables."
        ) from None
    except ValidationError as fault:
        fields = dict(_fields(kind))
        faults = [_sentence(error, fields) for error in fault.errors()]
        raise SettingsError("\n".join(dict.fromkeys(faults))) from None


def unknown_variables(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """`HUTCH_…` variables that no process reads, each with a sentence for whoever misspelt it."""
    known = {
        _variable(location).removeprefix(PREFIX)
        for kind in PROCESSES
        for location, _ in _fields(kind)
    }
    found = {}
    for name in sorted(environ):
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in known:
            near = difflib.get_close_matches(name.removeprefix(PREFIX), known, n=1)
            hint = f" Is {PREFIX}{near[0]} meant?" if near else ""
            found[name] = f"{name} is set but read by nothing.{hint}"
    return found


def markdown() -> str:
    """All settings as the page `docs/settings.md`."""
    lines = [
        "# Settings",
        "",
        "Every setting is a variable of the environment. A value that does not fit stops the",
        "process at its start with a message that names the variable, the value and what is",
        "allowed; a `HUTCH_…` variable that nothing reads is reported. This page is generated:",
        "`python -m hutch.runtime.settings > docs/settings.md`.",
    ]
    shared = {location for location, _ in _fields(Settings)}
    for kind in PROCESSES:
        lines += ["", f"## {kind.title}", ""]
        lines += ["| variable | default | allowed | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{_variable(location)}` | {_default(field)} | {_allowed(field)} "
            f"| {field.description} |"
            for location, field in _fields(kind)
            if kind is Settings or location not in shared
        ]
    return "\n".join(lines) + "\n"


Location = tuple[str, ...]


def _fields(kind: type[Settings]) -> Iterator[tuple[Location, FieldInfo]]:
    for name, field in kind.model_fields.items():
        group = field.annotation
        if isinstance(group, type) and issubclass(group, Group):
            for inner, inner_field in group.model_fields.items():
                yield (name, inner), inner_field
        else:
            yield (name,), field


def _variable(location: Location) -> str:
    return PREFIX + "_".join(location).upper()


def _sentence(error: Any, fields: Mapping[Location, FieldInfo]) -> str:
    if not error["loc"]:
        return str(error["ctx"]["error"])
    location = next(
        place for size in (2, 1) if (place := tuple(map(str, error["loc"][:size]))) in fields
    )
    variable = _variable(location)
    value = mask_credentials(os.environ.get(variable, str(error["input"])))
    return f"{variable} is {value!r}; allowed: {_allowed(fields[location])}."


def _allowed(field: FieldInfo) -> str:
    for mark in field.metadata:
        if isinstance(mark, Allowed):
            return mark.words
    annotation = field.annotation
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    if annotation is bool:
        return "`0` or `1`"
    if annotation is Path:
        return "a path"
    if annotation is str:
        return "any text but none"
    noun = "a whole number" if annotation is int else "a number"
    return " ".join([noun, *(words for mark in field.metadata if (words := _bound(mark)))])


def _bound(mark: object) -> str:
    match mark:
        case annotated_types.Ge(ge=bound):
            return f"from {bound}"
        case annotated_types.Gt(gt=bound):
            return f"above {bound}"
        case annotated_types.Le(le=bound):
            return f"up to {bound}"
    return ""


def _default(field: FieldInfo) -> str:
    match field.default:
        case "":
            return "empty"
        case bool(value):
            return f"`{int(value)}`"
        case tuple(parts):
            return f"`{','.join(parts)}`"
        case float(value):
            return f"`{value:g}`"
        case value:
            return f"`{value}`"


def _second_database(redis_url: str) -> str:
    """Logical database 1 of that server, in Celery's spelling."""
    if redis_url.startswith("unix://"):
        path = redis_url.removeprefix("unix://").partition("?")[0]
        return f"redis+socket://{path}?virtual_host=1"
    server, question, query = redis_url.partition("?")
    scheme, _, rest = server.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/1{question}{query}"


if __name__ == "__main__":
    sys.stdout.write(markdown())
