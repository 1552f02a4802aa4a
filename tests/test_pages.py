"""The pages name only what there is: files, commands, options, settings, metrics."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer

from hutch.cli.commands import app
from hutch.runtime.variables import unknown_variables
from tests.docker.test_alerts import exported

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        ROOT / "README.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("clients/**/*.md"),
        *ROOT.glob("deploy/**/*.md"),
        *ROOT.glob("services/**/*.md"),
        *ROOT.glob("tests/**/*.md"),
    ]
)
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()}
#: Settings of groups, as `HUTCH_LIMIT_…`.
GROUP = re.compile(r"HUTCH_[A-Z]+_(?:\.\.\.|…)")


def names(page: Path) -> set[str]:
    """What the page has as code within its sentences and tables."""
    return set(re.findall(r"`([^`\n]+)`", prose(page)))


def prose(page: Path) -> str:
    """The page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def commands(page: Path) -> Iterator[list[str]]:
    """The words of every command that the page names, in its sentences or its blocks."""
    typed = set(names(page))
    for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", page.read_text(), re.S | re.M):
        typed |= {line.removeprefix("$ ") for line in block.splitlines()}
    for line in typed:
        if re.match(r"(\.venv/bin/)?(hutch|make|python -m) ?", line):
            yield shlex.split(line.partition(" #")[0].partition(" > ")[0].rstrip("&"))


def anchors(page: Path) -> set[str]:
    """What headings are called in links."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


def wrong_words(words: list[str]) -> str:
    """What of a command is not there; empty where all of it is."""
    match words:
        case ["make", *rest]:
            targets = {word for word in rest if word.isalpha() or "-" in word[1:]}
            return "".join(
                target
                for target in targets
                if "=" not in target and f"\n{target}:" not in (ROOT / "Makefile").read_text()
            )
        case [python, "-m", module, *_] if python.endswith("python"):
            return "" if find_spec(module) else module
        case [hutch, *rest] if hutch.endswith("hutch"):
            return wrong_option(typer.main.get_command(app), rest)
    return ""


def wrong_option(command: object, words: list[str]) -> str:
    """What a command line of `hutch` names that is not there."""
    while words and (inner := getattr(command, "commands", {}).get(words[0])):
        command, words = inner, words[1:]
    if hasattr(command, "commands") and words and words[0].isalpha() and words[0].islower():
        return words[0]
    options = {name for parameter in getattr(command, "params", ()) for name in parameter.opts}
    return "".join(
        [word for word in words if word.startswith("-") and word.partition("=")[0] not in options]
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_only_what_there_is(page: Path) -> None:
    gone = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        if "://" not in link and not (
            target.exists() and (not anchor or anchor in anchors(target))
        ):
            gone.append(link)
    for name in names(page):
        path = name.split()[0].partition("::")[0]
        made = any(sign in path for sign in "<*{…") or "/out" in path
        root = ROOT / "tests" if "::" in name else ROOT
        if "/" in path and path.split("/")[0] in FOLDERS and not made:
            gone += [] if (root / path).exists() else [name]
    gone += [" ".join(words) for words in commands(page) if wrong_words(words)]
    variables = set(re.findall(r"HUTCH_[A-Z_]*[A-Z]\b(?!_)", GROUP.sub("", page.read_text())))
    gone += unknown_variables(dict.fromkeys(variables, "")).keys()
    families = {re.sub(r"_(bucket|sum|count)$", "", name) for name in exported()}
    metrics = {name.partition("{")[0] for name in names(page) if re.match(r"hutch_\w+", name)}
    gone += metrics - families - exported()
    assert sorted(gone) == []


def test_what_is_not_there_is_found() -> None:
    assert wrong_words(["hutch", "why", "--loud"]) == "--loud"
    assert wrong_words(["hutch", "keys", "lose"]) == "lose"
    assert wrong_words(["make", "haste"]) == "haste"
    assert wrong_words(["python", "-m", "hutch.nothing"]) == "hutch.nothing"
    assert wrong_words(["hutch", "fix", "TABLE", "--default", "SEAT"]) == ""
