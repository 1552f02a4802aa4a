"""Settings come from the environment, and a bad one is named."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from hutch.client.retries import Retries
from hutch.runtime.settings import PROCESSES
from hutch.runtime.settings.cli import StackSettings
from hutch.runtime.settings.gateway import GatewaySettings
from hutch.runtime.settings.rules import RulesSettings
from hutch.runtime.settings.shared import Settings
from hutch.runtime.settings.workers import WorkerSettings
from hutch.runtime.variables import SettingsError, load, markdown, unknown_variables
from hutch.workers.celery_app import celery_app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


def test_every_process_starts_without_a_single_variable() -> None:
    for kind in PROCESSES:
        load(kind)


def test_a_variable_sets_the_field_it_is_named_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUTCH_REDIS_URL", "unix:///run/redis.sock")
    monkeypatch.setenv("HUTCH_LIMIT_ACTIONS_PER_SECOND", "7.5")
    monkeypatch.setenv("HUTCH_GATEWAY_REFLECTION", "1")
    monkeypatch.setenv("HUTCH_DIE_WITH_PARENT", "1")

    gateway = load(GatewaySettings)

    assert gateway.redis.url == "unix:///run/redis.sock"
    assert gateway.limit.actions_per_second == 7.5
    assert gateway.gateway.reflection is True
    assert gateway.die_with_parent == 1


def test_addresses_are_split_at_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUTCH_RULES_ADDRESSES", "rules-1:50561, [::1]:50562,")
    assert load(GatewaySettings).rules.addresses == ("rules-1:50561", "[::1]:50562")


@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        ("HUTCH_LOG_LEVEL", "loud", "`debug`, `info`, `warning`, `error`"),
        ("HUTCH_METRICS_BIND", "9464", "`host:port`"),
        ("HUTCH_METRICS_BIND", "127.0.0.1:70000", "`host:port`"),
        ("HUTCH_RULES_ADDRESSES", ",", "one or more `host:port`"),
        ("HUTCH_RULES_ADDRESSES", "here:1,there", "one or more `host:port`"),
        ("HUTCH_REDIS_URL", "localhost", "`redis://…`"),
        ("HUTCH_GATEWAY_REFLECTION", "maybe", "`0` or `1`"),
        ("HUTCH_LIMIT_MESSAGE_BYTES", "12", "a whole number from 1024 up to 4194304"),
        ("HUTCH_LIMIT_CALLS_PER_SECOND", "nan", "a number from 0"),
        ("HUTCH_LIMIT_CALLS_PER_SECOND", "inf", "a number from 0"),
        ("HUTCH_STREAM_SLOW_SECONDS", "0", "a number above 0 up to 86400"),
        ("HUTCH_STREAM_HEARTBEAT_SECONDS", "20.5", "a number above 0 up to 20"),
        ("HUTCH_TOKEN_ISSUER", "", "any text but none"),
        ("HUTCH_DIE_WITH_PARENT", "-1", "a whole number from 0"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, allowed: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsError) as raised:
        load(GatewaySettings)
    assert f"{variable} is {value!r}; allowed: {allowed}" in str(raised.value)


def test_a_stream_says_that_it_lives_twice_before_a_client_takes_it_for_dead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HUTCH_STREAM_HEARTBEAT_SECONDS", "20")
    slowest = load(GatewaySettings).stream.heartbeat_seconds
    assert 2 * slowest < Retries().silence


def test_all_faults_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUTCH_LOG_LEVEL", "loud")
    monkeypatch.setenv("HUTCH_GATEWAY_BIND", "here")
    with pytest.raises(SettingsError) as raised:
        load(GatewaySettings)
    assert {line.split()[0] for line in str(raised.value).splitlines()} == {
        "HUTCH_LOG_LEVEL",
        "HUTCH_GATEWAY_BIND",
    }


def test_a_password_in_a_bad_value_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUTCH_REDIS_URL", "http://user:hunter2@host/0")
    with pytest.raises(SettingsError) as raised:
        load(GatewaySettings)
    assert "hunter2" not in str(raised.value)


def test_a_group_cannot_be_set_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUTCH_LOG", "debug")
    with pytest.raises(SettingsError, match="HUTCH_LOG is the name of a group"):
        load(RulesSettings)


def test_a_misspelt_variable_is_reported_with_the_likely_one() -> None:
    found = unknown_variables({"HUTCH_REDIS_ULR": "x", "HUTCH_REDIS_URL": "y", "PATH": "z"})
    assert found == {
        "HUTCH_REDIS_ULR": "HUTCH_REDIS_ULR is set but read by nothing. Is HUTCH_REDIS_URL meant?"
    }


def test_a_variable_of_another_process_is_not_reported() -> None:
    assert unknown_variables({"HUTCH_DATA_DIR": "x", "HUTCH_GATEWAY_BIND": "y"}) == {}
    load(StackSettings)


@pytest.mark.parametrize(
    ("redis", "broker"),
    [
        ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/1"),
        ("redis://user:word@host:1", "redis://user:word@host:1/1"),
        ("rediss://host:1/0?ssl_cert_reqs=none", "rediss://host:1/1?ssl_cert_reqs=none"),
        ("redis://host:1/0?socket_timeout=5&health_check_interval=9", "redis://host:1/1"),
        ("redis://host:1?password=w%40rd", "redis://:w%40rd@host:1/1"),
        ("unix:///run/r.sock?db=0", "redis+socket:///run/r.sock?virtual_host=1"),
        ("unix:///r.sock?password=w%40rd", "redis+socket://:w%40rd@/r.sock?virtual_host=1"),
    ],
)
def test_the_broker_is_the_second_database_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, redis: str, broker: str
) -> None:
    monkeypatch.setenv("HUTCH_REDIS_URL", redis)
    assert load(WorkerSettings).broker_url == broker
    celery_app(broker).connection_for_write()  # which takes nothing that it does not know
    monkeypatch.setenv("HUTCH_BROKER_URL", "amqp://rabbit")
    assert load(WorkerSettings).broker_url == "amqp://rabbit"


def test_a_cluster_needs_a_broker_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUTCH_REDIS_URL", "redis+cluster://one:1,two:2")
    with pytest.raises(SettingsError, match=r"^HUTCH_BROKER_URL is needed"):
        load(WorkerSettings)
    monkeypatch.setenv("HUTCH_BROKER_URL", "redis://three:3/0")
    assert load(WorkerSettings).broker_url == "redis://three:3/0"


def test_a_bot_may_not_think_for_longer_than_it_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HUTCH_BOTS_ANSWER_SECONDS", "2.5")
    with pytest.raises(SettingsError, match=r"^HUTCH_BOTS_HINT_RETRY_SECONDS is 2, and must not"):
        load(WorkerSettings)
    monkeypatch.setenv("HUTCH_BOTS_HINT_RETRY_SECONDS", "2.5")
    assert load(WorkerSettings).bots.answer_seconds == 2.5


def test_every_setting_is_described() -> None:
    def undescribed(model: type[BaseModel]) -> list[str]:
        found = []
        for name, field in model.model_fields.items():
            if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
                found += undescribed(field.annotation)
            elif not (field.description or "").endswith("."):
                found.append(f"{model.__name__}.{name}")
        return found

    assert [name for kind in PROCESSES for name in undescribed(kind)] == []
    assert set(PROCESSES) == {Settings, *Settings.__subclasses__()}


def test_the_page_of_settings_is_up_to_date() -> None:
    assert PAGE.read_text() == markdown(), "run `hutch settings > docs/settings.md`"
