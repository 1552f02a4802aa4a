"""The README shows what runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from hutch import client

SDK = Path(__file__).parents[2] / "clients" / "python"
README = (SDK / "README.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_bot_in_the_readme_is_the_example_that_is_tested() -> None:
    example = (SDK / "examples" / "bot.py").read_text()
    code = example.partition('"""\n\n')[2]
    assert code in SNIPPETS


def test_every_snippet_is_python() -> None:
    for snippet in SNIPPETS:
        compile(snippet, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def test_every_name_that_the_readme_mentions_is_there() -> None:
    errors = set(re.findall(r"`(\w+Error)`", README))
    exported = {name for name in client.__all__ if name.endswith("Error")}
    assert errors == exported
