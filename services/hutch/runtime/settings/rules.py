"""Settings of the rules."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from hutch.runtime.settings.shared import Group, Settings, need_a_pair
from hutch.runtime.settings.values import Address, OptionalPath


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
        need_a_pair("RULES", self.certificate_file, self.key_file)
        if self.ca_file is not None and self.certificate_file is None:
            raise ValueError(
                "HUTCH_RULES_CERTIFICATE_FILE is needed: callers' certificates are checked over "
                "TLS only."
            )
        return self


class RulesSettings(Settings):
    """`python -m hutch.rules`."""

    title = "Rules"
    rules: RulesServerSettings = RulesServerSettings()
