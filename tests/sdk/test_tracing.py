"""The trace that a call belongs to goes with it: the one given, else that of the current span."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from hutch.client import Hutch, sync, traced
from tests.sdk.contract import ContractService
from tests.sdk.test_sync import ServiceThread, running

__all__ = ["running"]

GIVEN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SPAN = SimpleNamespace(
    trace_id=0x4BF92F3577B34DA6A3CE929D0E0E4736,
    span_id=0x00F067AA0BA902B7,
    trace_flags=1,
    is_valid=True,
)


@pytest.fixture
def span(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A current span of OpenTelemetry, as its API shows one."""
    current = SimpleNamespace(**vars(SPAN))
    api = ModuleType("opentelemetry.trace")
    api.get_current_span = lambda: SimpleNamespace(  # type: ignore[attr-defined]
        get_span_context=lambda: current
    )
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", api)
    return current


async def test_calls_within_the_block_belong_to_the_trace_and_no_others(
    service: ContractService, hutch: Hutch
) -> None:
    table = hutch.table(service.open().name)
    with traced(GIVEN):
        await table.get()
    await table.get()
    assert service.traces == [GIVEN, ""]


async def test_watching_belongs_to_the_trace(service: ContractService, hutch: Hutch) -> None:
    with traced(GIVEN):
        watching = hutch.table(service.open().name).watch()
        await anext(watching)
    await watching.aclose()
    assert service.traces == [GIVEN]


async def test_each_action_over_a_stream_has_the_trace_of_its_caller_and_the_stream_has_none(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    turns = hutch.table(game.name).seat(0).play()
    with traced(GIVEN):
        await (await anext(turns)).answer("two")
    await (await anext(turns)).answer("two")
    await turns.aclose()
    submits = [one for one in service.requests if one.WhichOneof("request") == "submit"]
    assert [one.traceparent for one in submits] == [GIVEN, ""]
    assert service.traces == [""]


def test_plain_code_has_its_trace_too(running: ServiceThread) -> None:
    game = running.do(running.open())
    with sync.connect(running.service.address) as hutch:
        with traced(GIVEN):
            hutch.table(game.name).get()
        hutch.table(game.name).get()
    assert running.service.traces == [GIVEN, ""]


async def test_the_current_span_is_sent_unless_another_trace_is_given(
    service: ContractService, hutch: Hutch, span: SimpleNamespace
) -> None:
    table = hutch.table(service.open().name)
    await table.get()
    with traced(GIVEN):
        await table.get()
    span.is_valid = False  # as where there is none
    await table.get()
    of_the_span = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    assert service.traces == [of_the_span, GIVEN, ""]
