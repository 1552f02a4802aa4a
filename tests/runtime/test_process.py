"""The start that all processes share."""

import socket

from hutch.runtime.process import BAD_SETTINGS_STATUS
from tests.runtime.programs import started
from tests.services.processes import refused_start


def test_bad_settings_end_the_start_with_a_sentence_each() -> None:
    with started("serve", HUTCH_LOG_LEVEL="loud", HUTCH_RULES_BIND="here") as process:
        _, written = process.process.communicate(timeout=120)
        assert process.ended() == BAD_SETTINGS_STATUS
    assert written.splitlines() == [
        "hutch rules: cannot start.",
        "HUTCH_LOG_LEVEL is 'loud'; allowed: `debug`, `info`, `warning`, `error`.",
        "HUTCH_RULES_BIND is 'here'; allowed: `host:port`, an IPv6 host in brackets; as a bind "
        "address, port 0 is any free port.",
    ]


def test_a_port_that_is_taken_ends_the_start_with_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with started("serve", HUTCH_METRICS_BIND=address) as process:
            _, written = process.process.communicate(timeout=120)
            assert process.ended() == BAD_SETTINGS_STATUS
    assert written == (
        "hutch rules: cannot start.\n"
        f"{address} (HUTCH_METRICS_BIND) cannot be listened at: Address already in use.\n"
    )


def test_a_port_that_is_taken_from_a_service_ends_the_start_with_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        status, said = refused_start("hutch.rules", HUTCH_RULES_BIND=address)
    assert status == BAD_SETTINGS_STATUS
    assert f"{address} (HUTCH_RULES_BIND) cannot be listened at: the port is taken" in said
    assert "Traceback" not in said


def test_a_misspelt_variable_is_logged_and_does_not_stop_the_process() -> None:
    with started("serve", HUTCH_REDIS_ULR="x") as process:
        process.said()
        process.process.terminate()
        warning = process.logged()[0]
    assert warning["level"] == "warning"
    assert "Is HUTCH_REDIS_URL meant?" in str(warning["event"])
