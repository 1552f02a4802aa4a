"""The Python that docs/fairness.md gives to those who write a verifier."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fairness.md"


def defined() -> dict[str, Any]:
    """What the page defines, with nothing of Hutch."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL))
    assert "hutch" not in code.replace("hutch-seed", "")
    names: dict[str, Any] = {}
    exec(code, names)
    return names
