"""Errors: every reason the service may give becomes an error of one tree."""

from __future__ import annotations

import pytest

from hutch.client import (
    ConflictError,
    ForbiddenError,
    HutchError,
    InvalidRequestError,
    LimitError,
    NoGameError,
    NotFoundError,
    NotPossibleError,
    NotYourSeatError,
    PromptClosedError,
    Retries,
    SeatTakenError,
    ServiceError,
    TokenExpiredError,
    UnauthenticatedError,
    UnavailableError,
    connect,
)
from hutch.client.errors import from_refusal
from hutch.wire.errors import CATALOGUE
from tests.sdk.contract import ContractService
from tests.sdk.counting import Code, Refused

KINDS: dict[Code, type[HutchError]] = {
    Code.UNAUTHENTICATED: UnauthenticatedError,
    Code.PERMISSION_DENIED: ForbiddenError,
    Code.NOT_FOUND: NotFoundError,
    Code.INVALID_ARGUMENT: InvalidRequestError,
    Code.FAILED_PRECONDITION: NotPossibleError,
    Code.ALREADY_EXISTS: NotPossibleError,
    Code.ABORTED: ConflictError,
    Code.RESOURCE_EXHAUSTED: LimitError,
    Code.UNAVAILABLE: UnavailableError,
    Code.INTERNAL: ServiceError,
}


async def told(service: ContractService, refused: Refused) -> HutchError:
    """The error that a caller is told who does not wait."""
    service.faults.refusals = [refused]
    async with connect(service.address, retries=Retries(give_up_after=10)) as hutch:
        with pytest.raises(HutchError) as raised:
            await hutch.guest()
    return raised.value


@pytest.mark.parametrize("reason", sorted(CATALOGUE))
async def test_every_reason_of_the_service_has_its_kind_of_error(
    service: ContractService, reason: str
) -> None:
    refused = Refused(
        CATALOGUE[reason].code, str(reason), "A sentence.", {"fact": "7"}, retry_after_ms=15_000
    )
    for error in (await told(service, refused), from_refusal(refused.refusal())):
        assert isinstance(error, KINDS[refused.code])
        assert error.code is refused.code
        assert error.reason == reason
        assert error.sentence == "A sentence."
        assert error.metadata["fact"] == "7"
        assert error.retry_after == 15


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("TOKEN_EXPIRED", TokenExpiredError),
        ("NOT_YOUR_SEAT", NotYourSeatError),
        ("PROMPT_CLOSED", PromptClosedError),
        ("SEAT_TAKEN", SeatTakenError),
        ("GAME_OVER", NoGameError),
        ("TABLE_NOT_PLAYING", NoGameError),
    ],
)
def test_errors_that_callers_catch_have_a_type_of_their_own(
    reason: str, kind: type[HutchError]
) -> None:
    refused = Refused(CATALOGUE[reason].code, reason)
    error = from_refusal(refused.refusal())
    assert type(error) is kind
    assert isinstance(error, KINDS[refused.code])


async def test_an_error_without_details_says_what_it_knows(service: ContractService) -> None:
    error = await told(service, Refused(Code.UNIMPLEMENTED, "", "No such call."))
    assert type(error) is ServiceError
    assert (error.reason, error.sentence, error.retry_after) == ("", "No such call.", None)
    assert str(error) == "No such call. [UNIMPLEMENTED]"


def test_an_unknown_reason_goes_by_its_code() -> None:
    error = from_refusal(Refused(Code.NOT_FOUND, "SOMETHING_NEW").refusal())
    assert type(error) is NotFoundError
    assert error.reason == "SOMETHING_NEW"
